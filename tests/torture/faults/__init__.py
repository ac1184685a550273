"""One module for each thing that goes wrong."""
