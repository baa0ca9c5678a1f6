/// davit's version and platform. DAVIT_VERSION comes from the build (project version).
#pragma once

namespace davit {

inline constexpr char kVersion[] = DAVIT_VERSION;
#if defined(__clang__)
inline constexpr char kCompiler[] = "clang " __clang_version__;
#else
inline constexpr char kCompiler[] = "gcc " __VERSION__;
#endif

// The architecture as Go's tools, and so Kubernetes' labels and versions, call it.
#if defined(__x86_64__)
#define DAVIT_ARCHITECTURE "amd64"
#elif defined(__aarch64__)
#define DAVIT_ARCHITECTURE "arm64"
#elif defined(__s390x__)
#define DAVIT_ARCHITECTURE "s390x"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define DAVIT_ARCHITECTURE "ppc64le"
#elif defined(__riscv) && __riscv_xlen == 64
#define DAVIT_ARCHITECTURE "riscv64"
#else
#error "The name that Go gives this architecture is missing in lib/base/version.hpp"
#endif
inline constexpr char kArchitecture[] = DAVIT_ARCHITECTURE;
inline constexpr char kPlatform[] = "linux/" DAVIT_ARCHITECTURE;

}  // namespace davit
