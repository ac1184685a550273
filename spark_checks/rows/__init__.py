"""Every violation of a report as a row of a DataFrame: complete, where a report shows a few examples."""
