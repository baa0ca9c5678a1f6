/// Verbosities of single loggers, as --vmodule has them for source files. Pure.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// A list of patterns for the names of loggers, each with a verbosity. It only adds lines to those
/// of -v. Rule: k8s.io/klog/v2, moduleSpec. Thread-safe once it is made.
class LogModules {
 public:
  /// No patterns.
  LogModules() = default;
  /// Reads "pattern=N,...". In a pattern, "*", "?" and "[a-z]" have their meaning of file names,
  /// "-" and "_" are the same, and folders count as nothing: upstream's patterns may have them.
  /// kInvalid: what is wrong with which part.
  [[nodiscard]] static Result<LogModules> parse(std::string_view text);

  /// The highest verbosity of a pattern; 0 without patterns.
  [[nodiscard]] int highest() const { return highest_; }
  /// The verbosity of the first pattern for this logger, or 0; a logger without a name is "davit".
  [[nodiscard]] int of(std::string_view logger) const;

 private:
  struct Module {
    std::string pattern;
    int verbosity = 0;
  };
  std::vector<Module> modules_;
  int highest_ = 0;
};

}  // namespace davit
