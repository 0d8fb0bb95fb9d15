"""Where the scenes with soft bodies end, by another method and with other steps than their own."""

import pytest

import myomass as mm


@pytest.mark.parametrize("name", ["soft-arm", pytest.param("starfish", marks=pytest.mark.slow)])
def test_end_energy(name):
    scene = mm.scenes.load(name)
    run = mm.simulate(scene, integrator="sdirk2", h=2.5e-3)
    end = run.kinetic[-1] + run.potential[-1] - run.potential[0]
    assert run.ended == "completed"
    assert end == pytest.approx(scene.reference["exact"], abs=2e-5 * run.energy_exchanged)
