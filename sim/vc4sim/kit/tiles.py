"""Questions about the tile buffer, which are asked by rendering lists of one tile: dither, formats, clip windows without a size."""

import struct
from collections.abc import Callable, Mapping, Sequence

from vc4.records.control import ControlCode as Code
from vc4.records.primitives import PrimitiveMode
from vc4.records.state import DepthTest
from vc4.records.tile_buffer import FrameColorFormat, MemoryFormat, PixelColorFormat, TileBuffer

from ..asm import assemble
from ..clist import ListBuilder, nv_shader_record
from .image import PAGE, Image, Start, image_of
from .question import Candidate, Question

__all__ = ["QUESTIONS"]

_SIZE = 16
_LIST, _SHADER, _CODE, _UNIFORMS, _VERTICES, _PICTURE, _ANSWER = (
    PAGE * number // 4 for number in (0, 1, 2, 3, 3, 4, 8)
)
_VERTICES += 64
_COLOUR = 0x8844_2211
_FRAGMENT = "mov r0, unif\nnop\nnop\nmov tlbc, r0\nthrend\nnop\nnop; sbdone\n"


def _begun(base: int) -> ListBuilder:
    """A list up to the first tile, which is cleared to 0."""
    lists = ListBuilder(base + _LIST)
    lists.add(
        Code.TILE_RENDERING_MODE_CONFIGURATION,
        memory_address=base + _ANSWER,
        width=_SIZE,
        height=_SIZE,
        frame_buffer_color_format=FrameColorFormat.RGBA8888,
        memory_format=MemoryFormat.RASTER,
    )
    lists.add(Code.CLEAR_COLORS, clear_zs=0xFF_FFFF)
    lists.add(Code.TILE_COORDINATES)
    lists.add(Code.STORE_TILE_BUFFER_GENERAL, buffer_to_store=TileBuffer.NONE)
    return lists


def _image(make: Callable[[int], tuple[ListBuilder, Mapping[int, bytes]]], words: int) -> Image:
    """The image of a list, and of other bytes by their places."""
    answer = range(_ANSWER, _ANSWER + 4 * words)

    def data(base: int) -> bytes:
        lists, others = make(base)
        found = bytearray(answer.stop)
        for place, content in {_LIST: bytes(lists.data), **others}.items():
            found[place : place + len(content)] = content
        return bytes(found)

    return image_of(data, Start.LIST, _LIST, _LIST + len(make(0)[0].data), answer)


def _grey(x: int, y: int) -> int:
    """Of a pixel before it is dithered: blocks of four by four, with the same grey, from 128 on."""
    return 128 + x // 4 + y // 4 * 4


def _copied(
    pixels: bytes, loaded: PixelColorFormat, stored: PixelColorFormat
) -> Callable[[int], tuple[ListBuilder, dict[int, bytes]]]:
    """Loads pixels into the tile buffer, and stores them in another format."""

    def make(base: int) -> tuple[ListBuilder, dict[int, bytes]]:
        lists = _begun(base)
        lists.add(
            Code.LOAD_TILE_BUFFER_GENERAL,
            buffer_to_load=TileBuffer.COLOR,
            format=MemoryFormat.RASTER,
            pixel_color_format=loaded,
            frame_address=base + _PICTURE,
        )
        lists.add(Code.TILE_COORDINATES)
        lists.add(
            Code.STORE_TILE_BUFFER_GENERAL,
            buffer_to_store=TileBuffer.COLOR,
            format=MemoryFormat.RASTER,
            pixel_color_format=stored,
            last_tile_of_frame=1,
            frame_address=base + _ANSWER,
        )
        return lists, {_PICTURE: pixels}

    return make


_PIXELS = [(x, y) for y in range(_SIZE) for x in range(_SIZE)]
_GREYS = b"".join((_grey(x, y) * 0x01_0101 | 0xFF00_0000).to_bytes(4, "little") for x, y in _PIXELS)
_FORMATS = "rendering.md#tile-buffer-in-memory"


def _packed(red: int, green: int, blue: int) -> int:
    return red << 11 | green << 5 | blue


