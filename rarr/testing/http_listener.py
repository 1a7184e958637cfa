"""Listens for requests to a scripted server; connections stay open, and all end when the server closes."""

import contextlib
import json
import math
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rarr.testing.received_request import Request, RequestLog, request_of
from rarr.testing.replies import Reply

GLANCE_S = 0.1  # seconds between checks whether the client is still connected
POLL_S = 0.01  # seconds between checks whether the server should close
PATIENCE_S = 5.0  # seconds for the threads of the connections to end


class Handler(BaseHTTPRequestHandler):
    """Reads the requests of one connection, in its own thread, and sends the replies of the listener."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body in one packet
    server: "Listener"

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, *_: object) -> None:
        """Logs nothing: the record holds every request."""

    def _serve(self) -> None:
        request = self._request()
        record = self.server.record
        number = record.begin(request)
        reply = self.server.reply_to(request)
        if not self._wait(reply.wait):
            record.end(number, None)
            self.close_connection = True
            return
        self._head(reply)
        goes_on = self._begin(reply)
        # Before the answer is sent, so that whoever has the answer sees it in the record.
        record.end(number, reply.status, reply.tokens)
        if goes_on:
            self._finish(reply)
        else:
            self.close_connection = True

    def _request(self) -> Request:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(data or b"{}")
        except ValueError:
            body = None
        return request_of(
            self.command,
            self.path.partition("?")[0],
            dict(self.headers),
            body if isinstance(body, dict) else {},
        )

    def _head(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        if reply.retry_after is not None:
            self.send_header("Retry-After", f"{reply.retry_after:g}")
        if reply.parts is not None:
            self.send_header("Transfer-Encoding", "chunked")
        elif reply.drip is None:
            self.send_header("Content-Length", str(len(reply.body)))
        if reply.drip is not None or reply.dies:
            self.send_header("Connection", "close")
        self.end_headers()

    def _begin(self, reply: Reply) -> bool:
        """Sends what comes before the end of the reply; returns False if the end will not be sent."""
        try:
            if reply.drip is not None:
                while self._wait(reply.drip):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                return False
            for part in reply.parts or ():
                if reply.pause:
                    self.wfile.flush()
                if not self._wait(reply.pause):
                    return False
                self._send_chunk(part)
            if reply.stalls:
                self.wfile.flush()
                return self._wait(math.inf)
        except OSError:  # the client has gone
            return False
        return True

    def _finish(self, reply: Reply) -> None:
        """Sends the end of the reply: its body, or the half of it with which the connection dies."""
        body = reply.body[: len(reply.body) // 2] if reply.dies else reply.body
        if reply.parts is None:
            self.wfile.write(body)
        elif not reply.dies:
            self._send_chunk(body)
            self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _send_chunk(self, part: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))

    def _wait(self, seconds: float) -> bool:
        """Waits; returns False early if the server closes or the client has gone."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            if self.server.closing.wait(min(left, GLANCE_S)) or self._gone():
                return False
        return True

    def _gone(self) -> bool:
        self.connection.settimeout(0)
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self.connection.settimeout(None)


class Listener(ThreadingHTTPServer):
    """Listens on 127.0.0.1 from its creation on, in a thread. `port` 0 is any free port."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, port: int, record: RequestLog, reply_to: Callable[[Request], Reply]) -> None:
        self.record = record
        self.reply_to = reply_to
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._ended = threading.Condition()
        super().__init__(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(POLL_S,), daemon=True)
        self._thread.start()

    def server_bind(self) -> None:
        """Binds without looking up the machine's name, which may take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accepts the next connection, and remembers it as open."""
        connection, address = super().get_request()
        with self._ended:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        """Closes a connection, and forgets it."""
        super().shutdown_request(request)
        with self._ended:
            self._open.discard(request)
            self._ended.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints errors of a handler, but not those of a connection that the client closed."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Stops listening and ends every connection, even one that waits."""
        self.closing.set()
        self.shutdown()
        self.server_close()
        self._thread.join()
        with self._ended:
            for connection in self._open:
                with contextlib.suppress(OSError):  # the client closed it first
                    connection.shutdown(socket.SHUT_RDWR)
            self._ended.wait_for(lambda: not self._open, timeout=PATIENCE_S)
