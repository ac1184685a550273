"""Every output format of findings, record checks and reviews, and the HTML page. Only renders."""
