/// Lease of coordination.k8s.io/v1: a typed view.
#pragma once

#include <davit/kube/metadata.hpp>
#include <davit/kube/time.hpp>
#include <optional>
#include <string_view>

namespace davit {

/// A Lease of coordination.k8s.io/v1: the heartbeat of a node, or the lock of a leader election.
class Lease : public ObjectView {
 public:
  static constexpr Resource kResource{"coordination.k8s.io", "v1", "leases", "Lease"};
  using ObjectView::ObjectView;

  /// The holder's text, with microseconds.
  [[nodiscard]] std::string_view renew_time_text() const {
    return spec()[&Names::renew_time].string();
  }
  [[nodiscard]] std::optional<WallTime> renew_time() const { return parse_time(renew_time_text()); }
};

}  // namespace davit
