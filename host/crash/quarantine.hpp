/// Quarantines builds of plugins that are in a crash loop, so that the other plugins run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/crash/crash_journal.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// A build is left out once it crashed `crashes` times within `window`, and from then on.
struct QuarantinePolicy {
  std::uint32_t crashes = 3;  ///< 0: none is ever left out.
  Duration window = std::chrono::minutes(10);
};

/// A build that crashed too often.
struct QuarantinedBuild {
  std::string plugin;  ///< Empty if unknown because a thread of the plugin crashed.
  std::string build;   ///< The first digits of its digest.
  std::size_t crashes = 0;
  CrashRecord last;
};

/// `records` oldest first. Pure.
[[nodiscard]] std::vector<QuarantinedBuild> judge_crashes(const std::vector<CrashRecord>& records,
                                                          const QuarantinePolicy& policy);

/// Whether a record may still count: it is within the window, or its build is left out.
[[nodiscard]] bool still_counts(const CrashRecord& record,
                                const std::vector<QuarantinedBuild>& quarantined,
                                const QuarantinePolicy& policy, WallTime now);

/// A plugin that was to be loaded and was left out.
struct QuarantinedPlugin {
  std::string plugin;
  std::filesystem::path file;
  QuarantinedBuild why;

  /// One line for people: why, and what ends it.
  [[nodiscard]] std::string text() const;
};

/// The journal as read at the start, and the plugins left out because of it. Thread-safe.
class Quarantine {
 public:
  /// `journal` may be missing: then nothing is remembered, and nothing left out.
  Quarantine(std::optional<CrashJournal> journal, QuarantinePolicy policy, WallTime now);

  /// Why a build must be left out, or nothing.
  [[nodiscard]] std::optional<QuarantinedBuild> find(std::string_view plugin,
                                                     std::string_view digest) const
      EXCLUDES(mutex_);

  /// The crashes that the journal has now, oldest first. Reads a file.
  [[nodiscard]] std::vector<CrashRecord> crashes() const {
    return journal_ ? journal_->read() : std::vector<CrashRecord>();
  }

  void add(QuarantinedPlugin plugin) EXCLUDES(mutex_);
  [[nodiscard]] std::vector<QuarantinedPlugin> quarantined() const EXCLUDES(mutex_);

  /// The plugin is loaded on an order: its crashes are forgotten. Returns what was left out of it.
  std::optional<QuarantinedPlugin> lift(std::string_view plugin) EXCLUDES(mutex_);

 private:
  const std::optional<CrashJournal> journal_;
  mutable Mutex mutex_;
  std::vector<QuarantinedBuild> builds_ GUARDED_BY(mutex_);
  std::vector<QuarantinedPlugin> quarantined_ GUARDED_BY(mutex_);
};

}  // namespace davit::host
