"""The trace port's struct as events, for every simulator."""

from amaranth.lib import data

from vc4.isa.decode import decode
from vc4.isa.ops import Condition
from vc4.isa.registers import ELEMENTS, ELEMENTWISE_WRITES, FILE_REGISTERS, WRITE
from vc4.isa.word import BranchWord
from vc4.qpu.trace import Retired, TracedWrite

from .events import ALL_ELEMENTS, Retirement, Write

__all__ = ["RetirementReader"]

_ALL_BYTES = 0b1111


def _extractor(layout):
    """Function from the bits of a struct to its fields as ints."""
    fields = {name: (field.offset, (1 << field.width) - 1) for name, field in data.Layout.cast(layout)}
    return lambda bits: {name: bits >> offset & mask for name, (offset, mask) in fields.items()}


_retired = _extractor(Retired)
_traced = _extractor(TracedWrite)


class RetirementReader:
    """Reads the retirements of one QPU in their order, and keeps its flags in mind."""

    def __init__(self, qpu: int):
        self._qpu = qpu
        self._flags = (0, 0, 0)

    def __call__(self, bits: int) -> Retirement:
        """The event of the struct `Retired` with these bits."""
        fields = _retired(bits)
        instruction = decode(fields["word"])
        writes = []
        for name in ("add", "mul"):
            traced = _traced(fields[name])
            condition = Condition.ALWAYS if instruction.layout is BranchWord else getattr(instruction, f"cond_{name}")
            writes += self._write(traced, condition, instruction.layout is BranchWord)
        reads = []
        if fields["reads_uniform"]:
            reads.append(("unif", fields["uniform"]))
        if fields["reads_store_busy"]:
            reads.append(("vw_busy", fields["store_busy"]))
        flags = None
        if fields["sets_flags"]:
            mask = fields["flag_mask"]
            new = (fields[name] for name in "nzc")
            flags = self._flags = tuple(
                before & ~mask | after & mask for before, after in zip(self._flags, new, strict=True)
            )
        return Retirement(self._qpu, 0, fields["pc"], fields["word"], tuple(reads), tuple(writes), flags)

    @staticmethod
    def _write(traced: dict[str, int], condition: Condition, is_branch: bool) -> list[Write]:
        address, elements, enables = traced["address"], traced["mask"], traced["bytes"]
        name = WRITE.name(address, traced["file"])
        if address not in ELEMENTWISE_WRITES and condition is not Condition.NEVER and not (is_branch and not elements):
            elements = ALL_ELEMENTS
        if not elements or name in ("-", "quad_x", "quad_y"):
            return []
        values = traced["data"].to_bytes(4 * ELEMENTS, "little")
        words = [int.from_bytes(values[at : at + 4], "little") for at in range(0, 4 * ELEMENTS, 4)]
        narrow = address < FILE_REGISTERS or WRITE[address][0].name in ("r0", "r1", "r2", "r3")
        return [Write.of(name, elements, enables if narrow else _ALL_BYTES, words)]
