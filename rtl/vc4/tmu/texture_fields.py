"""Some fields of the lookups under way."""

from amaranth import *
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.common.ram import LutRam

from .texture import CONTEXTS, Lookup, LookupNote

__all__ = ["TextureFields"]


class TextureFields(wiring.Component):
    """Keeps what a stage of the sampler needs of each lookup under way.

    Behaviour: the fields of any lookup, a clock later.

    Parameters
    ----------
    names : of fields of `Lookup`

    Interface attributes
    --------------------
    note, note_stb : a lookup is set up
    context, enable : the lookup that is asked for; without `enable` the fields stay what they are
    o : its fields
    """

    def __init__(self, *names: str):
        self._names = names
        members = data.Layout.cast(Lookup)
        self._layout = data.StructLayout({name: members[name].shape for name in names})
        super().__init__(
            {
                "note": In(LookupNote),
                "note_stb": In(1),
                "context": In(range(CONTEXTS)),
                "enable": In(1, init=1),
                "o": Out(self._layout),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.places = places = LutRam(self._layout.size, CONTEXTS)
        m.d.comb += [
            places.write_enable.eq(self.note_stb),
            places.write_address.eq(self.note.context),
            places.write_data.eq(Cat(self.note.lookup[name] for name in self._names)),
            places.read_address.eq(self.context),
        ]
        with m.If(self.enable):
            m.d.sync += Value.cast(self.o).eq(places.read_data)
        return m
