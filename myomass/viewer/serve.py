"""A server on this machine: which port it takes, and how it is shut down quietly."""

import io
import socket
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from .canvas import load_viser

if TYPE_CHECKING:
    from viser import ViserServer

HOST = "127.0.0.1"  # this machine alone
PORTS = range(8080, 8180)  # tried in turn, before any free one
WORDS = {98: "it is in use", 48: "it is in use", 13: "that needs more rights", 99: "this machine has no such address"}


def start_server(host: str, port: int | None, title: str) -> "ViserServer":
    """A server at this port, or by default at a free one. Raises an OSError if it cannot listen there."""
    viser = load_viser()
    if not isinstance(host, str):
        raise ValueError(f"the host is an address such as {HOST}, not {host!r}")
    if port is not None and (isinstance(port, bool) or not isinstance(port, int) or not 0 < port < 65536):
        raise ValueError(f"the port is a number from 1 to 65535, not {port!r}")
    if port is not None:
        trouble = _trouble(host, port)
        if trouble:
            raise OSError(f"the viewer cannot listen on {host}:{port}: {trouble}; leave the port out to get a free one")
    else:
        trouble = _trouble(host, 0)
        if trouble:
            raise OSError(f"the viewer cannot listen on {host}: {trouble}")
        port = next((p for p in PORTS if not _trouble(host, p)), 0)
    with redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=port, label=title, verbose=False)
    return server


def _trouble(host: str, port: int) -> str:
    """Why this machine cannot listen there; an empty text if it can."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, port))
    except OSError as error:
        return WORDS.get(error.errno, error.strerror or str(error))
    return ""


def stop_server(server: "ViserServer") -> None:
    """Shut a server down, with its threads."""
    with redirect_stdout(io.StringIO()):
        server.stop()
