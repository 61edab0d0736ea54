"""A serial device, which a link sends bytes through."""

import os
from types import TracebackType
from typing import Protocol

from ..problem import BadInput

__all__ = ["DEFAULT_BAUD", "PREFIX", "LineGone", "SerialLine", "Transport", "device_of", "is_device"]

#: What the name of an engine begins with that is a board.
PREFIX = "uart:"
DEFAULT_BAUD = 115_200
_BAUDS = range(300, 12_000_001)
#: Seconds after which bytes that nobody takes are given up.
_WRITE_SECONDS = 2.0


class LineGone(BadInput):
    """The device cannot be opened, or is there no more."""


class Transport(Protocol):
    """Bytes out, bytes in.

    name : for messages
    baud : bits of a second; a byte has ten
    """

    name: str
    baud: int

    def read(self, seconds: float) -> bytes:
        """All that has come; waits for something so long at the most."""
        ...

    def write(self, data: bytes) -> None:
        """Send bytes; some may be lost."""
        ...


def is_device(name: object) -> bool:
    """Whether a name is `uart:DEVICE` or `uart:DEVICE,BAUD`."""
    return isinstance(name, str) and name.startswith(PREFIX)


def device_of(name: str) -> tuple[str, int]:
    """The device and the bits of a second that such a name says. Raises `BadInput`."""
    device, comma, text = name.removeprefix(PREFIX).partition(",")
    baud = int(text) if text.isdecimal() and len(text) < 9 else 0
    if not device or (comma and baud not in _BAUDS):
        raise BadInput(
            f"{name}: a board is {PREFIX}DEVICE or {PREFIX}DEVICE,BAUD, as in {PREFIX}/dev/ttyUSB0,{DEFAULT_BAUD}"
        )
    return device, baud if comma else DEFAULT_BAUD


class SerialLine:
    """A `Transport` over a device of the system, which nobody else has open. Raises `LineGone`."""

    def __init__(self, device: str, baud: int):
        try:
            import serial
        except ModuleNotFoundError:
            raise BadInput("boards need pyserial: pip install 'vc4-rtl[uart]'") from None
        self.name, self.baud, self._lost = device, baud, serial.SerialTimeoutException
        try:
            self._serial = serial.Serial(device, baud, timeout=0, write_timeout=_WRITE_SECONDS, exclusive=True)
        except (OSError, ValueError) as error:
            raise LineGone(f"{device}: {_reason(error)}") from None

    def __enter__(self) -> "SerialLine":
        """Itself; it is closed at the end."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        self._serial.close()

    def read(self, seconds: float) -> bytes:
        """See `Transport`."""
        try:
            self._serial.timeout = seconds
            data = self._serial.read(1)
            return data + (self._serial.read(self._serial.in_waiting) if data else b"")
        except OSError as error:
            raise LineGone(f"{self.name}: {_reason(error)}") from None

    def write(self, data: bytes) -> None:
        """See `Transport`."""
        try:
            self._serial.write(data)
        except self._lost:
            self._serial.reset_output_buffer()
        except OSError as error:
            raise LineGone(f"{self.name}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """What went wrong, without what pyserial says around it."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error)
