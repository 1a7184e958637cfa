"""The server on this machine behind those of the tests."""

import sys
from http.server import ThreadingHTTPServer
from typing import Any


class LocalServer(ThreadingHTTPServer):
    """Answers each request in a thread of its own.

    Its threads may outlive the test that began them; what one prints would stand among the lines of
    the next test.
    """

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints errors of a handler, but not those of a connection that the client closed."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)
