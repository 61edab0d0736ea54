"""Small programs on the model alone, with the values that they must leave."""

import pytest

from vc4.config import V3DConfig
from vc4sim.asm import assemble
from vc4sim.launch import Launch
from vc4sim.model.memory import Memory
from vc4sim.model.v3d import V3D

BASE, UNIFORMS = 0x1000, 0x1800
END = "\nthrend\nnop\nnop\n"


@pytest.fixture
def run():
    """`run(source, uniforms)`: the QPU after the program, or the GPU."""

    def start(source, uniforms=(), *, of_gpu=False):
        image = bytearray(0x1000)
        code = assemble(source + END).code
        image[: len(code)] = code
        for number, value in enumerate(uniforms):
            image[0x800 + 4 * number : 0x804 + 4 * number] = value.to_bytes(4, "little")
        model = V3D(V3DConfig(), Memory(len(image), BASE, bytes(image)))
        for _ in model.run([Launch(BASE, UNIFORMS)]):
            pass
        return model if of_gpu else model.qpus[0]

    return start


def register(qpu, name):
    """The sixteen values of r0 to r5, ra0 or rb0."""
    if name[1].isdigit():
        return qpu.accumulators[int(name[1:])].tolist()
    return qpu.files["ab".index(name[1])][int(name[2:]) ^ qpu.view].tolist()


@pytest.mark.parametrize(
    ("pack", "value", "expected"),
    [
        ("8a", 0x1FE, 0x1122_33FE),
        ("8b", 0x1FE, 0x1122_FE44),
        ("8c", 0x1FE, 0x11FE_3344),
        ("8d", 0x1FE, 0xFE22_3344),
        ("8abcd", 0x1FE, 0xFEFE_FEFE),
        ("8as", 0x1FE, 0x1122_33FF),
        ("8ds", 0xFFFF_FFFF, 0x0022_3344),
        ("8abcds", 0x1FE, 0xFFFF_FFFF),
        ("16a", 0x1_8765, 0x1122_8765),
        ("16b", 0x1_8765, 0x8765_3344),
        ("16as", 0x1_8765, 0x1122_7FFF),
        ("16bs", 0xFFFE_0000, 0x8000_3344),
    ],
)
def test_integer_packs_write_their_part_of_the_register(run, pack, value, expected):
    qpu = run(f"ldi ra0, 0x11223344\nldi r0, {value}\nmov ra0.{pack}, r0")
    assert register(qpu, "ra0") == [expected] * 16


@pytest.mark.parametrize(
    ("pack", "value", "expected"),
    [("16a", "1.5", 0x1122_3E00), ("16b", "-2.0", 0xC000_3344), ("16a", "100000.0", 0x1122_7C00)],
)
def test_float_packs(run, pack, value, expected):
    qpu = run(f"ldi ra0, 0x11223344\nldi r0, {value}\nfadd ra0.{pack}, r0, 0.0")
    assert register(qpu, "ra0") == [expected] * 16


@pytest.mark.parametrize(
    ("pack", "value", "expected"),
    [
        ("8asf", "0.5", 0x1122_3380),
        ("8dsf", "2.0", 0xFF22_3344),
        ("8bsf", "-1.0", 0x1122_0044),
        ("8abcdsf", "1.0", 0xFFFF_FFFF),
    ],
)
def test_colours_of_the_mul_alu_go_into_bytes_of_accumulators(run, pack, value, expected):
    qpu = run(f"ldi r1, 0x11223344\nldi r0, {value}\nfmul r1.{pack}, r0, 1.0")
    assert register(qpu, "r1") == [expected] * 16


def test_conditions_write_some_elements(run):
    qpu = run(
        """
        ldi r0, r1, 1
        ldi r2, 100
        sub.setf -, elem_num, 8       # N below 8, Z in 8, C below 8
        mov.ifn r0, r2
        mov.ifz r0, 7
        mov.ifnc r1, r2
        mov.never r1, r2
        """
    )
    assert register(qpu, "r0") == [100] * 8 + [7] + [1] * 7
    assert register(qpu, "r1") == [1] * 8 + [100] * 8


def test_flags_are_only_set_where_the_condition_holds(run):
    """Two comparisons joined by and: elements 4 to 7."""
    qpu = run("sub.setf -, elem_num, 8\nsub.setf.ifn -, 3, elem_num\nldi r0, 0\nmov.ifn r0, 1")
    assert register(qpu, "r0") == [0] * 4 + [1] * 4 + [0] * 8


def test_a_partial_write_under_a_condition(run):
    qpu = run("ldi ra0, -1\nsub.setf -, elem_num, 1\nldi r0, 0\nmov.ifz ra0.8c, r0")
    assert register(qpu, "ra0") == [0xFFFF_FFFF, 0xFF00_FFFF, *[0xFFFF_FFFF] * 14]


def test_an_early_read_gets_the_old_register(run):
    qpu = run("ldi ra0, 5\nldi ra0, 6\nmov r0, ra0\nmov r1, ra0")
    assert register(qpu, "r0") == [5] * 16
    assert register(qpu, "r1") == [6] * 16


def test_uniforms_come_in_order_one_an_instruction(run):
    qpu = run("add r0, unif, unif\nmov r1, unif\nldi r2, 0x1800\nmov unif_addr, r2\nnop\nnop\nmov r2, unif", [3, 8])
    assert register(qpu, "r0") == [6] * 16
    assert register(qpu, "r1") == [8] * 16
    assert register(qpu, "r2") == [3] * 16


def test_rotations(run):
    """Accumulators turn over all elements, registers inside each quad."""
    qpu = run("mov r0, elem_num\nmov ra0, elem_num\nnop\nmov r1, r0 >> 5\nnop; mov r2, ra0 >> 1")
    assert register(qpu, "r1") == [(element - 5) % 16 for element in range(16)]
    assert register(qpu, "r2") == [element // 4 * 4 + (element - 1) % 4 for element in range(16)]


def test_r5(run):
    qpu = run("mov r5quad, elem_num\nnop\nmov r0, r5\nmov r5rep, elem_num\nmov r1, r5")
    assert register(qpu, "r0") == [0] * 4 + [4] * 4 + [8] * 4 + [12] * 4
    assert register(qpu, "r1") == [0] * 16


def test_interrupts_need_a_value(run):
    assert run("mov irq, 0", of_gpu=True).interrupts == 0
    assert run("mov irq, 1\nmov irq, elem_num", of_gpu=True).interrupts == 2
    assert run("sub.setf -, elem_num, -16\nmov.ifn irq, 1", of_gpu=True).interrupts == 0
