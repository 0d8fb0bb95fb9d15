"""BVH files as they occur: styles that read alike, defects that are sentences with file and line, there and back."""

from dataclasses import replace

import numpy as np
import pytest

from myomass.io import Bvh

pytestmark = pytest.mark.fast

CLIP = """HIERARCHY
ROOT Hips
{
	OFFSET 0.0 90.5 0.0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Spine
	{
		OFFSET 0 10 0
		CHANNELS 3 Zrotation Xrotation Yrotation
		JOINT Head
		{
			OFFSET 0 50 1.5
			CHANNELS 0
			End Site
			{
				OFFSET 0 20 0
			}
		}
	}
	JOINT Left Leg
	{
		OFFSET 9 0 0
		CHANNELS 1 Xrotation
		End Site
		{
			OFFSET 0 -90 0
		}
		End Site
		{
			OFFSET 0 -90 15
		}
	}
}
MOTION
Frames: 2
Frame Time: 0.0083333
0 90 1 1 2 3 4 5 6 7
0 91 -1.5e0 1 2 3 4 5 6 8
"""
AT = CLIP.split("\n").index("Frames: 2") + 1  # the line of "Frames"


@pytest.fixture
def read(tmp_path):
    """Read text as a file of its own."""

    def read(text: str | bytes) -> Bvh:
        path = tmp_path / "clip.bvh"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Bvh.load(path)

    return read


def test_a_plain_file(read):
    bvh = read(CLIP)
    assert bvh.names == ("Hips", "Spine", "Head", "Left Leg")
    assert bvh.parents.tolist() == [-1, 0, 1, 0]
    assert bvh.offsets.tolist() == [[0, 90.5, 0], [0, 10, 0], [0, 50, 1.5], [9, 0, 0]]
    assert [len(own) for own in bvh.channels] == [6, 3, 0, 1]
    assert bvh.channels[1] == ("Zrotation", "Xrotation", "Yrotation")
    assert [end.tolist() for end in bvh.ends] == [[], [], [[0, 20, 0]], [[0, -90, 0], [0, -90, 15]]]
    assert bvh.frame_time == 0.0083333
    assert bvh.values.tolist() == [[0, 90, 1, 1, 2, 3, 4, 5, 6, 7], [0, 91, -1.5, 1, 2, 3, 4, 5, 6, 8]]
    assert bvh.columns == [slice(0, 6), slice(6, 9), slice(9, 9), slice(9, 10)]
    assert repr(bvh) == "Bvh('Hips': 4 joints, 2 frames at 120 Hz)"


STYLES = {
    "windows line ends": lambda text: text.replace("\n", "\r\n"),
    "old line ends": lambda text: text.replace("\n", "\r"),
    "a byte order mark": lambda text: "\ufeff" + text,
    "blanks instead of tabs": lambda text: text.replace("\t", "    "),
    "many blanks": lambda text: text.replace(" ", "  \t ").replace("Frame  \t Time", "Frame Time"),
    "no indentation": lambda text: text.replace("\t", ""),
    "braces behind names": lambda text: text.replace("Hips\n{", "Hips {").replace("Head\n\t\t\t{", "Head{"),
    "closing braces in a row": lambda text: text.replace("\t\t\t}\n\t\t}", "} }"),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "a blank end": lambda text: text + "\n  \n",
    "no line end at the end": lambda text: text.rstrip(),
    "capitals": lambda text: text.replace("Site", "SITE").replace("Xrotation", "XROTATION").replace("End", "END"),
    "a frame over several lines": lambda text: text.replace("1 1 2 3 4", "1 1\n2 3 4"),
    "all frames in one line": lambda text: text.replace("7\n0 91", "7 0 91"),
    "no blank after a colon": lambda text: text.replace("s: 2", "s:2").replace("Time: ", "Time:"),
    "a tab after a colon": lambda text: text.replace("s: 2", "s:\t2").replace("Time: ", "Time:\t "),
    "a blank before a colon": lambda text: text.replace("Frames:", "Frames :").replace("Time:", "Time :"),
    "a named end": lambda text: text.replace("End Site", "End Site_1", 1),
    "channels before the offset": lambda text: text.replace(
        "\t\tOFFSET 9 0 0\n\t\tCHANNELS 1 Xrotation\n", "\t\tCHANNELS 1 Xrotation\n\t\tOFFSET 9 0 0\n"
    ),
    "no word of no channels": lambda text: text.replace("\t\t\tCHANNELS 0\n", ""),
    "channels over two lines": lambda text: text.replace("Zposition ", "Zposition\n"),
}


