"""A host that reaches registers and memory over a stream of bytes."""

from amaranth import *
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from vc4.bus.axi import AxiLitePort
from vc4.bus.port import BUS_BYTES, MemoryPort
from vc4.common.ram import BlockRam
from vc4.regs.register import WORD_BITS
from vc4.regs.table import OFFSET_BITS

from .answer_sender import AnswerSender
from .memory_access import MemoryAccess
from .protocol import FACT_BITS, MOST_WORDS, PAGE_BITS, WORD_BYTES, Answer, Command, Fact, Status
from .register_access import RegisterAccess
from .request_receiver import RequestReceiver
from .structs import INDEX_BITS
from .written_pages import PAGES_OF_A_WORD

__all__ = ["HostBridge"]


class HostBridge(wiring.Component):
    """Does what the requests of a host ask for, each once, and answers (`docs/reference/uart.md`).

    Behaviour: one request at a time; what comes until the answer to it is sent is ignored. A request with the number of the one
    before is that one again: it is answered as before, and nothing is done. One with the number after that is new. Any other
    one is dropped, but for CONNECT, which has any number.

    Parameters
    ----------
    gap_clocks : see `RequestReceiver`
    tag_bits : of the way to memory

    Interface attributes
    --------------------
    i, o : the bytes
    m_axil : the registers
    memory : memory
    facts : by the numbers of `Fact`
    reset, reset_done : reset the GPU, until that is done
    pages_start, pages_first, pages, pages_done : see `WrittenPages`
    """

    def __init__(self, *, gap_clocks: int, tag_bits: int):
        self._gap_clocks, self._tag_bits = gap_clocks, tag_bits
        super().__init__(
            {
                "i": In(stream.Signature(8, always_ready=True)),
                "o": Out(stream.Signature(8)),
                "m_axil": Out(AxiLitePort(address_bits=OFFSET_BITS)),
                "memory": Out(MemoryPort(word_bytes=BUS_BYTES, tag_bits=tag_bits)),
                "facts": In(data.ArrayLayout(FACT_BITS, len(Fact))),
                "reset": Out(1),
                "reset_done": In(1),
                "pages_start": Out(1),
                "pages_first": Out(32 - PAGE_BITS),
                "pages": In(PAGES_OF_A_WORD),
                "pages_done": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = RequestReceiver(self._gap_clocks)
        m.submodules.sender = sender = AnswerSender()
        m.submodules.registers = registers = RegisterAccess()
        m.submodules.access = access = MemoryAccess(self._tag_bits)
        # The words of a request, and after them those of an answer, which may be wanted again.
        m.submodules.buffer = buffer = BlockRam(8 * WORD_BYTES, 2 * MOST_WORDS, granularity=8, exclusive=True)
        connect(m, flipped(self.i), receiver.i)
        connect(m, sender.o, flipped(self.o))
        connect(m, registers.m_axil, flipped(self.m_axil))
        connect(m, access.bus, flipped(self.memory))
        request = receiver.request
        answer = Signal(Answer)
        word = Signal(8 * WORD_BYTES)  # of the answer, written if
        word_stb = Signal()
        index = Signal(INDEX_BITS)
        operand = Signal(WORD_BITS)
        begins = Signal()
        m.d.comb += [
            sender.answer.eq(answer),
            sender.word.eq(buffer.read_data),
            access.read_word.eq(buffer.read_data),
            buffer.read_enable.eq(~receiver.word_stb),
            buffer.read_address.eq(access.word_index),
            buffer.write_address.eq(receiver.word_index),
            buffer.write_data.eq(receiver.byte.replicate(WORD_BYTES)),
            buffer.write_enable.eq(receiver.word_stb << receiver.word_byte),
        ]
        with m.If(word_stb):
            m.d.comb += [
                buffer.write_address.eq(index + MOST_WORDS),
                buffer.write_data.eq(word),
                buffer.write_enable.eq((1 << WORD_BYTES) - 1),
            ]
        with m.If(begins):
            m.d.sync += operand.eq(buffer.read_data)  # the first word, which has been read before all others
        with m.FSM(name="request"):
            self._wait(m, receiver, answer)
            self._begin(m, request, (answer, begins), registers, access)
            self._act(m, request, answer, (word_stb, index, word), registers, access)
            with m.State("START"):
                m.d.comb += sender.start.eq(1)
                m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += buffer.read_address.eq(sender.word_index + MOST_WORDS)
                with m.If(sender.done):
                    m.next = "WAIT"
        self._operands(m, request, operand, registers, access)
        return m

    def _wait(self, m, receiver, answer):
        """The next request, if it is one whose turn it is."""
        connected = Signal()
        connects = Signal()
        distance = Signal(8)
        m.d.comb += [
            connects.eq(receiver.request.command == Command.CONNECT),
            distance.eq(receiver.request.sequence - answer.sequence),
        ]
        with m.State("WAIT"):
            m.d.comb += receiver.listen.eq(1)
            with m.If(receiver.request_stb & (connects | (connected & (distance == 1)))):
                m.d.sync += [
                    connected.eq(1),
                    answer.eq(Cat(receiver.request.sequence, Const(Status.OK, 8), Const(0, 8))),
                ]
                m.next = "BEGIN"
            with m.Elif(receiver.request_stb & connected & (distance == 0)):
                m.next = "START"

    def _begin(self, m, request, about, registers, access):
        """A new request."""
        answer, begins = about
        aligned = request.address[: len(request.address) - len(access.address)] == 0
        one = request.words == 1
        with m.State("BEGIN"):
            m.d.comb += begins.eq(1)
            m.next = "REFUSE"
            with m.Switch(request.command):
                with m.Case(Command.CONNECT, Command.FACTS):
                    m.next = "FACTS"
                with m.Case(Command.RESET):
                    m.next = "RESET"
                with m.Case(Command.REGISTER_READ, Command.REGISTER_WRITE):
                    with m.If(one):
                        m.d.comb += registers.start.eq(1)
                        m.next = "REGISTER"
                with m.Case(Command.MEMORY_READ, Command.MEMORY_WRITE):
                    with m.If(aligned):
                        m.d.comb += access.start.eq(1)
                        m.next = "MEMORY"
                with m.Case(Command.MEMORY_CLEAR):
                    with m.If(aligned & one):
                        m.d.comb += access.start.eq(1)
                        m.next = "MEMORY"
                with m.Case(Command.PAGES):
                    with m.If(one):
                        m.d.comb += self.pages_start.eq(1)
                        m.next = "PAGES"
        with m.State("REFUSE"):
            m.d.sync += answer.status.eq(Status.BAD_REQUEST)
            m.next = "START"

    def _act(self, m, request, answer, written, registers, access):
        """What is asked for, until it is done."""
        word_stb, index, word = written
        place = Signal(range(len(Fact)))
        with m.State("FACTS"):
            m.d.comb += [word_stb.eq(1), index.eq(place), word.eq(self.facts[place])]
            m.d.sync += [answer.words.eq(len(Fact)), place.eq(place + 1)]
            with m.If(place == len(Fact) - 1):
                m.d.sync += place.eq(0)
                m.next = "START"
        with m.State("RESET"):
            m.d.comb += self.reset.eq(1)
            with m.If(self.reset_done):
                m.next = "START"
        with m.State("REGISTER"):
            m.d.comb += [word_stb.eq(registers.done), word.eq(registers.read_word)]
            with m.If(registers.done):
                m.d.sync += answer.words.eq(~registers.write)
                m.next = "START"
        with m.State("MEMORY"):
            m.d.comb += [word_stb.eq(access.write_stb), index.eq(access.word_index), word.eq(access.write_word)]
            with m.If(access.done):
                m.d.sync += answer.words.eq(Mux(access.write, 0, request.words))
                m.next = "JUDGE"
        with m.State("JUDGE"):
            with m.If(access.error):
                m.d.sync += [answer.status.eq(Status.MEMORY_ERROR), answer.words.eq(0)]
            m.next = "START"
        with m.State("PAGES"):
            with m.If(self.pages_done):
                m.next = "PAGES_DONE"
        with m.State("PAGES_DONE"):
            m.d.comb += [word_stb.eq(1), word.eq(self.pages)]
            m.d.sync += answer.words.eq(1)
            m.next = "START"

    def _operands(self, m, request, operand, registers, access):
        """Of what a request asks for: its fields, and the first of its words."""
        m.d.comb += [
            registers.offset.eq(request.address),
            registers.write.eq(request.command == Command.REGISTER_WRITE),
            registers.word.eq(operand),
            access.address.eq(request.address[len(request.address) - len(access.address) :]),
            access.clears.eq(request.command == Command.MEMORY_CLEAR),
            access.write.eq((request.command == Command.MEMORY_WRITE) | access.clears),
            access.words.eq(Mux(access.clears, operand, request.words)),
            self.pages_first.eq(request.address),
        ]
