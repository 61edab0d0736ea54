"""The VPM once more, element by element, as figures 8 and 9 and tables 32 to 37 of the guide draw it. Slow, and plain.

Written from the guide and from sections 8.4 to 8.6 of the QPU facts, not from the model: set-ups stay words of 32 bits of
which each formula takes its bits, words are a list of lists, and a DMA moves one element after the other with cursors.
"""

ROWS_NAMED, COLUMNS = 128, 16
READ_AHEAD, READS_WAITING = 8, 2


def bits(word, high, low):
    """Bits `high` to `low` as the guide counts them."""
    return word >> low & (1 << high - low + 1) - 1


def element_of_vector(setup, address, element):
    """Where an element lies: row, column, lowest bit, width in bits. The rows of table 8.4, one `if` each."""
    size, laned, horizontal = bits(setup, 9, 8), bits(setup, 10, 10), bits(setup, 11, 11)
    half, byte = bits(address, 0, 0), bits(address, 1, 0)
    if size == 2 and horizontal:
        return bits(address, 5, 0), element, 0, 32
    if size == 1 and horizontal and not laned:
        return bits(address, 6, 1), 8 * half + element // 2, 16 * (element % 2), 16
    if size == 1 and horizontal and laned:
        return bits(address, 6, 1), element, 16 * half, 16
    if size == 0 and horizontal and not laned:
        return bits(address, 7, 2), 4 * byte + element // 4, 8 * (element % 4), 8
    if size == 0 and horizontal and laned:
        return bits(address, 7, 2), element, 8 * byte, 8
    if size == 2:
        return 16 * bits(address, 5, 4) + element, bits(address, 3, 0), 0, 32
    if size == 1 and not laned:
        return 16 * bits(address, 6, 5) + 8 * half + element // 2, bits(address, 4, 1), 16 * (element % 2), 16
    if size == 1 and laned:
        return 16 * bits(address, 6, 5) + element, bits(address, 4, 1), 16 * half, 16
    if size == 0 and not laned:
        return 16 * bits(address, 7, 6) + 4 * byte + element // 4, bits(address, 5, 2), 8 * (element % 4), 8
    assert size == 0
    return 16 * bits(address, 7, 6) + element, bits(address, 5, 2), 8 * byte, 8


def width_of(mode):
    """MODEW: bytes of an element, and which half or byte of the word is the first."""
    return {0: (4, 0), 2: (2, 0), 3: (2, 1), 4: (1, 0), 5: (1, 1), 6: (1, 2), 7: (1, 3)}[mode]


class Cursor:
    """A place in the VPM that walks along a row, or down a column."""

    def __init__(self, row, column, part, width, horizontal, laned=False):
        self.row, self.column, self.part = row % ROWS_NAMED, column % COLUMNS, part
        self.width, self.horizontal, self.laned = width, horizontal, laned

    def step(self):
        """On to the next element: the next part of the word, or the next word if there is none, or only one is taken."""
        if not self.laned and (self.part + 1) * self.width < 4:
            self.part += 1
            return
        if not self.laned:
            self.part = 0
        if self.horizontal:
            self.column += 1
            if self.column == COLUMNS:
                self.column = 0
                self.row += 1
        else:
            self.row += 1
        if self.row == ROWS_NAMED:
            self.row = 0


class Port:
    """The set-ups of one QPU, as they were written."""

    def __init__(self):
        self.write_setup = self.write_count = 0
        self.store_basic, self.store_stride = 2 << 30, 3 << 30
        self.load_basic, self.load_extended = 1 << 31, 9 << 28
        self.forget()

    def forget(self):
        """Reads: every vector that was asked for, as (set-up, number in its set-up); how many were fetched, and popped."""
        self.asked, self.fetched, self.popped = [], [], 0
        self.last_of_reads = []


