"""What a frame consists of: things that stand one after another, and can be left out one by one.

Draws stand in parts: the first one is for all tiles, the others for one tile each. A list is drawn only if its shader is the last
one in front of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vc4.records.control import ControlCode
from vc4.records.primitives import PrimitiveType

__all__ = ["Chunk", "Lists", "Load", "Shader", "State", "Store", "Thing", "Vertices"]


@dataclass(frozen=True)
class Chunk:
    """Some instructions of a fragment shader that belong together, and the uniforms that they read.

    shader : number of it
    """

    shader: int
    source: str
    uniforms: tuple[int, ...] = ()


@dataclass(frozen=True)
class Vertices:
    """Vertices of a shader.

    words : of each vertex, as it is shaded
    sized : they have a size of their own
    program : that shades them, and its uniforms; without one they are shaded already
    arrays : the first word of each attribute array
    skipped : bytes between two vertices
    """

    words: tuple[tuple[int, ...], ...]
    sized: bool = False
    program: str = ""
    uniforms: tuple[int, ...] = ()
    arrays: tuple[int, ...] = (0,)
    skipped: int = 0
    extended: bool = False
    clips: bool = False


@dataclass(frozen=True)
class Shader:
    """A shader state.

    number : which one, counted over the whole frame
    begin, switch, end : what its program has always: its first instructions, those between both halves, its last ones
    vertices : `None`: a VG shader; `inline`: in the control list
    """

    part: int
    number: int
    begin: Chunk
    end: Chunk
    threaded: bool
    vertices: Vertices | None = None
    inline: bool = False


@dataclass(frozen=True)
class State:
    """A record of state, or one that does nothing; `BRANCH` goes on somewhere else in memory."""

    part: int
    code: ControlCode
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Lists:
    """A list of primitives.

    shader : the number of its shader
    code, fields : the record
    indices : those in memory, each of `index_bytes`; or coordinates
    data : what follows the record
    primitives : those of a compressed list
    clipped : vertices that clipping has made, in bytes
    """

    part: int
    shader: int
    code: ControlCode
    fields: Mapping[str, Any] = field(default_factory=dict)
    indices: bytes = b""
    address_field: str = ""
    data: bytes = b""
    type: PrimitiveType = PrimitiveType.TRIANGLES
    coordinates: bool = False
    primitives: tuple[tuple[int, ...], ...] = ()
    clipped: bytes = b""


@dataclass(frozen=True)
class Load:
    """A load in front of a tile."""

    tile: int
    code: ControlCode
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Store:
    """A store after a tile, in front of the last one."""

    tile: int
    code: ControlCode
    fields: Mapping[str, Any]


Thing = Chunk | Shader | State | Lists | Load | Store
