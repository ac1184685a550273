"""Real clients write the same odd keys with each of their partitioners; the record checks must know where they went.

`make clients` runs it. Nothing here computes a hash: where a key belongs is where the client itself put it, and what
a wrong declaration must count follows from where the client with that partitioner put the same keys.
"""
