#include "testing/explore/replay.hpp"

#include <algorithm>

#include "host/loading/digest.hpp"
#include "lib/base/take_until.hpp"

namespace davit::explore {
namespace {

/// Changes with what the points of a run are, and what their numbers count.
constexpr char kForm[] = "davit-explore/2";
constexpr std::size_t kDigits = 12;

std::string fingerprint(const Scenario& scenario, const Subject& subject) {
  return host::sha256_hex(subject.digest + scenario.digest).substr(0, kDigits);
}

struct Line {
  std::string_view fingerprint;
  std::string_view scenario;
  std::string_view plan;
};

Result<Line> take_apart(std::string_view line) {
  Line out;
  if (take_until(line, " ") != kForm) {
    return Status(Code::kInvalid, std::string("a line to replay begins with ") + kForm);
  }
  out.fingerprint = take_until(line, " ");
  out.scenario = take_until(line, ": ");
  out.plan = line;
  return out;
}

}  // namespace

std::string replay_line(const Scenario& scenario, const Subject& subject, const Plan& plan) {
  return std::string(kForm) + " " + fingerprint(scenario, subject) + " " + scenario.name + ": " +
         to_text(plan);
}

Result<std::string> replayed_scenario(std::string_view line) {
  const Result<Line> parts = take_apart(line);
  if (!parts) return parts.error();
  return std::string(parts->scenario);
}

Result<Plan> replayed_plan(std::string_view line, const Scenario& scenario,
                           const Subject& subject) {
  const Result<Line> parts = take_apart(line);
  if (!parts) return parts.error();
  if (parts->scenario != scenario.name) {
    return Status(Code::kInvalid, "the line is of the scenario " + std::string(parts->scenario));
  }
  const std::string here = fingerprint(scenario, subject);
  if (parts->fingerprint != here) {
    return Status(Code::kConflict, "the line is of another build: it has the sum " +
                                       std::string(parts->fingerprint) +
                                       ", and this plugin with this scenario " + here +
                                       "; explore again for a line of this build");
  }
  return parse_plan(parts->plan);
}

std::vector<std::string> story_of(const RunResult& run) {
  // The requests and syncs before something of weight, and the first and last of many steps.
  constexpr std::size_t kBefore = 3;
  const std::vector<std::string>& log = run.log;
  const auto is_step = [&log](std::size_t i) { return i < log.size() && log[i].starts_with("="); };
  const auto is_among_steps = [&](std::size_t at) {
    for (std::size_t i = at - std::min(at, kBefore); i <= at + kBefore; ++i) {
      if (!is_step(i)) return false;
    }
    return at >= kBefore;
  };
  std::vector<bool> is_shown(log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    const char mark = log[i].empty() ? ' ' : log[i].front();
    if (mark != '*' && mark != '!' && mark != '=' && mark != ' ') continue;
    if (is_among_steps(i)) continue;
    is_shown[i] = true;
    const bool has_context = mark == '*' || mark == '!';
    for (std::size_t j = i - std::min(i, kBefore); has_context && j < i; ++j) is_shown[j] = true;
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (is_shown[i]) {
      out.push_back(log[i]);
    } else if (out.empty() || out.back() != "…") {
      out.emplace_back("…");
    }
  }
  return out;
}

}  // namespace davit::explore
