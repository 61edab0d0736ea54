"""All kinds of campaigns."""

from .arithmetic import Arithmetic
from .frames import Frames
from .kind import Kind
from .lists import Lists
from .programs import Programs
from .setups import Setups
from .textures import Textures

__all__ = ["KINDS"]

#: By their names.
KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (Programs(), Frames(), Textures(), Setups(), Lists(), Arithmetic())
}
