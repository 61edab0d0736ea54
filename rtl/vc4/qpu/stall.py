"""Why an instruction waits in SP."""

from amaranth.hdl import unsigned
from amaranth.lib import data

from vc4.config import V3DConfig

from .control import SERVICES

__all__ = ["FRAGMENT_SERVICES", "STALL_REASONS", "UNBUILT", "Stall"]

#: Services that an instruction can ask for and nothing gives, at least in the smallest GPU.
UNBUILT = tuple(name for name in SERVICES if name not in V3DConfig().units)
#: Those that a GPU gives to fragment shaders only.
FRAGMENT_SERVICES = ("varyings", "fragment", "tile_buffer")


class Stall(data.Struct):
    """The reasons, one bit each. Counters, waves and tests all read this struct; the instruction waits if any is set."""

    fetch: unsigned(1)  # the instruction is not there yet
    fetch_fault: unsigned(1)  # memory does not have it
    uniforms: unsigned(1)  # the next uniform is not there yet, or its address is on the way
    uniform_fault: unsigned(1)  # memory does not have it
    vpm_read: unsigned(1)  # the next vector is not there yet, or those of the program before are not forgotten yet
    no_vector: unsigned(1)  # nor will it ever be: no read is set up
    vpm_write: unsigned(1)  # the queue to the VPM has no room
    vpm_order: unsigned(1)  # what it said to the VPM is not carried out yet
    vdr: unsigned(1)  # a DMA load runs or is on the way
    vdw: unsigned(1)  # a DMA store runs or is on the way
    sfu: unsigned(1)  # the special function unit has not got to what it wants to read, or to what it has written
    tmu_swap: unsigned(1)  # which texture unit is meant is on the way
    tmu_slot: unsigned(1)  # the texture unit has no slot for a parameter
    no_slot: unsigned(1)  # nor will it ever have one: first this QPU would have to load a result
    tmu_result: unsigned(1)  # the result of a lookup is not there yet
    no_result: unsigned(1)  # nor will it ever be: nothing is looked up
    mutex: unsigned(1)  # another QPU has it, or is served first
    semaphore: unsigned(1)  # it cannot count on, or another QPU is served first
    fragment_start: unsigned(1)  # W and Z of its fragments are on their way
    scoreboard: unsigned(1)  # older fragments of the same places come first
    varying: unsigned(1)  # the next varying is not there yet
    tlb: unsigned(1)  # the way there is full, or what it wants to read is not there yet
    rotation: unsigned(1)  # the instruction before still writes what is rotated
    link: unsigned(1)  # the branch before has yet to write its link to an accumulator
    halted: unsigned(1)  # by a breakpoint or by the host
    unbuilt: data.StructLayout(dict.fromkeys(UNBUILT, 1))  # it needs what this GPU does not have


#: The names of the bits of `Stall`.
STALL_REASONS = tuple(name for name, _ in data.Layout.cast(Stall) if name != "unbuilt") + UNBUILT
