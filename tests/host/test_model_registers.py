"""The registers of the model: each as the table has it, and all of them as a driver uses them, on RTL and model alike."""

import random

import pytest

from vc4.regs.register import Access, Reads
from vc4.regs.scheduler import REQUESTS
from vc4.regs.table import OFFSET_BITS, REGISTERS
from vc4sim.bench.driver import COUNTED, READ_OFFSETS, setup_writes, start_writes
from vc4sim.launch import Launch
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D

from .drivers import OUTSIDE, PLACES, UNIFORMS, drive_model, drive_rtl
from .expected import CONFIGS, Expected

SEED = 7
#: What the table gives no reset value, as it is state: the VCD is idle.
IDLE = {"ERRSTAT": 1 << 12}


@pytest.fixture(params=CONFIGS)
def gpu(request):
    """A model, and what its registers must read."""
    config = CONFIGS[request.param]
    return V3D(config, Memory(64)), Expected(config)


@pytest.fixture(params=["model", pytest.param("rtl", marks=pytest.mark.thorough)])
def drive(request):
    """`drive(script, ...)`: calls `script(driver)` with a GPU of the given sizes."""
    return {"model": drive_model, "rtl": drive_rtl}[request.param]


def test_every_offset_reads_its_reset_value(gpu):
    model, expected = gpu
    rng = random.Random(SEED)
    words = {one.offset: one.reset_in(expected.config) | IDLE.get(one.name, 0) for one in expected.registers}
    for offset in range(0, 1 << OFFSET_BITS, 4):
        assert model.read(offset + rng.randrange(4)) == words.get(offset, 0), hex(offset)
    for one in expected.registers:
        assert model.read(one.name) == words[one.offset], one.name


def test_what_is_written_is_kept(gpu):
    """In all registers whose fields are kept; others, and offsets without a register, change nothing of it."""
    model, expected = gpu
    rng = random.Random(SEED)
    kept = dict.fromkeys(one for one, _ in expected.fields(Reads.HELD))
    for one in rng.sample([*expected.registers], len(expected.registers)):
        for word in (0xFFFF_FFFF, rng.getrandbits(32), 0, rng.getrandbits(32)):
            model.write(one.offset if rng.randrange(2) else one.name, word)
            expected.write(one, word)
            assert one not in kept or model.read(one.name) == expected.word(one), one.name
    for offset in set(range(0, 1 << OFFSET_BITS, 4)) - {one.offset for one in expected.registers}:
        model.write(offset, 0xFFFF_FFFF)
        assert model.read(offset) == 0, hex(offset)
    for one in kept:
        assert model.read(one.name) == expected.word(one), one.name


def after(access, reset, word):
    """What a field reads after a write to it alone, as the words of `Access` have it."""
    match access:
        case Access.READ_WRITE | Access.LOAD:
            return word
        case Access.WRITE_1_SETS:
            return reset | word
        case Access.WRITE_1_CLEARS:
            return reset & ~word
        case Access.COUNT:
            return 0 if word & 1 else reset
    return reset


@pytest.mark.parametrize("name", CONFIGS)
def test_every_field_follows_its_access(name):
    """Each in a GPU that is as after a reset, with debugging on: nothing is halted without."""
    config, rng = CONFIGS[name], random.Random(SEED)
    for one, field in Expected(config).fields(*Reads):
        model = V3D(config, Memory(64))
        model.write("DBCFG", 1)
        before = model.read(one.offset)
        word = rng.getrandbits(field.width_in(config)) | 1
        model.write(one.offset, word << field.low)
        reads = model.read(one.offset) >> field.low & (1 << field.width) - 1
        reset = before >> field.low & (1 << field.width) - 1
        assert reads == after(field.access, reset, word), f"{one.name}.{field.name}"


async def three_programs(driver):
    """What `bench.driver` does, which drives all simulators: the last program stores outside of memory."""
    launches = [
        Launch(PLACES["store"], UNIFORMS),
        Launch(PLACES["read"], UNIFORMS, length=1),
        Launch(PLACES["store"], OUTSIDE),
        Launch(PLACES["read"], UNIFORMS, threaded=True),  # no host can ask for this one
    ]
    for offset, word in (*setup_writes(()), *start_writes(launches)):
        await driver.write(offset, word)
    await driver.clocks(200)


def test_the_code_of_the_driver(drive):
    """A store that memory refuses is lost, and its program goes on (docs/user/driver.md)."""

    async def script(driver):
        await three_programs(driver)
        assert await driver.status() == (0, 0, 3, 3)
        assert driver.stored() == [*range(16)]
        assert await driver.errors() == {"VCDI", "VDWE"}
        words = [await driver.read(offset) for offset in READ_OFFSETS]
        assert words[-2:] == [await driver.read("ERRSTAT"), 0]
        # Identification (pipeline facts, 7.2) with a slice, a QPU, no TMUs and 4 KiB of VPM.
        assert [await driver.read(f"IDENT{number}") for number in range(4)] == [0x0244_3356, 0x4110_0111, 0x121, 0]
        assert [await driver.read(name) for name in ("SRQPC", "SRQUA", "L2CACTL")] == [0, OUTSIDE, 1]
        assert not driver.irq

    drive(script)


@pytest.mark.thorough
def test_all_registers_read_alike():
    """But counts of what the model does not have: stalls, and hits and misses of caches."""
    found = []

    async def script(driver):
        await three_programs(driver)
        found.append({one.name: await driver.read(one.offset) for one in REGISTERS})

    drive_model(script)
    drive_rtl(script)
    counts = {f"PCTR{number}" for number in range(len(COUNTED))}
    model, rtl = ({name: word for name, word in reads.items() if name not in counts} for reads in found)
    assert model == rtl


