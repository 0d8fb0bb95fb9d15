"""A human figure sits down into a squat, its feet planted: the motion of least effort between two poses.

Heels and toes stay where they are, the left foot bears, torques count by the strengths of their joints, and joints stay
within their ranges. The arms are not told what to do: swinging them is cheaper than not.

Run: python examples/squat.py        # some seconds; squat.png
"""

import numpy as np
from PIL import Image

import myomass as mm

FRAMES, SIZE = 5, (360, 420)


def on_its_feet(model: mm.Model, q: np.ndarray) -> np.ndarray:
    """q with the root moved so that the left foot is where it is when the figure stands."""
    foot, pelvis = model.body("foot_l"), model.body("pelvis")
    standing, now = mm.forward_kinematics(model, np.zeros(model.ndof)), mm.forward_kinematics(model, q)
    wanted = standing[foot] @ np.linalg.inv(now[foot]) @ now[pelvis]
    q = np.concatenate([np.zeros(3), mm.so3.log(wanted[:3, :3]), q[6:]])
    q[:3] = wanted[:3, 3] - mm.forward_kinematics(model, q)[pelvis, :3, 3]
    return q


def strip(run: mm.Trajectory) -> Image.Image:
    """Pictures of the run side by side."""
    whole = Image.new("RGB", (FRAMES * SIZE[0], SIZE[1]))
    for i, t in enumerate(np.linspace(run.t[0], run.t[-1], FRAMES)):
        whole.paste(Image.open(run.save_image("squat.png", t=t, size=SIZE, hidden="joints")), (i * SIZE[0], 0))
    return whole


def main() -> None:
    """Find the motion, print how it went, draw it."""
    figure = mm.scenes.human_figure()
    model = figure.compile()
    squat = on_its_feet(model, figure.pose({"hip flexion": 1.2, "knee flexion": 1.5, "ankle flexion": 0.3}))
    found = mm.transitions.motion_transition(
        model,
        (np.zeros(model.ndof),),
        (squat,),
        duration=0.8,
        weights=figure.strengths**-2,
        ranges=figure.ranges,
        bearing=mm.transitions.Bearing("foot_l"),
        planted=[
            mm.transitions.Planted(*figure.points[point + side]) for point in ("heel", "toe") for side in ("_l", "_r")
        ],
    )
    print(f"{found.message}, {found.seconds:.0f} s")
    print(f"heels and toes stray by {1e3 * found.gap:.2g} mm, angles out of their ranges by {found.excess:.2g} rad")
    strip(found.trajectory()).save("squat.png")


if __name__ == "__main__":
    main()
