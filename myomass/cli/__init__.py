"""The command line `myomass`."""

from .commands import app

__all__ = ["app"]
