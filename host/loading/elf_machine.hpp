/// The properties of the machine that this program was built for, as far as ELF and Debian differ.
#pragma once

#include <elf.h>

#include <cstdint>

namespace davit::host {

/// The relocations that add the library's address, and that call a function for the value; and the
/// folder of the machine's libraries below /usr/lib.
#if defined(__x86_64__)
inline constexpr std::uint32_t kRelative = R_X86_64_RELATIVE;
inline constexpr std::uint32_t kIndirect = R_X86_64_IRELATIVE;
inline constexpr const char* kTriplet = "x86_64-linux-gnu";
#elif defined(__aarch64__)
inline constexpr std::uint32_t kRelative = R_AARCH64_RELATIVE;
inline constexpr std::uint32_t kIndirect = R_AARCH64_IRELATIVE;
inline constexpr const char* kTriplet = "aarch64-linux-gnu";
#elif defined(__riscv)
inline constexpr std::uint32_t kRelative = R_RISCV_RELATIVE;
inline constexpr std::uint32_t kIndirect = 58;  // R_RISCV_IRELATIVE; Debian 12's elf.h lacks it.
inline constexpr const char* kTriplet = "riscv64-linux-gnu";
#elif defined(__powerpc64__)
inline constexpr std::uint32_t kRelative = R_PPC64_RELATIVE;
inline constexpr std::uint32_t kIndirect = R_PPC64_IRELATIVE;
inline constexpr const char* kTriplet = "powerpc64le-linux-gnu";
#else
#error "name this machine"
#endif

}  // namespace davit::host
