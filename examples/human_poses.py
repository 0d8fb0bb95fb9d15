"""The human figure standing, running and jumping, side by side.

Run: python examples/human_poses.py     # draws human-figure.png
"""

import numpy as np
from PIL import Image

import myomass as mm

SIZE = (400, 560)  # size of the picture of one pose, in pixels
STANDING = {}
RUNNING = {
    "pelvis z": 0.05,
    "lumbar flexion": 0.15,
    "thoracic flexion": 0.05,
    "hip_l flexion": -0.35,
    "knee_l flexion": 0.9,
    "ankle_l flexion": -0.5,
    "hip_r flexion": 0.95,
    "knee_r flexion": 1.0,
    "shoulder_l flexion": 0.8,
    "shoulder_r flexion": -0.7,
    "elbow flexion": 1.4,
    "thoracic rotation": -0.1,
}
JUMPING = {
    "pelvis z": 0.3,
    "hip abduction": 0.45,
    "ankle flexion": -0.5,
    "shoulder abduction": 2.4,
    "wrist flexion": -0.1,
}
FRONT, BACK, SIDE = -1.0, 0.4, -0.4  # turns about the vertical that show these to the camera [rad]
VIEWS = ((STANDING, FRONT), (STANDING, BACK), (RUNNING, SIDE), (JUMPING, FRONT))


def main() -> None:
    """Draw every pose, and join the pictures."""
    figure = mm.scenes.human_figure()
    figure.add_force(mm.Ground("foot_l", stiffness=1e4, points=[figure.points["heel_l"][1]]))  # it is drawn at z = 0
    model, picture = figure.compile(), Image.new("RGB", (len(VIEWS) * SIZE[0], SIZE[1]))
    for i, (angles, turn) in enumerate(VIEWS):
        q = figure.pose(angles | {"pelvis turn z": turn})
        still = mm.transitions.JointCurve(np.tile(q, (4, 1))).trajectory(model)
        file = still.save_image("pose.png", hidden=("joints", "contacts"), size=SIZE)
        picture.paste(Image.open(file), (i * SIZE[0], 0))
        file.unlink()
    picture.save("human-figure.png", optimize=True)


if __name__ == "__main__":
    main()
