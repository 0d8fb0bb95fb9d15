"""Tables of the human body: masses, centres, radii of gyration and lengths of segments, joints and their ranges.

Segments: P. de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, J. Biomech. 29 (1996), table 4.
Ranges: rounded, as commonly quoted after the American Academy of Orthopaedic Surgeons (1965); those of the back are
shared out between its two joints here, and the adduction of the shoulder, which is not in it, is the usual 50 degrees.
"""

from dataclasses import dataclass

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BACKWARD, RIGHTWARD, DOWN = (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)


@dataclass(frozen=True)
class Segment:
    """One segment: mass in % of the body's, length in mm at the mean stature, the rest in % of the length."""

    mass: float
    length: float
    centre: float  # of mass, from the end that is named first
    radii: tuple[float, float, float]  # of gyration about the sagittal (forward), transverse, and longitudinal axis


SEGMENTS = {
    "male": {
        "head": Segment(6.94, 203.3, 59.76, (36.2, 37.6, 31.2)),  # vertex to the middle of the gonia
        "thorax": Segment(15.96, 170.7, 29.99, (71.6, 45.4, 65.9)),  # suprasternale to xiphion
        "abdomen": Segment(16.33, 215.5, 45.02, (48.2, 38.3, 46.8)),  # xiphion to omphalion
        "pelvis": Segment(11.17, 145.7, 61.15, (61.5, 55.1, 58.7)),  # omphalion to the middle of the hips
        "upper_arm": Segment(2.71, 281.7, 57.72, (28.5, 26.9, 15.8)),  # shoulder to elbow
        "forearm": Segment(1.62, 268.9, 45.74, (27.6, 26.5, 12.1)),  # elbow to wrist
        "hand": Segment(0.61, 187.9, 36.24, (28.8, 23.5, 18.4)),  # wrist to the tip of the middle finger
        "thigh": Segment(14.16, 422.2, 40.95, (32.9, 32.9, 14.9)),  # hip to knee
        "shank": Segment(4.33, 440.3, 43.95, (25.1, 24.6, 10.2)),  # knee to ankle
        "foot": Segment(1.37, 258.1, 44.15, (25.7, 24.5, 12.4)),  # heel to toe
    },
    "female": {
        "head": Segment(6.68, 200.2, 58.94, (33.0, 35.9, 31.8)),
        "thorax": Segment(15.45, 142.5, 20.77, (74.6, 50.2, 71.8)),
        "abdomen": Segment(14.65, 205.3, 45.12, (43.3, 35.4, 41.5)),
        "pelvis": Segment(12.47, 181.5, 49.20, (43.3, 40.2, 44.4)),
        "upper_arm": Segment(2.55, 275.1, 57.54, (27.8, 26.0, 14.8)),
        "forearm": Segment(1.38, 264.3, 45.59, (26.1, 25.7, 9.4)),
        "hand": Segment(0.56, 170.1, 34.27, (24.4, 20.8, 15.4)),
        "thigh": Segment(14.78, 368.5, 36.12, (36.9, 36.4, 16.2)),
        "shank": Segment(4.81, 438.6, 43.52, (26.7, 26.3, 9.2)),
        "foot": Segment(1.29, 228.3, 40.14, (29.9, 27.9, 13.9)),
    },
}
STATURE = {"male": 1741.0, "female": 1735.0}  # mean, of de Leva's table [mm]
SHOULDERS = {"male": 515.5, "female": 497.9}  # middle of the shoulders above that of the hips, of de Leva's table [mm]
BELOW_MALLEOLUS = 6.3  # ankle joint below the lateral malleolus, of de Leva's table, both sexes [mm]

# Parts of the stature.
MALLEOLUS = 0.039  # height of the ankle: Drillis and Contini 1966, in Winter, Biomechanics and motor control, fig. 4.1
FOOT_BREADTH = 0.055  # from the same source
SHOULDER = 0.100  # joint from the midline: their 0.129 H is the outside of the shoulder, 0.029 H of which is arm
HIP = 0.0461  # joint from the midline: Dumas et al., J. Biomech. 40 (2007); OpenSim's gait models have 0.0464

# Parts of the foot's length from the heel: estimates.
ANKLE_AT, BALL_AT = 0.25, 0.73

# By joint: (motion, axis of the left side, lower, upper [degree]), in the order in which they turn.
MOTIONS = {
    "lumbar": (("flexion", Y, -15, 50), ("bending", X, -20, 20)),
    "thoracic": (("flexion", Y, -10, 30), ("bending", X, -15, 15), ("rotation", Z, -45, 45)),
    "neck": (("flexion", Y, -45, 45), ("bending", X, -45, 45), ("rotation", Z, -60, 60)),
    "shoulder": (("flexion", RIGHTWARD, -60, 180), ("abduction", X, -50, 180), ("rotation", DOWN, -90, 70)),
    "elbow": (("flexion", RIGHTWARD, 0, 150), ("pronation", DOWN, -80, 80)),
    "wrist": (("flexion", BACKWARD, -70, 80), ("deviation", RIGHTWARD, -30, 20)),
    "hip": (("flexion", RIGHTWARD, -30, 120), ("abduction", X, -30, 45), ("rotation", DOWN, -45, 45)),
    "knee": (("flexion", Y, 0, 135),),
    "ankle": (("flexion", RIGHTWARD, -50, 20), ("inversion", BACKWARD, -15, 35)),
}

# By joint: what its motions can be driven by, in their order, of a figure of 75 kg and 1.75 m [N m]. Round figures of
# the order of isometric maxima in adults, chosen here; they grow with mass and height.
STRENGTHS = {
    "lumbar": (200, 150),
    "thoracic": (150, 120, 70),
    "neck": (30, 25, 15),
    "shoulder": (70, 60, 40),
    "elbow": (60, 10),
    "wrist": (10, 8),
    "hip": (180, 130, 60),
    "knee": (180,),
    "ankle": (120, 30),
}
