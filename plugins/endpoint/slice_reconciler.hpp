/// Brings the slices of one Service about: plans each address type, sends the writes.
#pragma once

#include <davit/context.hpp>
#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/service.hpp>
#include <davit/write_window.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/endpoint/slice_metrics.hpp"
#include "plugins/endpoint/slice_plan.hpp"
#include "plugins/endpoint/zone_memory.hpp"
#include "plugins/shared/endpoint/slice_generations.hpp"

namespace davit::endpoint {

/// The rules are in wanted_endpoints, slice_plan, traffic_hints and zone_hints, which are pure.
class SliceReconciler {
 public:
  /// Parts shared with the controller; all must outlive it.
  struct Shared {
    const Informer<Node>& nodes;
    SliceGenerations& generations;
    ZoneMemory& zones;
    SliceMetrics& metrics;
    WriteWindow& window;
  };
  /// The input of one sync.
  struct Work {
    const Service& service;
    std::span<const Pod> pods;              ///< The pods that it selects.
    std::span<const EndpointSlice> slices;  ///< Its slices that the controller manages.
    std::optional<WallTime> trigger;
  };

  SliceReconciler(Context& cluster, std::size_t endpoints_max, const Shared& shared)
      : cluster_(cluster), endpoints_max_(endpoints_max), shared_(shared) {}

  /// Does all the work that is possible, and then reports every failure in one message.
  [[nodiscard]] Status run(const Work& work);

 private:
  struct Announcement {
    std::string_view type;
    std::string_view reason;
    std::string message;
  };
  /// Collects what fails.
  class Failures;

  void run_type(const Work& work, IpFamily type, Failures& failures);
  /// Sets or clears hints; returns the announcements to make after the writes.
  [[nodiscard]] std::vector<Announcement> hint(const Service& service, IpFamily type,
                                               SlicePlan& plan);
  enum class Written { kAll, kNamespaceEnds };
  [[nodiscard]] Result<Written> write(const Work& work, IpFamily type, const SlicePlan& plan);
  [[nodiscard]] Status send(const Request& request, const Key& service);
  [[nodiscard]] Status remove(const EndpointSlice& slice, const Service& service);

  Context& cluster_;
  const std::size_t endpoints_max_;
  const Shared shared_;
};

}  // namespace davit::endpoint
