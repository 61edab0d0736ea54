// What every compiled GPU has for its bench: what fails, and ports of a bit.

#include <string>

namespace bench {

inline bool high(const std::array<uint32_t, 1> &words) { return words[0]; }

// The first check that failed: of the RTL, but for exported Verilog, which has none, and of the bench.
struct Checks {
    std::string failure;

    void require(bool condition, const char *text) {
        if (!condition && failure.empty())
            failure = text;
    }
};

}  // namespace bench
