"""Byte memory with bounds."""

__all__ = ["Memory", "MemoryFault"]


class MemoryFault(Exception):
    """An access outside of memory: `address`, and what wanted it."""

    def __init__(self, address: int, access: str):
        super().__init__(f"{access} at {address:#010x} is outside of memory")
        self.address = address


class Memory:
    """`size` bytes from `base` on, at first `image` and then zeros, little endian.

    `on_write`, if set, is called with address and bytes of every write. Raises `MemoryFault` outside of the range.
    """

    def __init__(self, size: int, base: int = 0, image: bytes = b""):
        if len(image) > size:
            raise ValueError(f"an image of {len(image)} bytes does not fit {size} bytes of memory")
        self.base = base
        self.data = bytearray(image) + bytearray(size - len(image))
        self.on_write = None

    def _offset(self, address: int, length: int, access: str) -> int:
        offset = address - self.base
        if not 0 <= offset <= len(self.data) - length:
            raise MemoryFault(address, access)
        return offset

    def read(self, address: int, length: int, access: str = "read") -> bytes:
        """`length` bytes; `access` names the reader in a fault."""
        offset = self._offset(address, length, access)
        return bytes(self.data[offset : offset + length])

    def read_int(self, address: int, length: int, access: str = "read") -> int:
        """`length` bytes as an unsigned number."""
        return int.from_bytes(self.read(address, length, access), "little")

    def write(self, address: int, data: bytes, access: str = "write") -> None:
        """Store `data`; `access` names the writer in a fault."""
        offset = self._offset(address, len(data), access)
        self.data[offset : offset + len(data)] = data
        if self.on_write:
            self.on_write(address, data)
