"""What a session shows of frames."""

import dataclasses
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vc4.config import preset
from vc4.records.tmu import TextureType
from vc4sim.asm import assemble
from vc4sim.clist import load_capture
from vc4sim.debug.console import FrameConsole
from vc4sim.debug.expression import condition
from vc4sim.debug.frame_target import FrameTarget
from vc4sim.debug.frame_view import pixel_of, tile_image
from vc4sim.debug.listing import Listing
from vc4sim.debug.session import Reason, Session
from vc4sim.debug.textures import BoundTexture, bound_textures, image_of
from vc4sim.launch import Launch
from vc4sim.model.memory import Memory
from vc4sim.problem import BadInput
from vc4sim.render import compare, expected_picture, picture_of
from vc4sim.textures.images import coloured_levels, cube, letter
from vc4sim.textures.sampling import Sampling

from .transcripts import console, said

CASES = Path(__file__).parents[1] / "data/cases/gl"
#: Where textures of tests lie.
BASE = 0x10000


def session_of(name, patch=None):
    """A session with a captured frame, of which bytes may be changed: by their addresses."""
    capture = load_capture(CASES / name)
    if patch:
        more = tuple(patch.items())
        jobs = (dataclasses.replace(capture.jobs[0], updates=(*capture.jobs[0].updates, *more)), *capture.jobs[1:])
        capture = dataclasses.replace(capture, jobs=jobs)
    target = FrameTarget(capture, preset("bcm2835"))
    return Session(target, Listing()), target


def until(session, text):
    return session.until(condition(text, session.listing, session.qpus))


def test_the_tile_buffer_is_what_is_stored():
    session, target = session_of("tri_flat")
    until(session, "start fragment")
    address = target.capture.details.object("check").integer("addr", 0, 1 << 32)
    assert until(session, f"[{address}]").text == f"the pipeline has written 16384 bytes at {address:#010x}"
    assert (tile_image(target.gpu, "colour") == picture_of(target.capture, target.memory)).all()
    assert compare(target.capture, tile_image(target.gpu, "colour"), expected_picture(target.capture)).passes
    red, green, blue, alpha = tile_image(target.gpu, "colour")[31, 33].tolist()
    assert pixel_of(target.gpu, 33, 31).colours == ((red | green << 8 | blue << 16 | alpha << 24,),)
    for x, y in ((64, 0), (0, 64), (-1, 0)):
        with pytest.raises(BadInput, match="the tile has the pixels 0 0 to 63 63"):
            pixel_of(target.gpu, x, y)
    with pytest.raises(BadInput, match="the tile buffer has colour, z, stencil, mask"):
        tile_image(target.gpu, "depth")


def test_z_and_stencil_of_a_tile():
    session, target = session_of("stencil")
    until(session, "tlbz")
    until(session, "tlbz")
    z, stencil = tile_image(target.gpu, "z"), tile_image(target.gpu, "stencil")
    x, y = 5, 9
    pixel = pixel_of(target.gpu, target.gpu.renderer.tile.x + x, target.gpu.renderer.tile.y + y)
    assert z[y, x].tolist() == [pixel.z[0] >> 16] * 3 + [255]
    assert stencil[y, x].tolist() == [pixel.stencil[0]] * 3 + [255]


def test_samples_of_a_pixel_are_shown_as_their_mean():
    session, target = session_of("tri_flat")
    gpu = target.gpu
    gpu.renderer.tile.configure(dataclasses.replace(gpu.renderer.tile.shape, multisample=True))
    gpu.renderer.tile.colour[3, 4, :, 0] = [0x00000004, 0x00000008, 0x00001000, 0xFF000000]
    assert tile_image(gpu, "colour")[3, 4].tolist() == [3, 4, 0, 64]
    assert len(pixel_of(gpu, 4, 3).colours) == 4
    gpu.renderer.tile.configure(dataclasses.replace(gpu.renderer.tile.shape, multisample=False, words=2))
    gpu.renderer.tile.colour[3, 4, 0] = [0x3C003800, 0xBC007C00]  # 0.5, 1; infinity, -1
    assert tile_image(gpu, "colour")[3, 4].tolist() == [128, 255, 255, 0]


def place(session):
    """The address of the next instruction."""
    line = session.line()
    assert line
    return line.address


def stored(texture):
    """A texture in memory, and the uniforms that describe it."""
    data, below, stride = texture.stored()
    memory = Memory(BASE + len(data), image=bytes(BASE) + data)
    uniforms = texture.parameters(Sampling(), BASE + below, stride)
    return memory, BoundTexture(0, 0, uniforms if texture.cube else uniforms[:2])


@pytest.mark.parametrize("make", [letter, coloured_levels, cube])
def test_textures_are_images(make):
    texture = make()
    memory, bound = stored(texture)
    for face, levels in enumerate(texture.faces):
        for level, image in enumerate(levels):
            if image.shape[0] <= 16 or face == 1:
                assert (image_of(memory, bound, level, face) == image).all()
    with pytest.raises(BadInput, match=f"the texture has {len(texture.faces[0])} level"):
        image_of(memory, bound, len(texture.faces[0]))
    with pytest.raises(BadInput, match="the texture has"):
        image_of(memory, bound, 0, 6 if texture.cube else 1)


def uniforms_of(type_, size):
    """Those of a square texture of one level at `BASE`."""
    return BASE | (type_.value & 15) << 4, (type_.value >> 4) << 31 | size << 20 | size << 8


