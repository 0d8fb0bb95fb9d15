"""A starfish of flesh and bones (Wang 2022, section 6.1.2, Fig. 6.1 and 6.2): the scene `starfish`.

What it is made of: skeleton, coarse mesh, fine surface. Then how it crawls, and numbers that say whether it does so
rightly: the ground's push while it lies still, how far it comes, how much its flesh is squeezed, what the passive
joints do, and how far runs by other methods and with other steps are apart.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from myomass.render import Camera, Renderer
from myomass.scenes import Scene, load, starfish
from myomass.scenes.starfish_shape import ARMS, TURN
from myomass.simulate import simulate
from myomass.trajectory import Trajectory
from myomass.viewer.drawing import Drawing
from myomass.viewer.frames import Frames
from myomass.viewer.look import Look
from myomass.viewer.panels import PALETTE, need_matplotlib, new_figure

from .figures import DPI, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLESH = "flesh"
OTHERS = (("bdf1", 5e-3), ("sdirk2", 5e-3), ("bdf2", 2.5e-3))  # methods and steps [s] to compare with
SEEN = (0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7)  # when it is drawn [s]
SIZE = (760, 560)
OBLIQUE = Camera((0.36, -0.34, 0.34), (0.01, 0.0, 0.0), fov=0.5)
ABOVE = Camera((0.22, -0.30, 0.46), (0.03, 0.0, 0.0), fov=0.5)
PLAIN = Look()
SKELETON, MESH = "#b5651d", "#35506b"


def make(folder: Path) -> tuple[list[Path], dict]:
    """Run the experiment and write its figures into a folder; returns (files, numbers)."""
    need_matplotlib()
    scene = load("starfish")
    run = simulate(scene)
    made, moving = folder / "starfish-model.png", folder / "starfish-motion.png"
    _draw_model(run, made)
    _draw_motion(run, moving)
    return [made, moving], {"model": model_numbers(scene), "motion": motion_numbers(scene, run)}


def model_numbers(scene: Scene) -> dict:
    """How large everything is."""
    model = scene.model
    flesh = model.soft_bodies[FLESH]
    bones = float(sum(body.inertia.mass for body in scene.spec.bodies.values()))
    return {
        "joints_of_the_skeleton": len(scene.spec.bodies) - 1,
        "coarse_vertices": len(flesh.mesh.nodes),
        "of_these_on_bones": int((flesh.links >= 0).sum()),
        "tetrahedra": len(flesh.mesh.tets),
        "fine_vertices": len(flesh.vertices),
        "degrees_of_freedom": model.ndof,
        "prescribed_rows": len(model.constraints),
        "mass_kg": {"flesh": flesh.soft.mass, "bones": bones},
        "span_m": float(np.ptp(flesh.vertices[:, 1])),
    }


def motion_numbers(scene: Scene, run: Trajectory) -> dict:
    """What it does, and how far other runs are from it."""
    model, still = scene.model, int(np.searchsorted(run.t, starfish.LYING))
    weight = 9.81 * sum(model_numbers(scene)["mass_kg"].values())
    starts = [starfish.LYING + k * starfish.PERIOD for k in range(starfish.STEPS + 1)]
    along = np.interp(starts, run.t, run.q[:, 0])
    squeezed = squeeze(run)
    leading = [model.dof(starfish.bone(0, k)) for k in range(4)]
    others = {}
    for method, h in OTHERS:
        other = simulate(scene, integrator=method, h=h)
        off = np.linalg.norm(other.nodes(FLESH)[-1] - run.nodes(FLESH)[-1], axis=1)
        others[f"{method}, {1e3 * h:g} ms"] = 1e3 * float(off.max())
    return {
        "weight_N": weight,
        "push_of_the_ground_lying_N": push(run, still),
        "speed_lying_mm_s": 1e3 * float(np.linalg.norm(run.qdot[still, :3])),
        "way_of_each_step_mm": (1e3 * np.diff(along)).tolist(),
        "way_mm": 1e3 * float(run.q[-1, 0]),
        "sideways_mm": 1e3 * float(np.abs(run.q[:, 1]).max()),
        "least_volume_of_a_tetrahedron": float(squeezed.min()),
        "inverted_tetrahedra": int((squeezed <= 0.0).sum()),
        "largest_strain": float(run.surface_strain(FLESH).max()),
        "largest_turn_of_a_passive_joint_degree": float(np.rad2deg(max(np.abs(run.q[:, k]).max() for k in leading))),
        "energy_exchanged_J": run.energy_exchanged,
        "largest_distance_of_nodes_at_the_end_mm": others,
    }


def push(run: Trajectory, row: int) -> float:
    """The ground's upward push in a row, from depths of the surface's vertices [N]: where damping has died away."""
    flesh = run.model.soft_bodies[FLESH]
    depths = np.maximum(-run.surface(FLESH)[row][:, 2], 0.0)
    return float(starfish.GROUND.stiffness * (depths @ flesh.areas))


def squeeze(run: Trajectory) -> np.ndarray:
    """Volumes of tetrahedra in all rows, of those at rest. (rows, m)"""
    mesh = run.model.soft_bodies[FLESH].mesh
    corners = run.nodes(FLESH)[:, mesh.tets]
    return np.linalg.det(corners[:, :, 1:] - corners[:, :, :1]) / (6.0 * mesh.volumes)


def seen(run: Trajectory, t: float, camera: Camera, look: Look = PLAIN, hidden: frozenset = frozenset()) -> np.ndarray:
    """A picture of the run at a time [s]."""
    frames = Frames(run)
    drawing = Drawing(frames, look)
    return Renderer(SIZE).render(drawing.things(frames.at(t), hidden), camera, drawing.ground)


def _draw_model(run: Trajectory, path: Path) -> None:
    """Draw the skeleton, the coarse mesh with the nodes on bones, and the fine surface (Fig. 6.1)."""
    from matplotlib.collections import LineCollection

    figure = new_figure(15.0, 4.0)
    panels = figure.subplots(1, 3)
    flesh, xray = run.model.soft_bodies[FLESH], Look(xray=True)
    numbers = len(flesh.mesh.nodes), len(flesh.vertices)
    hidden = frozenset(("soft bodies",))
    _show(panels[0], seen(run, 0.0, OBLIQUE, hidden=hidden), "skeleton, 20 joints")
    _show(panels[1], seen(run, 0.0, OBLIQUE, xray), f"coarse mesh, {numbers[0]} vertices")
    _show(panels[2], seen(run, 0.0, OBLIQUE), f"fine surface, {numbers[1]} vertices")
    places = OBLIQUE.project(flesh.mesh.nodes, *SIZE)[:, :2]
    faces = flesh.mesh.surface
    edges = np.unique(np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    panels[1].add_collection(LineCollection(places[edges], colors=MESH, linewidths=0.5, alpha=0.8))
    panels[1].plot(*places[flesh.links >= 0].T, ls="", marker="o", ms=3.5, color=SKELETON, label="on bones")
    panels[1].plot(*places[flesh.links < 0].T, ls="", marker="o", ms=1.6, color=MESH, label="free")
    panels[1].legend(frameon=False, loc="lower left", fontsize=9)
    figure.savefig(path, dpi=DPI)


def _draw_motion(run: Trajectory, path: Path) -> None:
    """Draw it at several times, and how far it has come (Fig. 6.2)."""
    figure = new_figure(13.0, 7.9)
    above, under = figure.subfigures(2, 1, height_ratios=(2.0, 0.75))
    for axes, t in zip(above.subplots(2, len(SEEN) // 2).flat, SEEN, strict=True):
        _show(axes, seen(run, t, ABOVE), f"{t:g} s")
    below, tips = under.subplots(1, 2, sharex=True)
    below.plot(run.t, 1e3 * run.q[:, 0], color=PALETTE[0], lw=1.8, label="forwards")
    below.plot(run.t, 1e3 * run.q[:, 2], color=PALETTE[1], lw=1.8, label="upwards")
    below.set(xlabel="time [s]", ylabel="disc [mm]", xlim=(0.0, run.t[-1]))
    dress(below, "Where the disc is", fontsize=9, loc="upper left")
    for arm in range(ARMS):
        tip = starfish.bone(arm, 3)
        heights = run.poses[:, run.model.body(tip), 2, 3]
        label = "leading" if arm == 0 else f"at {np.rad2deg(min(TURN * arm, 2.0 * np.pi - TURN * arm)):.0f}°"
        if arm <= ARMS // 2:
            tips.plot(run.t, 1e3 * heights, color=PALETTE[arm], lw=1.8, label=label)
    tips.set(xlabel="time [s]", ylabel="height [mm]", ylim=(0.0, 36.0))
    dress(tips, "Last bones of the arms; the other two are mirror images", fontsize=9, loc="upper left", ncols=3)
    figure.savefig(path, dpi=DPI)


def _show(axes: "Axes", picture: np.ndarray, title: str) -> None:
    """Show a picture without frame."""
    axes.imshow(picture)
    axes.set_title(title, fontsize=11)
    axes.axis("off")
