"""An arm with four muscles of their own mass falls and swings; picture, page and film of it.

python examples/muscled_arm.py          # muscled_arm.png
python examples/muscled_arm.py --all    # and muscled_arm.html and muscled_arm.mp4 (needs myomass[see])
"""

import sys

import numpy as np

import myomass as mm

BONE, HAND, CHEST = (0.93, 0.89, 0.80), (0.90, 0.76, 0.64), (0.55, 0.63, 0.72)
Y = (0.0, 1.0, 0.0)


def build() -> mm.Spec:
    """Shoulder block, humerus, forearm and hand; x forward, z up; joints bend about y."""
    spec = mm.Spec("muscled-arm")
    block = mm.Inertia.cuboid((0.16, 0.12, 0.20), mass=5.0)
    spec.add_body("shoulder", None, mm.Fixed(), inertia=block, colour=CHEST)
    humerus = [
        mm.Shape.rod((0, 0, 0.14), (0, 0, -0.15), 0.016),
        mm.Shape.sphere(0.035, frame=mm.translation(0, 0, 0.15)),
        mm.Shape.rod((0, -0.03, -0.15), (0, 0.03, -0.15), 0.020),
    ]
    upper = mm.Inertia.capsule(0.04, 0.30, mass=1.2)
    place, middle = mm.translation(0.0, -0.10, 0.0), mm.translation(0, 0, -0.15)
    spec.add_body("humerus", "shoulder", mm.SphericalExp(), place, middle, upper, shapes=humerus, colour=BONE)
    forearm = [
        mm.Shape.rod((0.004, 0.010, 0.13), (0.004, 0.012, -0.12), 0.011),
        mm.Shape.rod((-0.004, -0.012, 0.15), (0, -0.012, -0.12), 0.010),
        mm.Shape.rod((-0.012, -0.012, 0.15), (-0.022, -0.006, 0.158), 0.012),
    ]
    lower = mm.Inertia.capsule(0.03, 0.25, mass=0.8)
    place, middle = mm.translation(0, 0, -0.30), mm.translation(0, 0, -0.13)
    spec.add_body("forearm", "humerus", mm.Revolute(Y), place, middle, lower, shapes=forearm, colour=BONE)
    hand = mm.Inertia.ellipsoid((0.018, 0.042, 0.075), mass=0.4)
    place, middle = mm.translation(0, 0, -0.26), mm.translation(0, 0, -0.07)
    spec.add_body("hand", "forearm", mm.Revolute(Y), place, middle, hand, colour=HAND)
    for body, stiffness in (("forearm", 1.5), ("hand", 0.6)):
        spec.add_force(mm.JointSpring(body, stiffness, damping=0.05, rest=-0.5))
    add_muscles(spec)
    return spec


def add_muscles(spec: mm.Spec) -> None:
    """Add biceps and triceps round the elbow, deltoid over the shoulder, one muscle along the forearm."""
    across = mm.translation(0, 0, -0.15) @ mm.rotation((1, 0, 0), np.pi / 2)
    front = mm.wrap.Cylinder("humerus", across, radius=0.024, side=(0.05, 0.0, 0.0))
    back = mm.wrap.Cylinder("humerus", across, radius=0.028, side=(-0.05, 0.0, 0.0))
    ball = mm.wrap.Sphere("humerus", mm.translation(0, 0, 0.15), radius=0.042)
    belly = {"distribution": mm.Belly(0.2, 0.8), "mass_points": 5}
    spec.add_muscle(
        "biceps", 0.35, [("humerus", (0.030, 0.0, 0.11)), ("forearm", (0.030, 0.0, 0.075))], [front], **belly
    )
    spec.add_muscle(
        "triceps", 0.40, [("humerus", (-0.034, 0.0, 0.09)), ("forearm", (-0.026, 0.0, 0.145))], [back], **belly
    )
    spec.add_muscle(
        "deltoid", 0.30, [("shoulder", (0.0, -0.03, 0.09)), ("humerus", (0.0, -0.026, 0.02))], [ball], **belly
    )
    points = [("humerus", (0.02, -0.030, -0.10)), ("forearm", (0.022, -0.020, 0.0)), ("hand", (0.012, -0.02, 0.04))]
    spec.add_muscle("brachioradialis", 0.15, points, **belly)


def main() -> None:
    """Let the arm fall, and draw it."""
    run = mm.simulate(build().compile(), q=[0.0, -1.5, 0.0, -0.9, -0.2], duration=0.34, rtol=1e-6)
    print(run, run.save_image("muscled_arm.png", ghosts=3, size=(1400, 720)))
    if "--all" in sys.argv:
        print(run.save_html("muscled_arm.html"), run.save_video("muscled_arm.mp4"))


if __name__ == "__main__":
    main()
