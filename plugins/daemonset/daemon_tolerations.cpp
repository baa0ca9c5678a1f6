#include "plugins/daemonset/daemon_tolerations.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace davit::daemonset {
namespace {

struct Added {
  std::string_view key;
  std::string_view effect;
};
constexpr Added kAdded[] = {
    {"node.kubernetes.io/not-ready", kNoExecute},
    {"node.kubernetes.io/unreachable", kNoExecute},
    {"node.kubernetes.io/disk-pressure", kNoSchedule},
    {"node.kubernetes.io/memory-pressure", kNoSchedule},
    {"node.kubernetes.io/pid-pressure", kNoSchedule},
    {"node.kubernetes.io/unschedulable", kNoSchedule},
};
// A pod in the network of its node does not need the network of pods.
constexpr Added kAddedInHostNetwork = {"node.kubernetes.io/network-unavailable", kNoSchedule};

std::vector<Added> added_to(Value pod_spec) {
  std::vector<Added> added(std::begin(kAdded), std::end(kAdded));
  if (pod_spec["hostNetwork"].is_true()) added.push_back(kAddedInHostNetwork);
  return added;
}

Toleration toleration(const Added& added) {
  return {.key = std::string(added.key), .op = "Exists", .effect = std::string(added.effect)};
}

bool is_same(const Toleration& own, const Added& added) {
  return own.key == added.key && own.op == "Exists" && own.effect == added.effect &&
         own.value.empty();
}

/// One entry of the result.
struct Entry {
  Toleration toleration;
  std::optional<Value> copied;  // The template's; nothing for one that every daemon pod has.
};

std::vector<Entry> entries_of(Value pod_spec) {
  std::vector<Added> added = added_to(pod_spec);
  const std::vector<Added> all = added;
  std::vector<Entry> entries;
  for (const Value each : pod_spec[&Names::tolerations].elements()) {
    const Toleration own = Toleration::from(each);
    const auto is_own = [&own](const Added& other) { return is_same(own, other); };
    if (std::none_of(all.begin(), all.end(), is_own)) {
      entries.push_back({own, each});
      continue;
    }
    entries.push_back({{.key = own.key, .op = own.op, .effect = own.effect}, std::nullopt});
    std::erase_if(added, is_own);
  }
  for (const Added& each : added) entries.push_back({toleration(each), std::nullopt});
  return entries;
}

}  // namespace

std::vector<Toleration> daemon_tolerations(Value pod_spec) {
  std::vector<Toleration> tolerations;
  for (Entry& each : entries_of(pod_spec)) tolerations.push_back(std::move(each.toleration));
  return tolerations;
}

void write_daemon_tolerations(JsonWriter& out, Value pod_spec) {
  out.begin_array();
  for (const Entry& each : entries_of(pod_spec)) {
    if (each.copied) {
      out.value(*each.copied);
      continue;
    }
    out.begin_object().member("key", each.toleration.key).member("operator", each.toleration.op);
    out.member("effect", each.toleration.effect).end_object();
  }
  out.end_array();
}

}  // namespace davit::daemonset
