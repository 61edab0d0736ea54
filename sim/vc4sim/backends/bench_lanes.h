// The compiled GPU: what is there once, and kinds of parts that are there several times, all of a kind lanes of one design.
//
// In front of this file stand the designs, the access to their ports, and `joints`, which moves signals between them.

#include <algorithm>
#include <cstring>
#include <vector>

namespace bench {

namespace ports = v3d_ports;
using V3d = v3d::Design;
using Qpu = qpu::Instance;

class Gpu {
public:
    V3d v3d;
    std::vector<Qpu> qpus;

    Gpu() {
        for (size_t lane = 0; lane < joints::qpu::COUNT; lane++)
            qpus.push_back({std::get<joints::qpu>(kinds).design, lane});
    }
    Gpu(const Gpu &) = delete;

    // Lets all signals follow registers and inputs. What the registers become is known then, too.
    void settle(Checks &) {
        for (int phase = 0; phase < joints::PHASES; phase++) {
            v3d.settle(phase);
            std::apply([&](auto &...kind) { (kind.settle(v3d, phase), ...); }, kinds);
        }
    }

    // The same at the end of a clock: nothing must be wrong then.
    void eval(Checks &checks) {
        settle(checks);
        check(v3d, checks);
        std::apply([&](auto &...kind) { (check(kind.design, checks), ...); }, kinds);
    }

    void commit() {
        v3d.commit();
        std::apply([](auto &...kind) { (kind.design.commit(), ...); }, kinds);
    }

    // One of a kind.
    template<class Joint> typename Joint::Instance part(size_t number) const { return {std::get<Joint>(kinds).design, number}; }

private:
    joints::Kinds kinds;

    template<class Design> static void check(const Design &design, Checks &checks) {
        if (const char *failure = design.failure())
            checks.require(false, failure);
    }
};

}  // namespace bench
