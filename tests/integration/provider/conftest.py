"""What tests of the provider share."""

from __future__ import annotations

from uuid import uuid4

import pytest


@pytest.fixture
def name(request):
    """A name that no other test has, after the file: share-groups-1f0c9a2b."""
    return f"{request.module.__name__.removeprefix('test_').replace('_', '-')}-{uuid4().hex[:8]}"
