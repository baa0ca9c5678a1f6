/// Says which plugin the process was in when it crashed.
#pragma once

#include <string>

#include "lib/base/log.hpp"

namespace davit::host {

/// While it lives, SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT print one line to standard error and
/// add one to the journal, or print a second one that says why they cannot; then the signal does
/// what it did before this was made: by default it ends the process, with a core where those are
/// wanted. One a process. A handler runs on its thread's alternate stack, if there is one (see
/// BreadcrumbScope).
///
/// A call into a plugin that ends the process by exit() is reported in the same way, and the exit
/// code is then never 0, or a service manager would take it for an orderly end.
class CrashHandler {
 public:
  /// `journal` is the file to append to (see CrashJournal); empty, or longer than a path may be:
  /// none. `format`: that of the process's log. `life`: the LifeFile, which a reported end removes;
  /// may be empty.
  explicit CrashHandler(const std::string& journal, LogFormat format = LogFormat::kText,
                        const std::string& life = {});
  ~CrashHandler();
  CrashHandler(const CrashHandler&) = delete;
  CrashHandler& operator=(const CrashHandler&) = delete;

  /// Removes the LifeFile: for an end without destructors that says why. Any thread.
  static void end_life();
};

}  // namespace davit::host
