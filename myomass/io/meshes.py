"""Triangle meshes of files: .vtp by a reader of our own, .stl, .obj and .ply by trimesh."""

import base64
import zlib
from pathlib import Path

import numpy as np

from ..recordings.xml import Element, read_xml

ENDINGS = (".vtp", ".stl", ".obj", ".ply")
TYPES = {"Float32": "f4", "Float64": "f8", "Int32": "i4", "Int64": "i8", "UInt32": "u4", "UInt64": "u8", "UInt8": "u1"}


def read_mesh(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """(vertices [m] (n, 3), faces (k, 3)) of a mesh file; polygons are cut into triangles."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise ValueError(f"{path}: meshes are read from {', '.join(ENDINGS)} files")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    vertices, faces = _read_vtp(path) if path.suffix.lower() == ".vtp" else _read_by_trimesh(path)
    if not len(faces):
        raise ValueError(f"{path}: the mesh has no faces")
    if not np.isfinite(vertices).all() or faces.min() < 0 or faces.max() >= len(vertices):
        raise ValueError(f"{path}: a vertex is no number, or a face names a vertex that is not there")
    return vertices, faces


def _read_by_trimesh(path: Path) -> tuple[np.ndarray, np.ndarray]:
    try:
        import trimesh
    except ImportError:
        raise ImportError(f"{path}: {path.suffix} files are read by trimesh: pip install 'myomass[view]'") from None
    try:
        mesh = trimesh.load_mesh(path, process=False)
        return np.asarray(mesh.vertices, float).reshape(-1, 3), np.asarray(mesh.faces, np.int64).reshape(-1, 3)
    except Exception as error:  # whatever it is, the file is at fault
        raise ValueError(f"{path}: trimesh cannot read it: {error}") from None


def _read_vtp(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Polygons and strips of an XML file of VTK."""
    root = read_xml(path)
    data = root.find("PolyData")
    if root.tag != "VTKFile" or data is None:
        root.fail("a .vtp file begins with <VTKFile type='PolyData'>, and holds <PolyData>")
    places, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
    for piece in data.find_all("Piece"):
        points = piece.find("Points")
        if points is None or not len(points):
            piece.fail("a <Piece> has its <Points>")
        numbers = _array(root, points.children[0])
        if len(numbers) % 3:
            points.fail(f"<Points> have three numbers each, and here are {len(numbers)}")
        found = numbers.reshape(-1, 3).astype(float)
        faces += [count + three for three in (_polygons(root, piece), _strips(root, piece))]
        places.append(found)
        count += len(found)
    return np.concatenate(places), np.concatenate(faces)


def _cells(root: Element, piece: Element, tag: str) -> list[np.ndarray]:
    """The vertices of each polygon or strip."""
    holder = piece.find(tag)
    arrays = {one.name or one.attributes.get("Name"): one for one in holder or ()}
    if not arrays:
        return []
    if not {"connectivity", "offsets"} <= arrays.keys():
        holder.fail(f"<{tag}> has the arrays connectivity and offsets")
    names, ends = (_array(root, arrays[key]).astype(np.int64) for key in ("connectivity", "offsets"))
    if len(ends) and (ends[-1] > len(names) or (np.diff(ends, prepend=0) < 0).any()):
        holder.fail("the offsets do not fit the connectivity")
    return np.split(names, ends)[:-1]


def _polygons(root: Element, piece: Element) -> np.ndarray:
    """Triangles of polygons, fans about their first corner. (k, 3)"""
    fans = [(cell[0], cell[i], cell[i + 1]) for cell in _cells(root, piece, "Polys") for i in range(1, len(cell) - 1)]
    return np.array(fans, np.int64).reshape(-1, 3)


def _strips(root: Element, piece: Element) -> np.ndarray:
    """Triangles of strips, each second one turned. (k, 3)"""
    found = []
    for cell in _cells(root, piece, "Strips"):
        found += [(cell[i], cell[i + 1 + i % 2], cell[i + 2 - i % 2]) for i in range(len(cell) - 2)]
    return np.array(found, np.int64).reshape(-1, 3)


def _array(root: Element, element: Element) -> np.ndarray:
    """The numbers of a <DataArray>, as text or in base 64."""
    kind, form = element.attributes.get("type", ""), element.attributes.get("format", "ascii")
    if form == "ascii":
        return element.as_numbers()
    if form != "binary" or kind not in TYPES:
        element.fail(f"a <DataArray> of the format {form!r} and the type {kind!r} is not read; save it as ascii")
    order = "<" if root.attributes.get("byte_order", "LittleEndian") == "LittleEndian" else ">"
    sizes = root.attributes.get("header_type", "UInt32")
    if sizes not in TYPES:
        root.fail(f"a header_type is one of {', '.join(TYPES)}, and is {sizes!r}; save the file as ascii")
    head = np.dtype(order + TYPES[sizes])
    try:
        content = _unpacked(element.text, head, "compressor" in root.attributes)
        return np.frombuffer(content, order + TYPES[kind])
    except (ValueError, IndexError, zlib.error):
        element.fail("the base 64 of a <DataArray> is damaged")


def _unpacked(text: str, head: np.dtype, compressed: bool) -> bytes:
    """The bytes of a data array: a head of sizes, then the content, in blocks if it is compressed."""
    text = "".join(text.split())
    if not compressed:
        content = base64.b64decode(text, validate=True)
        size = int(np.frombuffer(content, head, 1)[0])
        return content[head.itemsize : head.itemsize + size]
    blocks = int(np.frombuffer(base64.b64decode(text[:24]), head, 1)[0])
    length = 4 * -(-(3 + blocks) * head.itemsize // 3)  # letters of the head
    sizes = np.frombuffer(base64.b64decode(text[:length], validate=True), head)[3 : 3 + blocks].astype(np.int64)
    content, ends = base64.b64decode(text[length:], validate=True), np.cumsum(sizes)
    parts = [content[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    return b"".join(map(zlib.decompress, parts))
