"""Commands with `--errata`: what a program sees, what is refused, and that a replay has them, too."""

import struct
from argparse import ArgumentParser, Namespace

import pytest

from vc4.config import preset
from vc4.errata import CHIPS, Erratum
from vc4.records.tmu import TextureType
from vc4sim.command_line import parser_of
from vc4sim.commands import COMMANDS
from vc4sim.commands.options import add_config, config_of, config_words

#: Every element looks up the only texel of a texture, and is stored.
LOOKUP = """
    ldi vw_setup, 0x1a00
    mov t0t, 0
    mov t0s, 0
    nop; ldtmu0
    mov vpm, r4
    ldi vw_setup, 0x80904000
    mov vw_addr, unif
    thrend
    nop
    nop
"""
TEXTURE = 0x2_0000
#: Words that describe it: its place and type; one texel wide and high, the nearest one.
WORDS = (TEXTURE | (TextureType.S16F.value & 15) << 4, TextureType.S16F.value >> 4 << 31 | 1 << 20 | 1 << 8 | 0x90)


@pytest.fixture
def minus_two(tmp_path):
    """The arguments of a run that looks up -2."""
    source, texels = tmp_path / "lookup.qasm", tmp_path / "texels.bin"
    source.write_text(LOOKUP)
    texels.write_bytes(struct.pack("<e", -2.0) * 32)
    uniforms = [f"--uniform={word:#x}" for word in WORDS]
    return ["run", source, *uniforms, "--uniform", "&out", "--buffer", "out=64", "--load", f"{texels}@{TEXTURE:#x}"]


@pytest.mark.parametrize(
    ("errata", "found"),
    [
        ((), "0000c000*16"),
        (("--errata", "HW-2898"), "0000c000*16"),
        (("--errata", "HW-2898,HW-2619"), "00004000*16"),
        (("--errata", "bcm2835"), "00004000*16"),
    ],
)
def test_a_program_sees_them(minus_two, errata, found, output_of):
    assert f"  00000  {found}" in output_of(*minus_two, *errata)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("HW-1", "HW-1"),
        ("bcm2837", "bcm2837"),
        ("HW-2619,", ""),
        ("", ""),
        ("HW-2619,bcm2835", "bcm2835"),
        ("HW-2619 HW-2924", "HW-2619 HW-2924"),
    ],
)
@pytest.mark.parametrize("command", [["run", "mandelbrot"], ["lockstep"], ["verilog"]])
def test_others_are_refused(command, wrong, named, refused):
    text = refused(*command, "--errata", wrong)
    assert "argument --errata: errata are bcm2835, HW-2116, " in text
    assert f", not {named!r} (" in text


def test_episodes_would_wait_for_ever(refused):
    assert "HW-2885" in refused("soak", "--count", "1", "--errata", "bcm2835")


def subcommands(parser, path=()):
    """Each with its options."""
    inner = [action for action in parser._actions if hasattr(action, "choices") and isinstance(action.choices, dict)]
    found = [(path, parser)]
    for action in inner:
        if all(isinstance(one, ArgumentParser) for one in action.choices.values()):
            for name, one in action.choices.items():
                found += subcommands(one, (*path, name))
    return found


def test_every_command_with_a_configuration_has_errata():
    found = {}
    for name in COMMANDS:
        for path, parser in subcommands(parser_of([name])):
            options = parser._option_string_actions
            if "--config" in options:
                found[path] = "--errata" in options
    assert {("run",), ("render",), ("clist", "run"), ("lockstep",), ("verilog",), ("bench", "sim")} <= found.keys()
    assert all(found.values())


def test_words_for_the_same_configuration():
    options = Namespace(config="gpu", errata=frozenset({Erratum.HW_2924, Erratum.HW_2116}))
    parser = ArgumentParser()
    add_config(parser)
    words = config_words(options)
    assert words == ["--config", "gpu", "--errata", "HW-2116,HW-2924"]
    assert config_of(parser.parse_args(words)) == config_of(options)
    assert config_of(options).faults == options.errata
    assert config_words(parser.parse_args([])) == ["--config", "qpu"]
    assert config_of(parser.parse_args(["--errata", "bcm2835"]), "slice").faults == CHIPS["bcm2835"]
    assert config_of(parser.parse_args(["--config", "slice"])) == preset("slice")
