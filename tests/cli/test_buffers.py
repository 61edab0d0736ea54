"""`vc4 run` with arrays: types of buffers, files of NumPy, figures, comparisons."""

import numpy as np
import pytest
from PIL import Image

from vc4sim.cli import main

#: Stores sixteen words at its first uniform: the numbers from its second one on.
COUNT = (
    "mov r1, unif\nmov r0, unif\nadd r0, r0, elem_num\nldi vw_setup, 0x1a00\nmov vpm, r0\n"
    "ldi vw_setup, 0x80904000\nmov vw_addr, r1\nthrend\nnop\nnop\n"
)
UNIFORMS = ("--uniform", "&y", "--uniform", "100")
COUNTED = np.arange(100, 116)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs `COUNT` in a folder of its own, with more arguments; returns status, output and errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "count.qasm").write_text(COUNT)

    def run(*arguments):
        status = main(["run", "count.qasm", *UNIFORMS, *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


class TestTypes:
    @pytest.mark.parametrize(
        ("what", "shown"),
        [
            ("i32:16", "[100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115]"),
            ("u8:8x8", "[[100   0   0   0 101   0   0   0]\n   [102   0"),
            ("u16:32", "[100   0 101   0 102"),
            ("f32:4x4", "[[1.40e-43 1.42e-43 1.43e-43 1.44e-43]"),
        ],
    )
    def test_arrays_are_shown_as_what_they_are(self, run, what, shown):
        status, out, _ = run("--buffer", f"y={what}")
        assert status == 0
        assert f"y, {what} at 0x000100c0\n  {shown}" in out

    def test_long_arrays_are_abridged(self, run):
        out = run("--buffer", "y=i32:1000")[1]
        assert out.endswith("y, i32:1000 at 0x000100c0\n  [100 101 102 ...   0   0   0]\n")

    def test_an_array_from_a_file(self, run):
        np.save("x.npy", np.asfortranarray(np.arange(6, dtype=">f4").reshape(2, 3)))
        out = run("--buffer", "y=i32:16", "--buffer", "x=@x.npy")[1]
        assert "x, f32:2x3 at 0x00010100\n  [[0. 1. 2.]\n   [3. 4. 5.]]\n" in out

    def test_elements_from_a_file(self, run, tmp_path):
        (tmp_path / "x").write_bytes(bytes(range(8)))
        assert "x, i16:4 at 0x00010100\n  [ 256  770 1284 1798]\n" in run("--buffer", "y=64", "--buffer", "x=i16:@x")[1]

    def test_at_an_address(self, run):
        assert "z, f16:2 at 0x00020000\n" in run("--buffer", "y=64", "--buffer", "z@0x20000=f16:2")[1]

    def test_others_go_around_what_has_an_address(self, run):
        out = run("--buffer", "y=i32:16", "--buffer", "z@0x100c0=u8:3")[1]
        assert "z, u8:3 at 0x000100c0\n" in out
        assert "y, i32:16 at 0x00010100\n  [100 101" in out

    def test_bytes_have_no_type(self, run):
        assert "y, 64 bytes at 0x000100c0\n  00000  00000064 00000065" in run("--buffer", "y=64")[1]


class TestFiles:
    def test_saved(self, run):
        status, _, _ = run("--buffer", "y=i32:4x4", "--buffer", "z=10", "--save", "y=y.npy", "--save", "z=z.npy")
        assert status == 0
        saved = np.load("y.npy")
        assert saved.dtype == np.int32
        assert np.array_equal(saved, COUNTED.reshape(4, 4))
        assert np.array_equal(np.load("z.npy"), np.zeros(10, np.uint8))

    def test_what_was_saved_is_read_again(self, run):
        run("--buffer", "y=i32:16", "--save", "y=y.npy")
        assert "x, i32:16 at 0x00010100\n  [100 101" in run("--buffer", "y=64", "--buffer", "x=@y.npy")[1]

    def test_of_an_example(self, tmp_path):
        path = tmp_path / "output.npy"
        assert main(["run", "coordinate_shader", "--save", f"output={path}"]) == 0
        assert np.load(path).view("<u4")[0] == 0xBF665C24


class TestPlots:
    def test_lines_and_images(self, run):
        pytest.importorskip("matplotlib")
        status, _, _ = run("--buffer", "y=i32:16", "--buffer", "z=f32:8x8", "--plot", "y", "--plot", "z=image.png")
        assert status == 0
        pictures = [np.asarray(Image.open(name).convert("RGB")) for name in ("y.png", "image.png")]
        assert all(picture.shape[0] > 100 and picture.std() > 5 for picture in pictures)
        # The line is a thin one, the image has an area of one colour.
        colours = [np.unique(picture.reshape(-1, 3), axis=0, return_counts=True)[1] for picture in pictures]
        assert sorted(colours[0])[-2] < 0.1 * pictures[0][..., 0].size < sorted(colours[1])[-2]

    @pytest.mark.parametrize(
        ("buffer", "plot", "text"),
        [
            ("y=64", "y", "--plot y: say what it is, like --buffer y=f32:16"),
            ("y=i32:2x4x2", "y", "--plot y: has 3 axes, and 2 are the most"),
            ("y=i32:16", "y=y.frob", "y.frob: a figure is a .png, .svg or .pdf file"),
            ("y=i32:16", "z", "--plot z: there is no buffer of this name: there are y"),
        ],
    )
    def test_what_cannot_be_plotted(self, run, buffer, plot, text):
        pytest.importorskip("matplotlib")
        status, out, err = run("--buffer", buffer, "--plot", plot)
        assert (status, out) == (2, "")
        assert err.startswith(f"vc4: {text}")


class TestExpected:
    def test_the_same(self, run):
        np.save("y.npy", COUNTED.astype(np.int32))
        for buffer in ("y=i32:16", "y=64"):
            status, out, _ = run("--buffer", buffer, "--expect", "y=@y.npy")
            assert status == 0
            assert out.endswith("PASS count.qasm (64 bytes in 1 region)\n")

    def test_other_types_of_the_same_numbers(self, run):
        np.save("y.npy", COUNTED.astype(np.int64))
        assert run("--buffer", "y=i32:16", "--expect", "y=@y.npy")[0] == 0

    def test_what_differs(self, run):
        wrong = COUNTED.astype(np.int32).reshape(2, 8)
        wrong[1, 3:5] += [10, -1000]
        np.save("y.npy", wrong)
        status, out, _ = run("--buffer", "y=i32:2x8", "--expect", "y=@y.npy")
        assert status == 1
        assert out.endswith(
            "FAIL count.qasm: y: 2 of 16 elements wrong, the largest difference is 1000\n"
            "  y[1, 3]  expected 121   got 111  off by 10\n"
            "  y[1, 4]  expected -888  got 112  off by 1000\n"
        )
        assert run("--buffer", "y=i32:2x8", "--expect", "y=@y.npy", "--tolerance", 999)[0] == 1
        assert run("--buffer", "y=i32:2x8", "--expect", "y=@y.npy", "--tolerance", 1000)[0] == 0

    def test_floats(self, run):
        """Of the buffer that nobody writes; the distance of both signs goes through 0."""
        np.save("x.npy", np.array([1, 2, 0, np.nan, -0.0], np.float32))
        expected = np.array([1, 2, 0, np.nan, 0], np.float32)
        np.save("z.npy", expected)
        arguments = ("--buffer", "y=64", "--buffer", "x=@x.npy", "--expect", "x=@z.npy")
        assert run(*arguments)[0] == 0
        expected[0] = np.nextafter(np.float32(1), np.float32(2))
        expected[2] = -np.float32(1e-45)
        np.save("z.npy", expected)
        status, out, _ = run(*arguments)
        assert status == 1
        assert "  x[0]  expected 1.0000001  got 1.0  off by 1.19209e-07, 1 ulp\n" in out
        assert "  x[2]  expected -1e-45     got 0.0  off by 1.4013e-45, 1 ulp\n" in out
        assert run(*arguments, "--tolerance", "1e-6")[0] == 0

    def test_only_the_first_ones_are_shown(self, run):
        np.save("y.npy", np.full(100, 7, np.int32))
        out = run("--buffer", "y=i32:100", "--expect", "y=@y.npy")[1]
        assert out.count("expected") == 16
        assert out.endswith("  and 84 more\n")


WRONG = [
    (["--buffer", "y=f33:16"], "buffer y: f33 is no type of elements: there are f32, i32, u32"),
    (["--buffer", "y=f32:"], "buffer y:  is no shape"),
    (["--buffer", "y=f32:4x"], "buffer y: 4x is no shape: it is a number of elements, or several like 16x16"),
    (["--buffer", "y=f32:0"], "buffer y: an array must have 1 to 67108864 bytes, not be f32:0"),
    (["--buffer", "y=f32:99999x99999"], "buffer y: an array must have 1 to"),
    (["--buffer", f"y=f32:{'9' * 5000}"], "buffer y: "),
    (["--buffer", "y=f32:-4"], "-4 is no shape"),
    (["--buffer", "y=@nothing.npy"], "buffer y: nothing.npy: there is no such file"),
    (["--buffer", "y=@objects.npy"], "buffer y: objects.npy: no array of NumPy that can be read: Object arrays"),
    (["--buffer", "y=@text.npy"], "buffer y: text.npy: no array of NumPy that can be read: "),
    (["--buffer", "y=@short.npy"], "buffer y: short.npy: no array of NumPy that can be read: "),
    (["--buffer", "y=@doubles.npy"], "buffer y: doubles.npy: float64 is no type of elements of the GPU"),
    (["--buffer", "y=@empty.npy"], "buffer y: empty.npy: an array must have 1 to"),
    (["--buffer", "y=f32:@doubles.npy"], "doubles.npy says itself what it holds: leave f32: out"),
    (["--buffer", "y=i32:@odd"], "buffer y: odd: 7 bytes are no whole number of i32"),
    (["--buffer", "y=i33:@odd"], "buffer y: i33 is no type of elements"),
    (["--buffer", "y=64", "--save", "z=z.npy"], "--save z: there is no buffer of this name: there are y"),
    (["--buffer", "y=64", "--save", "y=y.txt"], "must be NAME=FILE.npy, not 'y=y.txt'"),
    (["--buffer", "y=64", "--save", "y=/nowhere/y.npy"], "/nowhere/y.npy: No such file"),
    (["--buffer", "y=64", "--expect", "y=ints.npy"], "must be NAME=@FILE.npy, not 'y=ints.npy'"),
    (["--buffer", "y=64", "--expect", "y=@nothing.npy"], "nothing.npy: there is no such file"),
    (["--buffer", "y=i32:16", "--expect", "y=@ints.npy"], "--expect y: ints.npy: has the shape 8, not 16"),
    (["--buffer", "y=64", "--expect", "y=@ints.npy"], "--expect y: ints.npy: has 32 bytes, not 64"),
    (["--buffer", "y=i32:4", "--expect", "y=@doubles.npy"], "--expect y: doubles.npy: holds float64, not int32"),
    (["--buffer", "y=i8:8", "--expect", "y=@ints.npy"], "--expect y: ints.npy: holds numbers that are no int8"),
    (["--buffer", "y=64", "--tolerance", "-1"], "must be a number that is not negative, not '-1'"),
    (["--buffer", "y=64", "--tolerance", "nan"], "must be a number that is not negative, not 'nan'"),
]


@pytest.mark.parametrize(("arguments", "text"), WRONG)
def test_what_is_wrong_is_one_line(run, tmp_path, arguments, text):
    np.save("objects.npy", np.array([None, 1]), allow_pickle=True)
    np.save("doubles.npy", np.zeros(4))
    np.save("empty.npy", np.zeros(0, np.float32))
    np.save("ints.npy", np.full(8, 1000, np.int32))
    (tmp_path / "text.npy").write_text("no array")
    (tmp_path / "short.npy").write_bytes((tmp_path / "doubles.npy").read_bytes()[:-3])
    (tmp_path / "odd").write_bytes(bytes(7))
    status, out, err = run(*arguments)
    assert status == 2
    assert "PASS" not in out
    assert err.count("\n") == 1
    assert text in err
