// k8s: plugin/pkg/admission/limitranger.
#include <algorithm>
#include <davit/kube/amount.hpp>
#include <set>
#include <utility>

#include "lib/kube/json_view.hpp"
#include "sandbox/admission/chain.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";

Quantity quantity_of(const Json& value) {
  return Quantity::read(JsonView(value)).value_or(Quantity());
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string out;
  for (const std::string& each : texts) {
    if (!out.empty()) out += separator;
    out += each;
  }
  return out;
}

/// The items of all LimitRanges in the namespace.
std::vector<Json> limits_of(const WriteRequest& request, const ObjectLookup& objects) {
  std::vector<Json> out;
  for (const VersionPtr& each : objects.list({"", "limitranges"}, request.ns)) {
    const Json range = each->json();
    const Json* limits = range.at({"spec", "limits"});
    if (limits == nullptr) continue;
    out.insert(out.end(), limits->items().begin(), limits->items().end());
  }
  return out;
}

bool is_about(const Json& item, std::string_view type) { return item.get("type").text() == type; }

/// Fills one side of a container's resources; the names of what was set, sorted.
std::set<std::string> fill(Json& container, std::string_view side, const Json& defaults) {
  std::set<std::string> out;
  for (const Json::Member& each : defaults.members()) {
    Json& target = container["resources"][side];
    if (target.contains(each.key)) continue;
    target.set(each.key, each.value);
    out.insert(each.key);
  }
  return out;
}

void default_container(Json& container, const std::vector<Json>& limits, std::string_view what,
                       std::vector<std::string>& notes) {
  std::set<std::string> requests;
  std::set<std::string> upper;
  for (const Json& item : limits) {
    if (!is_about(item, "Container")) continue;
    requests.merge(fill(container, "requests", item.get("defaultRequest")));
    upper.merge(fill(container, "limits", item.get("default")));
  }
  const std::string whom = std::string(what) + ' ' + container.get("name").text();
  if (!requests.empty()) {
    notes.push_back(joined({requests.begin(), requests.end()}, ", ") + " request for " + whom);
  }
  if (!upper.empty()) {
    notes.push_back(joined({upper.begin(), upper.end()}, ", ") + " limit for " + whom);
  }
}

/// The resources that one container, or a whole pod, requests.
struct Demand {
  Json requests;
  Json limits;
};

/// The violations about one type of thing ("Container", "Pod", …).
class Bounds {
 public:
  Bounds(std::string type, const Demand& demand) : type_(std::move(type)), demand_(demand) {}

  void check(const Json& item) {
    for (const Json::Member& each : item.get("min").members()) check_min(each);
    for (const Json::Member& each : item.get("max").members()) check_max(each);
    for (const Json::Member& each : item.get("maxLimitRequestRatio").members()) check_ratio(each);
  }
  /// Claims have requests alone.
  void check_requests(const Json& item) {
    for (const Json::Member& each : item.get("min").members()) check_min(each);
    for (const Json::Member& each : item.get("max").members()) {
      const Json& request = demand_.requests.get(each.key);
      if (quantity_of(request) > quantity_of(each.value))
        add("maximum", each, ", but request is ", request);
    }
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(violations_); }

 private:
  void add(std::string_view which, const Json::Member& bound, std::string_view why,
           const Json& value) {
    violations_.push_back(std::string(which) + ' ' + bound.key + " usage per " + type_ + " is " +
                          bound.value.text() + std::string(why) + value.text());
  }

  void check_min(const Json::Member& bound) {
    const Json& request = demand_.requests.get(bound.key);
    const Json& limit = demand_.limits.get(bound.key);
    if (request.is_null()) {
      add("minimum", bound, ".  No request is specified", Json());
    } else if (quantity_of(request) < quantity_of(bound.value)) {
      add("minimum", bound, ", but request is ", request);
    } else if (!limit.is_null() && quantity_of(limit) < quantity_of(bound.value)) {
      add("minimum", bound, ", but limit is ", limit);
    }
  }

  void check_max(const Json::Member& bound) {
    const Json& request = demand_.requests.get(bound.key);
    const Json& limit = demand_.limits.get(bound.key);
    if (limit.is_null()) {
      add("maximum", bound, ".  No limit is specified", Json());
    } else if (quantity_of(limit) > quantity_of(bound.value)) {
      add("maximum", bound, ", but limit is ", limit);
    } else if (!request.is_null() && quantity_of(request) > quantity_of(bound.value)) {
      add("maximum", bound, ", but request is ", request);
    }
  }

