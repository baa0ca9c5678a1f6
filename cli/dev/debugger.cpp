#include "cli/dev/debugger.hpp"

#include <charconv>
#include <sstream>

namespace davit::host {
namespace {

/// The number of a staged copy, ".../davit-plugins-XXXXXX/DIGEST-NUMBER.so (deleted)"; 0: it is
/// none. See StagingDirectory.
int copy_number(std::string_view line) {
  const std::size_t end = line.find(".so");
  if (end == line.npos || line.find("/davit-plugins-") == line.npos) return 0;
  const std::size_t dash = line.rfind('-', end);
  int number = 0;
  const char* const last = line.data() + end;
  const auto parsed = std::from_chars(line.data() + dash + 1, last, number);
  return parsed.ec == std::errc() && parsed.ptr == last ? number : 0;
}

}  // namespace

std::string debugger_line(pid_t process, std::string_view maps,
                          const std::filesystem::path& plugin) {
  std::istringstream in{std::string(maps)};
  int newest = 0;
  std::string base;
  for (std::string line; std::getline(in, line);) {
    // Mappings come by address, and the first one of a library is its beginning.
    const int number = copy_number(line);
    if (number <= newest) continue;
    newest = number;
    base = line.substr(0, line.find('-'));
  }
  if (base.empty()) return "";
  return "gdb -p " + std::to_string(process) + " -ex 'add-symbol-file " + plugin.string() +
         " -o 0x" + base + "'";
}

}  // namespace davit::host
