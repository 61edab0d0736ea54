"""What compressed lists hold, as the binning list says."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from vc4.cle.structs import ListFormat, PipelineRecord, fields_of
from vc4.records.control import RECORDS, Role
from vc4.records.primitives import TYPES, VG_TYPES, PrimitiveData

__all__ = ["NewestForm"]

_ROWS = [row for row in RECORDS.values() if row.role in (Role.FORMAT, Role.INDEX_LIST, Role.COORDINATE_LIST)]


class NewestForm(wiring.Component):
    """Remembers the format that the last list or format has said (docs/reference/rendering.md, tile lists: flush; `format_of` of
    the model).

    Interface attributes
    --------------------
    record : any one
    says : it says a format
    take : strobe: it counts from now on
    form, known : the format, and whether there is one
    """

    record: In(PipelineRecord)
    says: Out(1)
    take: In(1)
    form: Out(ListFormat)
    known: Out(1)

    def elaborate(self, platform):
        m = Module()
        said = Signal(ListFormat)
        with m.Switch(self.record.code):
            for row in _ROWS:
                with m.Case(row.code):
                    m.d.comb += self.says.eq(1)
                    self._say(m, row.role, fields_of(self.record, row.layout), said)
        with m.If(self.take & self.says):
            m.d.sync += [self.form.eq(said), self.known.eq(1)]
        return m

    def _say(self, m, role, fields, said):
        if role is Role.FORMAT:
            m.d.comb += said.type.eq(fields.primitive_type)
            m.d.comb += said.coordinates.eq(fields.data_type == PrimitiveData.COORDINATES)
            return
        is_vg = role is Role.COORDINATE_LIST
        m.d.comb += said.coordinates.eq(is_vg)
        with m.Switch(fields.primitive_type if is_vg else fields.primitive_mode):
            for mode, kind in (VG_TYPES if is_vg else TYPES).items():
                with m.Case(mode):
                    m.d.comb += said.type.eq(kind)
