"""What a QPU asks of the semaphores and of the mutex."""

from amaranth.hdl import unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.isa.sync import SEMAPHORES

__all__ = ["SyncPort", "SyncRequest"]


class SyncRequest(data.Struct):
    """What an instruction waits for."""

    number: range(SEMAPHORES)  # of the semaphore
    acquire: unsigned(1)  # 1: the semaphore counts down, 0: up
    mutex: unsigned(1)  # it acquires the mutex instead


class SyncPort(wiring.Signature):
    """The side of the QPU of its port to semaphores and mutex.

    An instruction that could be issued but for its request makes the request, and is issued while it is granted.

    Interface attributes
    --------------------
    request, request_valid : stands until it is taken, or is withdrawn; another one comes a clock later or more
    granted : the request can be taken; falls in the clock after it is taken or withdrawn
    take : the instruction is issued: now it happens
    free_mutex : the mutex is free from the next clock on
    """

    def __init__(self):
        super().__init__(
            {
                "request": Out(SyncRequest),
                "request_valid": Out(1),
                "granted": In(1),
                "take": Out(1),
                "free_mutex": Out(1),
            }
        )

    def __eq__(self, other):
        return isinstance(other, SyncPort)

    def __repr__(self):
        return "SyncPort()"
