"""The tree of files is the block diagram: instances and folders, names, sizes and docstrings."""

import ast
import re
from functools import cache, partial
from pathlib import Path

import pytest
from amaranth.back import rtlil

from vc4.boards.on_chip_memory import OnChipMemory
from vc4.boards.sdram import Sdram
from vc4.boards.sdram_core import SdramCore, StartStep
from vc4.boards.system import BoardSystem
from vc4.config import V3DConfig
from vc4.dvi import Dvi
from vc4.dvi.mode import VGA
from vc4.v3d_axi import V3DAxi
from vc4sim.hierarchy import hierarchy

ROOT = Path(__file__).parents[1]
RTL, SIM = ROOT / "rtl/vc4", ROOT / "sim/vc4sim"
FILES = sorted([*RTL.rglob("*.py"), *SIM.rglob("*.py")])
#: Folders whose components any block may use.
SHARED = {"arith", "common"}
#: Folders of data and of shared components, which are no blocks.
NO_BLOCKS = {"isa", "records", "regs", "boards", *SHARED}
BLOCKS = sorted(path.parent for path in RTL.glob("*/__init__.py") if path.parent.name not in NO_BLOCKS)
MOST_LINES, MOST_ELABORATE = 300, 60


@cache
def tree(path):
    return ast.parse(path.read_text())


def name_of(path):
    return str(path.relative_to(ROOT))


def offenders(rule):
    """What `rule` says of each file, by name; it says nothing of one that keeps to it."""
    return {name_of(path): found for path in FILES if (found := rule(path))}


#: What a component is made from: Amaranth's class, or another component.
BASES = {"wiring.Component", "Queue"}


def is_component(node):
    return isinstance(node, ast.ClassDef) and any(ast.unparse(base) in BASES for base in node.bases)


@cache
def components():
    """File of each component of the RTL."""
    return {
        node.name: path for path in FILES if path.is_relative_to(RTL) for node in tree(path).body if is_component(node)
    }


def snake_case(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower().replace("v3_d", "v3d")


def held(instance):
    """Each pair of classes (parent, child) in the design, by name."""
    for inner in instance.inner:
        yield instance.class_name, inner.class_name
        yield from held(inner)


#: A GPU with everything in it.
CONFIG = V3DConfig(
    tmus_per_slice=2, lists=True, binner=True, pixels=True, early_z=True, memory_windows=True, trace=True
)


@pytest.fixture(scope="module")
def pairs():
    """All pairs of it, of boards with both kinds of memory, and of a screen."""
    step = StartStep(0, 0, ras=True, cas=True, we=True, clocks=1)
    core = SdramCore("", 4096, 4, address_bits=13, bank_bits=2, data_bits=16, start=[step], resource=None)
    memories = partial(OnChipMemory, 4096, 0), partial(Sdram, core)
    tops = [BoardSystem(V3DConfig(), memory, clock_hz=1_000_000, baud=100_000, clients=1) for memory in memories]
    tops += [V3DAxi(CONFIG), Dvi(VGA, 4096, tag_bits=1)]
    return {pair for top in tops for pair in held(hierarchy(top, "top"))}


@pytest.mark.thorough
def test_every_instance_is_a_component_of_ours(pairs):
    assert {child for _, child in pairs} <= set(components())


@pytest.mark.thorough
def test_instances_live_where_their_parents_do(pairs):
    """In the folder of the parent, in one that all share, or as the top of a block: nothing in its folder holds it."""
    for parent, child in sorted(pairs):
        folder = components()[child].parent
        if folder == components()[parent].parent or folder.name in SHARED:
            continue
        holders = {holder for holder, part in pairs if part == child and components()[holder].parent == folder}
        if child == "V3D":  # what a board is made around
            continue
        assert not holders, f"{parent} holds {child}, which is a part of {holders} in {folder.name}"
        assert folder in BLOCKS, f"{parent} holds {child}, which is in {folder.name}"


@pytest.mark.thorough
def test_every_component_is_used(pairs):
    used = {child for _, child in pairs} | {"V3DAxi", "BoardSystem", "Dvi"}
    assert set(components()) == used


@pytest.mark.thorough
def test_every_signal_has_a_name():
    """A signal that is made inside a larger expression has none, and waves show it as `$signal` or `$like`."""
    text = rtlil.convert(V3DAxi(CONFIG))
    assert not re.findall(r'attribute \\src "([^"]*)"(?:\s+attribute .*)*\s+wire width \d+ \\\$(?:signal|like)', text)


def test_files_are_named_after_their_components():
    """One component a file, whose class may say the block as well. Those of `common` are named after kinds of parts."""
    for path in FILES:
        names = [name for name, place in components().items() if place == path]
        if names and path.parent.name != "common":
            block = {"boards": "board"}.get(path.parent.name, path.parent.name)
            assert [snake_case(name).removeprefix(f"{block}_") for name in names] == [path.stem], name_of(path)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda path: path.name)
