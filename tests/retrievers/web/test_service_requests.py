"""Which pages of a search could not be read: said where others make up for them."""

import pytest
from tools.asking import metered

from rarr.errors import RetrievalError
from rarr.retrievers.web.service_requests import readable


def test_pages_that_all_fail_are_an_error_without_warnings() -> None:
    with metered() as meter, pytest.raises(RetrievalError, match="gone"):
        readable(["https://a.org/"], [RetrievalError("gone")])
    assert meter.warnings == []
