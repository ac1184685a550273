"""The schemas of the requests about share groups, as kafka-python reads them."""
