"""`python -m myomass`: the command line, also where its script is not on the path."""

from .cli import app

if __name__ == "__main__":
    app(prog_name="myomass")
