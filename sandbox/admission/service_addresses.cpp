#include "sandbox/admission/service_addresses.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "sandbox/kinds/network_rules.hpp"

namespace davit::sandbox {

namespace {

// k8s: pkg/registry/core/service/portallocator.
NumberPool::Limits port_limits(const ServiceAddresses::Ports& ports) {
  const auto size = static_cast<std::size_t>(ports.max - ports.min + 1);
  return {size, static_cast<std::size_t>(static_band(size, 32, 128)), 0};
}

ApiError refused(const Resource& resource, const Json& service, FieldError error) {
  return invalid(Subject::kind_of(resource, service.text_at({"metadata", "name"})),
                 {std::move(error)});
}

std::string port_field(std::size_t index) {
  return "spec.ports[" + std::to_string(index) + "].nodePort";
}

std::int64_t number_of(const Json& object, std::string_view field) {
  return object.get(field).integer_or(0);
}

/// The node port that a later port of the same number requests; 0 if there is none. Ports that
/// differ only in protocol share one.
std::int64_t wanted_port(const Json::Items& ports, std::size_t from) {
  for (std::size_t i = from; i < ports.size(); ++i) {
    if (number_of(ports[i], "port") == number_of(ports[from], "port") &&
        number_of(ports[i], "nodePort") != 0) {
      return number_of(ports[i], "nodePort");
    }
  }
  return 0;
}

}  // namespace

/// Gives back what was taken, unless it is committed.
class ServiceAddresses::Hold final : public Reservation {
 public:
  Hold(ServiceAddresses& owner, Holding taken, Holding unused)
      : owner_(owner), on_failure_(std::move(taken)), on_commit_(std::move(unused)) {}
  ~Hold() override { owner_.give_back(on_failure_); }

  void commit() override {
    on_failure_ = {};
    owner_.give_back(std::exchange(on_commit_, {}));
  }

