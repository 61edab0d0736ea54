"""Programs that look things up, on the model: FIFOs, uniforms, order, swap, threads, and what waits for ever."""

import struct

import pytest

from vc4.config import BUILT_UNITS, V3DConfig
from vc4.records.tmu import TextureType
from vc4sim.asm import assemble
from vc4sim.bench.driver import setup_writes
from vc4sim.launch import Launch
from vc4sim.model.memory import Memory
from vc4sim.model.qps.user_programs import Deadlock
from vc4sim.model.tmu.fifos import LOOKUP_ERROR, tmu_is_empty
from vc4sim.model.unbuilt import Unbuilt
from vc4sim.model.v3d import V3D

#: Code, uniforms, a table of words, and textures.
BASE, UNIFORMS, TABLE, TEXTURE = 0x1000, 0x1800, 0x2000, 0x3000
SIZE = 0x4000
END = "\nthrend\nnop\nnop\n"
#: Addresses of sixteen words of the table.
ADDRESSES = "shl r0, elem_num, 2\nldi r1, 0x2000\nadd r0, r0, r1\n"
ONE_SLICE = V3DConfig(qpus_per_slice=4, tmus_per_slice=2)
#: A texture of four by four texels in every type of 32 bits, with nearest filters.
SAMPLING = 4 << 20 | 4 << 8 | 1 << 7 | 1 << 4


def table(number):
    return 0x0100_0000 + number


@pytest.fixture
def run():
    """`run(source, uniforms, qpu)`: a program on one QPU, and the model after it; the others do nothing."""

    def start(source, uniforms=(), *, qpu=0, config=ONE_SLICE, built=BUILT_UNITS, others=(), end=END):
        image = bytearray(SIZE)
        for at, code in ((0, source), *((0x400 * (n + 1), other) for n, other in enumerate(others))):
            words = assemble(code + end).code
            image[at : at + len(words)] = words
        struct.pack_into(f"<{len(uniforms)}I", image, UNIFORMS - BASE, *uniforms)
        struct.pack_into("<1024I", image, TABLE - BASE, *map(table, range(1024)))
        struct.pack_into("<1024I", image, TEXTURE - BASE, *(0xAA00_0000 + n for n in range(1024)))
        model = V3D(config, Memory(len(image), BASE, bytes(image)), built)
        for offset, word in setup_writes(set(range(config.qpus)) - {qpu}):
            model.write(offset, word)
        launches = [Launch(BASE + 0x400 * n, UNIFORMS, bool(others)) for n in range(1 + len(others))]
        model.reads = [read for event in model.run(launches) if hasattr(event, "reads") for read in event.reads]
        model.one = model.qpus[qpu]
        return model

    return start


def register(model, name):
    """The sixteen values of r0 to r5, or of a register of file A or B."""
    if name[1].isdigit():
        return model.one.accumulators[int(name[1:])].tolist()
    return model.one.files["ab".index(name[1])][int(name[2:]) ^ model.one.view].tolist()


def rows(first):
    return [table(first + element) for element in range(16)]


def test_a_general_lookup(run):
    model = run(f"{ADDRESSES}mov t0s, r0\nldtmu0\nmov ra0, r4")
    assert register(model, "ra0") == rows(0)
    assert not model.errors


def test_the_result_is_in_r4_for_the_next_instruction(run):
    model = run(f"{ADDRESSES}mov t0s, r0\nldi r2, 7\nmov recip, r2\nnop\nnop\nmov ra1, r4; ldtmu0\nmov ra0, r4")
    assert register(model, "ra0") == rows(0)
    assert register(model, "ra1") != rows(0)


def test_the_low_bits_of_an_address_do_not_count(run):
    model = run(f"{ADDRESSES}add r0, r0, 3\nmov t0s, r0\nldtmu0\nmov ra0, r4")
    assert register(model, "ra0") == rows(0)


def test_results_come_in_order_from_each_unit(run):
    step = "ldi r2, 64\n"
    writes = "".join(f"mov t{unit}s, r0\nadd r0, r0, r2\n" for unit in (0, 1, 0, 1))
    loads = "".join(f"ldtmu{unit}\nmov ra{n}, r4\n" for n, unit in enumerate((1, 0, 0, 1)))
    model = run(ADDRESSES + step + writes + loads)
    assert [register(model, f"ra{n}")[0] - table(0) for n in range(4)] == [16, 0, 32, 48]


