/// The checks of `davit plugin validate`. Each runs in a separate process.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "cli/validate/child.hpp"
#include "cli/validate/trial_host.hpp"
#include "host/loading/elf_findings.hpp"

namespace davit::host {

/// The subject of a check.
struct Subject {
  std::filesystem::path file;     ///< A copy of the plugin that no other user may write.
  std::filesystem::path scratch;  ///< A private directory.
  Grade predicted = Grade::kSwappable;
  std::uint64_t seed = 1;
  TrialContent content = {};                ///< From the user.
  std::vector<DeclaredWatch> watches = {};  ///< Those of all controllers.
  bool is_provider = false;                 ///< Its note says that it may provide a cloud.
  std::chrono::milliseconds explored{0};    ///< No explored run begins later.
  std::chrono::milliseconds limit{60'000};  ///< The child of a check is ended then.
};

struct Check {
  std::string_view name;
  std::string_view what;                  ///< For people.
  std::array<std::string_view, 2> needs;  ///< The checks that must pass before; empty: none.
  void (*run)(const Subject& subject, const CheckReporter& reporter);
};

/// In the order in which they run. The first, "elf", judges the file without running it and is the
/// validator's own.
[[nodiscard]] std::span<const Check> plugin_checks();

}  // namespace davit::host
