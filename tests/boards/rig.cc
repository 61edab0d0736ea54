// A board's system as native code: its serial line is a file, a pseudo-terminal or a socket.
#include <cstdint>
#include <deque>
#include <poll.h>
#include <unistd.h>
#include <vector>

namespace {
constexpr int BITS = 10; // of a byte on the line: start bit, byte, stop bit

// Bytes to the board, a bit every `divisor` clocks.
struct Sender {
    uint32_t divisor, bits = 0, left = 0, timer = 0;
    bool idle() const { return left == 0; }
    void send(uint8_t byte) { bits = 1u << 9 | byte << 1, left = BITS, timer = divisor; }
    bool line() {
        if (!left)
            return true;
        const bool bit = bits & 1;
        if (--timer == 0)
            bits >>= 1, left--, timer = divisor;
        return bit;
    }
};

// Bytes from the board, each bit looked at in its middle.
struct Receiver {
    uint32_t divisor, bits = 0, seen = 0, timer = 0;
    bool look(bool line, uint8_t &byte) {
        if (!seen) {
            if (!line)
                seen = 1, timer = divisor / 2;
            return false;
        }
        if (timer && --timer)
            return false;
        timer = divisor;
        bits = bits >> 1 | uint32_t(line) << 9;
        if (seen++ < BITS)
            return false;
        seen = 0;
        byte = bits >> 1;
        return line;
    }
};

// What TAG_BITS is defined for has memory outside: one request after the other, a word a clock.
#ifdef TAG_BITS
class Memory {
    std::vector<uint64_t> words_;
    struct Request {
        uint32_t address, beats, tag;
        bool write;
    };
    std::deque<Request> requests_;
    uint32_t beat_ = 0;
    bool written_ = false; // the last word of a write has come

  public:
    explicit Memory(size_t size) : words_(size / 8) {}
    void offer(design::Design &board) {
        const bool reads = !requests_.empty() && !requests_[0].write, answers = reads || written_;
        std::array<uint32_t, 3> response{};
        if (answers) {
            const Request &request = requests_[0];
            const uint64_t word = reads ? words_[(request.address / 8 + beat_) % words_.size()] : 0;
            const bool last = written_ || beat_ == request.beats;
            const auto low = (unsigned __int128)(word) << TAG_BITS | request.tag |
                             (unsigned __int128)(last) << (64 + TAG_BITS);
            response = {uint32_t(low), uint32_t(low >> 32), uint32_t(low >> 64)};
        }
        design_ports::outside__responses__payload(board, response);
        design_ports::outside__responses__valid(board, {answers});
        design_ports::outside__requests__ready(board, {requests_.size() < 4});
        design_ports::outside__writes__ready(board, {!requests_.empty() && requests_[0].write && !written_});
    }
    void look(design::Instance board) {
        const bool takes = requests_.size() < 4, writes = !requests_.empty() && requests_[0].write && !written_;
        if ((written_ || (!requests_.empty() && !requests_[0].write)) && design_ports::outside__responses__ready(board)[0]) {
            if (written_ || beat_++ == requests_[0].beats)
                requests_.pop_front(), beat_ = 0, written_ = false;
        }
        if (writes && design_ports::outside__writes__valid(board)[0]) {
            const auto given = design_ports::outside__writes__payload(board);
            uint64_t &word = words_[(requests_[0].address / 8 + beat_++) % words_.size()];
            for (int byte = 0; byte < 8; byte++)
                if (given[2] >> byte & 1) {
                    const uint64_t mask = 0xffull << 8 * byte;
                    word = (word & ~mask) | ((given[0] | uint64_t(given[1]) << 32) & mask);
                }
            written_ = given[2] >> 8 & 1;
        }
        if (takes && design_ports::outside__requests__valid(board)[0]) {
            const auto given = design_ports::outside__requests__payload(board);
            requests_.push_back({given[0], given[1] >> 1 & 255, given[1] >> 9, bool(given[1] & 1)});
        }
    }
};
#else
class Memory {
  public:
    explicit Memory(size_t) {}
    void offer(design::Design &) {}
    void look(design::Instance) {}
};
#endif
} // namespace

// Runs while `*stop` is 0, and returns the number of clocks; 0 if a check of the hardware fails. Looks for bytes every so often.
extern "C" uint64_t serve(int file, uint32_t divisor, uint32_t memory_bytes, const volatile uint32_t *stop) {
    static design::Design board;
    board = design::Design();
    Sender sender{divisor};
    Receiver receiver{divisor};
    Memory memory(memory_bytes);
    uint8_t come[256];
    ssize_t count = 0, next = 0;
    uint64_t clock = 0;
    for (; !*stop; clock++) {
        if (sender.idle() && next == count && clock % 64 == 0) {
            pollfd waiting{file, POLLIN, 0};
            next = 0;
            count = poll(&waiting, 1, 0) > 0 && waiting.revents & POLLIN ? read(file, come, sizeof come) : 0;
            count = count < 0 ? 0 : count;
        }
        if (sender.idle() && next < count)
            sender.send(come[next++]);
        design_ports::rx(board, {sender.line()});
        memory.offer(board);
        board.settle(0);
        memory.look(board);
        uint8_t byte;
        if (receiver.look(design_ports::tx(board)[0], byte) && write(file, &byte, 1) != 1)
            return clock + 1;
        if (board.failure())
            return 0;
        board.commit();
    }
    return clock + 1;
}
