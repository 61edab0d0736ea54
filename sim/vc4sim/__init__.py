"""Reference model, assembler, simulators and comparison for the VideoCore IV 3D in `vc4`.

What a program of yours needs is here; it is imported when it is first used, so that `import vc4sim` takes no time::

    gpu = vc4sim.Gpu(on="native")
    x, y = gpu.array(values), gpu.empty(len(values), "f32")
    gpu.run("saxpy.qasm", uniforms=[1.5, x, y])
    print(y.numpy())
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .asm import AsmError
    from .checker import Broken
    from .library.array import Array
    from .library.frame import Frame
    from .library.gpu import Gpu, assemble
    from .library.registers import Registers
    from .library.result import DidNotEnd, Result
    from .lockstep import Difference
    from .problem import BadInput
    from .workload import Start

__all__ = [
    "Array",
    "AsmError",
    "BadInput",
    "Broken",
    "DidNotEnd",
    "Difference",
    "Frame",
    "Gpu",
    "Registers",
    "Result",
    "Start",
    "assemble",
]

#: Where the names are.
_PLACES = {
    "Array": "library.array",
    "AsmError": "asm",
    "BadInput": "problem",
    "Broken": "checker",
    "DidNotEnd": "library.result",
    "Difference": "lockstep",
    "Frame": "library.frame",
    "Gpu": "library.gpu",
    "Registers": "library.registers",
    "Result": "library.result",
    "Start": "workload",
    "assemble": "library.gpu",
}


def __getattr__(name: str) -> Any:
    """One of the names, from where it is."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_PLACES[name]}", __name__), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
