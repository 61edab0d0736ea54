// The memory of the native bench: does in every clock what `BenchMemory` does in hardware.

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace bench {

using cxxrtl::value;
using cxxrtl::wire;

constexpr uint32_t WORD_BYTES = 8, PAGE = 4096, IN_FLIGHT = 4;

// A port is a value or a wire, as the compiler of the GPU likes.
template<size_t Bits> const value<Bits> &read(const value<Bits> &port) { return port; }
template<size_t Bits> const value<Bits> &read(const wire<Bits> &port) { return port.curr; }
template<size_t Bits> value<Bits> &drive(value<Bits> &port) { return port; }
template<size_t Bits> value<Bits> &drive(wire<Bits> &port) { return port.next; }
template<class Port> bool high(const Port &port) { return read(port).bit(0); }

template<class Port> uint64_t field(const Port &port, size_t at, size_t width) {
    uint64_t bits = 0;
    for (size_t index = 0; index < width; index++)
        bits |= uint64_t(read(port).bit(at + index)) << index;
    return bits;
}

template<class Port> void set_field(Port &port, size_t at, size_t width, uint64_t bits) {
    for (size_t index = 0; index < width; index++)
        drive(port).set_bit(at + index, bits >> index & 1);
}

template<class Port> void set(Port &port, bool bit) { drive(port).set_bit(0, bit); }

struct Options {
    uint32_t base, size, latency, chance, seed, max_cycles, grace, hopeless_stalls;
};

struct Request {
    uint32_t address;
    bool write;
    uint32_t beats, tag;
};

struct Answer {
    uint32_t tag;
    bool error;
};

// The first check that failed. Checks are looked at only where all signals have settled.
struct Checks : cxxrtl::performer {
    bool settled = false;
    std::string failure;

    void require(bool condition, const char *text) {
        if (!condition && failure.empty())
            failure = text;
    }

    void on_check(cxxrtl::flavor type, bool condition, const cxxrtl::lazy_fmt &text,
                  const cxxrtl::metadata_map &) override {
        if (settled && type == cxxrtl::flavor::ASSERT && !condition)
            require(false, text().c_str());
    }
};

// The pauses of the channels: a draw for each of them in every clock.
struct Pauses {
    bool requests = false, writes = false, responses = false;
    uint32_t state;

    void next(uint32_t chance, bool response_offered) {
        requests = (state & 255) < chance;
        writes = (state >> 8 & 255) < chance;
        if (!response_offered)
            responses = (state >> 16 & 255) < chance;
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
    }
};

class Memory {
public:
    std::vector<uint8_t> bytes;

    Memory(const Options &options, const uint8_t *image, Checks &checks)
        : bytes(image, image + options.size), options(options), checks(checks), come(options.latency, false) {
        pauses.state = options.seed;
    }

    // Drives what memory says; it depends on what was before this clock only.
    template<class Gpu> void offer(Gpu &gpu) const {
        bool reads = waited && !requests.front().write;
        set(gpu.p_bus____requests____ready, requests.size() < IN_FLIGHT && !pauses.requests);
        set(gpu.p_bus____writes____ready,
            waited && requests.front().write && answers.size() < IN_FLIGHT && !pauses.writes);
        set(gpu.p_bus____responses____valid, (answers.size() || reads) && !pauses.responses);
        if (answers.size())
            respond(gpu, answers.front().tag, 0, true, answers.front().error);
        else if (reads)
            respond(gpu, requests.front().tag, word(), last(), !inside());
    }

    // Carries out the clock. Returns whether a word was written: `written` has it.
    template<class Gpu> bool clock(const Gpu &gpu) {
        bool offered = high(gpu.p_bus____responses____valid);
        bool responded = offered && high(gpu.p_bus____responses____ready);
        bool writes = high(gpu.p_bus____writes____valid) && high(gpu.p_bus____writes____ready);
        bool asked = high(gpu.p_bus____requests____valid) && high(gpu.p_bus____requests____ready);
        bool answered = responded && answers.size();
        if (high(gpu.p_bus____requests____valid))
            check_request(gpu);
        Request request = asked ? take(gpu) : Request{};
        if (answered)
            answers.pop_front();
        if (writes)
            write(gpu);
        if (writes || (responded && !answered))
            move();
        if (asked)
            requests.push_back(request);
        come[now] = asked;
        now = (now + 1) % options.latency;
        waited += come[now];
        pauses.next(options.chance, offered && !responded);
        return writes;
    }

    std::array<uint32_t, 4> written;  // address, strobes and data of the last word

private:
    const Options &options;
    Checks &checks;
    std::deque<Request> requests;
    std::deque<Answer> answers;
    Pauses pauses;
    std::vector<bool> come;  // in which of the last clocks requests came
    uint32_t now = 0, waited = 0, beat = 0;
    bool error = false;

    uint32_t address() const { return requests.front().address + beat * WORD_BYTES; }
    uint32_t offset() const { return address() - options.base; }
    bool inside() const { return offset() < options.size; }
    bool last() const { return beat == requests.front().beats; }

    uint64_t word() const {
        uint64_t bits = 0;
        for (uint32_t byte = 0; inside() && byte < WORD_BYTES; byte++)
            bits |= uint64_t(bytes[offset() + byte]) << 8 * byte;
        return bits;
    }

    template<class Gpu> static constexpr size_t tag_bits(const Gpu &gpu) {
        return read(gpu.p_bus____requests____payload).bits - 41;
    }

    template<class Gpu> static Request take(const Gpu &gpu) {
        const auto &payload = gpu.p_bus____requests____payload;
        return {uint32_t(field(payload, 0, 32)), bool(field(payload, 32, 1)), uint32_t(field(payload, 33, 8)),
                uint32_t(field(payload, 41, tag_bits(gpu)))};
    }

    template<class Gpu> static void respond(Gpu &gpu, uint32_t tag, uint64_t data, bool last, bool error) {
        auto &payload = gpu.p_bus____responses____payload;
        size_t tag_bits = Memory::tag_bits(gpu);
        set_field(payload, 0, tag_bits, tag);
        set_field(payload, tag_bits, 64, data);
        set_field(payload, tag_bits + 64, 1, last);
        set_field(payload, tag_bits + 65, 1, error);
    }

    template<class Gpu> void check_request(const Gpu &gpu) {
        Request request = take(gpu);
        uint32_t size = (request.beats + 1) * WORD_BYTES;
        checks.require(request.address % WORD_BYTES == 0, "an address is not aligned");
        checks.require(request.address % PAGE + size <= PAGE, "a request crosses 4 KiB");
    }

    template<class Gpu> void write(const Gpu &gpu) {
        const auto &payload = gpu.p_bus____writes____payload;
        uint64_t data = field(payload, 0, 64);
        uint32_t strobes = field(payload, 64, 8);
        checks.require(bool(field(payload, 72, 1)) == last(), "a write ends at the wrong word");
        for (uint32_t byte = 0; inside() && byte < WORD_BYTES; byte++)
            if (strobes >> byte & 1)
                bytes[offset() + byte] = data >> 8 * byte;
        written = {address(), strobes, uint32_t(data), uint32_t(data >> 32)};
        error |= !inside();
        if (last()) {
            answers.push_back({requests.front().tag, error});
            error = false;
        }
    }

    void move() {
        if (!last()) {
            beat++;
            return;
        }
        beat = 0;
        waited--;
        requests.pop_front();
    }
};

}  // namespace bench
