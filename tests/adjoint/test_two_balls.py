"""A ball runs into another of equal mass, which rests: a derivative through a bounce with a known answer.

Ball A starts at a with speed v, B rests at b, both of radius r. They exchange their speeds, so B ends at v T + a + 2 r
however far away it was: its derivatives by (a, b, v) are (1, 0, T) for hard balls, though a step that changes speeds at
once, at its end, has (0, 1, T - time of contact) (Y. Hu et al., DiffTaichi, ICLR 2020). Hertz' contact lasts for tau,
which B lags behind: it ends v tau/2 short of that, and since tau goes as v^(-1/5), its derivative by v is T - 0.4 tau.
"""

import numpy as np
import pytest

import myomass as mm

A, B, V, R, T, M = 0.0, 0.2, 1.0, 0.05, 0.2, 1.0  # [m], [m/s], [m], [s], [kg]
LAST = 2.9432752  # tau v over the deepest indentation: 2 * integral of du/sqrt(1 - u^(5/2)) from 0 to 1


def balls(stiffness):
    spec = mm.Spec("two balls", gravity=(0, 0, 0))
    for name in "AB":
        spec.add_body(name, None, mm.Prismatic((1, 0, 0)), inertia=mm.Inertia.sphere(R, mass=M))
    centre = (0.0, 0.0, 0.0)
    spec.add_force(mm.forces.HuntCrossley(("B", centre), R, ("A", centre), stiffness, other_radius=R))
    return spec.compile()


def contact_time(stiffness):
    """tau of Hertz' contact of two equal materials, m/2 x'' = -K x^(3/2). [s]"""
    K = 4 / 3 * np.sqrt(R / 2) * stiffness / 2**1.5
    return LAST / V * (5 / 8 * M * V**2 / K) ** 0.4


def end_of_b(stiffness, integrator, steps):
    """(where B ends, its derivatives by a, b and v), of those of its square. steps: while they touch."""
    run = {"q": [A, B], "qdot": [V, 0.0], "integrator": integrator, "duration": T}
    run["h"] = T / np.ceil(T * steps / contact_time(stiffness))
    value, slopes = mm.value_and_grad(balls(stiffness), mm.tasks.Reach("B"), **run)
    end = np.sqrt(value)
    return end, np.array([*slopes["q"], slopes["qdot"][0]]) / (2 * end)


@pytest.mark.parametrize("integrator", ["rk4", "bdf2", "sdirk2", "semi-implicit"])
def test_hertz_contact(integrator):
    """Where B ends is exact long before its derivatives are, which feel where in a step the balls meet.

    Measured: 9e-9 m at most, and 4e-4; with RK4 3e-11 m and 1e-5.
    """
    tau = contact_time(1e7)
    end, slopes = end_of_b(1e7, integrator, 1600)
    assert end == pytest.approx(V * T + A + 2 * R - V * tau / 2, abs=2e-8)
    np.testing.assert_allclose(slopes, [1.0, 0.0, T - 0.4 * tau], rtol=0, atol=1e-3)


def test_hard_balls():
    """They come to (1, 0, T) as the contact time shrinks, by 10^(-2/5) for ten times the stiffness."""
    runs = [end_of_b(stiffness, "semi-implicit", steps) for stiffness, steps in ((1e6, 400), (1e7, 1600), (1e8, 6400))]
    off = np.array([slopes - (1.0, 0.0, T) for _, slopes in runs])
    assert np.abs(off[:, :2]).max() < 1e-3
    assert abs(off[-1, 2]) < 2e-3
    np.testing.assert_allclose(off[:-1, 2] / off[1:, 2], 10**0.4, rtol=0.02)
