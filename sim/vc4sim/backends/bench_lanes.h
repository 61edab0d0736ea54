// The compiled GPU: what is there once, and the QPUs, each of which is a lane of the same design.
//
// In front of this file stand both designs, the access to their ports, and `joints`, which moves signals between them.

#include <algorithm>
#include <cstring>
#include <vector>

namespace bench {

namespace ports = v3d_ports;
using V3d = v3d::Design;
using Qpu = qpu::Instance;

inline bool high(const std::array<uint32_t, 1> &words) { return words[0]; }

// The first check that failed.
struct Checks {
    std::string failure;

    void require(bool condition, const char *text) {
        if (!condition && failure.empty())
            failure = text;
    }
};

class Gpu {
public:
    V3d v3d;
    std::vector<Qpu> qpus;

    Gpu() {
        for (size_t lane = 0; lane < joints::COUNT; lane++)
            qpus.push_back({parts, lane});
    }
    Gpu(const Gpu &) = delete;

    // Lets all signals follow registers and inputs. What the registers become is known then, too.
    void settle(Checks &) {
        for (int phase = 0; phase < joints::PHASES; phase++) {
            v3d.settle(phase);
            joints::give(v3d, parts, phase);
            parts.settle(phase);
            joints::take(v3d, parts, phase);
        }
    }

    // The same at the end of a clock: nothing must be wrong then.
    void eval(Checks &checks) {
        settle(checks);
        if (const char *failure = v3d.failure())
            checks.require(false, failure);
        if (const char *failure = parts.failure())
            checks.require(false, failure);
    }

    void commit() {
        v3d.commit();
        parts.commit();
    }

private:
    qpu::Design parts;
};

}  // namespace bench
