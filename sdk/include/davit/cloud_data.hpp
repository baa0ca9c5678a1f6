/// The values that a provider of a cloud and its loops exchange as JSON (davit/cloud.h).
#pragma once

#include <compare>
#include <davit/object.hpp>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// The Services for which a provider has load balancers, by their spec.loadBalancerClass. Rule:
/// docs/spec/cloud.md, E6.
struct LoadBalancerClasses {
  std::vector<std::string> names{};  ///< The values.
  bool takes_unclassed = true;       ///< Also Services without a class.

  /// Whether a Service with this spec.loadBalancerClass is one of them; absent: without a class.
  [[nodiscard]] bool has(Value name) const;
  /// The names as davit_cloud_provider_v1 has them.
  [[nodiscard]] std::string text() const;
  /// Takes the names of such a text.
  void read(std::string_view text);

  friend bool operator==(const LoadBalancerClasses&, const LoadBalancerClasses&) = default;
};

/// One of the addresses of a Node: core/v1 NodeAddress.
struct CloudAddress {
  std::string type;  ///< "InternalIP"
  std::string address;

  friend auto operator<=>(const CloudAddress&, const CloudAddress&) = default;
};
/// The addresses of a list, such as that in a Node's status.
[[nodiscard]] std::vector<CloudAddress> read_addresses(Value list);

/// The facts of a machine, each empty if it has none.
struct CloudMetadata {
  std::string provider_id;
  std::string instance_type;
  std::string zone;
  std::string region;
  std::vector<CloudAddress> addresses;
  std::map<std::string, std::string> labels;  ///< Further labels of its Node.

  [[nodiscard]] static CloudMetadata read(Value json);
  [[nodiscard]] std::string json() const;
};

/// A route to the pods of a Node.
struct CloudRoute {
  std::string name;                       ///< The cloud's own.
  std::string node;                       ///< Its target; empty: none, or not one of the cluster.
  std::string destination;                ///< The CIDR, as it was given to Routes::create.
  std::vector<CloudAddress> addresses{};  ///< Those of the Node.
  bool follows_addresses = false;         ///< It is made again when they change.
  bool is_blackhole = false;              ///< Its target is gone.

  [[nodiscard]] static CloudRoute read(Value json);
  [[nodiscard]] std::string json() const;
};
/// The routes of a list as routes_json() writes it; one that is no object is empty.
[[nodiscard]] std::vector<CloudRoute> read_routes(Value list);
/// A JSON list of routes, as Routes::list passes it to the loops.
[[nodiscard]] std::string routes_json(std::span<const CloudRoute> routes);

}  // namespace davit
