"""What both ports of the register files deliver (QPU facts, sections 4 and 5)."""

import numpy as np

from vc4.isa.registers import ELEMENTS, QUADS
from vc4.isa.timing import LINK_BYTES

from ..arith.float import WORD
from ..compiled import kernel
from ..machine import Machine
from ..vpm.port import next_vector
from . import instructions as _i
from . import state as _s
from .fragment_port import fragment_read, fragment_varying
from .sequencer import view_of

__all__ = ["read_ports"]

_LAST = ELEMENTS - QUADS


@kernel
def read_ports(machine: Machine, q: int, thread: int, row: int, pc: int, load_busy: int, store_busy: int) -> None:
    """Both ports; one uniform or vector serves both. A port that reads nothing shows its last quad again."""
    rows, effects = machine.instructions.rows, machine.effects
    about = effects.about
    about[_s.READS_LOAD_BUSY] = 0
    about[_s.READS_STORE_BUSY] = 0
    about[_s.LOAD_BUSY] = load_busy
    about[_s.STORE_BUSY] = store_busy
    if rows[row, _i.IS_BRANCH]:
        link = pc + LINK_BYTES & WORD
        for element in range(ELEMENTS):
            effects.port_a[element] = link
            effects.port_b[element] = link
        return
    if rows[row, _i.HAS_IMMEDIATE]:
        for element in range(ELEMENTS):
            effects.port_a[element] = machine.instructions.immediates[row, element]
            effects.port_b[element] = machine.instructions.immediates[row, element]
        return
    if rows[row, _i.TAKES_VECTOR]:
        next_vector(machine.vpm, q, effects.vector)
    if rows[row, _i.TAKES_VARYING] and machine.qpus.fragment[q]:
        fragment_varying(machine.fragments, q, thread, effects.vector, effects.second)
    _read_port(machine, q, thread, row, 0, effects.port_a)
    _read_port(machine, q, thread, row, 1, effects.port_b)


@kernel
def _read_port(machine: Machine, q: int, thread: int, row: int, file: int, into: np.ndarray) -> None:
    """One port."""
    qpus, effects = machine.qpus, machine.effects
    rows, about = machine.instructions.rows, effects.about
    kind = rows[row, _i.READ_A + file]
    if kind == _i.READS_LAST:
        for element in range(ELEMENTS):
            into[element] = qpus.last_read[q, file, element % QUADS]
        return
    if kind == _i.READS_FILE:
        register = rows[row, _i.ADDRESS_A + file] ^ view_of(qpus.sequences, q)
        for element in range(ELEMENTS):
            into[element] = qpus.files[q, file, register, element]
    elif kind == _i.READS_VECTOR:
        for element in range(ELEMENTS):
            into[element] = effects.vector[element]
    elif kind == _i.READS_ELEMENT:
        for element in range(ELEMENTS):
            into[element] = element
    elif kind >= _i.READS_FRAGMENT:
        _read_fragment(machine, q, thread, kind - _i.READS_FRAGMENT, file, into)
    else:
        value = q
        if kind == _i.READS_UNIFORM:
            value = about[_s.UNIFORM]
        elif kind == _i.READS_SMALL:
            value = rows[row, _i.SMALL]
        elif kind == _i.READS_LOAD_BUSY:
            about[_s.READS_LOAD_BUSY] = 1
            value = about[_s.LOAD_BUSY]
        elif kind == _i.READS_STORE_BUSY:
            about[_s.READS_STORE_BUSY] = 1
            value = about[_s.STORE_BUSY]
        for element in range(ELEMENTS):
            into[element] = value
    for last in range(QUADS):
        qpus.last_read[q, file, last] = into[_LAST + last]


@kernel
def _read_fragment(machine: Machine, q: int, thread: int, which: int, file: int, into: np.ndarray) -> None:
    """What a fragment shader reads of its pixels. Other programs see one quad as four: x and y are 0 or 1."""
    if machine.qpus.fragment[q]:
        fragment_read(machine.fragments, q, thread, which, into)
        return
    for element in range(ELEMENTS):
        into[element] = element >> file & 1
