"""Imports point down the list of layers, siblings do not know each other, and kernels stay out of the upper layers."""

import ast

import pytest

from myomass._jit import KERNEL_FREE, PACKAGE

LAYERS = [
    {"_jit", "anthropometry"},
    {"spatial"},
    {"render"},
    {"joints"},
    {"model"},
    {"algorithms"},
    {"forces", "constraints", "muscles"},
    {"deformables"},
    {"dynamics"},
    {"integrators"},
    {"trajectory"},
    {"simulate"},
    {"adjoint"},
    {"scenes", "io", "viewer"},
    {"reproduce"},
    {"warm_up"},
    {"cli_train", "cli_warm_up"},
    {"cli"},
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def layer_of(path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def type_checking_only(tree: ast.Module) -> set[ast.AST]:
    """Nodes under `if TYPE_CHECKING:`."""
    blocks = [n for n in ast.walk(tree) if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING"]
    return {node for block in blocks for node in ast.walk(block)}


def imported_layers(path) -> set[str]:
    """Layers of this package that a file imports at run time."""
    tree = ast.parse(path.read_text())
    skipped, found = type_checking_only(tree), set()
    depth = len(path.relative_to(PACKAGE).parts)
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node in skipped:
            continue
        assert not (node.module or "").startswith("myomass"), f"{path}: import relatively"
        if node.level == depth:
            found |= (
                {node.module.split(".")[0]}
                if node.module
                else {alias.name for alias in node.names if alias.name != "__version__"}
            )
    return found - {layer_of(path)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    own = layer_of(path)
    assert own in RANK, f"{own} is no layer: add it to LAYERS where it belongs"
    for other in imported_layers(path):
        assert RANK[other] < RANK[own], f"{path.name} ({own}) imports {other}"


def taken_from_jit(path) -> set[str]:
    """Names that a file imports from `_jit` or its modules."""
    imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in imports if "_jit" in (node.module or "").split(".") for alias in node.names}


def test_upper_layers_hold_no_kernels():
    for path in FILES:
        if path.relative_to(PACKAGE).parts[0] in KERNEL_FREE:
            about_kernels = taken_from_jit(path) - {"cache_folder"}
            assert not about_kernels, f"{path}: a kernel here would be missing from the cache's hash"
