"""Case directories: the memory before, the memory expected after, and `case.json` that describes both."""

from pathlib import Path

from vc4.config import MAX_QPUS
from vc4.isa.word import WORD_BYTES as INSTRUCTION_BYTES

from ..backends.base import Launch
from ..problem import BadInput
from .fields import Fields
from .files import MAX_BYTES, read_bytes, read_text
from .workload import WORD_BYTES, Check, Workload

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
    expected = read_bytes(folder / "expected.bin")
    launches = _launches(case, base, base + size)
    return Workload(
        name=case.text("name") if "name" in case else folder.resolve().name,
        description=case.text("description") if "description" in case else "",
        image=image,
        base=base,
        launches=launches,
        # Every launch gets a QPU, unless the case wants fewer: then they come one after the other, or share one.
        qpus=case.integer("qpus", 1, MAX_QPUS) if "qpus" in case else len(launches),
        checks=tuple(
            _check(region, f"compare[{index}]", expected, base, base + size)
            for index, region in enumerate(case.objects("compare"))
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
    words = case.integer("uniform_words_per_launch", 0, (end - base) // WORD_BYTES)
    return tuple(
        Launch(
            launch.integer("pc", base, end - INSTRUCTION_BYTES, step=INSTRUCTION_BYTES),
            launch.integer("unif", base, end - words * WORD_BYTES, step=WORD_BYTES),
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
    return Check(name, address, expected[start : start + size], **_tolerance(region.object("tol"), region, size))


def _tolerance(tolerance: Fields, region: Fields, size: int) -> dict[str, float]:
    """Arguments of `Check` for the tolerance of a region."""
    kind = tolerance.text("kind")
    if kind not in ("exact", "close"):
        raise BadInput(f"{CASE_FILE}: the kind of a tolerance must be exact or close, not {kind!r}")
    if kind == "exact":
        return {}
    region.integer("size", WORD_BYTES, size, step=WORD_BYTES)
    return {"atol": tolerance.size("atol"), "rtol": tolerance.size("rtol")}