@pytest.mark.parametrize("style", STYLES)
def test_every_style_reads_alike(read, style):
    text = STYLES[style](CLIP)
    assert text != CLIP
    assert read(text) == read(CLIP)


def change(old: str, new: str, count: int = 1):
    assert old in CLIP
    return CLIP.replace(old, new, count)


DEFECTS = {
    "no numbers": (change("0 90 1 1 2 3 4 5 6 7\n0 91 -1.5e0 1 2 3 4 5 6 8\n", ""), None, "no values follow"),
    "a value too few": (change("4 5 6 7", "4 5 7"), AT + 2, "this line has 9"),
    "a value too many": (change("4 5 6 7", "4 5 6 6 7"), AT + 2, "this line has 11"),
    "a frame too few": (
        change("s: 2", "s: 3"),
        AT + 3,
        "3 frames of 10 values are announced, and the file ends after 2",
    ),
    "a frame too many": (change("s: 2", "s: 1"), AT + 3, "ends after 2; correct the line"),
    "cut off in a frame": (CLIP[: CLIP.rindex(" 5 6 8")], AT + 3, "this line has 7"),
    "NaN": (change("-1.5e0", "nan"), AT + 3, "a value is nan"),
    "infinity": (change("-1.5e0", "-inf"), AT + 3, "a value is -inf"),
    "a word": (change("-1.5e0", "x"), AT + 3, "'x' is no number"),
    "a decimal comma": (change("-1.5e0", "-1,5"), AT + 3, "with a point"),
    "an underscore": (change("0 91", "0 9_1"), AT + 3, "'9_1' is no number"),
    "no frames line": (change("Frames: 2\n", ""), AT, '"Frames:" should come here'),
    "no frame time": (change("Frame Time: 0.0083333\n", ""), AT + 1, '"Frame Time:" should come here'),
    "frames without a number": (change("Frames: 2", "Frames:"), AT, "needs a number"),
    "half a frame": (change("s: 2", "s: 2.5"), AT, "a whole one"),
    "frame time zero": (change("0.0083333", "0.0"), AT + 1, "must be positive"),
    "frame time no number": (change("0.0083333", "fast"), AT + 1, "needs a number, not 'fast'"),
    "no motion": (CLIP[: CLIP.index("MOTION")], AT - 2, "ends before MOTION"),
    "cut off in the hierarchy": (CLIP[: CLIP.index("JOINT Left")], AT - 16, "the file ends where"),
    "two roots": (change("}\nMOTION", "}\nROOT Other\n{\nOFFSET 0 0 0\n}\nMOTION"), AT - 1, "a second ROOT"),
    "something after the root": (change("}\nMOTION", "}\n}\nMOTION"), AT - 1, "MOTION should come"),
    "two joints of one name": (change("Head", "Spine"), 10, "as that of line 6"),
    "no name": (change("ROOT Hips", "ROOT"), 2, "a joint has no name"),
    "no offset": (change("\tOFFSET 0 10 0\n", ""), 9, "OFFSET should come here, not .JOINT."),
    "an offset of two": (change("0 10 0", "0 10"), 9, "needs a number, not 'CHANNELS'"),
    "an unknown channel": (change("1 Xrotation", "1 Wrotation"), None, "'Wrotation' is none"),
    "fewer channels than announced": (change("3 Zrotation Xr", "3 Xr"), None, "announces 3 channels"),
    "more channels than announced": (change("1 Xrotation", "1 Xrotation Yrotation"), None, "not 'Yrotation'"),
    "a position twice": (change("Yposition", "Xposition"), None, "Xposition twice"),
    "half a channel": (change("CHANNELS 1", "CHANNELS 1.5"), None, "a whole number"),
    "channels twice": (
        change("\t\t\tEnd", "\t\tCHANNELS 1 Xrotation\n\t\tCHANNELS 1 Xrotation\nEnd"),
        None,
        "a second",
    ),
    "another file": ("# vtk DataFile\n1 2 3\n", 1, "HIERARCHY should come here"),
    "binary": (b"\x00\x01\xff\xfe\x9a", 1, "HIERARCHY should come here"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_every_defect_is_a_sentence_with_file_and_line(read, defect):
    text, line, words = DEFECTS[defect]
    number = r"\d+" if line is None else str(line)
    with pytest.raises(ValueError, match=rf"clip\.bvh, line {number}: .*({words})") as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_files_cut_off_or_garbled_anywhere_are_sentences(read):
    """Every prefix, and random changes of a few characters: read, or one sentence with the file."""
    rng, refused = np.random.default_rng(3), 0
    texts = [CLIP[:cut] for cut in range(len(CLIP.rstrip()))]
    for _ in range(400):
        text = list(CLIP)
        for at in rng.integers(len(text), size=rng.integers(1, 4)):
            text[at] = rng.choice(list("{}\n 7-:.xROOTnan"))
        texts.append("".join(text))
    for k, text in enumerate(texts):
        try:
            read(text)
        except ValueError as error:
            refused += 1
            assert "clip.bvh" in str(error)
            assert "\n" not in str(error)
        else:
            assert k >= len(CLIP.rstrip()), text  # no prefix is a whole file
    assert refused < len(texts)


def test_files_that_are_none(read, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nowhere\.bvh"):
        Bvh.load(tmp_path / "nowhere.bvh")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        Bvh.load(tmp_path)
    for nothing in ("", " \r\n\t"):
        with pytest.raises(ValueError, match=r"clip\.bvh: the file is empty"):
            read(nothing)


def random_bvh(rng: np.random.Generator, joints: int, frames: int) -> Bvh:
    """A random tree, listed depth first, with all kinds of channels and end sites."""
    parents, chain = [-1], [0]
    for j in range(1, joints):
        chain = chain[: rng.integers(1, len(chain) + 1)]
        parents.append(chain[-1])
        chain.append(j)
    turns, shifts = ["Zrotation", "Xrotation", "Yrotation"], ["Xposition", "Yposition", "Zposition"]
    kinds = [
        [],
        turns,
        shifts,
        [*shifts, *turns],
        [*turns, *shifts],
        turns[:1],
        ["Xrotation", "Zrotation", "Xrotation"],
    ]
    channels = [tuple(kinds[rng.integers(len(kinds))]) for _ in range(joints)]
    ends = [rng.normal(size=(rng.integers(3), 3)) for _ in range(joints)]
    names = [f"joint {j}:x" for j in range(joints)]
    values = rng.normal(size=(frames, sum(map(len, channels)))) * 10.0 ** rng.integers(-8, 8)
    return Bvh(names, parents, rng.normal(size=(joints, 3)), channels, ends, rng.uniform(0.001, 0.1), values)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_saved_is_read(tmp_path, seed):
    rng = np.random.default_rng(seed)
    bvh = random_bvh(rng, 1 + 3 * seed, seed)
    assert Bvh.load(bvh.save(tmp_path / "saved.bvh")) == bvh
    other = replace(bvh, offsets=bvh.offsets + 1e-13)
    assert other != bvh
    assert Bvh.load(other.save(tmp_path / "saved.bvh")) == other


def test_saving_what_cannot_be(tmp_path):
    bvh = random_bvh(np.random.default_rng(1), 5, 3)
    with pytest.raises(ValueError, match=r"saved as \.bvh"):
        bvh.save(tmp_path / "clip.txt")
    with pytest.raises(FileNotFoundError, match="no folder"):
        bvh.save(tmp_path / "nowhere" / "clip.bvh")
    for change, words in (
        ({"names": ["a", "a", "b", "c", "d"]}, "two joints are called 'a'"),
        ({"names": ["a", "x{", "b", "c", "d"]}, "without braces"),
        ({"parents": [-1, 0, 3, 0, 0]}, "depth first"),
        ({"parents": [-1, -1, 0, 0, 0]}, "the root comes first"),
        ({"channels": [("Xspin",)] * 5}, "'Xspin' of joint .* is no channel"),
        ({"frame_time": 0.0}, "frame time"),
        ({"values": bvh.values[:, 1:]}, "the values"),
        ({"values": bvh.values * np.nan}, "the values"),
        ({"ends": bvh.ends[1:]}, "ends need one entry"),
    ):
        with pytest.raises(ValueError, match=words):
            replace(bvh, **change)
    bvh.values = bvh.values * np.nan  # an edit that nobody checked
    with pytest.raises(ValueError, match="the values"):
        bvh.save(tmp_path / "clip.bvh")
