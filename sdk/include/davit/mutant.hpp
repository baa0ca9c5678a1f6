/// Mutants: guards that one test-only build can switch off, to show that a test notices each.
#pragma once

#ifdef DAVIT_MUTANTS
#include <cstdlib>
#include <string>
#include <string_view>
#endif

namespace davit {

/// Whether the guard `name` is switched off. Always false, and free, except in a build with the
/// CMake option DAVIT_MUTANTS: there DAVIT_MUTANT in the environment names one, or two ("a+b") that
/// stand in for each other. tests/mutants/README.md lists each with the test that fails then. [any]
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
