#include "lib/base/log_modules.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "lib/base/json_text.hpp"
#include "lib/base/take_until.hpp"

namespace davit {
namespace {

std::string with_dashes(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, '_', '-');
  return out;
}

}  // namespace

Result<LogModules> LogModules::parse(std::string_view text) {
  LogModules out;
  while (!text.empty()) {
    const std::string_view part = take_until(text, ",");
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string_view number = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    if (equals == 0 || number.empty()) {
      return Status(Code::kInvalid, json_string(part) + " does not have the format pattern=N");
    }
    int verbosity = 0;
    const auto [stop, error] =
        std::from_chars(number.data(), number.data() + number.size(), verbosity);
    if (error != std::errc() || stop != number.data() + number.size() || verbosity < 0) {
      return Status(Code::kInvalid, "the verbosity in " + json_string(part) +
                                        " must be a whole number of at least 0");
    }
    std::string pattern = with_dashes(part.substr(0, equals));
    pattern.erase(0, pattern.rfind('/') + 1);
    out.modules_.push_back({std::move(pattern), verbosity});
    out.highest_ = std::max(out.highest_, verbosity);
  }
  return out;
}

int LogModules::of(std::string_view logger) const {
  const std::string name = logger.empty() ? "davit" : with_dashes(logger);
  for (const Module& each : modules_) {
    if (::fnmatch(each.pattern.c_str(), name.c_str(), 0) == 0) return each.verbosity;
  }
  return 0;
}

}  // namespace davit
