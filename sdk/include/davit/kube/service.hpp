/// Service: a typed view of the fields that endpoint controllers read.
#pragma once

#include <davit/kube/metadata.hpp>
#include <string_view>

namespace davit {

/// A Service.
class Service : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "services", "Service"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view type() const { return spec()[&Names::type].string(); }
  /// Whether the Service is an alias of a DNS name and has no pods.
  [[nodiscard]] bool is_external_name() const { return type() == "ExternalName"; }
  /// Label values to match exactly; absent if another client maintains the endpoints.
  [[nodiscard]] Value selector() const { return spec()[&Names::selector]; }
  /// Empty until allocated; "None" for headless Services.
  [[nodiscard]] std::string_view cluster_ip() const { return spec()[&Names::cluster_ip].string(); }
  [[nodiscard]] bool is_headless() const { return cluster_ip() == "None"; }
  /// helper.IsServiceIPSet of k8s.io/kubernetes/pkg/apis/core/v1/helper.
  [[nodiscard]] bool has_cluster_ip() const { return !cluster_ip().empty() && !is_headless(); }
  [[nodiscard]] Value ip_families() const { return spec()[&Names::ip_families]; }
  [[nodiscard]] Value ports() const { return spec()[&Names::ports]; }
  [[nodiscard]] bool publishes_not_ready() const {
    return spec()[&Names::publish_not_ready_addresses].is_true();
  }

  /// Whether `labels` has every pair of the selector. An absent selector matches nothing, an empty
  /// one everything.
  [[nodiscard]] bool selects(Value labels) const {
    const Value wanted = selector();
    if (wanted.kind() != Kind::kObject) return false;
    for (const Member& each : wanted.members()) {
      const auto has = labels[each.key].text();
      if (!has || *has != each.value.string()) return false;
    }
    return true;
  }
};

}  // namespace davit
