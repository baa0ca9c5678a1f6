/// The crashes that hosts noted, from one start to the next.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"

namespace davit::host {

/// One crash. All but the time and the signal are empty when the thread was in no plugin.
struct CrashRecord {
  WallTime time{};
  std::string signal;  ///< "SIGSEGV"; "exit" if a plugin called it; "killed", see LifeFile.
  std::string plugin;
  std::string build;       ///< The first digits of the file's digest.
  std::string controller;  ///< Empty when the plugin was being opened.
  std::string activity;    ///< See Breadcrumb.
  std::string key;
  std::string module;  ///< The library whose code it was; may be empty.

  friend bool operator==(const CrashRecord&, const CrashRecord&) = default;
};

/// A file to which CrashHandler appends a line a crash. Hosts of one user may share it.
class CrashJournal {
 public:
  /// Makes the directory (mode 0700) where it is missing. kUnavailable: it cannot be made, or
  /// nothing can be written there. kForbidden: it belongs to another user, or its records could be
  /// another user's.
  static Result<CrashJournal> open(const std::filesystem::path& directory);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Oldest first. Lines that are damaged, as a full disk leaves them, are passed over, and so is a
  /// file that is no longer this user's alone.
  [[nodiscard]] std::vector<CrashRecord> read() const;
  /// Appends a record. kUnavailable, kForbidden: it cannot be written.
  [[nodiscard]] Status add(const CrashRecord& record) const;
  /// Removes the records for which `is_needed` is false, then calls keep_room(). Another host that
  /// crashes at the same moment may lose its line.
  Status keep(const std::function<bool(const CrashRecord&)>& is_needed) const;
  /// Reserves disk space for further records, so that a crash is recorded even on a full disk. Ends
  /// a line that a crash on a full disk cut off. Succeeds on file systems that cannot reserve
  /// space. Fails with kUnavailable and the reason if the disk is full.
  Status keep_room() const;

 private:
  explicit CrashJournal(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

/// The record that a line holds; nothing when it is damaged.
[[nodiscard]] std::optional<CrashRecord> parse_crash(std::string_view line);

/// $XDG_STATE_HOME/davit, else $HOME/.local/state/davit, else empty.
[[nodiscard]] std::string default_state_directory();

}  // namespace davit::host