def test_block_shows_its_diagram(block):
    """A paragraph, and a figure as literal block."""
    text = ast.get_docstring(tree(block / "__init__.py"))
    assert text
    assert "::\n" in text
    assert "─" in text


@pytest.mark.parametrize("block", BLOCKS, ids=lambda path: path.name)
def test_block_has_a_folder_of_tests(block):
    assert list((ROOT / "tests" / block.name).glob("test_*.py"))


class TestFiles:
    def test_size(self):
        assert offenders(lambda path: max(0, len(path.read_text().splitlines()) - MOST_LINES)) == {}

    def test_elaborate_is_short(self):
        def too_long(path):
            """Lines where one that is not begins."""
            functions = (node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef))
            return [
                node.lineno
                for node in functions
                if node.name == "elaborate" and (node.end_lineno or node.lineno) - node.lineno >= MOST_ELABORATE
            ]

        assert offenders(too_long) == {}

    def test_signals_that_are_made_together_say_their_names(self):
        """On the right side of `a, b = Signal(), c` nobody knows how it is called: waves show `$signal`, `$like` or the name of `b`."""

        def nameless(path):
            made = (node.value for node in ast.walk(tree(path)) if isinstance(node, ast.Assign))
            parts = (part for value in made if isinstance(value, ast.Tuple) for part in value.elts)
            return [
                part.lineno
                for part in parts
                if isinstance(part, ast.Call)
                and ast.unparse(part.func) in ("Signal", "Signal.like")
                and all(keyword.arg != "name" for keyword in part.keywords)
            ]

        assert offenders(nameless) == {}

    def test_docstrings(self):
        def silent(path):
            """What says nothing: the module, a public class."""
            classes = (node for node in tree(path).body if isinstance(node, ast.ClassDef) and node.name[0] != "_")
            return [
                *(["the module"] if not ast.get_docstring(tree(path)) else []),
                *(node.name for node in classes if not ast.get_docstring(node)),
            ]

        assert offenders(silent) == {}

    def test_says_what_it_exports(self):
        """Only an `__init__.py` that holds nothing but its docstring has no `__all__`."""

        def wrong(path):
            body = tree(path).body
            found = [
                node for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            ]
            if path.name == "__init__.py" and len(body) == 1:
                return []
            if len(found) != 1:
                return [f"{len(found)} times __all__"]
            names = ast.literal_eval(found[0].value)
            return [name for name in names if name.startswith("_") or names.count(name) > 1]

        assert offenders(wrong) == {}

    def test_annotations_are_values(self):
        """Postponed annotations empty every `data.Struct` without a word."""

        def postponed(path):
            return [
                node.lineno
                for node in ast.walk(tree(path))
                if isinstance(node, ast.ImportFrom) and node.module == "__future__"
            ]

        assert offenders(postponed) == {}