 private:
  ServiceAddresses& owner_;
  Holding on_failure_;
  Holding on_commit_;
};

ServiceAddresses::ServiceAddresses(std::vector<ip::Prefix> ranges, const Ports& ports,
                                   const ObjectLookup& objects, Random& random)
    : limits_(ports),
      random_(random),
      addresses_(std::move(ranges), objects, random),
      ports_(port_limits(ports)) {}

void ServiceAddresses::adopt(const Json& service) {
  const Holding holding = held_by(service);
  MutexLock lock(mutex_);
  for (const std::string& each : holding.addresses) addresses_.adopt(each);
  for (const std::size_t each : holding.ports) static_cast<void>(ports_.take(each));
}

void ServiceAddresses::release(const Json& service) { give_back(held_by(service)); }

void ServiceAddresses::give_back(const Holding& holding) {
  MutexLock lock(mutex_);
  for (const std::string& each : holding.addresses) addresses_.release(each);
  for (const std::size_t each : holding.ports) ports_.release(each);
}

std::optional<std::size_t> ServiceAddresses::port_number(std::int64_t port) const {
  if (port < limits_.min || port > limits_.max) return std::nullopt;
  return static_cast<std::size_t>(port - limits_.min);
}

ServiceAddresses::Holding ServiceAddresses::held_by(const Json& service) const {
  Holding out;
  const Json& spec = service.get("spec");
  for (const Json& each : spec.get("clusterIPs").items()) {
    if (const auto address = ip::Address::parse(each.text())) {
      out.addresses.insert(address->text());
    }
  }
  for (const Json& each : spec.get("ports").items()) {
    if (const auto number = port_number(number_of(each, "nodePort"))) out.ports.insert(*number);
  }
  if (const auto number = port_number(number_of(spec, "healthCheckNodePort"))) {
    out.ports.insert(*number);
  }
  return out;
}

Reserved ServiceAddresses::reserve(const Resource& resource, Json& service, const Json* old,
                                   DryRun dry_run) {
  Taking taking{.resource = resource,
                .service = service,
                .dry_run = dry_run,
                .held = old == nullptr ? Holding() : held_by(*old),
                .taken = {},
                .shown = {}};
  ApiFailure failure;
  {
    MutexLock lock(mutex_);
    failure = take(taking);
  }
  if (failure) {
    give_back(taking.taken);
    return {std::move(failure), nullptr, {}};
  }
  const Holding wanted = held_by(service);
  const Holding& held = taking.held;
  Holding unused;
  std::ranges::set_difference(held.addresses, wanted.addresses,
                              std::inserter(unused.addresses, unused.addresses.end()));
  std::ranges::set_difference(held.ports, wanted.ports,
                              std::inserter(unused.ports, unused.ports.end()));
  return {
      std::nullopt, std::make_unique<Hold>(*this, std::move(taking.taken), std::move(unused)), {}};
}

ApiFailure ServiceAddresses::take(Taking& taking) {
  if (ApiFailure failure = take_addresses(taking)) return failure;
  if (ApiFailure failure = take_ports(taking)) return failure;
  return take_health_port(taking);
}

/// One address for each family. k8s: allocClusterIPs and updateClusterIPs.
ApiFailure ServiceAddresses::take_addresses(Taking& taking) {
  Json& service = taking.service;
  if (!needs_cluster_ip(service) || is_headless(service)) return std::nullopt;
  ServiceFamilies families = families_of(service);
  if (families.empty()) families.push_back(addresses_.default_family());
  Json& spec = service["spec"];
  Json::Items ips = spec.get("clusterIPs").items();
  ips.resize(std::max(ips.size(), families.size()), Json(""));
  spec.set("clusterIPs", Json(ips));
  for (std::size_t i = 0; i < ips.size(); ++i) {
    const std::string wanted = ips[i].text();
    if (!wanted.empty() || i >= families.size()) {
      if (ApiFailure failure = take_address(taking, wanted)) return failure;
      continue;
    }
    const auto address = any_address(taking, families[i]);
    if (!address) {
      return internal_failure("failed to allocate a serviceIP for Service " +
                              to_text(service.get("metadata").get("name")) + ": range is full");
    }
    ips[i] = Json(address->text());
  }
  spec.set("clusterIP", ips.front());
  spec.set("clusterIPs", Json(std::move(ips)));
  return std::nullopt;
}

std::optional<ip::Address> ServiceAddresses::any_address(Taking& taking, ip::Family family) {
  if (taking.dry_run == DryRun::kYes) return addresses_.any_network(family);
  const std::optional<ip::Address> address = addresses_.take_any(family);
  if (address) taking.taken.addresses.insert(address->text());
  return address;
}

ApiFailure ServiceAddresses::take_address(Taking& taking, const std::string& wanted) {
  using Outcome = ClusterAddresses::Outcome;
  const std::optional<ip::Address> address = ip::Address::parse(wanted);
  Outcome outcome = Outcome::kNotInRange;
  if (address) {
    const std::string text = address->text();
    if (taking.held.addresses.contains(text)) return std::nullopt;
    if (taking.dry_run == DryRun::kNo) {
      outcome = addresses_.take(*address);
    } else if (addresses_.is_in_range(*address)) {
      return std::nullopt;
    }
    if (outcome == Outcome::kTaken) {
      taking.taken.addresses.insert(text);
      return std::nullopt;
    }
  }
  const std::string_view why = outcome == Outcome::kNotFree
                                   ? "provided IP is already allocated"
                                   : "the provided network does not match the current range";
  return refused(taking.resource, taking.service,
                 field_invalid("spec.clusterIPs", taking.service.get("spec").get("clusterIPs"),
                               "failed to allocate IP " + wanted + ": " + std::string(why)));
}

std::optional<std::int64_t> ServiceAddresses::any_port(Taking& taking) {
  if (taking.dry_run == DryRun::kYes) {
    constexpr std::int64_t kAboveAll = 32'768;
    const std::int64_t last = taking.shown.empty() ? kAboveAll : *taking.shown.rbegin();
    return *taking.shown.insert(last + 1).first;
  }
  const auto number = ports_.take_any(random_);
  if (!number) return std::nullopt;
  taking.taken.ports.insert(*number);
  return limits_.min + static_cast<std::int64_t>(*number);
}

/// Takes the node port that the port at `index` requests.
ApiFailure ServiceAddresses::take_port(Taking& taking, std::size_t index) {
  const Json& wanted = taking.service.get("spec").get("ports").items()[index].get("nodePort");
  const auto number = port_number(wanted.integer_or(0));
  if (!number && taking.dry_run == DryRun::kNo) {
    return refused(
        taking.resource, taking.service,
        field_invalid(port_field(index), wanted,
                      "provided port is not in the valid range. The range of valid ports is " +
                          std::to_string(limits_.min) + '-' + std::to_string(limits_.max)));
  }
  if (number && (taking.held.ports.contains(*number) || taking.taken.ports.contains(*number))) {
    return std::nullopt;
  }
  const bool is_free =
      taking.dry_run == DryRun::kNo ? ports_.take(*number) : !number || !ports_.has(*number);
  if (!is_free) {
    return refused(taking.resource, taking.service,
                   field_invalid(port_field(index), wanted, "provided port is already allocated"));
  }
  if (taking.dry_run == DryRun::kYes) {
    taking.shown.insert(wanted.integer_or(0));
  } else {
    taking.taken.ports.insert(*number);
  }
  return std::nullopt;
}

ApiFailure ServiceAddresses::take_ports(Taking& taking) {
  const bool give = needs_node_port(taking.service);
  const std::string& type = taking.service.text_at({"spec", "type"});
  Json* list = taking.service.at({"spec", "ports"});
  if (list == nullptr || (type != "NodePort" && type != "LoadBalancer")) return std::nullopt;
  std::map<std::int64_t, std::int64_t> node_ports;  // Port number to node port.
  Json::Items& ports = list->make_array();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    std::int64_t& shared = node_ports[number_of(ports[i], "port")];
    if (give && shared == 0) shared = wanted_port(ports, i);
    if (number_of(ports[i], "nodePort") == 0 && shared != 0) ports[i].set("nodePort", shared);
    if (number_of(ports[i], "nodePort") != 0) {
      if (ApiFailure failure = take_port(taking, i)) return failure;
      continue;
    }
    if (!give) continue;
    const auto port = any_port(taking);
    if (!port) return internal_failure("failed to allocate a nodePort: range is full");
    shared = *port;
    ports[i].set("nodePort", *port);
  }
  return std::nullopt;
}

ApiFailure ServiceAddresses::take_health_port(Taking& taking) {
  if (!needs_health_check_port(taking.service)) return std::nullopt;
  Json& spec = taking.service["spec"];
  const std::int64_t wanted = number_of(spec, "healthCheckNodePort");
  if (wanted == 0) {
    const auto port = any_port(taking);
    if (!port) return internal_error("failed to allocate a HealthCheck NodePort : range is full");
    spec.set("healthCheckNodePort", *port);
    return std::nullopt;
  }
  const auto number = port_number(wanted);
  if (number && taking.held.ports.contains(*number)) return std::nullopt;
  if (taking.dry_run == DryRun::kYes) {
    if (!number || !ports_.has(*number)) return std::nullopt;
  } else if (number && ports_.take(*number)) {
    taking.taken.ports.insert(*number);
    return std::nullopt;
  }
  return internal_error(
      "failed to allocate requested HealthCheck NodePort " + std::to_string(wanted) + ": " +
      (number ? "provided port is already allocated" : "provided port is not in the valid range"));
}

}  // namespace davit::sandbox