def _paired(pixels: Sequence[int]) -> tuple[int, ...]:
    """Two pixels of 16 bits a word."""
    return tuple(low | high << 16 for low, high in zip(pixels[::2], pixels[1::2], strict=True))


#: Thresholds from 0 to 15 of four by four pixels, row after row: an ordered dither.
_ORDERED = (0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)


def _dithered(threshold: Callable[[int, int], int], green: int = 2) -> tuple[int, ...]:
    """What a threshold adds: half of it to red and blue, of green the part that a shift leaves."""
    return _paired(
        [
            _packed(
                _grey(x, y) + threshold(x, y) // 2 >> 3,
                _grey(x, y) + (threshold(x, y) >> green) >> 2,
                _grey(x, y) + threshold(x, y) // 2 >> 3,
            )
            for x, y in _PIXELS
        ]
    )


_DITHER = Question(
    name="dither",
    asks="the thresholds of a dither, row after row, are",
    page=_FORMATS,
    image=_image(_copied(_GREYS, PixelColorFormat.RGBA8888, PixelColorFormat.BGR565_DITHERED), _SIZE * _SIZE // 2),
    source="a list: loads 16 by 16 pixels of 32 bits, and stores them in 16 bits",
    candidates=(
        Candidate("ordered, from the lowest row on", _dithered(lambda x, y: _ORDERED[y % 4 * 4 + x % 4])),
        Candidate("ordered, from the highest row on", _dithered(lambda x, y: _ORDERED[(3 - y % 4) * 4 + x % 4])),
        Candidate("ordered, with rows and columns exchanged", _dithered(lambda x, y: _ORDERED[x % 4 * 4 + y % 4])),
        Candidate("ordered, green like red and blue", _dithered(lambda x, y: _ORDERED[y % 4 * 4 + x % 4], 1)),
        Candidate("all 0: low bits are cut off", _dithered(lambda x, y: 0)),
        Candidate("all the same: channels are rounded", _dithered(lambda x, y: 8)),
    ),
)
_STORED = Question(
    name="store_of_16_bits",
    asks="a channel that is stored in 5 or 6 bits is",
    page=_FORMATS,
    image=_image(_copied(_GREYS, PixelColorFormat.RGBA8888, PixelColorFormat.BGR565), _SIZE * _SIZE // 2),
    source="a list: loads 16 by 16 pixels of 32 bits, and stores them in 16 bits without a dither",
    candidates=(
        Candidate("cut off", _dithered(lambda x, y: 0)),
        Candidate("rounded", _dithered(lambda x, y: 8)),
        Candidate("dithered all the same", _dithered(lambda x, y: _ORDERED[y % 4 * 4 + x % 4])),
    ),
)
_NARROW = [_packed(x + y, 4 * y + x, 31 - x) for x, y in _PIXELS]


def _widened(byte: Callable[[int, int], int], alpha: int) -> tuple[int, ...]:
    """Pixels of 32 bits: `byte` makes eight bits of a channel and its width."""
    return tuple(
        byte(one >> 11, 5) | byte(one >> 5 & 63, 6) << 8 | byte(one & 31, 5) << 16 | alpha << 24 for one in _NARROW
    )


def _repeated(channel: int, bits: int) -> int:
    return channel << 8 - bits | channel >> 2 * bits - 8


def _shifted(channel: int, bits: int) -> int:
    return channel << 8 - bits


_LOADED = Question(
    name="load_of_16_bits",
    asks="a channel that is loaded from 5 or 6 bits has as its low bits",
    page=_FORMATS,
    image=_image(
        _copied(
            b"".join(one.to_bytes(2, "little") for one in _NARROW), PixelColorFormat.BGR565, PixelColorFormat.RGBA8888
        ),
        _SIZE * _SIZE,
    ),
    source="a list: loads 16 by 16 pixels of 16 bits, and stores them in 32 bits",
    candidates=(
        Candidate("its highest ones, and alpha is 255", _widened(_repeated, 255)),
        Candidate("its highest ones, and alpha is 0", _widened(_repeated, 0)),
        Candidate("zeros, and alpha is 255", _widened(_shifted, 255)),
        Candidate("zeros, and alpha is 0", _widened(_shifted, 0)),
    ),
)
_LEFT, _BOTTOM = 4, 8


def _window(width: int, height: int) -> Callable[[int], tuple[ListBuilder, dict[int, bytes]]]:
    """Fills the tile, as far as a clip window lets it."""

    def make(base: int) -> tuple[ListBuilder, dict[int, bytes]]:
        lists = _begun(base)
        lists.add(Code.TILE_COORDINATES)
        lists.add(
            Code.CLIP_WINDOW,
            clip_window_left_pixel_coordinate=_LEFT,
            clip_window_bottom_pixel_coordinate=_BOTTOM,
            clip_window_width_in_pixels=width,
            clip_window_height_in_pixels=height,
        )
        lists.add(
            Code.CONFIGURATION_BITS,
            enable_forward_facing_primitive=1,
            enable_reverse_facing_primitive=1,
            depth_test_function=DepthTest.ALWAYS,
        )
        lists.add(Code.VIEWPORT_OFFSET)
        lists.add(Code.NV_SHADER_STATE, shader_record_address=base + _SHADER)
        lists.add(Code.VERTEX_ARRAY_PRIMITIVES, primitive_mode=PrimitiveMode.TRIANGLES, length=3)
        lists.add(Code.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME)
        record = nv_shader_record(
            fragment_shader_is_single_threaded=1,
            shaded_vertex_data_stride=12,
            fragment_shader_code_address=base + _CODE,
            fragment_shader_uniforms_address=base + _UNIFORMS,
            shaded_vertex_data_address=base + _VERTICES,
        )
        corners = ((0, 0), (8 * _SIZE, 0), (0, 8 * _SIZE))
        return lists, {
            _SHADER: record,
            _CODE: assemble(_FRAGMENT).code,
            _UNIFORMS: struct.pack("<I", _COLOUR),
            _VERTICES: b"".join(struct.pack("<2h2f", 16 * x, 16 * y, 0.5, 1.0) for x, y in corners),
        }

    return make


def _filled(columns: Sequence[int], lines: Sequence[int]) -> tuple[int, ...]:
    return tuple(_COLOUR if x in columns and y in lines else 0 for y in range(_SIZE) for x in range(_SIZE))


_ALL, _NONE = range(_SIZE), range(0)


def _clipped(
    name: str, what: str, size: tuple[int, int], rest: tuple[range, range], single: tuple[range, range]
) -> Question:
    """A question about a window; `rest` of the tile is in it where nothing is cut off on the side without a size."""
    return Question(
        name=name,
        asks=f"a clip window {what} of 0",
        page="rendering.md#tiles",
        image=_image(_window(*size), _SIZE * _SIZE),
        source="a list: a triangle over all of a tile of 16 by 16 pixels, in a clip window from (4, 8) on",
        candidates=(
            Candidate("cuts nothing off on that side", _filled(*rest)),
            Candidate("cuts everything off", _filled(_NONE, _NONE)),
            Candidate("cuts nothing off, wherever it begins", _filled(*((_ALL, rest[1]) if size[1] else (_ALL, _ALL)))),
            Candidate("is one pixel wide or high", _filled(*single)),
        ),
    )


_RIGHT, _ABOVE = range(_LEFT, _SIZE), range(_BOTTOM, _SIZE)
_FOUR_LINES = range(_BOTTOM, _BOTTOM + 4)
_NO_WIDTH = _clipped(
    "clip_width_zero", "with a width", (0, 4), (_RIGHT, _FOUR_LINES), (range(_LEFT, _LEFT + 1), _FOUR_LINES)
)
_NO_SIZE = _clipped(
    "clip_size_zero",
    "with a width and a height",
    (0, 0),
    (_RIGHT, _ABOVE),
    (range(_LEFT, _LEFT + 1), range(_BOTTOM, _BOTTOM + 1)),
)
QUESTIONS = (_DITHER, _STORED, _LOADED, _NO_WIDTH, _NO_SIZE)
