"""What commands print: tables, and warnings as sentences."""

import warnings
from collections.abc import Callable, Iterable
from functools import wraps

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

WIDEST = 1000  # letters in a line of a table


class Stop(typer.Exit):
    """Ends the command with one sentence on standard error."""

    def __init__(self, sentence: str, code: int = 2):
        typer.echo(f"myomass: {sentence}", err=True)
        super().__init__(code)


def told(command: Callable) -> Callable:
    """Decorate a command so that warnings are sentences on standard error."""

    @wraps(command)
    def telling(**options) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("always", RuntimeWarning)
            try:
                command(**options)
            finally:
                for sentence in dict.fromkeys(str(one.message) for one in caught):
                    typer.echo(f"myomass: warning: {sentence}", err=True)

    return telling


def tell_how_to_end() -> None:
    """Say how a command ends that stays."""
    typer.echo("myomass: Ctrl-C ends it")


def print_grid(headings: list[str], rows: Iterable[list[str]]) -> None:
    """A table, unless it is empty. Lines may be longer than the terminal is wide: names are told in full."""
    rows = list(rows)
    if not rows:
        return
    grid = Table(*(Column(escape(heading), no_wrap=True) for heading in headings), box=None, pad_edge=False)
    for row in rows:
        grid.add_row(*map(escape, row))
    console = Console(highlight=False, width=WIDEST)
    console.print(grid, soft_wrap=True)
    console.print()
