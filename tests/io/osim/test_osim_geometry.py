"""What bodies of .osim files look like: solids, and meshes of files beside the model, .vtp in every coding."""

import base64
import zlib

import numpy as np
import pytest

import myomass as mm
from myomass.io.meshes import read_mesh

PLACES = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]], float)
POLYGONS, ENDS = [0, 3, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4], [4, 7, 10, 13, 16]  # a pyramid on a square


def coded(array, kind, form, compressed):
    """The text of a data array."""
    if form == "ascii":
        return " ".join(map(str, np.ravel(array).tolist()))
    content = np.ascontiguousarray(array, kind).tobytes()
    if not compressed:
        return base64.b64encode(np.uint32(len(content)).tobytes() + content).decode()
    size = 64
    parts = [zlib.compress(content[k : k + size]) for k in range(0, len(content), size)]
    head = np.array([len(parts), size, len(content) % size, *map(len, parts)], np.uint32).tobytes()
    return base64.b64encode(head).decode() + base64.b64encode(b"".join(parts)).decode()


def vtp(form="ascii", compressed=False, strips=False):
    def data(name, array, kind, word):
        told = f'type="{word}" Name="{name}" format="{form}" NumberOfComponents="3"'
        return f"<DataArray {told}>{coded(array, kind, form, compressed)}</DataArray>"

    compressor = ' compressor="vtkZLibDataCompressor"' if compressed else ""
    names, ends = ([0, 1, 4, 2], [4]) if strips else (POLYGONS, ENDS)
    cells = "Strips" if strips else "Polys"
    return (
        f'<VTKFile type="PolyData" version="0.1" byte_order="LittleEndian"{compressor}><PolyData>'
        f'<Piece NumberOfPoints="5"><Points>{data("Points", PLACES, "<f4", "Float32")}</Points><{cells}>'
        f"{data('connectivity', names, '<i4', 'Int32')}{data('offsets', ends, '<i4', 'Int32')}</{cells}></Piece>"
        "</PolyData></VTKFile>"
    )


