"""What a control record is to a thread, and where it may be."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.compressed import CODINGS, COORDINATE_CODINGS
from vc4.records.control import RECORDS, ControlCode, Role, Threads
from vc4.records.primitives import TYPES, VG_TYPES, PrimitiveData, PrimitiveListFormat, PrimitiveMode

from .structs import ListFault, ListFormat, ListRecord, fields_of

__all__ = ["RecordKind", "RecordRules"]

_VG_SHADERS = (ControlCode.VG_SHADER_STATE, ControlCode.VG_INLINE_SHADER_RECORD)
_FLUSHES = (ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE)
_ELSEWHERE = (ControlCode.INDEXED_PRIMITIVE_LIST, ControlCode.VG_COORDINATE_ARRAY_PRIMITIVES)


class RecordKind(data.Struct):
    """What a record is to a thread.

    out_of_place : lists of the thread do not have it
    configured : it needs a configuration before it
    taken : the pipeline takes it
    ends : the pipeline says when it is done, and the thread waits for that
    is_list : primitives come from it
    is_elsewhere : their vertices are not in the control list
    """

    out_of_place: 1
    configured: 1
    taken: 1
    ends: 1
    is_list: 1
    is_elsewhere: 1
    is_compressed: 1
    coordinates: 1
    is_configuration: 1
    is_shader: 1
    is_vg: 1
    is_format: 1
    is_flush: 1


class RecordRules(wiring.Component):
    """Knows what came before a record in the lists of a thread (guide, table 38).

    Behaviour: everything in the clock of the record.

    Parameters
    ----------
    threads : which of both it is

    Interface attributes
    --------------------
    record : any one
    deep : no sub-list may begin
    executes : strobe: it is carried out unless it is `wrong`
    kind : what it is
    wrong : it is, in itself or where it is
    format : what lists from here on hold, and the list of a record from the clock after it on
    """

    record: In(ListRecord)
    deep: In(1)
    executes: In(1)
    kind: Out(RecordKind)
    wrong: Out(1)
    format: Out(ListFormat)

    def __init__(self, threads: Threads):
        self._threads = threads
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        kind, record, form = self.kind, self.record, self.format
        self._look_up(m)
        configured = Signal()
        shaded = Signal()
        vg = Signal()
        has_format = Signal()
        layout = fields_of(record, PrimitiveListFormat)
        coordinates = Signal()
        m.d.comb += [
            coordinates.eq(Mux(kind.is_compressed, form.coordinates, kind.coordinates)),
            self.wrong.eq(
                (record.fault != ListFault.NONE)
                | kind.out_of_place
                | (kind.configured & ~configured)
                | (kind.is_list & (~shaded | (kind.is_compressed & ~has_format) | (coordinates != vg)))
                | (kind.is_format & _has_no_codings(layout))
                | ((record.code == ControlCode.BRANCH_TO_SUB_LIST) & self.deep)
            ),
        ]
        with m.If(self.executes & ~self.wrong):
            with m.If(kind.is_configuration):
                m.d.sync += configured.eq(1)
            with m.If(kind.is_shader):
                m.d.sync += [shaded.eq(1), vg.eq(kind.is_vg)]
            with m.If(kind.is_format):
                is_coordinates = layout.data_type == PrimitiveData.COORDINATES
                m.d.sync += [has_format.eq(1), form.type.eq(layout.primitive_type), form.coordinates.eq(is_coordinates)]
            with m.Elif(kind.is_list & ~kind.is_compressed):
                m.d.sync += [has_format.eq(1), form.coordinates.eq(kind.coordinates)]
                self._set_type(m)
        return m

    def _look_up(self, m):
        """A row of the table of records."""
        kind, record = self.kind, self.record
        with m.Switch(record.code):
            for value, row in RECORDS.items():
                code, role = row.code, row.role
                last = Const(0)
                if row.layout and "last_tile_of_frame" in dict(data.Layout.cast(row.layout)):
                    last = fields_of(record, row.layout).last_tile_of_frame
                elif code is ControlCode.STORE_RESOLVED_TILE_COLOR_BUFFER_AND_END_FRAME:
                    last = Const(1)
                with m.Case(value):
                    m.d.comb += [
                        kind.out_of_place.eq(self._threads not in row.threads),
                        kind.configured.eq(role.needs_configuration),
                        kind.taken.eq(role is not Role.CONTROL),
                        kind.ends.eq(Const(1) if code in _FLUSHES else last),
                        kind.is_list.eq(role.is_list),
                        kind.is_elsewhere.eq(code in _ELSEWHERE),
                        kind.is_compressed.eq(role is Role.COMPRESSED_LIST),
                        kind.coordinates.eq(role is Role.COORDINATE_LIST),
                        kind.is_configuration.eq(role is Role.CONFIGURATION),
                        kind.is_shader.eq(role is Role.SHADER),
                        kind.is_vg.eq(code in _VG_SHADERS),
                        kind.is_format.eq(role is Role.FORMAT),
                        kind.is_flush.eq(code in _FLUSHES),
                    ]

    def _set_type(self, m):
        """By the mode of a list; it lies in the same bits of all of them."""
        mode = self.record.payload[: Shape.cast(PrimitiveMode).width]
        for types, coordinates in ((TYPES, 0), (VG_TYPES, 1)):
            with m.If(self.kind.coordinates == coordinates), m.Switch(mode):
                for value, type_ in types.items():
                    with m.Case(value):
                        m.d.sync += self.format.type.eq(type_)


def _has_no_codings(layout):
    """There are no compressed lists of some types with coordinates."""
    return Cat(
        (layout.data_type == kind) & ~Cat(layout.primitive_type == one for one in codings).any()
        for kind, codings in ((PrimitiveData.INDEX_16, CODINGS), (PrimitiveData.COORDINATES, COORDINATE_CODINGS))
    ).any()
