/// Puts a plugin through all checks.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/result.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "host/loading/elf_findings.hpp"

namespace davit::host {

struct ValidationOptions {
  std::filesystem::path file;
  std::uint64_t seed = 1;               ///< The seed of all random choices.
  std::chrono::seconds limit{60};       ///< The time limit of each check.
  std::vector<std::string> checks{};    ///< Names of those to run, and what they need; empty: all.
  std::vector<std::string> configs{};   ///< See read_controller_configs().
  std::filesystem::path definitions{};  ///< CustomResourceDefinitions; empty: none.
  std::filesystem::path objects{};      ///< Objects for the trial cluster; empty: none.
  std::chrono::milliseconds explored{3000};  ///< The check "explore" begins no run later.
  int stop_fd = -1;  ///< Readable as soon as it is to end, borrowed; -1: none.
};

enum class CheckOutcome { kPassed, kWarned, kFailed, kNotRun };
/// "passed", "warned", "failed", "not-run"; stable, for programs.
[[nodiscard]] std::string_view to_string(CheckOutcome outcome);

struct CheckResult {
  std::string name;
  std::string what;
  CheckOutcome outcome = CheckOutcome::kNotRun;
  std::vector<std::string> lines;   ///< Why: failures first, then warnings and notes.
  std::vector<std::string> output;  ///< The last lines that the plugin printed, of a failed check.
  std::chrono::milliseconds time{0};
};

/// A check that runs.
struct CheckProgress {
  std::string name;
  std::string what;
  std::string progress;  ///< "12 of 64 objects"; may be empty.
  std::chrono::milliseconds time{0};
};

/// Observers of a running validation. Each may be empty.
struct ValidationObserver {
  std::function<void(const CheckResult&)> on_result{};     ///< A check has ended.
  std::function<void(const CheckProgress&)> on_running{};  ///< About once a second.
};

struct Validation {
  std::string plugin;  ///< Empty when the file does not say.
  std::string version;
  std::string digest;
  Grade grade = Grade::kRefused;
  std::vector<CheckResult> checks;

  [[nodiscard]] bool ok() const;
};

/// The names that ValidationOptions::checks may have.
[[nodiscard]] std::vector<std::string> validation_checks();

/// kNotFound, kForbidden, …: the file cannot be read, or there is no space for a copy of it.
/// kInvalid: the user's objects or configuration are wrong; a line for each mistake.
/// kCancelled: it was asked to end. The caller's process has one thread only. Nothing is left
/// behind.
[[nodiscard]] Result<Validation> validate_plugin(const ValidationOptions& options,
                                                 const ValidationObserver& observer = {});

}  // namespace davit::host
