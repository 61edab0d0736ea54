"""Native code does what Amaranth's simulator does: random hardware, every instance with inputs of its own."""

import ctypes
import json
import random

import pytest
from amaranth import *
from amaranth.back import rtlil
from amaranth.hdl import Assert
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import BlockRam, LutRam
from vc4sim.cxxrtl.build import Part
from vc4sim.native import build, clusters, code
from vc4sim.native.activity import KNOWN, RECORDED, Activity, gather, known_texts
from vc4sim.native.blocks import blocks_of, memory_ports
from vc4sim.native.build import build_alone

from ..cxxrtl.random_hardware import IN_BITS, OUT_BITS, Random, in_amaranths_simulator

CLOCKS = 200
LANES = (4, *(pytest.param(lanes, marks=pytest.mark.thorough) for lanes in (1, 16)))
#: Gives each lane its input words in each clock, and takes its output words.
DRIVER = """
extern "C" const char *run(const uint32_t *inputs, uint32_t *outputs, uint32_t clocks) {
    static design::Design device;
    device = design::Design();
    for (; clocks; clocks--) {
        for (size_t lane = 0; lane < sizeof(design::V) / 4; lane++, inputs += 2) {
            design_ports::i(device, {inputs[0], inputs[1]}, lane);
            design_ports::rst(device, {inputs[0] % 64 == 5}, lane);
        }
        device.settle(0);
        for (size_t lane = 0; lane < sizeof(design::V) / 4; lane++)
            for (uint32_t word : design_ports::o({device, lane}))
                *outputs++ = word;
        if (const char *failure = device.failure())
            return failure;
        device.commit();
    }
    return nullptr;
}
"""
pytestmark = pytest.mark.usefixtures("compiler")


def expected(device, inputs):
    """The outputs of a lane with these inputs, some of which reset it, too, as the driver does."""
    return in_amaranths_simulator(device, inputs, lambda value: value % 64 == 5)


