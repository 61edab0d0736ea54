"""Programs that a host asks for by registers: beside control lists, with others that cannot go on, and with no QPU for them."""

import random
import struct

import pytest

from vc4.config import PRESETS
from vc4.regs.scheduler import REQUESTS
from vc4.regs.table import REGISTERS
from vc4sim.asm import assemble
from vc4sim.damaged import whole_frame as gl_frame
from vc4sim.launch import Launch
from vc4sim.model.cle.cle import Rest
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D

from ..drawing import CODE, PLAIN, Drawing

END = "\nthrend\nnop\nnop\n"
SPIN = ":here\nbrr -, r:here\nnop\nnop\nnop\n"
#: As long as it runs, the semaphore is for somebody else to count.
WAIT, SIGNAL = "sacq -, 3" + END, "srel -, 3" + END
SIZE, UNIFORMS, PLACE = 0x2000, 0x1000, 0x100
QPUS = PRESETS["bcm2835"].qpus
EACH_QPU = range(QPUS)


def gpu_with(*sources, config="bcm2835", uniforms=()):
    """A GPU that was asked to run programs, in their order."""
    memory = Memory(SIZE)
    memory.write(UNIFORMS, struct.pack(f"<{len(uniforms)}I", *uniforms))
    gpu = V3D(PRESETS[config], memory)
    for number, source in enumerate(sources):
        memory.write(PLACE * number, assemble(source).code)
        ask(gpu, PLACE * number)
    return gpu


def ask(gpu, address):
    gpu.write("SRQUA", UNIFORMS)
    gpu.write("SRQPC", address)


def ended(gpu):
    return gpu.read("SRQCS") >> 16


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("ldi r0, 0x40000000\nmov ra0, r0\nnop\nbra -, ra0\nnop\nnop\nnop", "instruction fetch at 0x40000000"),
        ("ldi r0, 0x40000000\nmov unif_addr, r0\nnop\nnop\nmov r0, unif", "uniform read at 0x40000000"),
        ("nop; ldtmu0", "no lookup is under way"),
        ("mov r0, vpm", "no read is set up"),
        ("nop; loadcv", "waits for tile_buffer"),
    ],
)
def test_a_qpu_that_cannot_go_on_stands_still(source, why):
    """What memory does not have stops a QPU until a reset (docs/user/driver.md); the others go on, and take what waits."""
    gpu = gpu_with(source + END, "nop" + END)
    for _ in range(3):
        assert gpu.advance(1000) is Rest.WAITING
        assert ended(gpu) == 1
        assert len(gpu.programs.places) == 1
        assert gpu.programs.places[0].startswith("QPU 0 at 0x")
        assert why in gpu.programs.places[0]
    for number in range(20):
        ask(gpu, PLACE)
        assert gpu.advance(1000) is Rest.WAITING
        assert ended(gpu) == 2 + number


def test_all_wait_for_each_other():
    gpu = gpu_with(WAIT, WAIT)
    assert gpu.advance(1000) is Rest.WAITING
    assert [place.partition(" waits")[0] for place in gpu.programs.places] == [
        "QPU 0 at 0x00000000",
        "QPU 1 at 0x00000100",
    ]
    gpu.memory.write(0x800, assemble(SIGNAL).code)
    for number in range(2):
        assert ended(gpu) == 2 * number
        ask(gpu, 0x800)
        assert gpu.advance(1000) is (Rest.STOPPED if number else Rest.WAITING)
    assert gpu.read("SRQCS") == 4 << 16 | 4 << 8


def test_steps_are_as_many_as_asked_for():
    gpu = gpu_with(SPIN)
    for number in range(1, 4):
        assert gpu.advance(25) is Rest.LIMIT
        assert gpu.instructions == 25 * number


def test_more_programs_than_qpus():
    """Each QPU takes the next one as soon as it is free, sixteen wait at the most (guide, table 65)."""
    gpu = gpu_with(*[SPIN] * 10, *["nop" + END] * 6)
    assert gpu.read("SRQCS") == 16 << 8 | 16
    assert gpu.advance(1) is Rest.LIMIT
    assert gpu.read("SRQCS") == 16 << 8 | 4
    assert gpu.advance(100) is Rest.LIMIT
    assert gpu.read("SRQCS") == 6 << 16 | 16 << 8
    assert len(gpu.programs.places) == 10


def test_launches_go_the_same_way():
    """More than there is room for in the queue; those that are threaded are not the host's."""
    gpu = gpu_with()
    gpu.memory.write(0, assemble("nop" + END).code)
    launches = [Launch(0, UNIFORMS), Launch(0, UNIFORMS, threaded=True)] * 40
    started = [event for event in gpu.run(launches) if hasattr(event, "launch")]
    assert [event.launch for event in started] == launches
    assert gpu.read("SRQCS") == 40 << 16 | 40 << 8


def test_lookups_outside_of_memory():
    """XBUSERR keeps it until it is cleared, and interrupts if XBUSENA says so (docs/reference/registers.md)."""
    gpu = gpu_with("mov t0s, unif\nnop; ldtmu0" + END, uniforms=(0x4000_0000,))
    assert gpu.advance(100) is Rest.STOPPED
    assert (gpu.read("XBUSERR"), gpu.interrupt) == (0b100, False)
    gpu.write("XBUSENA", 0b100)
    assert gpu.interrupt
    gpu.write("XBUSERR", 0b011)
    assert (gpu.read("XBUSERR"), gpu.interrupt) == (0b100, True)
    gpu.write("XBUSERR", 0b100)
    assert (gpu.read("XBUSERR"), gpu.interrupt) == (0, False)


