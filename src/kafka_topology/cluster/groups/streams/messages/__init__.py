"""The schemas of the request about streams groups, as kafka-python reads them."""