@pytest.mark.parametrize(("form", "compressed"), [("ascii", False), ("binary", False), ("binary", True)])
def test_vtp(tmp_path, form, compressed):
    path = tmp_path / "pyramid.vtp"
    path.write_text(vtp(form, compressed))
    places, faces = read_mesh(path)
    np.testing.assert_array_equal(places, PLACES)
    a, b, c = (places[faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6 == pytest.approx(1 / 3)  # its volume: closed, outward
    assert len(faces) == 6


def test_strips(tmp_path):
    path = tmp_path / "strip.vtp"
    path.write_text(vtp(strips=True))
    assert read_mesh(path)[1].tolist() == [[0, 1, 4], [1, 2, 4]]


@pytest.mark.parametrize("ending", [".stl", ".obj", ".ply"])
def test_other_meshes(tmp_path, ending):
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / f"box{ending}"
    trimesh.creation.box((1, 2, 3)).export(path)
    places, faces = read_mesh(path)
    np.testing.assert_allclose(np.ptp(places, axis=0), [1, 2, 3])
    assert len(faces) == 12


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.vtk", "x", "meshes are read from .vtp, .stl, .obj, .ply files"),
        ("a.vtp", "<VTKFile><PolyData>", "the file ends inside <PolyData>"),
        ("a.vtp", vtp().replace("0 3 2 1", "0 3 2 9"), "a vertex is no number, or a face names a vertex"),
        ("a.vtp", vtp().replace('format="ascii"', 'format="appended"'), "'appended' .* is not read; save it as ascii"),
        ("a.vtp", vtp("binary").replace('="3">', '="3">?', 1), "base 64 of a <DataArray> is damaged"),
        (
            "a.vtp",
            vtp("binary").replace("<VTKFile", '<VTKFile header_type="UInt16"'),
            "and is 'UInt16'; save .* as ascii",
        ),
        (
            "a.vtp",
            vtp().replace("</DataArray>", " 7</DataArray>", 1),
            "<Points> have three numbers each, and here are 16",
        ),
        ("a.obj", "v 1 2", "trimesh cannot read it|no faces|cannot"),
    ],
)
def test_bad_meshes(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_mesh(path)


MODEL = """<OpenSimDocument Version="40000"><Model name="m"><Ground name="ground"/>
<BodySet><objects><Body name="a"><mass>1</mass><mass_center>0.1 0 0</mass_center><inertia>1 1 1 0 0 0</inertia>
<attached_geometry>{geometry}</attached_geometry></Body></objects></BodySet>
<JointSet><objects><FreeJoint name="j"><socket_parent_frame>/ground</socket_parent_frame>
<socket_child_frame>/bodyset/a</socket_child_frame></FreeJoint></objects></JointSet></Model></OpenSimDocument>"""


def shapes(tmp_path, geometry):
    (tmp_path / "m.osim").write_text(MODEL.format(geometry=geometry))
    spec = mm.io.read_osim(tmp_path / "m.osim")
    return spec.bodies["a"].shapes, spec.report


def test_shapes_of_bodies(tmp_path):
    """A mesh beside the model, scaled, in the body's frame of the file; what is missing is said once."""
    (tmp_path / "Geometry").mkdir()
    (tmp_path / "Geometry" / "pyramid.vtp").write_text(vtp())
    mesh = "<Mesh name='{0}'><scale_factors>1 2 3</scale_factors><mesh_file>{0}.vtp</mesh_file></Mesh>"
    found, report = shapes(tmp_path, mesh.format("pyramid") + "".join(mesh.format(f"gone{k}") for k in range(5)))
    assert len(found) == 1
    assert "gone0.vtp, gone1.vtp, gone2.vtp and 2 more" in report[0] and len(report) == 1
    spec = mm.io.read_osim(tmp_path / "m.osim")
    model = spec.compile()
    assert model.shapes[0][0].frame[:3, 3] == pytest.approx([-0.1, 0, 0])  # the body's own frame is at its mass centre


def test_bodies_without_their_meshes_are_rods(tmp_path):
    """From joint to joint, moved by splines or not; the last of a limb as far beyond its mass centre as that is off."""
    spec = mm.io.read_osim(mm.io.sample_gait(tmp_path).model)
    thigh, foot = spec.bodies["femur_r"].shapes, spec.bodies["toes_r"].shapes
    model = spec.compile()
    poses = mm.forward_kinematics(model, model.q())

    def joint(name):
        return (poses[model.body(name)] @ spec.frames[name].pose)[:3, 3]  # at the origin of the body's frame here

    def ends(name):
        (rod,) = model.shapes[model.body(name)]
        frame, half = poses[model.body(name)] @ rod.frame, 0.5 * rod.size[2]
        return [frame[:3, 3] + way * half * frame[:3, 2] for way in (-1, 1)]

    assert len(thigh) == len(foot) == 1 and len(spec.bodies["pelvis"].shapes) == 3
    np.testing.assert_allclose(ends("femur_r"), [joint("femur_r"), joint("tibia_r")], atol=1e-12)
    (tmp_path / "m.osim").write_text(MODEL.format(geometry="<Mesh><mesh_file>gone.vtp</mesh_file></Mesh>"))
    assert mm.io.read_osim(tmp_path / "m.osim").bodies["a"].shapes is None  # alone in the world
    np.testing.assert_allclose(np.mean(ends("toes_r"), axis=0), poses[model.body("toes_r")][:3, 3], atol=1e-12)


def test_solids(tmp_path):
    text = (
        "<Sphere><radius>0.1</radius></Sphere><Ellipsoid><radii>1 2 3</radii></Ellipsoid>"
        "<Cylinder><radius>0.1</radius><half_height>0.3</half_height></Cylinder>"
        "<Brick><half_lengths>1 2 3</half_lengths></Brick><Torus/>"
    )
    found, report = shapes(tmp_path, text)
    assert len(found) == 4
    assert report == ["line 3, Torus: this kind of geometry is not drawn"]
