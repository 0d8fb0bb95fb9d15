"""Surfaces on the paths of .osim files: which piece has which, in which order, and arm26's lengths over them."""

from functools import cache

import numpy as np
import pytest
from opensim_reference import numbers, reference

import myomass as mm


@cache
def arm():
    """(spec, model) of arm26, without forces."""
    spec = mm.io.read_osim(reference("arm26/arm26.osim"), forces=False)
    return spec, spec.compile()


def lengths(model, names, q):
    found = mm.muscle_lengths(model, np.array(q))
    return {name: found[model.muscles.names.index(name)] for name in names}


@pytest.mark.fast
def test_a_surface_with_a_side_is_on_one_piece_and_pieces_are_in_the_order_of_the_path():
    spec, _ = arm()
    wrap = spec.muscles["TRIlong"].wrap
    kinds = [[type(surface).__name__ for surface in piece] for piece in wrap]
    assert kinds == [["Cylinder", "Ellipsoid", "Cylinder"], *[["Cylinder"]] * 3]
    assert [piece[0].radius for piece in wrap] == [0.003, 0.016, 0.016, 0.016]
    assert sum("TRIlongglen" in line and "points 1 and 2" in line for line in spec.report) == 1


def test_arm26_is_engaged_where_opensim_is_and_as_long():
    """With one surface on a piece lengths agree. With two of TRIlong, OpenSim's length is not that of its own points.

    There the path is as long as the straight lines between OpenSim's own points, and what arcs have more than those.
    """
    _, model = arm()
    poses, names = numbers("arm26/poses.json"), ["TRIlong", "TRIlat", "TRImed", "BICshort", "BRA"]
    both = one = 0
    for pose in poses["poses"]:
        q, theirs = np.array(pose["q"]), dict(zip(poses["muscles"], pose["muscle_lengths"], strict=True))
        ours = lengths(model, names, q)
        for name in names[1:]:
            np.testing.assert_allclose(ours[name], theirs[name], atol=3e-5)
        on = {row[3] for row in pose["paths"]["TRIlong"] if len(row) > 3}
        wrapped = mm.muscles.muscle_paths(model, q)[model.muscles.names.index("TRIlong")].wrapped
        if on >= {"wrap:TRIlongglen", "wrap:TRIlonghh"}:
            if q[0] < 2.2:
                both += 1
                assert (wrapped[:2] > 0).all()
                frames = {name: np.array(E) for name, E in pose["body_poses"].items()}
                x = [frames[row[1]][:, :3] @ row[2] + frames[row[1]][:, 3] for row in pose["paths"]["TRIlong"]]
                straight = np.linalg.norm(np.diff(x, axis=0), axis=1).sum()
                assert -1e-6 < ours["TRIlong"] - straight < 5e-4
                assert abs(ours["TRIlong"] - theirs["TRIlong"]) < 5e-3
        elif "wrap:TRIlongglen" in on or q[0] < -0.3:
            one += 1
            np.testing.assert_allclose(ours["TRIlong"], theirs["TRIlong"], atol=3e-5)
            assert (wrapped[0] > 0) == ("wrap:TRIlongglen" in on)
            assert wrapped[1] == 0.0
        arms = mm.moment_arms(model, q)
        h = 1e-6
        apart = [
            (mm.muscle_lengths(model, q - h * e) - mm.muscle_lengths(model, q + h * e)) / (2 * h) for e in np.eye(2)
        ]
        np.testing.assert_allclose(arms, np.transpose(apart), atol=1e-8)
    assert both > 5
    assert one > 20
