"""The schemas of the heartbeat of the streams protocol, as kafka-python reads them."""
