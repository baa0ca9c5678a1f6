#include "cli/rollout_view.hpp"

#include <algorithm>
#include <charconv>

namespace davit::host {
namespace {

constexpr char kGreen[] = "\x1b[32m";
constexpr char kYellow[] = "\x1b[33m";
constexpr char kGrey[] = "\x1b[90m";
constexpr char kPlain[] = "\x1b[0m";

std::int64_t number(const Json& object, std::string_view part, std::string_view field) {
  return object.get(part).get(field).integer_or(0);
}

const std::string& name_of(const Json& object) { return object.text_at({"metadata", "name"}); }

std::string image_of(const Json& spec) {
  const Json::Items& containers = spec.get("containers").items();
  return containers.empty() ? "" : containers.front().get("image").text();
}

bool owned_by(const Json& object, const Json& owner) {
  for (const Json& each : object.get("metadata").get("ownerReferences").items()) {
    if (each.get("uid") == owner.get("metadata").get("uid")) return true;
  }
  return false;
}

int revision_of(const Json& set) {
  const std::string& text =
      set.text_at({"metadata", "annotations", "deployment.kubernetes.io/revision"});
  int revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

std::vector<const Json*> sets_of(const RolloutState& state) {
  std::vector<const Json*> sets;
  for (const auto& [key, set] : state.sets) {
    if (owned_by(set, state.deployment)) sets.push_back(&set);
  }
  std::sort(sets.begin(), sets.end(),
            [](const Json* a, const Json* b) { return revision_of(*a) < revision_of(*b); });
  return sets;
}

std::vector<const Json*> pods_of(const RolloutState& state, const Json& set) {
  std::vector<const Json*> pods;
  for (const auto& [key, pod] : state.pods) {
    if (owned_by(pod, set)) pods.push_back(&pod);
  }
  return pods;
}

bool is_ready(const Json& pod) {
  for (const Json& each : pod.get("status").get("conditions").items()) {
    if (each.get("type").text() == "Ready") return each.get("status").text() == "True";
  }
  return false;
}

/// The STATUS that `kubectl get pods` shows, with its mark and colour.
struct PodView {
  std::string status;
  const char* mark;
  const char* colour;
};

PodView view_of(const Json& pod) {
  if (pod.get("metadata").contains("deletionTimestamp")) return {"Terminating", "x", kGrey};
  for (const Json& each : pod.get("status").get("containerStatuses").items()) {
    const std::string& reason = each.text_at({"state", "waiting", "reason"});
    if (!reason.empty()) return {reason, "o", kYellow};
  }
  if (is_ready(pod)) return {"Ready", "*", kGreen};
  return {pod.text_at({"status", "phase"}), "o", kYellow};
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string coloured(const std::string& text, const char* with, Colour colour) {
  return colour == Colour::kOff ? text : with + text + kPlain;
}

std::string deployment_line(const Json& deployment) {
  return "Deployment " + padded(name_of(deployment), 20) + " " +
         padded(image_of(deployment.get("spec").get("template").get("spec")), 12) + " " +
         std::to_string(number(deployment, "spec", "replicas")) + " wanted, " +
         std::to_string(number(deployment, "status", "updatedReplicas")) + " updated, " +
         std::to_string(number(deployment, "status", "availableReplicas")) + " available";
}

std::string set_line(const Json& set) {
  return "  ReplicaSet " + padded(name_of(set), 18) + " " +
         padded(image_of(set.get("spec").get("template").get("spec")), 12) + " " +
         std::to_string(number(set, "status", "readyReplicas")) + " ready of " +
         std::to_string(number(set, "spec", "replicas"));
}

}  // namespace

std::vector<std::string> draw_tree(const RolloutState& state, Colour colour) {
  std::vector<std::string> lines;
  if (state.deployment.is_null()) return lines;
  lines.push_back(deployment_line(state.deployment));
  const std::vector<const Json*> sets = sets_of(state);
  for (const Json* set : sets) {
    const std::vector<const Json*> pods = pods_of(state, *set);
    if (pods.empty() && set != sets.back()) continue;
    lines.push_back(set_line(*set));
    for (const Json* pod : pods) {
      const PodView view = view_of(*pod);
      const std::string text = std::string(view.mark) + " " + padded(name_of(*pod), 25) +
                               padded(view.status, 18) + pod->text_at({"spec", "nodeName"});
      lines.push_back("    " + coloured(text, view.colour, colour));
    }
  }
  return lines;
}

std::string draw_line(const RolloutState& state) {
  const Json& deployment = state.deployment;
  if (deployment.is_null()) return "";
  std::string line =
      name_of(deployment) + ": " + std::to_string(number(deployment, "spec", "replicas")) +
      " wanted, " + std::to_string(number(deployment, "status", "updatedReplicas")) + " updated, " +
      std::to_string(number(deployment, "status", "availableReplicas")) + " available";
  for (const Json* set : sets_of(state)) {
    line += "; " + name_of(*set) + " (" + image_of(set->get("spec").get("template").get("spec")) +
            ") " + std::to_string(number(*set, "status", "readyReplicas")) + "/" +
            std::to_string(number(*set, "spec", "replicas"));
  }
  return line;
}

bool rolled_out(const RolloutState& state) {
  const Json& deployment = state.deployment;
  if (deployment.is_null()) return false;
  const std::int64_t wanted = number(deployment, "spec", "replicas");
  return number(deployment, "status", "observedGeneration") >=
             number(deployment, "metadata", "generation") &&
         number(deployment, "status", "replicas") == wanted &&
         number(deployment, "status", "updatedReplicas") == wanted &&
         number(deployment, "status", "availableReplicas") == wanted &&
         std::ssize(state.pods) == wanted;
}

}  // namespace davit::host