class Arithmetic(wiring.Component):
    """Every operator on parts of the input and of a register, of all widths, with and without sign."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def __init__(self, seed):
        self._random = random.Random(seed)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        rng = self._random
        held = Signal(OUT_BITS)
        m.submodules.ram = ram = BlockRam(IN_BITS, 5)

        def operand(most):
            signal = rng.choice([self.i, held, ram.read_data])
            width = min(rng.randint(1, most), len(signal))
            low = rng.randrange(len(signal) - width + 1)
            part = signal[low : low + width]
            return part.as_signed() if rng.random() < 0.3 else part

        def unsigned_operand(most):
            return operand(most).as_unsigned()

        operators = [
            lambda: operand(60) + operand(60),
            lambda: operand(40) - operand(33),
            lambda: -operand(32),
            lambda: unsigned_operand(32) * unsigned_operand(32),
            lambda: operand(15) * operand(16),
            lambda: operand(70) * operand(66),
            lambda: operand(70) == operand(70),
            lambda: operand(40) != operand(5),
            lambda: operand(31) < operand(31),
            lambda: unsigned_operand(32) >= unsigned_operand(20),
            lambda: operand(75) >= operand(40),
            lambda: operand(66) < operand(70),
            lambda: operand(70).any(),
            lambda: operand(70).all(),
            lambda: operand(70).xor(),
            lambda: unsigned_operand(40) << unsigned_operand(5),
            lambda: unsigned_operand(100) >> unsigned_operand(7),
            lambda: unsigned_operand(32) >> unsigned_operand(6),
            lambda: unsigned_operand(120).bit_select(unsigned_operand(7), rng.randint(1, 40)),
            lambda: unsigned_operand(128).word_select(unsigned_operand(2), 32),
            lambda: Mux(operand(3), operand(50), operand(20)),
            lambda: Array([operand(33), operand(9), operand(40)])[unsigned_operand(2)],
            lambda: ~operand(66) ^ operand(40),
            lambda: unsigned_operand(3).replicate(rng.randint(2, 40)),
        ]
        values = [operator() for operator in operators]
        mixed = C(0, OUT_BITS)
        for value in values:
            mixed = Mux(mixed[0], mixed.rotate_left(7), mixed.rotate_left(11)) ^ value.as_unsigned()
            kept = Signal(OUT_BITS)
            m.d.comb += kept.eq(mixed)
            mixed = kept
        m.d.sync += held.eq(mixed)
        m.d.comb += [
            self.o.eq(mixed),
            *(ram.write_address.eq(self.i), ram.read_address.eq(held), ram.read_enable.eq(held[9])),
            *(ram.write_data.eq(mixed), ram.write_enable.eq(self.i[3])),
        ]
        return m


def compiled(device, inputs, lanes, folder):
    """The outputs of each lane; `inputs` are by clock and lane."""
    words = [word for clock in inputs for value in clock for word in (value & 0xFFFF_FFFF, value >> 32)]
    room = -(-OUT_BITS // 32)
    outputs = (ctypes.c_uint32 * (room * lanes * len(inputs)))()
    library = build_alone(Part(rtlil.convert(device, emit_src=False)), lanes, DRIVER, folder)
    library.run.restype = ctypes.c_char_p
    failure = library.run((ctypes.c_uint32 * len(words))(*words), outputs, ctypes.c_uint32(len(inputs)))
    values = [
        sum(outputs[place * room + word] << 32 * word for word in range(room)) for place in range(lanes * len(inputs))
    ]
    return [values[lane::lanes] for lane in range(lanes)], failure


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("kind", [Random, pytest.param(Arithmetic, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 3))])
def test_random_hardware(kind, seed, lanes, tmp_path):
    rng = random.Random(seed)
    inputs = [[rng.getrandbits(IN_BITS) for _ in range(lanes)] for _ in range(CLOCKS)]
    outputs, failure = compiled(kind(seed), inputs, lanes, tmp_path)
    assert failure is None
    for lane in range(lanes):
        assert outputs[lane] == expected(kind(seed), [clock[lane] for clock in inputs])


class Counting(wiring.Component):
    """Is quiet most of the time: a memory that counts, a word of which comes out long after."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def __init__(self, shift):
        self._shift = shift
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.ram = ram = BlockRam(IN_BITS, 8)
        m.submodules.files = files = LutRam(IN_BITS, 4)
        count, before = Signal(6), Signal(IN_BITS)
        m.d.sync += before.eq(self.i)
        with m.If(before != self.i):
            m.d.sync += count.eq(0)
        with m.Elif(count != 40):
            m.d.sync += count.eq(count + 1)
        m.d.comb += [
            *(ram.write_address.eq(self.i), ram.write_data.eq(self.i ^ count), ram.write_enable.eq(count == 40)),
            *(ram.read_address.eq(before), ram.read_enable.eq(count[3] | ~before[0])),
            *(files.write_address.eq(self.i), files.write_data.eq(ram.read_data), files.write_enable.eq(count == 40)),
            files.read_address.eq(before >> self._shift),
            self.o.eq(Cat(ram.read_data, files.read_data)),
        ]
        return m


ANY_CUTS = pytest.mark.parametrize(
    ("kind", "seed"),
    [(Counting, 0), *(pytest.param(Counting, seed, marks=pytest.mark.thorough) for seed in (1, 2))]
    + [pytest.param(kind, 0, marks=pytest.mark.thorough) for kind in (Random, Arithmetic)],
)


def check_with_quiet_inputs(kind, seed, rng, folder):
    """They are the same for some clocks."""
    lanes = 4
    inputs = [[rng.getrandbits(IN_BITS) for _ in range(lanes)]]
    while len(inputs) < CLOCKS:
        inputs.append([rng.getrandbits(IN_BITS) if rng.random() < 0.02 else held for held in inputs[-1]])
    outputs, failure = compiled(kind(seed), inputs, lanes, folder)
    assert failure is None
    for lane in range(lanes):
        assert outputs[lane] == expected(kind(seed), [clock[lane] for clock in inputs])


