#include "host/why/present_state.hpp"

#include <optional>
#include <string_view>

namespace davit::host {
namespace {

/// The value of a Job's spec.managedBy that stands for the Job controller.
constexpr std::string_view kOwnManager = "kubernetes.io/job-controller";

void add_text(std::string& line, const std::string& text) {
  if (!text.empty()) line += ": " + text;
}

/// Conditions are good when true, but for those that name a failure.
bool is_bad(const std::string& type, const std::string& status) {
  const bool names_failure = type.ends_with("Failure") || type == "Failed" ||
                             type == "FailureTarget" || type.ends_with("Pressure") ||
                             type == "DisruptionTarget" || type.ends_with("Unavailable") ||
                             type.ends_with("Remaining");  // They keep a namespace.
  return names_failure ? status == "True" : status == "False" || status == "Unknown";
}

void add_conditions(const Json& object, std::vector<std::string>& out) {
  const Json* const conditions = object.at({"status", "conditions"});
  if (conditions == nullptr) return;
  for (const Json& each : conditions->items()) {
    const std::string& type = each.text_at({"type"});
    const std::string& status = each.text_at({"status"});
    if (!is_bad(type, status)) continue;
    std::string line = "condition " + type + " is " + status;
    add_text(line, each.text_at({"reason"}));
    add_text(line, each.text_at({"message"}));
    out.push_back(std::move(line));
  }
}

void add_containers(const Json& object, const char* member, std::vector<std::string>& out) {
  const Json* const statuses = object.at({"status", member});
  if (statuses == nullptr) return;
  for (const Json& each : statuses->items()) {
    const Json* const waiting = each.at({"state", "waiting"});
    if (waiting == nullptr) continue;
    std::string line = "container " + each.text_at({"name"}) + " waits";
    add_text(line, waiting->text_at({"reason"}));
    add_text(line, waiting->text_at({"message"}));
    out.push_back(std::move(line));
  }
}

std::int64_t number(const Json& object, const char* outer, const char* inner) {
  const Json* const found = object.at({outer, inner});
  return found == nullptr ? 0 : found->integer_or(0);
}

void add_replicas(const Json& object, std::vector<std::string>& out) {
  const Json* const wanted = object.at({"spec", "replicas"});
  if (wanted == nullptr || !wanted->integer()) return;
  const std::int64_t want = wanted->integer_or(0);
  const std::int64_t have = number(object, "status", "replicas");
  const std::int64_t ready = number(object, "status", "readyReplicas");
  const bool counts_updated = object.at({"spec", "strategy"}) != nullptr;
  const std::int64_t updated = number(object, "status", "updatedReplicas");
  if (have == want && ready == want && (!counts_updated || updated == want)) return;
  std::string line = "wants " + std::to_string(want) + " replicas, has " + std::to_string(have);
  if (counts_updated) line += ", " + std::to_string(updated) + " of the latest template";
  out.push_back(line + ", " + std::to_string(ready) + " ready");
}

}  // namespace

std::vector<std::string> hindrances(const Json& object) {
  std::vector<std::string> out;
  if (const Json* const paused = object.at({"spec", "paused"}); paused != nullptr) {
    if (paused->boolean()) out.emplace_back("is paused (spec.paused)");
  }
  if (const Json* const suspended = object.at({"spec", "suspend"}); suspended != nullptr) {
    if (suspended->boolean()) out.emplace_back("is suspended (spec.suspend)");
  }
  const std::string& manager = object.text_at({"spec", "managedBy"});
  if (!manager.empty() && manager != kOwnManager) {
    out.push_back("is left to " + manager + " (spec.managedBy)");
  }
  if (!object.text_at({"metadata", "deletionTimestamp"}).empty()) {
    std::string line = "is being deleted";
    // Those of a namespace itself are in its spec.
    std::string finalizers;
    for (const char* const part : {"metadata", "spec"}) {
      const Json* const list = object.at({part, "finalizers"});
      if (list == nullptr) continue;
      for (const Json& each : list->items()) finalizers += " " + each.text();
    }
    if (!finalizers.empty()) line += " and waits for its finalizers:" + finalizers;
    out.push_back(std::move(line));
  }
  add_replicas(object, out);
  add_conditions(object, out);
  add_containers(object, "initContainerStatuses", out);
  add_containers(object, "containerStatuses", out);
  return out;
}

}  // namespace davit::host
