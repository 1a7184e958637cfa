"""Opens the socket of a server, and tells whether an address is this machine."""

import ipaddress
import socket

from rarr.errors import InputError


def is_loopback(host: str) -> bool:
    """Tells whether `host` is a name or an address of this machine itself."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def listening_socket(host: str, port: int) -> socket.socket:
    """Returns a socket that listens at the address. Port 0 means any free port.

    Raises `InputError` if the address cannot be used.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server((host, port), family=family, backlog=1024, dualstack_ipv6=both)
    except OSError as error:
        cure = "name another address with --host and --port"
        raise InputError(f"cannot listen at {host}:{port} ({error.strerror}): {cure}") from None