@ANY_CUTS
def test_any_blocks(kind, seed, tmp_path, monkeypatch):
    """Wherever a variable is computed, and whichever are compared, it is computed again when it has to be."""
    rng = random.Random(seed)

    def any_blocks(design, order):
        computed = [name for name in order if name in design.computed]
        homes = {name: rng.randrange(24) for name in (*computed, *memory_ports(design), *design.ports("output"))}
        return blocks_of(design, order, homes, {name for name in computed if rng.random() < 0.7})

    monkeypatch.setattr(code, "by_hierarchy", any_blocks)
    check_with_quiet_inputs(kind, seed, rng, tmp_path)


@ANY_CUTS
def test_any_activity(kind, seed, tmp_path, monkeypatch):
    """Whatever somebody believes to know about changes, right or wrong."""

    class Believed(Activity):
        def of(self, label):
            chance = random.Random(f"{seed} {label}")
            return chance.choice([None, 0, chance.getrandbits(self.length), chance.getrandbits(4)])

    for module in (build, code):
        monkeypatch.setattr(module, "activity_of", lambda name, lanes: Believed({}, 64))
    check_with_quiet_inputs(kind, seed, random.Random(seed), tmp_path)


def test_what_changes_is_recorded(tmp_path, monkeypatch):
    """And is known then: that the first bits of the input change in every third clock, and the last ones never."""
    folder = tmp_path / "records"
    (folder / KNOWN).mkdir(parents=True)
    monkeypatch.setenv(RECORDED, str(folder))
    inputs = [[clock // 3 % 2 * 0xFFFF_FFFF] for clock in range(256)]
    compiled(Counting(0), inputs, 1, tmp_path)
    assert code.activity_of("design", 1) is None
    gather([folder], folder / KNOWN)
    activity = code.activity_of("design", 1)
    assert activity is not None
    assert activity.length == 256
    assert activity.of("\\i[31:0]") == sum(1 << 255 - clock for clock in range(3, 256, 3))
    assert not activity.of("\\i[39:38]")
    assert activity.of("\\nobody[3:0]") is None


def test_what_nobody_has_named_is_recorded_again(tmp_path, monkeypatch):
    """What is known of changes decides which variables there are that nobody has named; the others stay known as they are."""
    folder = tmp_path / "records"
    (folder / KNOWN).mkdir(parents=True)
    monkeypatch.setenv(RECORDED, str(folder))
    monkeypatch.setattr(clusters, "_BELOW", 1)
    turns = []
    for period in (3, 5):
        place = tmp_path / str(period)
        place.mkdir()
        compiled(Counting(0), [[clock // period % 2 * 0xFFFF_FFFF] for clock in range(256)], 1, place)
        gather([folder], folder / KNOWN)
        (text,) = known_texts()
        turns.append(json.loads(text)["changes"])
    named = [{label: clocks for label, clocks in turn.items() if not label.startswith("#")} for turn in turns]
    unnamed = [turn.keys() - its.keys() for turn, its in zip(turns, named, strict=True)]
    assert named[0] == named[1]
    assert unnamed[0]
    assert any(turns[0][label] != turns[1][label] for label in unnamed[0] & unnamed[1])


class Checked(wiring.Component):
    """Must not see a 7."""

    i: In(IN_BITS)
    o: Out(OUT_BITS)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.o.eq(self.i)
        m.d.sync += [Assert(self.i != 9, "a nine"), Assert(self.i != 7, "a seven")]
        return m


@pytest.mark.parametrize("lane", [*(pytest.param(lane, marks=pytest.mark.thorough) for lane in range(3)), 3])
def test_a_check_fails_in_any_lane(lane, tmp_path):
    inputs = [[5] * 4, [3] * 4]
    assert compiled(Checked(), inputs, 4, tmp_path)[1] is None
    inputs[1][lane] = 7
    assert compiled(Checked(), inputs, 4, tmp_path)[1] == b"a seven"
