// kube-controller-manager's own help must say what the table of its flags says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <sstream>

#include "host/config/feature_gates.hpp"
#include "host/upstream/controllers.hpp"
#include "host/upstream/flag_table.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::live {
namespace {

using host::FlagGroup;
using host::UpstreamController;
using host::UpstreamFlag;

struct HelpFlag {
  std::string type;
  std::string fallback;
};

/// The output of `kube-controller-manager --help`; empty without KUBEBUILDER_ASSETS.
std::string real_help() {
  if (assets().empty()) return "";
  const std::string command = "'" + assets() + "/kube-controller-manager' --help 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; pipe && (n = std::fread(part.data(), 1, part.size(), pipe.get())) > 0;) {
    out.append(part.data(), n);
  }
  return out;
}

/// The flags of a help text by name. A line that begins with many blanks continues the flag
/// before it, and the default ends its text.
std::map<std::string, HelpFlag> flags_of(const std::string& help) {
  static const std::regex kFlag(R"(^ {2,6}(?:-\w, )?--([a-z0-9-]+)(?: (\S+))?  +(.*)$)");
  static const std::regex kDefault(R"re(\(default "?(.*?)"?\)\s*$)re");
  std::map<std::string, HelpFlag> out;
  std::map<std::string, std::string> texts;
  std::string last;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!line.starts_with("          ") && std::regex_match(line, match, kFlag)) {
      last = match[1];
      out[last].type = match[2];
      texts[last] = match[3];
    } else if (!last.empty() && line.starts_with("          ")) {
      // The lists of gates and controllers are long, and std::regex recursive.
      texts[last] = line.substr(line.size() - std::min<std::size_t>(line.size(), 200));
    } else {
      last.clear();
    }
  }
  for (auto& [name, text] : texts) {
    const std::string end = text.substr(text.size() - std::min<std::size_t>(text.size(), 200));
    std::smatch match;
    if (std::regex_search(end, match, kDefault)) out[name].fallback = match[1];
  }
  return out;
}

TEST(UpstreamHelpTest, TheRealHelpHasTheSameFlagsTypesAndDefaults) {
  const std::string help = real_help();
  if (help.empty()) GTEST_SKIP() << "needs KUBEBUILDER_ASSETS with kube-controller-manager";
  std::map<std::string, HelpFlag> real = flags_of(help);
  EXPECT_GT(real.size(), 140U) << "the help is not as expected";
  for (const FlagGroup& group : host::upstream_flag_groups()) {
    const bool removed = group.title == host::kRemovedFlags;
    const bool is_title = help.find("\n" + std::string(group.title) + ":\n") != std::string::npos;
    EXPECT_NE(is_title, removed) << group.title;
    for (const UpstreamFlag& flag : group.flags) {
      const auto found = real.find(std::string(flag.name));
      EXPECT_EQ(found == real.end(), removed) << flag.name;
      if (found == real.end()) continue;
      EXPECT_EQ(found->second.type, flag.type) << flag.name;
      EXPECT_EQ(found->second.fallback, flag.fallback) << flag.name;
      real.erase(found);
    }
  }
  for (const auto& each : real) ADD_FAILURE() << "the table lacks --" << each.first;
}

TEST(UpstreamHelpTest, TheRealHelpHasTheSameControllers) {
  const std::string help = real_help();
  if (help.empty()) GTEST_SKIP() << "needs KUBEBUILDER_ASSETS with kube-controller-manager";
  const std::size_t begin = help.find("All controllers: ") + 17;
  std::string list = help.substr(begin, help.find('\n', begin) - begin);
  // A vendor's builds have one more (docs/spec/cluster-controllers.md, F).
  constexpr std::string_view kOfAVendor = "service-ca-certificate-publisher-controller, ";
  const std::size_t vendors = list.find(kOfAVendor);
  if (vendors != std::string::npos) list.erase(vendors, kOfAVendor.size());
  std::string names;
  for (const UpstreamController& each : host::upstream_controllers()) {
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  EXPECT_EQ(list, names);
}

TEST(UpstreamHelpTest, TheRealHelpHasTheSameGatesStagesAndDefaults) {
  const std::string help = real_help();
  if (help.empty()) GTEST_SKIP() << "needs KUBEBUILDER_ASSETS with kube-controller-manager";
  std::size_t found = 0;
  for (const host::FeatureGate& each : host::known_feature_gates()) {
    using Stage = host::FeatureGate::Stage;
    if (each.stage != Stage::kAlpha && each.stage != Stage::kBeta) continue;
    const std::string line = "kube:" + std::string(each.name) + "=true|false (" +
                             (each.stage == Stage::kAlpha ? "ALPHA" : "BETA") +
                             " - default=" + (each.fallback ? "true" : "false") + ")";
    EXPECT_NE(help.find(line), std::string::npos) << line;
    ++found;
  }
  std::size_t listed = 0;
  for (std::size_t at = 0; (at = help.find("=true|false (", at)) != std::string::npos; ++at) {
    ++listed;
  }
  EXPECT_EQ(found, listed);
}

}  // namespace
}  // namespace davit::live