  void check_ratio(const Json::Member& bound) {
    const Quantity request = quantity_of(demand_.requests.get(bound.key));
    const Quantity limit = quantity_of(demand_.limits.get(bound.key));
    const std::string head =
        bound.key + " max limit to request ratio per " + type_ + " is " + bound.value.text();
    if (request == Quantity()) {
      violations_.push_back(head + ", but no request is specified or request is 0");
    } else if (limit == Quantity()) {
      violations_.push_back(head + ", but no limit is specified or limit is 0");
    } else {
      const double ratio =
          static_cast<double>(limit.nanos()) / static_cast<double>(request.nanos());
      if (ratio * 1000 <= static_cast<double>(quantity_of(bound.value).milli())) return;
      violations_.push_back(head + ", but provided ratio is " + std::to_string(ratio));
    }
  }

  const std::string type_;
  const Demand demand_;
  std::vector<std::string> violations_;
};

Demand demand_of(const Json& container) {
  const Json& resources = container.get("resources");
  return {resources.get("requests"), resources.get("limits")};
}

/// The sums that bounds of a whole pod are compared with.
Demand pod_demand(const Json& pod, const Json& item) {
  const auto bounded = [&](ResourceSide side) {
    const Amounts sums = pod_resources<Amount>(JsonView(pod), side);
    Json out = Json::object();
    for (const char* bound : {"min", "max", "maxLimitRequestRatio"}) {
      for (const Json::Member& each : item.get(bound).members()) {
        const Amount sum = resource_amount(sums, each.key);
        if (!sum.is_zero()) out.set(each.key, sum.text());
      }
    }
    return out;
  };
  return {bounded(ResourceSide::kRequests), bounded(ResourceSide::kLimits)};
}

void append(std::vector<std::string>& all, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(all));
}

void check_containers(const Json& pod, const Json& item, std::vector<std::string>& violations) {
  for (const char* list : {"containers", "initContainers"}) {
    for (const Json& each : pod.get("spec").get(list).items()) {
      Bounds bounds("Container", demand_of(each));
      bounds.check(item);
      append(violations, bounds.take());
    }
  }
}

std::vector<std::string> pod_violations(const Json& pod, const std::vector<Json>& limits) {
  std::vector<std::string> out;
  for (const Json& item : limits) {
    if (is_about(item, "Container")) check_containers(pod, item, out);
    if (!is_about(item, "Pod")) continue;
    Bounds bounds("Pod", pod_demand(pod, item));
    bounds.check(item);
    append(out, bounds.take());
  }
  return out;
}

std::vector<std::string> claim_violations(const Json& claim, const std::vector<Json>& limits) {
  std::vector<std::string> out;
  for (const Json& item : limits) {
    if (!is_about(item, "PersistentVolumeClaim")) continue;
    Bounds bounds("PersistentVolumeClaim", demand_of(claim.get("spec")));
    bounds.check_requests(item);
    append(out, bounds.take());
  }
  return out;
}

}  // namespace

void default_limits(const WriteRequest& request, Json& object, const ObjectLookup& objects) {
  const std::vector<Json> limits = limits_of(request, objects);
  if (limits.empty()) return;
  std::vector<std::string> notes;
  for (const auto& [list, what] :
       {std::pair("containers", "container"), std::pair("initContainers", "init container")}) {
    Json* containers = object.at({"spec", list});
    if (containers == nullptr) continue;
    for (Json& each : containers->make_array()) default_container(each, limits, what, notes);
  }
  if (notes.empty()) return;
  object["metadata"]["annotations"].set(kAnnotation,
                                        "LimitRanger plugin set: " + joined(notes, "; "));
}

ApiFailure check_limits(const WriteRequest& request, const Json& object,
                        const ObjectLookup& objects) {
  const bool pod = is_write_of(request, "", "pods");
  if (!pod && !is_write_of(request, "", "persistentvolumeclaims")) return std::nullopt;
  const std::vector<Json> limits = limits_of(request, objects);
  const std::vector<std::string> violations =
      pod ? pod_violations(object, limits) : claim_violations(object, limits);
  if (violations.empty()) return std::nullopt;
  if (violations.size() == 1) return refuse(request, object, violations.front());
  return refuse(request, object, '[' + joined(violations, ", ") + ']');
}

}  // namespace davit::sandbox
