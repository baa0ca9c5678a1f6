#include "cli/dev/build_output.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

namespace davit::host {
namespace {

/// "[1/2] Building …"
bool is_progress(std::string_view line) {
  return line.size() > 1 && line[0] == '[' && std::isdigit(static_cast<unsigned char>(line[1])) &&
         line.find('/') < line.find(']');
}

bool is_tool_output(std::string_view line) {
  return line.empty() || is_progress(line) || line.starts_with("-- ") ||
         (line.starts_with("ninja: ") && !line.starts_with("ninja: error"));
}

}  // namespace

std::vector<std::string> compiler_lines(const std::vector<std::string>& output) {
  std::vector<std::string> out;
  bool command = false;  // The line after "FAILED: " is what was called.
  for (const std::string& line : output) {
    const bool skip = command || is_tool_output(line);
    command = line.starts_with("FAILED: ");
    if (!skip && !command) out.push_back(line);
  }
  return out;
}

Result<std::string> plugin_target(const std::vector<std::string>& targets,
                                  const std::string& wanted, const std::filesystem::path& build) {
  std::map<std::string, std::string> found;  // Target by name: CMake names one more than once.
  for (const std::string& line : targets) {
    const std::size_t end = line.find(".so: ");
    // A phony one is another name for a file, such as that of the CMake target.
    if (end == std::string::npos || line.ends_with(": phony")) continue;
    std::filesystem::path path = line.substr(0, end + 3);
    if (path.is_absolute()) path = path.lexically_relative(build);
    found.try_emplace(path.stem().string(), path.string());
  }
  if (!wanted.empty()) {
    const auto one = found.find(wanted);
    if (one != found.end()) return one->second;
    return Status(Code::kNotFound, "the project builds no " + wanted + ".so");
  }
  if (found.empty()) {
    return Status(Code::kNotFound,
                  "the project builds no plugin: call davit_plugin() in CMakeLists.txt");
  }
  if (found.size() == 1) return found.begin()->second;
  std::string names;
  for (const auto& [name, target] : found) names += (names.empty() ? "" : ", ") + name;
  return Status(Code::kInvalid,
                "the project builds several plugins, choose one with --plugin: " + names);
}

bool lacks_davit(const std::vector<std::string>& output) {
  return std::any_of(output.begin(), output.end(), [](const std::string& line) {
    return line.find("davitConfig.cmake") != std::string::npos;
  });
}

}  // namespace davit::host
