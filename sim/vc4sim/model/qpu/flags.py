"""Flags and the conditions over them (guide, tables 2 and 11; QPU facts, section 2).

N, Z and C are sixteen bits each, one an element, as are the elements in which a condition holds.
"""

from vc4.isa.ops import BranchCondition, Condition
from vc4.isa.registers import ELEMENTS

from ..compiled import kernel

__all__ = ["ALL_ELEMENTS", "is_taken", "passing"]

ALL_ELEMENTS = (1 << ELEMENTS) - 1
_NEVER, _ALWAYS = Condition.NEVER.value, Condition.ALWAYS.value
_FIRST_RESERVED, _BRANCH_ALWAYS = BranchCondition.RESERVED_12.value, BranchCondition.ALWAYS.value


@kernel
def _chosen(n: int, z: int, c: int, number: int, is_clear: int) -> int:
    """Z, N or C by its number, or the elements in which it is clear."""
    flag = z if number == 0 else n if number == 1 else c
    return flag ^ ALL_ELEMENTS if is_clear else flag


@kernel
def passing(n: int, z: int, c: int, condition: int) -> int:
    """The elements in which a `Condition` holds."""
    if condition == _NEVER:
        return 0
    if condition == _ALWAYS:
        return ALL_ELEMENTS
    return _chosen(n, z, c, condition // 2 - 1, condition & 1)


@kernel
def is_taken(n: int, z: int, c: int, condition: int) -> bool:
    """Whether a branch with a `BranchCondition` is taken; the reserved conditions never hold."""
    if condition >= _FIRST_RESERVED:
        return condition == _BRANCH_ALWAYS
    flag = _chosen(n, z, c, condition // 4, condition & 1)
    return flag != 0 if condition & 2 else flag == ALL_ELEMENTS
