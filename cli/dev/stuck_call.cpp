#include "cli/dev/stuck_call.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace davit::host {
namespace {

/// The calls around the place that does not end: more are the SDK's.
constexpr std::size_t kLinesMost = 6;

std::string hex(std::uint64_t offset) {
  char text[24];
  const int size =
      std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(offset));
  return {text, static_cast<std::size_t>(size)};
}

std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::string StuckCall::report() const {
  std::string offsets;
  for (const std::uint64_t each : stack) offsets += (offsets.empty() ? "" : ",") + hex(each);
  return activity + " " + std::to_string(seconds) + " " + (offsets.empty() ? "-" : offsets) + " " +
         key;
}

StuckCall StuckCall::parse(std::string_view report) {
  StuckCall out;
  out.activity = next_word(report);
  const std::string_view seconds = next_word(report);
  std::from_chars(seconds.data(), seconds.data() + seconds.size(), out.seconds);
  std::string_view offsets = next_word(report);
  while (offsets.starts_with("0x")) {
    offsets.remove_prefix(2);
    std::uint64_t offset = 0;
    const char* const last = offsets.data() + offsets.size();
    const char* const end = std::from_chars(offsets.data(), last, offset, 16).ptr;
    out.stack.push_back(offset);
    offsets.remove_prefix(static_cast<std::size_t>(end - offsets.data()));
    if (offsets.starts_with(',')) offsets.remove_prefix(1);
  }
  out.key = report;
  return out;
}

std::string StuckCall::name() const { return key.empty() ? activity : activity + " of " + key; }

std::vector<std::string> line_command(const std::filesystem::path& library,
                                      const std::vector<std::uint64_t>& stack) {
  std::vector<std::string> argv = {"addr2line", "-e", library.string(), "-f", "-C", "-p", "-i"};
  for (const std::uint64_t each : stack) argv.push_back(hex(each));
  return argv;
}

std::vector<std::string> describe(const StuckCall& call, const std::vector<std::string>& named,
                                  const std::filesystem::path& source) {
  std::vector<std::string> out = {"==> " + call.name() + " has been running for " +
                                  std::to_string(call.seconds) +
                                  " s and has not returned; it is in"};
  const std::string folder = source.string() + "/";
  for (std::string line : named) {
    if (out.size() > kLinesMost) break;
    if (const std::size_t at = line.find(folder); at != line.npos) line.erase(at, folder.size());
    line.erase(std::min(line.find(" (discriminator"), line.size()));
    out.push_back("    " + line);
  }
  if (named.empty() && !call.stack.empty()) {
    std::string offsets;
    for (const std::uint64_t each : call.stack) offsets += " " + hex(each);
    out.push_back("    offsets" + offsets + " of the plugin; install binutils to see the lines");
  }
  if (call.stack.empty()) out.front() += " code outside the plugin";
  out.emplace_back("    save a change to restart the host with it");
  return out;
}

}  // namespace davit::host
