/// The words of a crash, made without memory of the heap: for use in a signal handler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/run/breadcrumb.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// A line of the journal with every text at its limit and fully escaped.
inline constexpr std::size_t kCrashTextBytes = 8192;

/// Text of a fixed size; what does not fit is cut off. Safe in a signal handler.
class CrashText {
 public:
  CrashText& add(std::string_view text);
  CrashText& add_number(std::uint64_t number);
  CrashText& add_hex(std::uint64_t number);
  /// Adds quotes; drops bytes that are not printable ASCII, and those beyond a limit.
  CrashText& add_quoted(std::string_view text);

  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, kCrashTextBytes> bytes_;
  std::size_t size_ = 0;
};

/// The facts that the handler collects of a signal or an exit.
struct CrashFacts {
  int signal = 0;                 ///< 0: the plugin called exit().
  int exit_status = 0;            ///< That of exit().
  std::uint64_t address = 0;      ///< The accessed address; meaningless with SIGABRT.
  std::uint64_t instruction = 0;  ///< The thread's instruction pointer.
  std::string_view module = {};   ///< The library that is at; empty: the program, or none.
  std::uint64_t module_base = 0;
  const Breadcrumb* crumb = nullptr;  ///< Null: the thread was in no plugin.
  std::int64_t unix_seconds = 0;
};

/// "SIGSEGV", "exit" for 0, or "signal" for those that no crash handler sees.
[[nodiscard]] std::string_view signal_name(int signal);

/// One line on standard error: for people, or one of the log in JSON.
void add_report(const CrashFacts& facts, LogFormat format, CrashText& out);
/// A further line: the record of the crash could not be added to `journal`.
void add_loss(const CrashFacts& facts, std::string_view journal, int error, LogFormat format,
              CrashText& out);
/// One line for CrashJournal.
void add_record(const CrashFacts& facts, CrashText& out);

}  // namespace davit::host
