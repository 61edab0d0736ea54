"""What travels down the pipeline with an instruction."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.arith.unpack import UnpackKeys
from vc4.isa.ops import AddOp, BranchCondition, Condition, MulOp, Mux
from vc4.records.tmu import TmuParameterName
from vc4.tlb.port import TlbCommand

__all__ = ["SERVICES", "Control", "Needs"]


class Needs(data.Struct):
    """What an instruction may have to wait for, one bit a service; the names are those of the register tables."""

    uniforms: unsigned(1)
    vpm_write: unsigned(1)
    vdw: unsigned(1)
    varyings: unsigned(1)
    fragment: unsigned(1)
    vpm_read: unsigned(1)
    vdr: unsigned(1)
    mutex: unsigned(1)
    semaphore: unsigned(1)
    sfu: unsigned(1)
    tmu: unsigned(1)
    tile_buffer: unsigned(1)
    threads: unsigned(1)
    breakpoint: unsigned(1)


#: The names of the bits of `Needs`.
SERVICES = tuple(name for name, _ in data.Layout.cast(Needs))


class Control(data.Struct):
    """A decoded instruction, all forms alike: load immediates and branches move their value through both ALUs."""

    # The ports of the register files, RA to RU
    raddr_a: unsigned(6)
    raddr_b: unsigned(6)
    read_a: unsigned(1)  # 0: port A shows its last quad again
    read_b: unsigned(1)
    b_immediate: unsigned(1)  # port B reads the small immediate that raddr_b names
    moves: unsigned(1)  # port A shows `immediate` instead, without reading
    per_element: unsigned(1)  # `immediate` is two bits an element
    per_element_unsigned: unsigned(1)
    links: unsigned(1)  # what it moves is not `immediate` but the address after its delay slots
    immediate: unsigned(32)  # of a load or a branch
    # Unpack, operand muxes and rotation, RU and RR
    unpack: UnpackKeys  # nothing, if it moves an immediate
    unpack_r4: unsigned(1)
    add_a: Mux
    add_b: Mux
    mul_a: Mux
    mul_b: Mux
    rotate_by_r5: unsigned(1)
    rotation: unsigned(4)
    rotated_accumulators: unsigned(6)  # r0 to r3 as rotated sources, bit 5: r5 as amount
    # The ALUs, A0 to A2
    op_add: AddOp
    op_mul: MulOp
    # Conditions and destinations, A2 and WB
    cond_add: Condition
    cond_mul: Condition
    waddr_add: unsigned(6)
    waddr_mul: unsigned(6)
    ws: unsigned(1)
    sf: unsigned(1)
    pm: unsigned(1)
    pack: unsigned(4)
    add_float: unsigned(1)  # the result of the add ALU is a float to the pack unit
    mul_float: unsigned(1)
    written_accumulators: unsigned(6)  # r0 to r3 and r5, by either ALU
    # Branches
    branch: unsigned(1)  # to be decided
    branch_condition: BranchCondition
    branch_relative: unsigned(1)
    branch_register: unsigned(1)
    # What SP looks at
    ends: unsigned(1)  # the program, after its delay slots
    reads_uniform: unsigned(1)
    moves_uniforms: unsigned(1)  # to another address
    reads_store_busy: unsigned(1)
    reads_load_busy: unsigned(1)
    waits_store: unsigned(1)
    waits_load: unsigned(1)
    starts_store: unsigned(1)
    starts_load: unsigned(1)
    sets_up_reads: unsigned(1)  # or loads
    releases: unsigned(1)  # counts a semaphore up, or frees the mutex
    reads_r4: unsigned(1)
    acquires_mutex: unsigned(1)
    writes_tmu: unsigned(1)  # gives a texture unit a parameter
    tmu_parameter: TmuParameterName
    tmu_unit: unsigned(1)  # the unit that it names, from SP on the one that is meant
    sets_swap: unsigned(1)
    loads_tmu: unsigned(1)  # the result of a lookup into r4
    tmu_load_unit: unsigned(1)
    loads_tile: unsigned(1)  # something of the tile buffer into r4
    tile_load: TlbCommand  # what
    writes_tile: unsigned(1)  # says something to the tile buffer, or changes flags of fragments
    reads_fragment: unsigned(1)  # such flags
    waits_scoreboard: unsigned(1)  # says so, or accesses the tile buffer
    takes_varying: unsigned(1)
    needs: Needs
