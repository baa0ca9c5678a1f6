#include "plugins/endpoint/subset_plan.hpp"

#include <utility>

#include "plugins/endpoint/pod_facts.hpp"

namespace davit::endpoint {

namespace {

EndpointAddress address_of(const Pod& pod, const Service& service, std::string ip) {
  EndpointAddress address;
  address.ip = std::move(ip);
  address.hostname = hostname_in(pod, service);
  address.node_name = std::string(pod.node_name());
  address.target = ObjectReference::to(pod);
  return address;
}

/// One subset for each port that the pod offers, with its one address.
class Builder {
 public:
  Builder(const Service& service, SubsetPlan& plan) : service_(service), plan_(plan) {}

  void add(const Pod& pod) {
    const std::optional<IpAddress> ip = pod_ip(pod, published_family(service_, pod));
    if (!ip) {
      note(pod, "has no address of the Service's family");
      return;
    }
    const EndpointAddress address = address_of(pod, service_, ip->text);
    const bool ready = service_.publishes_not_ready() || pod.is_ready();
    if (service_.ports().count() == 0) {
      if (service_.is_headless()) place(address, ready, {});
      return;
    }
    for (const Value each : service_.ports().elements()) {
      const std::optional<std::int64_t> number = target_port(pod, each);
      if (number) {
        place(address, ready, {endpoint_port(each, *number)});
      } else {
        note(pod, "has no port " + std::string(each[&Names::target_port].string()));
      }
    }
  }

 private:
  void place(const EndpointAddress& address, bool ready, std::vector<EndpointPort> ports) {
    EndpointSubset subset;
    (ready ? subset.ready : subset.not_ready).push_back(address);
    subset.ports = std::move(ports);
    plan_.subsets.push_back(std::move(subset));
  }
  void note(const Pod& pod, const std::string& what) {
    plan_.notes.push_back("pod " + std::string(pod.name()) + " " + what);
  }

  const Service& service_;
  SubsetPlan& plan_;
};

}  // namespace

IpFamily published_family(const Service& service, const Pod& pod) {
  const Value families = service.ip_families();
  if (const auto first = ip::family_of(families.at(0).string())) return *first;
  const std::string_view address =
      service.has_cluster_ip() ? service.cluster_ip() : pod.status()[&Names::pod_ip].string();
  return address.find(':') == std::string_view::npos ? IpFamily::kIPv4 : IpFamily::kIPv6;
}

bool counts(const Pod& pod, const Service& service) {
  if (pod.is_finished() || !has_ip(pod)) return false;
  return service.publishes_not_ready() || !pod.is_being_deleted();
}

SubsetPlan plan_subsets(const Service& service, std::span<const Pod> pods) {
  SubsetPlan plan;
  Builder builder(service, plan);
  for (const Pod& pod : pods) {
    if (counts(pod, service)) builder.add(pod);
  }
  plan.subsets = canonical(plan.subsets);
  return plan;
}

}  // namespace davit::endpoint
