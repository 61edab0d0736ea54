// Which variables of a design change, clock by clock, in a file: their names, each in a line, an empty line, and then for each clock a
// bit for each of them, the first one in the lowest bit of the first byte.

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

class Recorder {
public:
    explicit Recorder(const std::string &path) : file(path, std::ios::binary) {}

    // At the end of a clock, each variable has its turn, in the same order every time.
    template<class Variable> void note(const char *name, const Variable &variable) {
        if (is_first)
            file << name << '\n';
        const size_t end = place + sizeof variable;
        if (before.size() < end)
            before.resize(end);
        const bool changes = std::memcmp(&before[place], &variable, sizeof variable);
        if (changes)
            std::memcpy(&before[place], &variable, sizeof variable);
        if (number % 8 == 0)
            bits.push_back('\0');
        bits.back() |= char(changes << number++ % 8);
        place = end;
    }

    void end() {
        if (is_first)
            file << '\n';
        else
            file << bits << std::flush;
        is_first = false;
        bits.clear();
        place = number = 0;
    }

private:
    std::ofstream file;
    std::string bits;
    std::vector<char> before;
    size_t place = 0, number = 0;
    bool is_first = true;
};