class ReferenceVpm:
    """The VPM with its ports, and a memory: bytes that lie from `base` on.

    wrote : bytes that the last store wrote, by their address
    errors : names of bits of ERRSTAT
    fault : some byte of a DMA was not in memory
    """

    def __init__(self, rows, base, image, ports=1):
        self.words = [[0] * COLUMNS for _ in range(rows)]
        self.user_rows = min(rows, 4 * 31)
        self.base, self.memory = base, bytearray(image)
        self.ports = [Port() for _ in range(ports)]
        self.wrote = {}
        self.errors = set()
        self.fault = False

    def reserve(self, blocks):
        """Table 69: multiples of 256 bytes, which are four rows."""
        self.user_rows = min(4 * blocks, len(self.words))

    def _outside(self, row, way):
        """Whether a row is out of reach; notes the error of `way`, R or W."""
        if row < self.user_rows:
            return False
        names = {"R": ("VPMERR", "VPMERNA"), "W": ("VPMEWR", "VPMEWNA")}[way]
        self.errors.add(names[row < len(self.words)])
        return True

    def get(self, row, column, low, width):
        """`width` bits of a word."""
        if self._outside(row, "R"):
            return 0
        return self.words[row][column] >> low & (1 << width) - 1

    def put(self, row, column, low, width, value):
        """The same, written."""
        if self._outside(row, "W"):
            return
        mask = (1 << width) - 1 << low
        self.words[row][column] = self.words[row][column] & ~mask | value << low & mask

    # Vectors

    def vw_setup(self, number, word):
        """Tables 32, 34, 35."""
        port, kind = self.ports[number], bits(word, 31, 30)
        if kind == 0:
            port.write_setup, port.write_count = word, 0
        elif kind == 1:
            self.errors.add("VPMEWR")
        elif kind == 2:
            port.store_basic = word
        else:
            port.store_stride = word

    @staticmethod
    def _address(setup, number):
        """Of vector `number` of a set-up."""
        return (bits(setup, 7, 0) + number * (bits(setup, 17, 12) or 64)) % 256

    def vpm_write(self, number, vector):
        """Sixteen values."""
        port = self.ports[number]
        if bits(port.write_setup, 9, 8) == 3:
            self.errors.add("VPMEWR")
            return
        address = self._address(port.write_setup, port.write_count)
        port.write_count += 1
        for element, value in enumerate(vector):
            row, column, low, width = element_of_vector(port.write_setup, address, element)
            self.put(row, column, low, width, value)

    def vr_setup(self, number, word):
        """Tables 33, 36, 37."""
        port = self.ports[number]
        if bits(word, 31, 28) == 9:
            port.load_extended = word
        elif bits(word, 31, 31):
            port.load_basic = word
        elif bits(word, 30, 30):
            self.errors.add("VPMERR")
        else:
            waiting = [last for last in port.last_of_reads if last > port.popped]
            if len(waiting) < READS_WAITING:
                port.asked += [(word, vector) for vector in range(bits(word, 23, 20) or 16)]
                port.last_of_reads.append(len(port.asked))
                self._fetch(port)

    def _fetch(self, port):
        """As far as there is something to fetch and room for it."""
        while len(port.fetched) < min(len(port.asked), port.popped + READ_AHEAD):
            setup, number = port.asked[len(port.fetched)]
            if bits(setup, 9, 8) == 3:
                self.errors.add("VPMERR")
                port.fetched.append([0] * 16)
                continue
            address = self._address(setup, number)
            port.fetched.append([self.get(*element_of_vector(setup, address, element)) for element in range(16)])

    def vpm_read(self, number):
        """Sixteen values, or `None`: it waits for ever."""
        port = self.ports[number]
        if port.popped == len(port.fetched):
            return None
        vector = port.fetched[port.popped]
        port.popped += 1
        self._fetch(port)
        return vector

    def end(self, number):
        """Of a program."""
        self.ports[number].forget()

    # DMA

    def _in_memory(self, address, error):
        """Whether a byte of a block is there; it is lost if it is not."""
        inside = 0 <= address - self.base < len(self.memory)
        if not inside:
            self.fault = True
            self.errors.add(error)
        return inside

    def vr_addr(self, number, address):
        """A load (tables 36 and 37)."""
        setup = self.ports[number].load_basic
        width, part = width_of(bits(setup, 30, 28))
        rows, length, pitch = (bits(setup, *place) or 16 for place in ((19, 16), (23, 20), (15, 12)))
        memory_pitch = bits(setup, 27, 24)
        memory_pitch = 8 * 2**memory_pitch if memory_pitch else bits(self.ports[number].load_extended, 12, 0)
        row, column = bits(setup, 10, 4), bits(setup, 3, 0)
        parts = 4 // width
        for _ in range(rows):
            cursor = Cursor(row, column, part, width, horizontal=not bits(setup, 11, 11))
            for element in range(length):
                for byte in range(width):
                    place = (address + element * width + byte) % 2**32
                    if self._in_memory(place, "VCDE"):
                        low = 8 * (width * cursor.part + byte)
                        self.put(cursor.row, cursor.column, low, 8, self.memory[place - self.base])
                cursor.step()
            # VPITCH is added to {Y, part}.
            for _ in range(pitch):
                part += 1
                if part == parts:
                    part, row = 0, row + 1
            address = (address + memory_pitch) % 2**32

    def vw_addr(self, number, address):
        """A store (tables 34 and 35)."""
        self.wrote = {}
        setup, stride = self.ports[number].store_basic, self.ports[number].store_stride
        if bits(setup, 2, 0) == 1:
            self.errors.add("VDWE")
            return
        width, part = width_of(bits(setup, 2, 0))
        units, depth = bits(setup, 29, 23) or 128, bits(setup, 22, 16) or 128
        horizontal = bits(setup, 14, 14)
        row, column = bits(setup, 13, 7), bits(setup, 6, 3)
        packed = bits(stride, 16, 16) and not (width == 4 and depth == 1)
        cursor = Cursor(row, column, part, width, horizontal, laned=bits(setup, 15, 15))
        for unit in range(units):
            if not packed:
                down, along = (unit, 0) if horizontal else (0, unit)
                cursor = Cursor(row + down, column + along, part, width, horizontal, laned=bits(setup, 15, 15))
            data = []
            for _ in range(depth):
                value = self.get(cursor.row, cursor.column, 8 * width * cursor.part, 8 * width)
                data += [value >> 8 * byte & 255 for byte in range(width)]
                cursor.step()
            for value in data:
                if self._in_memory(address, "VDWE"):
                    self.memory[address - self.base] = value
                    self.wrote[address] = value
                address = (address + 1) % 2**32
            address = (address + bits(stride, 15, 0)) % 2**32
