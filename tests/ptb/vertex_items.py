"""Items of the binning thread for tests of what reads vertices, and what the model has of them."""

import random
from types import SimpleNamespace

from vc4.records.control import RECORDS, ControlCode
from vc4.records.primitives import PrimitiveType
from vc4.records.shaders import GlShaderRecord, NvShaderRecord
from vc4.vcm.structs import VcmKind
from vc4sim.model.cle.fields import packing
from vc4sim.model.cle.shader_records import ShaderRecord
from vc4sim.model.ptb.ptb import _halves
from vc4sim.model.vcm.vertices import ShaderKind, clips, has_point_size, vertex_words

from .tile_items import COUNTS

__all__ = ["FRAME", "LAYOUTS", "START", "ItemList"]

HEADER_BITS = 96
FRAME, START = ControlCode.TILE_BINNING_MODE_CONFIGURATION, ControlCode.START_TILE_BINNING
LAYOUTS = {ControlCode.GL_SHADER_STATE: GlShaderRecord, ControlCode.NV_SHADER_STATE: NvShaderRecord}


class ItemList:
    """Items, made one after the other, with what the model has of each.

    items : payloads of `VcmItem`, each with the columns of its vertices, and the setting of `clipping` with which it begins
    wanted : records and primitives that must come
    """

    def __init__(self, seed=1):
        self.rng = random.Random(seed)
        self.items, self.wanted = [], []
        self.clipping = True
        self._lists = self._started = False
        self._shader = None

    def _add(self, kind, body, columns=None):
        self.items.append(
            SimpleNamespace(payload={"kind": kind, "body": body}, columns=columns, clipping=self.clipping)
        )

    def record(self, code, word=None):
        """As the model's `Binner` and `Ptb` take it."""
        if word is None:
            word = self.rng.getrandbits(8 * (RECORDS[code.value].length - 1)) if RECORDS[code.value].length > 1 else 0
        self._add(VcmKind.RECORD, {"record": {"code": code, "payload": word}})
        self.wanted.append(("record", code.value, word))
        if code is FRAME:
            self._lists, self._started = True, False
        elif code is START:
            self._started = True
        elif code in (ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE):
            self._lists = False

    def frame(self):
        """It begins."""
        self.record(FRAME)
        self.record(START)

    def shader(self, code=None, word=None):
        """A shader record that has been read, after the record that says so."""
        rng = self.rng
        code = code or rng.choice(tuple(LAYOUTS))
        word = rng.getrandbits(HEADER_BITS) if word is None else word
        self.record(code)
        if rng.randrange(2):
            self.record(ControlCode.VG_SHADER_STATE)
        self._shader = ShaderRecord(0, LAYOUTS[code], packing(LAYOUTS[code]).unpack(word))
        header = {"flags": word & 0xFF_FFFF, "varyings": word >> 24 & 0xFF, "pc": word >> 32 & 0xFFFF_FFFF}
        self._add(VcmKind.SHADER, {"shader": header | {"uniforms": word >> 64}})

    def end(self):
        self._add(VcmKind.END, {"record": {"code": ControlCode.NOP, "payload": self.rng.getrandbits(60)}})

    def primitive(self, type_, *, coordinates=False):
        """Its vertices are in some columns."""
        rng, count = self.rng, COUNTS[type_]
        columns, first = None, 4 * rng.randrange(60)
        words = [rng.getrandbits(32) for _ in range(3)]
        places = [{"coordinates": word} for word in words]
        vertices = words[:count]
        size, clipped = None, False
        if coordinates:
            points = [_halves(word) for word in vertices]
            clip_words = []
        else:
            length = vertex_words(self._shader, ShaderKind.COORDINATE)
            columns = {
                column: (first, [rng.getrandbits(32) for _ in range(length)]) for column in rng.sample(range(16), count)
            }
            for place, column in zip(places, columns, strict=False):
                word = place.pop("coordinates")
                place["place"] = {"column": column, "row": first, "unused": word & 15, "index": word >> 16}
            vertices = [word >> 16 for word in vertices]
            words = [words for _, words in columns.values()]
            points = [_halves(word[4]) for word in words]
            clipped = clips(self._shader) and self.clipping
            if has_point_size(self._shader) and type_ is PrimitiveType.POINTS:
                size = words[0][7]
            clip_words = [word[:4] for word in words] if clipped else []
        body = {"type": type_, "vertices": places, "coordinates": coordinates}
        self._add(
            VcmKind.PRIMITIVE, {"primitive": body | {"opens": rng.randrange(2), "clipped": rng.randrange(2)}}, columns
        )
        if self._lists and self._started:
            self.wanted.append(("primitive", type_, vertices, coordinates, points, size, bool(clipped), clip_words))

    def fill(self, count):
        """With some of everything."""
        rng = self.rng
        self.shader()
        self.frame()
        for _ in range(count):
            chance = rng.random()
            if chance < 0.15:
                self.shader()
            elif chance < 0.2:
                self.end()
            elif chance < 0.3:
                self.record(rng.choice((FRAME, START, START, ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE)))
            elif chance < 0.35:
                self.frame()
            elif chance < 0.5:
                self.record(rng.choice((ControlCode.POINT_SIZE, ControlCode.CONFIGURATION_BITS)))
            elif chance < 0.55:
                self.clipping = not self.clipping
            else:
                self.primitive(rng.choice(tuple(PrimitiveType)), coordinates=rng.random() < 0.2)
