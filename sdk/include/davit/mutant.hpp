/// Mutants: guards that a test-only build can switch off, to show that a test detects each loss.
#pragma once

#ifdef DAVIT_MUTANTS
#include <cstdlib>
#include <string>
#include <string_view>
#endif

namespace davit {

/// Whether the guard `name` is switched off. Always false, and free, except in a build with the
/// CMake option DAVIT_MUTANTS: there the environment variable DAVIT_MUTANT names one guard, or two
/// ("a+b") of which each covers for the other. tests/mutants/README.md lists each guard with the
/// test that fails without it. [any]
#ifdef DAVIT_MUTANTS
[[nodiscard]] inline bool mutant(std::string_view name) {
  const char* const chosen = std::getenv("DAVIT_MUTANT");
  if (chosen == nullptr) return false;
  const std::string all = "+" + std::string(chosen) + "+";
  return all.find("+" + std::string(name) + "+") != std::string::npos;
}
#else
[[nodiscard]] constexpr bool mutant(const char* /*name*/) { return false; }
#endif

}  // namespace davit
