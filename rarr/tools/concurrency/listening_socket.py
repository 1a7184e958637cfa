"""Opens the socket of a server, and tells whether other machines reach it."""

import ipaddress
import socket

from rarr.errors import InputError

_WAITING = 1024


def is_loopback(host: str) -> bool:
    """Tells whether the host is a name or an address of this machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def listening_socket(host: str, port: int) -> socket.socket:
    """Returns a socket that listens at the address; port 0: at any free port.

    Raises `InputError` for an address that cannot be used.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_WAITING)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise InputError(
            f"{host}:{port} cannot be listened at ({error.strerror}): name another with --host and --port"
        ) from None
    return listening
