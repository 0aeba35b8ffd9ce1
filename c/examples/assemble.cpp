// Assembles the lines of standard input to bytes in hexadecimal: assemble SET GENERATION, with "-" where there is one generation.

#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "isadl.h"

namespace {

std::string message()
{
    std::string text(isadl_message(nullptr, 0), '\0');
    isadl_message(text.data(), text.size() + 1);
    return text;
}

/// An instruction set that is closed in any case.
class Set {
public:
    Set(const char *path, const char *generation)
    {
        isadl_set *opened = nullptr;
        if (isadl_open(path, generation, nullptr, &opened) != ISADL_STATUS_OK)
            throw std::runtime_error(message());
        own.reset(opened);
    }

    /// The bytes of a line, in the order of memory.
    std::string assemble(const std::string &line) const
    {
        isadl_inst inst;
        std::array<std::uint8_t, 16> bytes;
        if (isadl_assemble(own.get(), line.c_str(), nullptr, &inst) != ISADL_STATUS_OK
            || isadl_bytes(own.get(), &inst, reinterpret_cast<std::uint8_t(*)[16]>(bytes.data())) != ISADL_STATUS_OK)
            throw std::invalid_argument(message());
        return std::string(bytes.begin(), bytes.begin() + inst.length);
    }

private:
    std::unique_ptr<isadl_set, decltype(&isadl_close)> own{nullptr, isadl_close};
};

} // namespace

int main(int argc, char **argv)
try {
    if (argc != 3) {
        std::cerr << "usage: assemble SET GENERATION\n";
        return 2;
    }
    const Set set(argv[1], std::string(argv[2]) == "-" ? nullptr : argv[2]);
    for (std::string line; std::getline(std::cin, line);) {
        try {
            std::string separator;
            for (unsigned char byte : set.assemble(line)) {
                std::printf("%s%02x", separator.c_str(), byte);
                separator = " ";
            }
            std::puts("");
        } catch (const std::invalid_argument &error) {
            std::printf("error: %s\n", error.what());
        }
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
