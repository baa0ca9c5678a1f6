// A user's kubectl commands, the same on the sandbox and on a real server.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "lib/kube/yaml.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/sandbox.hpp"

namespace davit::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

struct KubectlStep {
  std::vector<std::string> args;
  std::string input;
  bool same_code = true;
  bool same_output = true;
  bool wait = false;  ///< Reads what controllers write in their own time: until both agree.
};

/// Words are separated by blanks; nothing is quoted.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
    constexpr std::string_view kPackaging = "PACKAGING";
    if (!out.empty() && out.back().starts_with(kPackaging)) {
      out.back().replace(0, kPackaging.size(), DAVIT_PACKAGING);
    }
  }
  return out;
}

std::vector<KubectlStep> load_steps() {
  const std::string file = DAVIT_KUBECTL_STEPS;
  const YamlDocument document = parse_yaml(read_file(file), file);
  std::vector<KubectlStep> out;
  if (!document.mistakes.empty()) ADD_FAILURE() << document.mistakes.front().str();
  const YamlNode* steps = document.root.find("steps");
  if (steps == nullptr) return out;
  for (const YamlNode& each : steps->items) {
    KubectlStep step;
    step.args = words_of(each.find("run")->text);
    if (const auto* input = each.find("input")) step.input = input->text;
    step.same_code = each.find("code") == nullptr;
    step.same_output = each.find("output") == nullptr;
    step.wait = step.args.front() == "get" || step.args.front() == "describe";
    EXPECT_TRUE(step.same_output || each.find("reason") != nullptr)
        << "a difference needs a reason";
    out.push_back(std::move(step));
  }
  return out;
}

/// Without what differs by chance: ages, generated names, addresses, the width of columns.
std::string comparable(const Outcome& outcome) {
  static const std::vector<std::pair<std::regex, const char*>> kRules = {
      {std::regex(R"([bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b)"),
       "HASH-ID"},
      {std::regex(R"(\b10\.\d+\.\d+\.\d+\b)"), "ADDRESS"},
      {std::regex(R"(\b(\d+[dhms])+\b( ago)?)"), "AGE"},
      {std::regex(R"(\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]+ [+-]\d{4}\b)"), "TIME"},
      {std::regex(R"(https://[\d.]+:\d+)"), "SERVER"},
      {std::regex(R"([ \t]+)"), " "},
      // The visible steps of a rollout depend on the machine's speed.
      {std::regex(R"(Waiting for deployment .*\n)"), ""},
  };
  std::string text = std::to_string(outcome.code) + "\n" + outcome.out + outcome.err;
  for (const auto& [pattern, name] : kRules) text = std::regex_replace(text, pattern, name);
  return text;
}

TEST(KubectlTest, SaysTheSameOnTheSandboxAsOnARealServer) {
  if (assets().empty()) GTEST_SKIP() << no_assets();
  ControlPlane real;
  const auto collector = real.controller_manager("garbagecollector,namespace");
  const auto nodes = real.nodes({"--nodes=2"});
  const auto real_davit = real.davit();
  Sandbox sandbox({"--nodes=2", "--controllers=*,-plugins,-accounts"});
  const auto sandbox_davit = sandbox.davit();
  const auto ready = [](const auto& server) {
    return server.kubectl({"get", "nodes", "-o", "name"}).out.find("node-1") != std::string::npos;
  };
  ASSERT_TRUE(eventually(minutes(4), [&] { return ready(real) && ready(sandbox); }));
  setenv("KUBE_EDITOR", "sed -i s/red/green/", 1);

  for (const KubectlStep& step : load_steps()) {
    std::string wanted;
    std::string given;
    const auto same = [&] {
      const Outcome on_real = real.kubectl(step.args, step.input);
      const Outcome on_sandbox = sandbox.kubectl(step.args, step.input);
      wanted = comparable(on_real);
      given = comparable(on_sandbox);
      return step.same_output ? wanted == given
                              : !step.same_code || on_real.code == on_sandbox.code;
    };
    const bool agreed = step.wait ? eventually(minutes(4), same, milliseconds(500)) : same();
    std::string words;
    for (const std::string& each : step.args) words += ' ' + each;
    EXPECT_TRUE(agreed) << "kubectl" << words << "\n--- real\n"
                        << wanted << "--- sandbox\n"
                        << given;
  }
}

}  // namespace
}  // namespace davit::live
