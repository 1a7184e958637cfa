"""A client for the scripted server."""

from collections.abc import Iterator

import httpx2
import pytest


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with httpx2.Client(verify=False, trust_env=False, timeout=5) as http:  # certificates take time to load
        yield http
