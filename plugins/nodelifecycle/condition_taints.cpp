#include "plugins/nodelifecycle/condition_taints.hpp"

#include <algorithm>
#include <array>
#include <davit/json_writer.hpp>
#include <utility>

namespace davit::nodelifecycle {
namespace {

struct Rule {
  std::string_view condition;
  std::string_view status;
  std::string_view key;
};

constexpr std::array<Rule, 6> kRules = {{
    {"Ready", "False", kNotReady},
    {"Ready", "Unknown", kUnreachable},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
}};
using taints::contains;

constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

bool is_owned(const Taint& taint) {
  return taint.key == kUnschedulable ||
         std::any_of(kRules.begin(), kRules.end(),
                     [&taint](const Rule& rule) { return rule.key == taint.key; });
}

Taint no_schedule(std::string_view key) {
  return {.key = std::string(key), .effect = std::string(kNoSchedule)};
}

std::vector<Taint> wanted_no_schedule(const Node& node) {
  std::vector<Taint> wanted;
  const auto want = [&wanted](std::string_view key) {
    const Taint taint = no_schedule(key);
    if (!contains(wanted, taint)) wanted.push_back(taint);
  };
  for (const Value each : node.conditions().elements()) {
    const ConditionView condition(each);
    for (const Rule& rule : kRules) {
      if (rule.condition == condition.type() && rule.status == condition.status()) want(rule.key);
    }
  }
  if (node.is_unschedulable()) want(kUnschedulable);
  return wanted;
}

}  // namespace

Taint no_execute(std::string_view key) {
  return {.key = std::string(key), .effect = std::string(kNoExecute)};
}

bool has_taint(const Node& node, const Taint& taint) {
  return contains(taints_from(node.taints(), taint.effect), taint);
}

TaintSwap plan_no_schedule(const Node& node) {
  const std::vector<Taint> wanted = wanted_no_schedule(node);
  const std::vector<Taint> present = taints_from(node.taints(), kNoSchedule);
  TaintSwap swap;
  for (const Taint& each : wanted) {
    if (!contains(present, each)) swap.add.push_back(each);
  }
  for (const Taint& each : present) {
    if (is_owned(each) && !contains(wanted, each)) swap.remove.push_back(each);
  }
  return swap;
}

std::optional<std::string> labels_patch(const Node& node) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kPairs = {{
      {"kubernetes.io/os", "beta.kubernetes.io/os"},
      {"kubernetes.io/arch", "beta.kubernetes.io/arch"},
  }};
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().key("labels").begin_object();
  bool differs = false;
  for (const auto& [stable, beta] : kPairs) {
    const std::optional<std::string_view> value = node.label(stable);
    if (!value || node.label(beta) == value) continue;
    differs = true;
    body.member(beta, *value);
  }
  body.end_object().end_object().end_object();
  return differs ? std::optional(std::move(body).text()) : std::nullopt;
}

}  // namespace davit::nodelifecycle
