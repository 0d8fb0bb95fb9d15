"""Budgets: a file at most 400 lines, a function at most 60, at most 6 positional parameters outside kernels."""

import ast

import pytest

from myomass._jit import PACKAGE

FILE_LINES, FUNCTION_LINES, PARAMETERS = 400, 60, 6
LONG_FUNCTIONS: set[str] = set()  # hand-unrolled kernels that ask for more, by name
FILES = sorted((*PACKAGE.rglob("*.py"), *(PACKAGE.parent / "myomass_experiments").rglob("*.py")))


def is_kernel(function: ast.FunctionDef) -> bool:
    names = [getattr(d, "func", d) for d in function.decorator_list]
    return any(getattr(name, "id", "") in ("kernel", "intrinsic") for name in names)


def is_command(function: ast.FunctionDef) -> bool:
    """A function of the command line: its parameters are options."""
    return any(getattr(getattr(d, "func", None), "attr", "") == "command" for d in function.decorator_list)


def functions(path) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE.parent)))
def test_budgets(path):
    assert len(path.read_text().splitlines()) <= FILE_LINES
    for function in functions(path):
        lines = function.end_lineno - function.lineno + 1
        assert lines <= FUNCTION_LINES or function.name in LONG_FUNCTIONS, f"{function.name}: {lines} lines"
        if not is_kernel(function) and not is_command(function):
            positional = [
                a.arg for a in (*function.args.posonlyargs, *function.args.args) if a.arg not in ("self", "cls")
            ]
            assert len(positional) <= PARAMETERS, f"{function.name}: {positional}"