@pytest.mark.parametrize("letters", ["t", "r", "b", "tr", "rt", "bt", "trb", "brt"])
def test_every_parameter_of_a_texture_takes_a_uniform(run, letters):
    writes = "".join(f"mov t0{letter}, 0\n" for letter in letters)
    uniforms = [TEXTURE, SAMPLING, 0, 0][: len(letters) + 1]
    coordinate = "itof r0, elem_num\nldi r1, 0.0625\nfmul r0, r0, r1\n"
    model = run(f"{coordinate}{writes}mov t0s, r0\nldtmu0\nmov ra0, r4\nmov ra1, unif", [*uniforms, 77])
    assert register(model, "ra0") == [0xAA00_0000 + element // 4 for element in range(16)]
    assert register(model, "ra1") == [77] * 16
    assert model.reads == [("unif", uniform) for uniform in [*uniforms, 77]]


def test_a_general_lookup_takes_none(run):
    model = run(f"{ADDRESSES}mov t0s, r0\nmov t1t, 0\nmov t0s, r0\nmov ra0, unif\nldtmu0\nldtmu0", [5, 6])
    assert register(model, "ra0") == [6] * 16
    assert model.reads == [("unif", 5), ("unif", 6)]


def test_one_uniform_serves_a_port_and_a_unit(run):
    model = run("mov t0t, unif\nmov t0s, 0\nldtmu0\nmov ra0, r4\nmov ra1, unif", [TEXTURE, SAMPLING, 9])
    assert register(model, "ra0") == [0xAA00_0000] * 16
    assert register(model, "ra1") == [9] * 16


def test_a_write_that_never_happens_takes_none(run):
    model = run("mov.never t0t, 0\nmov ra0, unif", [3])
    assert register(model, "ra0") == [3] * 16


def test_the_mul_alu_writes_if_both_do(run):
    model = run(f"{ADDRESSES}mov t0s, r0; mov t1s, r0\nldtmu1\nmov ra0, r4")
    assert register(model, "ra0") == rows(0)
    with pytest.raises(Deadlock, match="waits for tmu0, and no lookup is under way"):
        run(f"{ADDRESSES}mov t0s, r0; mov t1s, r0\nldtmu0")
    assert not run(f"{ADDRESSES}mov t0t, r0; mov t1s, r0").reads


def test_a_condition_does_not_hold_a_lookup_back(run):
    """The whole vector is written."""
    model = run(f"{ADDRESSES}mov.setf -, elem_num\nmov.ifz t0s, r0\nldtmu0\nmov ra0, r4")
    assert register(model, "ra0") == rows(0)


def test_a_load_immediate_is_a_write_like_any_other(run):
    model = run(f"ldi t0s, {TABLE + 8}\nldtmu0\nmov ra0, r4")
    assert register(model, "ra0") == [table(2)] * 16


def test_a_branch_gives_units_no_address(run):
    model = run("brr t0s, r:on\nnop\nnop\nnop\n:on\nldi t0s, 0x2004\nldtmu0\nmov ra0, r4")
    assert register(model, "ra0") == [table(1)] * 16


def test_sixteen_general_lookups_fit_and_one_more_waits_for_ever(run):
    many = "ldi t0s, 0x2000\n" * 16
    model = run(many + "ldtmu0\n" * 16)
    assert register(model, "r4") == [table(0)] * 16
    with pytest.raises(Deadlock, match="QPU 0 at 0x00001080 waits for a slot of tmu0, and takes no result"):
        run(many + "ldi t0s, 0x2000\n" + "ldtmu0\n" * 17)


def test_a_load_makes_room(run):
    source = "ldi r1, 0x2000\n" + "".join("mov t0s, r1\nadd r1, r1, 4\n" for _ in range(16))
    model = run(
        source + "".join(f"ldtmu0\nmov ra{n}, r4\nmov t0s, r1\nadd r1, r1, 4\n" for n in range(4)) + "ldtmu0\n" * 16
    )
    assert [register(model, f"ra{n}")[0] for n in range(4)] == [table(n) for n in range(4)]
    assert register(model, "r4") == [table(19)] * 16


def test_parameters_without_s_fill_the_slots(run):
    with pytest.raises(Deadlock, match="QPU 0 at 0x00001040 waits for a slot of tmu0"):
        run("mov t0t, 0\n" * 9, [0] * 9)


def test_textures_of_64_bits_come_in_two_words(run):
    type_ = TextureType.RGBA64.value << 4
    uniforms = [TEXTURE | type_, SAMPLING]
    model = run("mov t0t, 0\nmov t0s, 0\nldtmu0\nmov ra0, r4; ldtmu0\nmov ra1, r4", uniforms)
    assert (register(model, "ra0"), register(model, "ra1")) == ([0xAA00_0000] * 16, [0xAA00_0001] * 16)


def test_eight_lookups_of_64_bits_fit(run):
    """Four have their results, four wait with two slots each."""
    uniforms = [TEXTURE | TextureType.RGBA64.value << 4, SAMPLING] * 9
    lookup = "mov t0t, 0\nmov t0s, 0\n"
    run(lookup * 8 + "ldtmu0\n" * 16, uniforms)
    with pytest.raises(Deadlock, match="waits for a slot"):
        run(lookup * 9 + "ldtmu0\n" * 18, uniforms)


def test_a_parameter_that_is_written_twice_counts_with_its_last_value(run):
    half = "ldi r0, 0.5\n"
    uniforms = [TEXTURE, SAMPLING, 0, 1]
    model = run(f"{half}mov t0t, r0\nmov t0t, 0\nmov t0s, 0\nldtmu0\nmov ra0, r4\nmov ra1, unif", uniforms)
    assert (register(model, "ra0"), register(model, "ra1")) == ([0xAA00_0000] * 16, [1] * 16)


#: Which QPUs of a slice find their lookup in the other unit.
@pytest.mark.parametrize(("qpu", "units", "setup", "swaps"), [
    (0, 2, "", False), (1, 2, "", False), (2, 2, "", True), (3, 2, "", True),
    (2, 2, "mov tmu_noswap, 1\n", False), (3, 2, "ldi r0, 0x80000000\nmov tmu_noswap, r0\n", False),
    (2, 2, "mov tmu_noswap, elem_num\n", True), (2, 2, "mov tmu_noswap, 1\nmov tmu_noswap, 0\n", True),
])  # fmt: skip
def test_swap(run, qpu, units, setup, swaps):
    config = V3DConfig(slices=2, qpus_per_slice=4, tmus_per_slice=units)
    for number in (qpu, qpu + 4):
        end = f"\nmov tmu_noswap, 1\nldtmu{int(swaps)}\nmov ra0, r4"
        model = run(f"{setup}ldi t0s, 0x2000{end}", qpu=number, config=config)
        assert register(model, "ra0")[0] == table(0)
        model = run(
            f"{setup}ldi t0s, 0x2000\nldi t1s, 0x2004\nldtmu0\nmov ra0, r4; ldtmu1\n", qpu=number, config=config
        )
        assert (register(model, "ra0")[0], register(model, "r4")[0]) == (table(0), table(1))


@pytest.mark.parametrize("units", [1, 2])
def test_each_name_has_its_own_results(run, units):
    """A program cannot see how many units there are: with one, too, results of a name come in the order of its lookups."""
    config = V3DConfig(qpus_per_slice=4, tmus_per_slice=units)
    for qpu in range(4):
        model = run("ldi t1s, 0x2000\nldi t0s, 0x2004\nldtmu0\nmov ra0, r4; ldtmu1\n", qpu=qpu, config=config)
        assert (register(model, "ra0")[0], register(model, "r4")[0]) == (table(1), table(0))


def test_a_new_program_begins_with_the_swap(run):
    """And finds what another one has left."""
    model = run("mov tmu_noswap, 1\nldi t0s, 0x2000", qpu=2)
    tmu = model.parts.machine.views.tmu
    assert not tmu_is_empty(tmu, 2, 0, 0)
    model.one.start(Launch(BASE, UNIFORMS))
    assert tmu_is_empty(tmu, 2, 0, 0)
    assert not tmu_is_empty(tmu, 2, 0, 1)


def test_threads_share_the_fifos(run):
    """Both switch with their lookups under way; results are in the order of the lookups."""
    switch = "thrsw\nnop\nnop\n"
    first = f"ldi t0s, 0x2000\n{switch}ldtmu0\nmov ra0, r4\n"
    second = f"ldi t0s, 0x2004\n{switch}ldtmu0\nmov ra1, r4\n"
    model = run(first, others=[second])
    held = [values.tolist()[0] for values in model.one.files[0]]
    assert held.count(table(0)) == held.count(table(1)) == 1


def test_a_load_wins_over_a_special_function_of_the_same_time(run):
    """Both would be seen by the same instruction for the first time; the load is the later one."""
    model = run("ldi t0s, 0x2000\nldi r0, 4.0\nmov recip, r0\nnop\nldtmu0\nmov ra0, r4\nmov ra1, r4")
    assert register(model, "ra0") == register(model, "ra1") == [table(0)] * 16


def test_a_special_function_arrives_behind_a_load(run):
    model = run("ldi t0s, 0x2000\nldi r0, 4.0\nmov recip, r0\nldtmu0\nmov ra0, r4\nmov ra1, r4")
    assert register(model, "ra0") == [table(0)] * 16
    assert register(model, "ra1") == [0x3E7F_FC00] * 16


def test_addresses_outside_of_memory_read_zero_and_are_told(run):
    model = run("ldi t0s, 0x100\nldtmu0\nmov ra0, r4")
    assert register(model, "ra0") == [0] * 16
    assert model.errors == {LOOKUP_ERROR}
    assert model.machine.tmu.faults[0] == 0x100


def test_units_that_are_not_there_are_not_built(run):
    with pytest.raises(Unbuilt, match="tmu"):
        run("ldi t0s, 0x2000", built=ONE_SLICE and frozenset({"uniforms"}))
    with pytest.raises(Unbuilt, match="tmu"):
        run("ldtmu0", config=V3DConfig())
