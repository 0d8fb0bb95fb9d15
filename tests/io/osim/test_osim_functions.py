"""Functions of .osim files against OpenSim 4.6: values and two derivatives, inside their data and beyond."""

import json
from pathlib import Path

import numpy as np
import pytest

from myomass.io.osim.functions import of_polynomial, read_function
from myomass.recordings.xml import parse_xml
from myomass.spatial.motion import curve_at

KNOWN = json.loads((Path(__file__).parents[2] / "fixtures" / "osim" / "functions.json").read_text())["functions"]
STEP = ("start_time", "end_time")  # which .osim files call transition_start_time and transition_end_time


def text_of(known):
    """A function as the XML of a file."""
    tag, *more = known["function"].replace("(", " ").replace(")", " ").split()
    skipped = ("function", "columns", "rows", "error_variance")
    inside = {f"transition_{key}" if key in STEP else key: x for key, x in known.items() if key not in skipped}
    if "degree" in more:
        inside["half_order"] = (int(more[1]) + 1) // 2
    numbers = {key: " ".join(map(str, np.atleast_1d(value).tolist())) for key, value in inside.items()}
    if tag == "MultiplierFunction":
        scale = numbers.pop("scale")
        points = "".join(f"<{key}>{value}</{key}>" for key, value in numbers.items())
        return f"<{tag}><scale>{scale}</scale><function><SimmSpline>{points}</SimmSpline></function></{tag}>"
    return f"<{tag}>" + "".join(f"<{key}>{value}</{key}>" for key, value in numbers.items()) + f"</{tag}>"


@pytest.mark.fast
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known["function"])
def test_functions(known):
    """At the very ends of the data and at a jump the second derivative has two values; OpenSim takes one of them."""
    motion = read_function(parse_xml(f"<f>{text_of(known)}</f>".encode(), "f.osim"))
    params, ends = motion.parameters(), known.get("x", known.get("start_time", 0.0))
    ends = {*np.atleast_1d(ends).tolist(), known.get("end_time")}
    for x, *expected in known["rows"]:
        found = np.array(curve_at(params, 0, np.float64(x)))
        count = 1 if any(end is not None and abs(x - end) < 1e-9 for end in ends) else 3
        if known["function"] == "PiecewiseConstantFunction" and count == 1:
            continue
        expected = np.array(expected[:count], float)
        good = np.isfinite(expected)
        np.testing.assert_allclose(found[:count][good], expected[good], rtol=0, atol=1e-9)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<SimmSpline><x>0 1 1</x><y>0 1 2</y></SimmSpline>", "line 1: SimmSpline: its <x> must rise"),
        ("<SimmSpline><x>0 1 2</x><y>0 1</y></SimmSpline>", "SimmSpline has 2 or more points, as many <y> as <x>"),
        ("<GCVSpline><x>0 1 2</x><y>0 1 2</y></GCVSpline>", "a spline of degree 5 needs 6 points, and has 3"),
        (
            "<GCVSpline><x>0 1</x><y>0 1</y><half_order>0</half_order></GCVSpline>",
            "<half_order> of a GCVSpline is 1, 2, 3, ...",
        ),
        (
            "<GCVSpline><x>0 1</x><y>0 1</y><error_variance>0.1</error_variance></GCVSpline>",
            "a spline that smooths its points is not read; write <error_variance> 0",
        ),
        ("<LinearFunction><coefficients>1</coefficients></LinearFunction>", "<coefficients> holds 2 numbers"),
        ("<MultiplierFunction><scale>2</scale></MultiplierFunction>", "a MultiplierFunction holds a <function>"),
        ("<Hat/>", "<f> should hold one of the functions .* and holds <Hat>"),
        (
            "<StepFunction><transition_end_time>-1</transition_end_time></StepFunction>",
            "its <transition_end_time> must come after its <transition_start_time>",
        ),
    ],
)
def test_bad_functions(text, message):
    with pytest.raises(ValueError, match=message):
        read_function(parse_xml(f"<f>{text}</f>".encode(), "f.osim"))


@pytest.mark.fast
def test_a_spline_of_half_order_one_is_lines_that_keep_their_ends():
    text = "<GCVSpline><x>0 0.5 2</x><y>1 2 -1</y><half_order>1</half_order></GCVSpline>"
    motion = read_function(parse_xml(f"<f>{text}</f>".encode(), "f.osim"))
    x = np.array([-3.0, 0.0, 0.2, 0.5, 1.7, 2.0, 9.0])  # OpenSim 4.6 has the same
    np.testing.assert_allclose([motion(one) for one in x], np.interp(x, [0, 0.5, 2], [1, 2, -1]), atol=1e-15)


@pytest.mark.fast
def test_polynomials_are_not_functions_between_two_ends():
    line = of_polynomial(np.array([2.0, -1.0]))
    assert line(1e6) == 2e6 - 1.0
    assert not of_polynomial(np.array([3.0])).moves
