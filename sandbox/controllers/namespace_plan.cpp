#include "sandbox/controllers/namespace_plan.hpp"

#include <algorithm>
#include <utility>

namespace davit::sandbox {

namespace {

struct Condition {
  const char* type;
  const char* status;
  const char* reason;
  std::string message;
};

std::string joined(std::vector<std::string> parts) {
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& each : parts) out.append(out.empty() ? "" : ", ").append(each);
  return out;
}

Condition content_remaining(const std::vector<NamespaceContent>& content) {
  std::vector<std::string> parts;
  for (const NamespaceContent& each : content) {
    parts.push_back(each.resource + '.' + each.group + " has " + std::to_string(each.count) +
                    " resource instances");
  }
  if (parts.empty()) {
    return {"NamespaceContentRemaining", "False", "ContentRemoved",
            "All content successfully removed"};
  }
  return {"NamespaceContentRemaining", "True", "SomeResourcesRemain",
          "Some resources are remaining: " + joined(std::move(parts))};
}

Condition finalizers_remaining(const std::vector<NamespaceContent>& content) {
  std::map<std::string, std::size_t> counts;
  for (const NamespaceContent& each : content) {
    for (const auto& [finalizer, count] : each.finalizers) counts[finalizer] += count;
  }
  std::vector<std::string> parts;
  for (const auto& [finalizer, count] : counts) {
    parts.push_back(finalizer + " in " + std::to_string(count) + " resource instances");
  }
  if (parts.empty()) {
    return {"NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers",
            "All content-preserving finalizers finished"};
  }
  return {"NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain",
          "Some content in the namespace has finalizers remaining: " + joined(std::move(parts))};
}

void set_condition(Json& conditions, const Condition& wanted, const std::string& now) {
  Json* place = nullptr;
  for (Json& each : conditions.make_array()) {
    if (each.text_at({"type"}) == wanted.type) place = &each;
  }
  const bool flips = place == nullptr || place->text_at({"status"}) != wanted.status;
  if (place == nullptr) place = &conditions.push_back(Json::object({{"type", wanted.type}}));
  place->set("status", wanted.status);
  if (flips) place->set("lastTransitionTime", now);
  place->set("reason", wanted.reason);
  place->set("message", wanted.message);
}

}  // namespace

Json namespace_conditions(const Json& current, const std::vector<NamespaceContent>& content,
                          const std::string& now) {
  Json out = current;
  out.make_array();
  // The first three report failures that cannot happen in one process.
  const Condition wanted[] = {{"NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered",
                               "All resources successfully discovered"},
                              {"NamespaceDeletionGroupVersionParsingFailure", "False",
                               "ParsedGroupVersions", "All legacy kube types successfully parsed"},
                              {"NamespaceDeletionContentFailure", "False", "ContentDeleted",
                               "All content successfully deleted, may be waiting on finalization"},
                              content_remaining(content),
                              finalizers_remaining(content)};
  for (const Condition& each : wanted) set_condition(out, each, now);
  return out;
}

}  // namespace davit::sandbox