@pytest.fixture
def drawing():
    """A frame of one colour, that is to be drawn."""
    drawing = Drawing()
    drawing.clear()
    drawing.configure()
    drawing.rectangle(PLAIN, 0, 0, 64, 64, colour=5)
    drawing.finish()
    drawing.memory.write(CODE + 0x800, assemble(SPIN).code)
    drawing.memory.write(CODE + 0x900, assemble("nop" + END).code)
    return drawing


def check(drawing):
    assert drawing.picture() == [[5] * 64] * 64


def test_a_frame_beside_programs(drawing):
    """Programs that do not end leave a QPU for fragments."""
    for _ in EACH_QPU[1:]:
        ask(drawing.frame, CODE + 0x800)
    assert drawing.run(500) is Rest.LIMIT
    check(drawing)
    assert drawing.frame.read("INTCTL") == 1
    assert len(drawing.frame.programs.places) == QPUS - 1


def test_a_frame_waits_for_programs(drawing):
    """While all QPUs run programs, there is none for fragments."""
    frame = drawing.frame
    for _ in EACH_QPU:
        ask(frame, CODE + 0x800)
    assert drawing.run(3000) is Rest.LIMIT
    assert drawing.thread.waits == "a QPU for fragment shaders"
    assert frame.read("INTCTL") == 0
    frame.write("DBCFG", 1)
    frame.write("DBQHLT", 1 << QPUS - 1)
    assert frame.advance(3000) is Rest.LIMIT
    assert frame.read("INTCTL") == 0, "a program that is halted is there"
    frame.memory.write(CODE + 0x800, assemble("nop" + END).code)  # they end
    assert frame.advance(3000) is Rest.WAITING, "but for one"
    check(drawing)
    frame.write("DBQRUN", 1 << QPUS - 1)
    assert frame.advance(3000) is Rest.STOPPED
    assert ended(frame) == QPUS


def reserve(gpu, kinds):
    """No QPU runs programs of these kinds."""
    for register, qpus in ("SQRSV0", 8), ("SQRSV1", 8):
        gpu.write(register, sum(kinds << 4 * qpu for qpu in range(qpus)))


def test_binning_waits_for_reserved_qpus():
    """Bit 3: no coordinate shaders (pipeline facts, 7.7)."""
    memory, end = gl_frame.frame(random.Random(2))
    gpu = V3D(PRESETS["bcm2835"], memory)
    reserve(gpu, 0b1000)
    for name, value in (("BPOA", gl_frame.OVERSPILL), ("BPOS", gl_frame.OVERSPILL_BYTES)):
        gpu.write(name, value)
    gpu.write("CT0CA", gl_frame.LISTS)
    gpu.write("CT0EA", end)
    assert gpu.advance(10_000) is Rest.WAITING
    assert gpu.cle.threads[0].waits == "a QPU for coordinate shaders"
    reserve(gpu, 0b0111)
    assert gpu.advance(10_000) is Rest.STOPPED
    assert (gpu.read("BFC"), gpu.read("INTCTL") & 0b10) == (1, 0b10)


def test_a_frame_waits_for_reserved_qpus(drawing):
    """Bit 1: no fragment shaders (pipeline facts, 7.7)."""
    frame = drawing.frame
    reserve(frame, 0b0010)
    ask(frame, CODE + 0x900)
    assert drawing.run() is Rest.WAITING
    assert drawing.thread.waits == "a QPU for fragment shaders"
    assert ended(frame) == 1, "programs of the user run all the same"
    reserve(frame, 0b1101)
    ask(frame, CODE + 0x900)
    assert frame.advance(3000) is Rest.WAITING
    check(drawing)
    assert (frame.read("INTCTL"), frame.read("SRQCS") & 0x3F, ended(frame)) == (1, 1, 1)
    reserve(frame, 0)
    assert frame.advance(100) is Rest.STOPPED
    assert ended(frame) == 2


def test_the_host_does_anything_at_any_time():
    """Random writes of all registers while programs run and a frame is binned: nothing but what the guide has comes of it."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    memory, end = gl_frame.frame(random.Random(2))
    image = bytes(memory.data)
    programs = [
        source + END for source in ("nop", SPIN, "mov irq, 1", "bkpt", "nop; ldtmu0", WAIT, SIGNAL, "mov r0, unif")
    ]
    for _ in range(30):
        memory = Memory(len(image), gl_frame.BASE, image)
        gpu = V3D(PRESETS["bcm2835"], memory)
        gpu.binner.shading.limit = gpu.renderer.screen.shading.limit = gpu.fragment_shader.limit = 300
        places = [gl_frame.BASE + len(image) - PLACE * (1 + number) for number in range(len(programs))]
        for place, source in zip(places, programs, strict=True):
            memory.write(place, assemble(source).code)
        values = (*places, gl_frame.LISTS, end, 1, 3, 1 << 4, 1 << 15, 1 << 31 | 0xFFFF, 0xFFFF_FFFF)
        for _ in range(60):
            if rng.random() < 0.3:
                ask(gpu, rng.choice(places))
            name = rng.choice(("DBCFG", "SQRSV0", "CT0CA", "CT0EA", rng.choice(REGISTERS).name))
            gpu.write(name, rng.choice((*values, rng.getrandbits(32))))
            gpu.advance(rng.randrange(30))
        for one in REGISTERS:
            assert 0 <= gpu.read(one.name) < 1 << 32
        queued, running = gpu.read("SRQCS") & 0x3F, sum(qpu.running for qpu in gpu.qpus)
        assert queued <= REQUESTS
        assert running <= QPUS
        assert isinstance(gpu.interrupt, bool)
