"""Imports point one way: data <- arith, common <- blocks <- the GPU <- boards, and from the simulation to the RTL only."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {"vc4": ROOT / "rtl/vc4", "vc4sim": ROOT / "sim/vc4sim"}
FILES = sorted(path for folder in PACKAGES.values() for path in folder.rglob("*.py"))
#: Layers of the RTL, lowest first; `None`: every other folder is a block.
DATA, SHARED, BLOCK, TOP, BOARDS = range(5)
LAYERS = {"isa": DATA, "regs": DATA, "records": DATA, "config": DATA, "errata": DATA, "arith": SHARED, "common": SHARED}
LAYERS |= {"v3d": TOP, "v3d_axi": TOP, "boards": BOARDS}
#: What the model shares with the RTL.
FACTS = {"isa", "records", "regs", "config", "errata"}


def module_of(path):
    """Dotted name of a file, as a tuple."""
    for package, folder in PACKAGES.items():
        if path.is_relative_to(folder):
            parts = path.relative_to(folder).with_suffix("").parts
            return (package, *(parts[:-1] if parts[-1] == "__init__" else parts))
    raise ValueError(path)


def imports(path):
    """Modules that a file imports, as tuples: each name of `from x import y` as x.y."""
    module = module_of(path)
    package = module if path.name == "__init__.py" else module[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            yield from ((*base, alias.name) for alias in node.names)


def layer(module):
    return LAYERS.get(module[1], BLOCK) if len(module) > 1 else TOP


@cache
def edges():
    """Each module with each of ours that it imports; what is imported may be a name in a module."""
    return [(module_of(path), target) for path in FILES for target in imports(path) if target[0] in PACKAGES]


def is_data(module):
    return module[0] == "vc4" and len(module) > 1 and layer(module) == DATA


def strays(importing, allowed):
    """Imports by modules that `importing(module)` is true of, where `allowed(module, target)` is not."""
    found = [(module, target) for module, target in edges() if importing(module)]
    assert found
    return [f"{'.'.join(module)} imports {'.'.join(target)}" for module, target in found if not allowed(module, target)]


def test_imports_point_downwards():
    def downwards(module, target):
        return target[0] == "vc4" and (len(module) == 1 or layer(target) <= layer(module))

    assert strays(lambda module: module[0] == "vc4", downwards) == []


def test_data_knows_only_data_types_of_amaranth():
    assert strays(is_data, lambda module, target: target[1] in FACTS) == []


def test_common_parts_know_nothing_of_instructions():
    assert strays(lambda module: module[:2] == ("vc4", "common"), lambda module, target: target[1] == "common") == []


def test_the_model_shares_only_facts_with_the_rtl():
    own = {"model", "events", "launch", "cache"}

    def shared(module, target):
        return target[1] in (FACTS if target[0] == "vc4" else own)

    assert strays(lambda module: module[:2] == ("vc4sim", "model"), shared) == []


def test_data_has_no_hardware():
    """No component, and nothing of Amaranth but shapes and enums."""
    for path in FILES:
        if is_data(module_of(path)):
            used = {target[:3] for target in imports(path) if target[0] == "amaranth"}
            allowed = {("amaranth", "hdl", "unsigned"), ("amaranth", "hdl", "signed"), ("amaranth", "hdl", "Shape")}
            allowed |= {("amaranth", "lib", "data"), ("amaranth", "lib", "enum")}
            assert used <= allowed, path.name


def test_the_walk_sees_relative_and_absolute_imports():
    found = set(imports(PACKAGES["vc4sim"] / "model/v3d.py"))
    assert ("vc4sim", "events", "Retirement") in found
    assert ("vc4sim", "model", "qpu", "qpu", "Qpu") in found
    assert ("vc4", "config", "V3DConfig") in found
