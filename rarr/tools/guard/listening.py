"""Opens the socket of a server, and finds out which machines may reach it."""

import ipaddress
import socket

from rarr.errors import InputError


def is_loopback(host: str) -> bool:
    """True if the host is a name or an address of this machine itself."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def listening_socket(host: str, port: int) -> socket.socket:
    """Returns a socket that listens at the address; port 0: at any free port.

    Raises `InputError` for an address that cannot be used.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server((host, port), family=family, backlog=1024, dualstack_ipv6=both)
    except OSError as error:
        why = f"({error.strerror}): name another with --host and --port"
        raise InputError(f"{host}:{port} cannot be listened at {why}") from None