@pytest.mark.parametrize(
    ("type_", "data", "texel"),
    [
        (TextureType.RGB565, b"\x1f\xf8", [255, 0, 255, 255]),
        (TextureType.LUMINANCE, b"\x40", [64, 64, 64, 255]),
        (TextureType.S16, b"\x34\x12", [0x12, 0, 0, 255]),
        (TextureType.S16F, b"\x00\x38", [128, 0, 0, 255]),
        (TextureType.RGBA64, b"\x00\x3c\x00\x38\x00\xbc\x00\x7e", [255, 128, 0, 0]),
    ],
)
def test_texels_of_other_types_are_bytes(type_, data, texel):
    memory = Memory(BASE + 0x1000, image=bytes(BASE) + data)
    found = image_of(memory, BoundTexture(0, 0, uniforms_of(type_, 4)))
    assert found.shape == (4, 4, 4)
    assert found[0, 0].tolist() == texel


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("mov r0, unif\nmov t0t, r0\nmov t0s, r0\nthrend\nnop\nnop\n", [(0, (11, 12))]),
        ("mov t1s, r0\nmov r1, unif\nmov t1t, r0\nnop\nmov t1s, unif\nthrend\n", [(1, (11, 12))]),
        ("mov t0t, r0\nmov t1t, r0\nmov t1s, r0\nmov t0s, r0\nthrend\n", [(1, (11, 12)), (0, (10, 13))]),
        (
            "mov t0b, r0\nmov t0r, r0\nmov t0t, r0\nmov t0s, r0\nthrend\nmov t0t, r0\nmov t0s, r0",
            [(0, (10, 11, 12, 13))],
        ),
        ("mov t0t, r0\nmov t0s, r0\n:l\nbrr -, r:l\nnop\nnop\nnop\nmov t0t, r0\nmov t0s, r0\n", [(0, (10, 11))]),
        ("mov unif_addr, r0\nnop\nnop\nmov t0t, r0\nmov t0s, r0\n", []),
        ("mov t0s, r0\nthrend\nnop\nnop\n", []),
        ("mov t0t, r0\nmov t0s, r0\n", [(0, (10, 11))]),
    ],
    ids=[
        "uniform first",
        "memory first",
        "both units",
        "four parameters",
        "branch",
        "address",
        "memory",
        "end of memory",
    ],
)
def test_lookups_of_a_program(source, expected):
    """A lookup by s alone takes no uniform; both units take uniforms in turn."""
    code = assemble(source).code
    uniforms = b"".join(number.to_bytes(4, "little") for number in range(10, 20))
    memory = Memory(len(uniforms) + len(code) + 8, image=bytes(8) + uniforms + code)
    launch = Launch(8 + len(uniforms), 8)
    found = bound_textures(memory, launch)
    assert [(one.unit, one.uniforms) for one in found] == expected
    assert bound_textures(memory, Launch(1 << 20, 8)) == []


def test_pictures_are_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = console(str(CASES / "tex_lt_small"))
    assert isinstance(one, FrameConsole)
    said(one, "until start fragment")
    monkeypatch.chdir(tmp_path)
    assert said(one, "texture 0 texture.png") == "texture.png is written\n"
    assert said(one, "tile colour tile.png") == "tile.png is written\n"
    said(one, "continue")
    assert said(one, "picture picture.png") == "picture.png is written\n"
    assert (np.array(Image.open("picture.png")) == picture_of(one.target.capture, one.target.memory)[::-1]).all()
    assert np.array(Image.open("texture.png")).shape == (4, 8, 4)
    assert np.array(Image.open("tile.png")).shape == (64, 64, 4)
    # The frame is over, and the program that ran last is still known.
    assert said(one, "textures").startswith("0: rgba8888 8 by 4")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("texture 0", "texture: its number and a file are needed"),
        ("texture 4 x.png", "texture 4: the program looks up 0"),
        ("tile colour", "tile: a file is needed"),
        ("tile depth x.png", "depth: must be an integer"),
        ("tile 1", "1: must be X and Y, or one of colour, z, stencil, mask and a file"),
        ("tile 64 0", "64 0: the tile has the pixels"),
        ("tile colour no_format", "no_format: unknown file extension"),
        ("lists", "lists: one of binning and rendering is needed"),
        ("lists other", "other: the lists are binning and rendering"),
        ("picture", "picture: a file is needed"),
        ("break [0, 64", "[0, 64: must be [PLACE]"),
    ],
)
def test_wrong_commands_of_frames(command, says, tmp_path, monkeypatch):
    one = console(str(CASES / "tri_flat"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as error:
        said(one, command)
    assert str(error.value).startswith(says)
    one.session.target.close()


def test_a_shader_that_hangs():
    """It stalls, and then the frame ends; going back leads to its instructions."""
    session, _ = session_of("tri_flat")
    until(session, "start fragment")
    code = place(session)
    hanging = assemble("nop\nsacq -, 0\n").code
    session, target = session_of("tri_flat", {code: hanging})
    stop = until(session, "stall")
    assert (stop.reason, stop.text) == (Reason.REACHED, "QPU 0 cannot go on: semaphore 0, which is 0")
    assert place(session) == code + 8
    assert target.wait_of(0) == "semaphore 0, which is 0"
    stop = session.proceed()
    assert stop.reason is Reason.END
    assert stop.text.endswith(f"fragment shader at {code + 8:#010x}: waits for semaphore 0, which is 0")
    # The first one back is still the program that hangs, before the second instruction.
    session.back()
    assert place(session) == code
    session.step()
    assert place(session) == code + 8
    target.close()


def test_a_list_that_is_wrong_ends_the_frame():
    session, target = session_of("tri_flat")
    start = target.job.registers["CT1CA"]
    session, target = session_of("tri_flat", {start: b"\xff"})
    stop = session.proceed()
    assert stop.reason is Reason.END
    assert stop.text.startswith(f"tri_flat: job 0, thread 1: {start:#010x}")
    assert session.back().reason is Reason.STEP
    assert said(FrameConsole(session, target, io.StringIO()), "lists rendering").count("--") == 2
