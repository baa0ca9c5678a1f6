/// Which davit this is. DAVIT_VERSION comes from the build (project version).
#pragma once

namespace davit::host {

inline constexpr char kVersion[] = DAVIT_VERSION;
#if defined(__clang__)
inline constexpr char kCompiler[] = "clang " __clang_version__;
#else
inline constexpr char kCompiler[] = "gcc " __VERSION__;
#endif

}  // namespace davit::host