def test_the_queue_of_programs(drive):
    """Guide, tables 65 and 68."""

    async def script(driver):
        await driver.begin()
        await driver.write("XWIN0SIZE", 0x1000)
        assert await driver.read("XWIN0SIZE") == 0, "without memory windows there is no such register"
        await driver.write("SQRSV0", 0b0001)
        for _ in range(REQUESTS):
            await driver.ask("read")
        assert await driver.status() == (REQUESTS, 0, REQUESTS, 0)
        await driver.ask("read")
        assert await driver.status() == (REQUESTS, 1, REQUESTS + 1, 0)
        await driver.write("SRQCS", 1 << 0)
        await driver.ask("read")
        assert await driver.status() == (0, 1, REQUESTS + 2, 0), "further requests are ignored"
        await driver.write("SRQCS", 1 << 7)
        assert await driver.status() == (0, 0, REQUESTS + 2, 0)
        await driver.write("SRQCS", 1 << 8)
        assert await driver.status() == (0, 0, 0, 0)
        await driver.write("SQRSV0", 0)
        counts = await driver.run(programs=2)
        assert counts["QPU_CLOCKS_EXECUTING"] == 2 * 4 * 4
        assert await driver.status() == (0, 0, 2, 2)
        await driver.write("SRQCS", 1 << 16)
        assert await driver.status() == (0, 0, 2, 0)

    drive(script)


def test_interrupts_of_programs_and_reserved_qpus(drive):
    """Latched if DBQITE and DBCFG want them, until DBQITC is written (pipeline facts, 7.3); a bit for the QPU (guide, table 73)."""

    async def script(driver):
        await driver.begin()
        await driver.write("DBQITE", 0b11)
        await driver.run("interrupt")
        assert (await driver.read("DBQITC"), driver.irq) == (0, False), "debugging is off"
        await driver.write("DBCFG", 1)
        # Reserved for others than user programs, and for user programs (guide, table 62).
        for word, flags in ((0b1111_1110, 0b01), (0b1110_0001, 0b10)):
            await driver.write("SQRSV0", word)
            await driver.run("interrupt", programs=2)
            assert (await driver.read("DBQITC"), driver.irq) == (flags, True)
            await driver.write("DBQITC", ~flags & 0xFFFF_FFFF)
            assert (await driver.read("DBQITC"), driver.irq) == (flags, True)
            await driver.write("DBQITC", flags)
            assert (await driver.read("DBQITC"), driver.irq) == (0, False)
        await driver.write("DBQITE", 0b01)
        await driver.run("interrupt")
        assert (await driver.read("DBQITC"), driver.irq) == (0, False)

    drive(script, qpus_per_slice=2)


def test_the_vpm_is_reserved(drive):
    """Nothing of it after a reset, then as VPMBASE says (guide, tables 69 and 87)."""

    async def script(driver):
        assert await driver.errors() == {"VCDI"}
        await driver.run("fill")
        assert await driver.errors() == {"VCDI", "VPMEWNA", "VPMERNA"}
        await driver.run("reserved")
        assert await driver.errors() == {"VCDI", "VPMEWNA", "VPMERNA", "VPMEWR", "VDWE"}
        await driver.clocks(50)  # the last program is through the pipeline
        await driver.write("VPMBASE", 4)
        assert "VPAEABB" not in await driver.errors()
        await driver.run("store")
        assert driver.stored() == [*range(16)]
        await driver.ask("spin")
        await driver.clocks(100)
        await driver.write("VPMBASE", 4)
        await driver.clocks(2)
        assert "VPAEABB" not in await driver.errors()
        await driver.write("VPMBASE", 2)
        await driver.clocks(2)
        assert "VPAEABB" in await driver.errors(), "it changes while a program runs"

    drive(script)


def test_halt_run_and_step(drive):
    """Addendum, sections 3 and 10."""

    async def script(driver):
        async def halted():
            return await driver.read("DBQHLT"), await driver.read("DBQRUN")

        async def ends():
            await driver.clocks(60)
            return (await driver.status())[3]

        await driver.write("DBQITE", 1)
        await driver.write("DBCFG", 1)
        await driver.ask("breakpoint")
        assert (await ends(), await halted()) == (0, (1, 0))
        await driver.write("DBQSTP", 1)  # the nop
        assert (await ends(), await halted(), await driver.read("DBQITC")) == (0, (1, 0), 0)
        await driver.write("DBQSTP", 1)
        await driver.write("DBQSTP", 1)  # what has been issued retires with the next one
        await driver.clocks(60)
        assert (await halted(), await driver.read("DBQITC")) == ((1, 0), 1)
        await driver.write("DBQRUN", 1)
        assert (await ends(), await halted()) == (1, (0, 1))

        await driver.write("DBQITC", 1)
        await driver.ask("late breakpoint")
        await driver.ask("read")
        assert (await ends(), await halted()) == (2, (1, 0)), "the next program finds the QPU halted"
        assert await driver.read("DBQITC") == 0, "and this one has lost what was behind"
        await driver.write("DBCFG", 0)
        assert (await ends(), await halted()) == (3, (0, 1)), "without debugging nothing is halted"

        await driver.ask("spin")
        await driver.write("DBQHLT", 1)
        assert (await ends(), await halted()) == (3, (0, 1))
        await driver.write("DBCFG", 1)
        await driver.write("DBQHLT", 1)
        assert (await ends(), await halted()) == (3, (1, 0))

    drive(script)
