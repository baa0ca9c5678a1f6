#include "cli/dev/stuck_call.hpp"

#include <algorithm>
#include <charconv>

#include "host/crash/stack_sampler.hpp"
#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

/// The calls around the place that does not end: more are the SDK's.
constexpr std::size_t kLinesMost = 6;

}  // namespace

std::string StuckCall::report() const {
  std::string offsets;
  for (const std::uint64_t each : stack) offsets += (offsets.empty() ? "" : ",") + hex_offset(each);
  return activity + " " + std::to_string(seconds) + " " + (offsets.empty() ? "-" : offsets) + " " +
         key;
}

StuckCall StuckCall::parse(std::string_view report) {
  StuckCall out;
  out.activity = take_until(report, " ");
  const std::string_view seconds = take_until(report, " ");
  std::from_chars(seconds.data(), seconds.data() + seconds.size(), out.seconds);
  std::string_view offsets = take_until(report, " ");
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
  for (const std::uint64_t each : stack) argv.push_back(hex_offset(each));
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
    for (const std::uint64_t each : call.stack) offsets += " " + hex_offset(each);
    out.push_back("    offsets" + offsets + " of the plugin; install binutils to see the lines");
  }
  if (call.stack.empty()) out.front() += " code outside the plugin";
  out.emplace_back("    save a change to restart the host with it");
  return out;
}

}  // namespace davit::host
