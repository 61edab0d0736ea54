"""Case directories: the memory before, the memory expected after, and `case.json` that describes both."""

from pathlib import Path

from vc4.config import MAX_QPUS
from vc4.isa.word import WORD_BYTES as INSTRUCTION_BYTES

from ..backends.base import Launch
from ..problem import BadInput
from .compare import WORD_BYTES, Check, WordType
from .fields import Fields
from .files import MAX_BYTES, read_bytes, read_text
from .workload import Workload

__all__ = ["CASE_FILE", "load_case"]

#: The file that makes a directory a case.
CASE_FILE = "case.json"

_ADDRESSES = 1 << 32


def load_case(folder: Path) -> Workload:
    """The case in `folder`. Raises `BadInput` for anything that is missing, of a wrong type, or outside of the memory."""
    case = Fields.parse(read_text(folder / CASE_FILE), str(folder / CASE_FILE))
    base = case.integer("mem_base", 0, _ADDRESSES - INSTRUCTION_BYTES, step=INSTRUCTION_BYTES)
    size = case.integer("mem_size", 1, min(MAX_BYTES, _ADDRESSES - base))
    image = _sized(folder / "memory.bin", size)
    _check_program(case, folder, image, base)
    compared = list(case.objects("compare", some=False)) if "compare" in case else []
    expected = read_bytes(folder / "expected.bin") if compared else b""
    program = case.integer("program_addr", base, base + size)
    launches = _launches(case, base, base + size)
    return Workload(
        name=case.text("name") if "name" in case else folder.resolve().name,
        description=case.text("description") if "description" in case else "",
        image=image,
        base=base,
        launches=launches,
        # Every launch gets a QPU, unless the case wants fewer: then they come one after the other, or share one.
        qpus=case.integer("qpus", 1, MAX_QPUS) if "qpus" in case else len(launches),
        code=range(program, program + case.integer("program_size", 0, size)),
        checks=tuple(
            _check(region, f"compare[{index}]", expected, base, base + size) for index, region in enumerate(compared)
        ),
    )


def _sized(path: Path, size: int) -> bytes:
    """The bytes of a file that must have `size` of them."""
    data = read_bytes(path)
    if len(data) != size:
        raise BadInput(f"{path}: has {len(data)} bytes, but {CASE_FILE} says {size}")
    return data


def _check_program(case: Fields, folder: Path, image: bytes, base: int) -> None:
    """The program lies in the memory as it lies in its own file."""
    address = case.integer("program_addr", base, base + len(image) - INSTRUCTION_BYTES, step=INSTRUCTION_BYTES)
    room = base + len(image) - address
    size = case.integer("program_size", INSTRUCTION_BYTES, room, step=INSTRUCTION_BYTES)
    if image[address - base :][:size] != _sized(folder / "program.bin", size):
        raise BadInput(f"{folder / 'program.bin'}: differs from memory.bin at {address:#010x}, where the program lies")


def _launches(case: Fields, base: int, end: int) -> tuple[Launch, ...]:
    name = "uniform_words_per_launch"
    words = case.integer(name, 0, (end - base) // WORD_BYTES) if name in case else 0
    # Without uniforms their address is that after the memory, so that one which is read is missed.
    nowhere = -(-end // WORD_BYTES) * WORD_BYTES % _ADDRESSES
    return tuple(
        Launch(
            launch.integer("pc", base, end - INSTRUCTION_BYTES, step=INSTRUCTION_BYTES),
            launch.integer("unif", base, end - words * WORD_BYTES, step=WORD_BYTES)
            if words or "unif" in launch
            else nowhere,
            threaded=bool(launch.integer("threaded", 0, 1)) if "threaded" in launch else False,
        )
        for launch in case.objects("launches")
    )


def _check(region: Fields, name: str, expected: bytes, base: int, end: int) -> Check:
    address = region.integer("addr", base, end - 1)
    size = region.integer("size", 1, end - address)
    start = region.integer("expected_offset", 0, MAX_BYTES)
    if start + size > len(expected):
        raise BadInput(f"expected.bin: has {len(expected)} bytes, but {name} wants {size} from byte {start} on")
    tolerance = region.object("tol")
    kind = tolerance.text("kind")
    if kind not in ("exact", "close"):
        raise BadInput(f"{CASE_FILE}: the kind of a tolerance must be exact or close, not {kind!r}")
    data = expected[start : start + size]
    if kind == "exact":
        return Check(name, address, data, _type(region, WordType.HEX))
    region.integer("size", WORD_BYTES, size, step=WORD_BYTES)
    return Check(
        name, address, data, _type(region, WordType.FLOAT), atol=tolerance.size("atol"), rtol=tolerance.size("rtol")
    )


def _type(region: Fields, otherwise: WordType) -> WordType:
    """What the words of a region are, if it says so."""
    if "type" not in region:
        return otherwise
    names = [each.value for each in WordType]
    name = region.text("type")
    if name not in names:
        raise BadInput(
            f"{CASE_FILE}: the type of a region must be {', '.join(names[:-1])} or {names[-1]}, not {name!r}"
        )
    return WordType(name)
