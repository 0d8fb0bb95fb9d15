"""Force plates: a force that presses somewhere is found there again, from what each type of plate measures of it."""

import numpy as np
import pytest

from myomass.recordings import ForcePlate

pytestmark = pytest.mark.fast
HALF, DEPTH, OFFSET = (0.232, 0.254), 0.041, (0.0015, -0.002)


def plate_of(kind, **options):
    """A plate that lies askew in a laboratory with z up; its own z points down."""
    angle = 0.3
    x, z = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([0.0, 0.0, -1.0])
    y, centre = np.cross(z, x), np.array([0.5, 0.3, 0.002])
    corners = [centre + sx * HALF[0] * x + sy * HALF[1] * y for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    origin = np.array([0.12, 0.2, -DEPTH]) if kind == 3 else np.array([*OFFSET, -DEPTH])
    return ForcePlate(kind, np.array(corners), origin, range(8 if kind == 3 else 6), **options)


def pressed(rows=20):
    """Forces on a person [N], where they act on the surface [m], and torques about the vertical [N m]."""
    rng = np.random.default_rng(5)
    force = rng.normal(size=(rows, 3)) * (60, 60, 100) + (0, 0, 700)
    spot = rng.uniform(-0.2, 0.2, (rows, 2))
    return force, spot, rng.normal(size=rows) * 5


def sensed(plate, force, spot, torque):
    """Force and moment in the plate's frame about the origin of its sensors, from the laboratory's force."""
    f = force @ plate.R
    to_spot = np.column_stack([spot, np.zeros(len(spot))])
    down = plate.R[2, 2] * torque  # the vertical torque, about the plate's own z
    depth = np.array([0.0, 0.0, plate.origin[2]]) if plate.type == 3 else plate.origin
    m = np.cross(to_spot + depth, f) + np.column_stack([np.zeros((len(f), 2)), down])
    return f, m


def four_sensors(plate, f, m):
    """Channels of four sensors at the corners that measure a force and a moment: one of the ways to share them."""
    a, b = plate.origin[:2]
    fz = f[:, 2:] / 4 + np.outer(m[:, 0] / (4 * b), (1, 1, -1, -1)) + np.outer(m[:, 1] / (4 * a), (-1, 1, 1, -1))
    twist = m[:, 2] / (2 * b)
    x = np.column_stack([f[:, 0] / 2 - twist, f[:, 0] / 2 + twist])
    return np.column_stack([x, f[:, 1] / 2, f[:, 1] / 2, fz])


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_force_point_and_torque_come_back(kind):
    force, spot, torque = pressed()
    plate = plate_of(kind)
    f, m = sensed(plate, force, spot, torque)
    channels = np.column_stack([f, m])
    if kind == 3:
        channels = four_sensors(plate, f, m)
    if kind == 4:
        matrix = np.random.default_rng(8).normal(size=(6, 6)) + 4 * np.eye(6)
        plate = plate_of(4, calibration=matrix, moment_unit=1e-3)
        channels = np.linalg.solve(matrix, np.column_stack([f, m * 1e3]).T).T
    got_force, got_point, got_torque = plate.measured(channels, 10.0)
    point = plate.centre + np.column_stack([spot, np.zeros(len(spot))]) @ plate.R.T
    np.testing.assert_allclose(got_force, force, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(got_point, point, atol=1e-12)
    np.testing.assert_allclose(got_torque, np.column_stack([np.zeros((20, 2)), torque]), atol=1e-9)
    np.testing.assert_allclose(got_point[:, 2], 0.002)  # on the surface


def test_a_wrong_sign_of_the_depth():
    force, spot, torque = pressed()
    plate = plate_of(2)
    channels = np.column_stack(sensed(plate, force, spot, torque))
    upside = ForcePlate(2, plate.corners, -plate.origin, range(6))
    for ours, theirs in zip(plate.measured(channels, 0.0), upside.measured(channels, 0.0), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_plate_that_is_not_pressed():
    plate = plate_of(2)
    channels = np.array([[1.0, 2.0, -9.9, 5.0, 5.0, 5.0], [0.0] * 6, [1.0, 2.0, -10.1, 5.0, 5.0, 5.0]])
    force, point, torque = plate.measured(channels, 10.0)
    assert not force[:2].any() and not torque[:2].any() and force[2, 2] == pytest.approx(10.1)
    np.testing.assert_allclose(point[:2], [plate.centre] * 2)
    assert np.isfinite(plate.measured(channels, 0.0)[1]).all()
