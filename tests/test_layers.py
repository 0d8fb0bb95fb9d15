"""Imports point down the list of layers, siblings do not know each other, and kernels stay out of the upper layers.

All imports count: those inside functions, and modules that a string names (`import_module("myomass.viewer")`). Only
what stands under `if TYPE_CHECKING:` does not.
"""

import ast
import re
from pathlib import Path

import pytest

from myomass._jit import KERNEL_FREE, PACKAGE

EXPERIMENTS = "myomass_experiments"  # a package of its own, beside the engine
LAYERS = [
    {"_jit"},
    {"spatial"},
    {"render"},
    {"joints"},
    {"model"},
    {"reduction"},
    {"algorithms"},
    {"forces", "constraints", "muscles"},
    {"deformables"},
    {"compile", "archive"},
    {"dynamics"},
    {"reroot"},
    {"integrators"},
    {"register"},
    {"run"},
    {"trajectory"},
    {"simulate"},
    {"recordings"},
    {"transitions", "walking", "textbook", "adjoint"},
    {"analyses"},
    {"human"},
    {"scenes", "io", "viewer"},
    {EXPERIMENTS},
    {"warm_up"},
    {"cli"},
    {"__main__"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
ROOT = PACKAGE.parent
FILES = sorted(
    path
    for package in (PACKAGE, ROOT / EXPERIMENTS)
    for path in package.rglob("*.py")
    if path != PACKAGE / "__init__.py"
)
MODULE = re.compile(r"myomass(_experiments)?(\.\w+)*")
UNKNOWN = "?"  # in place of what a string is given only when it runs


def relative_path(path: Path) -> str:
    return str(path.relative_to(ROOT))


def layer_of(path: Path) -> str:
    package, *inside = path.relative_to(ROOT).parts
    return package if package == EXPERIMENTS else inside[0].removesuffix(".py")


def package_of(path: Path) -> str:
    """The package that a file's relative imports start from."""
    return ".".join(path.relative_to(ROOT).parts[:-1])


def layer_of_module(name: str) -> str | None:
    """The layer that a module of ours belongs to, None for others and for the top of the package."""
    package, *inside = name.split(".")
    if package == EXPERIMENTS:
        return package
    return inside[0] if package == PACKAGE.name and inside and inside[0] != "__version__" else None


def type_checking_only(tree: ast.Module) -> set[ast.AST]:
    """Nodes under `if TYPE_CHECKING:`."""
    blocks = [n for n in ast.walk(tree) if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING"]
    return {node for block in blocks for statement in block.body for node in ast.walk(statement)}


def absolute(name: str, package: str, level: int) -> str:
    """A module's full name, from one that starts with so many dots."""
    if not level:
        return name
    kept = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*kept, *([name] if name else [])])


def modules_of_statement(node: ast.Import | ast.ImportFrom, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = absolute(node.module or "", package, node.level)
    return [f"{base}.{alias.name}" for alias in node.names]


def text_of(node: ast.AST, package: str) -> str | None:
    """A string as far as the source tells it, None if it is something else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.FormattedValue) else part for part in node.values)
        return "".join(text_of(part, package) or UNKNOWN for part in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return "".join(text_of(part, package) or UNKNOWN for part in (node.left, node.right))
    return package if getattr(node, "id", "") == "__package__" else None


def module_of_call(node: ast.Call, package: str) -> str | None:
    """What `import_module(...)` or `__import__(...)` loads, None for another call."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name not in ("import_module", "__import__"):
        return None
    given = (text_of(node.args[0], package) if node.args else None) or UNKNOWN
    bare = given.lstrip(".")
    module = absolute(bare, package, len(given) - len(bare))
    assert layer_of_module(module) != UNKNOWN and not module.startswith(UNKNOWN), (
        f"line {node.lineno}: nobody can tell which module this loads; name its layer in the string"
    )
    return module


def imported_modules(source: str, package: str) -> list[str]:
    """Full names of all modules that a file loads or names in a string, now or later."""
    tree, found = ast.parse(source), []
    skipped = type_checking_only(tree)
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found += modules_of_statement(node, package)
        elif isinstance(node, ast.Call):
            found.append(module_of_call(node, package) or "")
        else:
            text = text_of(node, package)
            found += [text] if text and MODULE.fullmatch(text) else []
    return found


def imported_layers(source: str, package: str) -> set[str]:
    return {layer for name in imported_modules(source, package) if (layer := layer_of_module(name))}


@pytest.mark.parametrize("path", FILES, ids=relative_path)
def test_imports_point_down(path):
    own = layer_of(path)
    assert own in RANK, f"{own} is no layer: add it to LAYERS where it belongs"
    for other in imported_layers(path.read_text(), package_of(path)) - {own}:
        assert other in RANK, f"{path.name} imports {other}, which is no layer"
        assert RANK[other] < RANK[own], f"{path.name} ({own}) imports {other}"


@pytest.mark.parametrize("path", [p for p in FILES if p.is_relative_to(PACKAGE)], ids=relative_path)
def test_the_engine_imports_itself_relatively(path):
    """A copy of the package beside another must not take the other's modules."""
    for node in ast.walk(ast.parse(path.read_text())):
        named = [getattr(node, "module", None) or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else named
        assert not any(name.split(".")[0] == PACKAGE.name for name in named), f"{path}: import relatively"


@pytest.mark.parametrize(
    "source",
    [
        "from ..viewer.page import view",
        "from .. import viewer",
        "import myomass.viewer.page",
        "def later():\n    from ..viewer import page",
        "import importlib\nimportlib.import_module('myomass.viewer')",
        "import_module('..viewer', __package__)",
        "import_module(f'..viewer.{name}', __package__)",
        "lazy = {'page': 'myomass.viewer.page'}",
        "import_module('myomass.' + 'viewer')",
        "__import__('myomass.viewer.page')",
        "if TYPE_CHECKING:\n    pass\nelse:\n    from ..viewer import page",
    ],
)
def test_every_way_to_import_is_seen(source):
    assert "viewer" in imported_layers(source, "myomass.model")


@pytest.mark.parametrize("source", ["import_module(name)", "import_module(f'myomass.{name}')", "__import__(x + y)"])
def test_an_import_that_nobody_can_read_is_refused(source):
    with pytest.raises(AssertionError, match="nobody can tell"):
        imported_layers(source, "myomass.model")


def test_types_and_texts_are_no_imports():
    source = "if TYPE_CHECKING:\n    from ..viewer import page\n'''See myomass.viewer.page, and myomass/viewer.'''"
    assert imported_layers(source, "myomass.model") == set()


def test_upper_layers_hold_no_kernels():
    for path in FILES:
        if layer_of(path) in (*KERNEL_FREE, EXPERIMENTS):
            source = path.read_text()
            imported = "myomass._jit.kernel" in imported_modules(source, package_of(path)) or "_jit.kernel" in source
            assert not imported, f"{path}: a kernel here would be missing from the cache's hash"
