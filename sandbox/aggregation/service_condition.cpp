#include "sandbox/aggregation/service_condition.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace davit::sandbox {

namespace {

ServiceCondition unavailable(std::string reason, std::string message) {
  return {"False", std::move(reason), std::move(message)};
}

/// An endpoint that is ready, and a port of this name.
bool has_endpoint(const Json& slice, const std::string& port_name) {
  const auto is_ready = [](const Json& each) {
    const Json& ready = each.get("conditions").get("ready");
    return ready.is_null() || ready.boolean();
  };
  const auto is_port = [&](const Json& each) {
    return each.get("name").is_string() && each.get("name").text() == port_name &&
           !each.get("port").is_null();
  };
  return std::ranges::any_of(slice.get("endpoints").items(), is_ready) &&
         std::ranges::any_of(slice.get("ports").items(), is_port);
}

std::vector<Json> slices_of(const RegisteredService& service, const Store& store) {
  std::vector<Json> out;
  const Snapshot all = store.list({"discovery.k8s.io", "endpointslices"}, service.service_ns);
  for (const VersionPtr& each : all.objects) {
    Json slice = each->json();
    if (slice.text_at({"metadata", "labels", "kubernetes.io/service-name"}) ==
        service.service_name) {
      out.push_back(std::move(slice));
    }
  }
  return out;
}

}  // namespace

std::optional<ServiceCondition> unreachable_condition(const RegisteredService& service,
                                                      const Store& store) {
  const std::string shown =
      "service/" + service.service_name + " in " + to_text(Json(service.service_ns));
  const VersionPtr found = store.get({"", "services"}, service.service_ns, service.service_name);
  if (found == nullptr) return unavailable("ServiceNotFound", shown + " is not present");
  const Json object = found->json();
  if (object.text_at({"spec", "type"}) != "ClusterIP") return std::nullopt;
  const Json* port = nullptr;
  for (const Json& each : object.get("spec").get("ports").items()) {
    if (port == nullptr && each.get("port").integer_or(0) == service.port) port = &each;
  }
  if (port == nullptr) {
    return unavailable("ServicePortError",
                       shown + " is not listening on port " + std::to_string(service.port));
  }
  const std::vector<Json> slices = slices_of(service, store);
  if (slices.empty()) {
    return unavailable("EndpointsNotFound", "cannot find endpointslices for " + shown);
  }
  const std::string& name = port->get("name").text();
  const bool found_one =
      std::ranges::any_of(slices, [&](const Json& slice) { return has_endpoint(slice, name); });
  if (found_one) return std::nullopt;
  return unavailable(
      "MissingEndpoints",
      "endpointslices for " + shown + " have no addresses with port name " + to_text(Json(name)));
}

ServiceCondition passed_condition() { return {"True", "Passed", "all checks passed"}; }

ServiceCondition failed_condition(std::string why) {
  return unavailable("FailedDiscoveryCheck", std::move(why));
}

ServiceCondition local_condition() {
  return {"True", "Local", "Local APIServices are always available"};
}

std::optional<Json> conditions_with(const Json& object, const ServiceCondition& condition,
                                    std::string_view now) {
  Json out = Json::array();
  bool found = false;
  Json made = Json::object({{"type", "Available"},
                            {"status", condition.status},
                            {"lastTransitionTime", now},
                            {"reason", condition.reason},
                            {"message", condition.message}});
  for (const Json& each : object.get("status").get("conditions").items()) {
    if (each.get("type").text() != "Available") {
      out.push_back(each);
      continue;
    }
    found = true;
    if (each.get("status").text() == condition.status) {
      made.set("lastTransitionTime", each.get("lastTransitionTime"));
    }
    if (each == made) return std::nullopt;
    out.push_back(made);
  }
  if (!found) out.push_back(std::move(made));
  return out;
}

}  // namespace davit::sandbox
