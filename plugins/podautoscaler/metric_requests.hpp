/// The requests to the three metrics APIs.
#pragma once

#include <davit/context.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/podautoscaler/metric_answers.hpp"
#include "plugins/podautoscaler/metric_spec.hpp"
#include "plugins/podautoscaler/shared_values.hpp"

namespace davit::podautoscaler {

/// The catalog of what the server offers, for kinds and groups that may be new to it. Thread-safe.
class FreshCatalog {
 public:
  /// `cluster` must outlive this. Asks the server itself at most once per `period`.
  FreshCatalog(Context& cluster, Duration period) : cluster_(cluster), period_(period) {}

  /// Looks into the host's catalog with `find`, which gives an optional; without a result into one
  /// that the server is asked for now. For syncs.
  template <typename Find>
  [[nodiscard]] auto look(const Find& find) -> Result<decltype(find(ServedCatalog()))> {
    const Result<ServedCatalog> known = cluster_.discovery().catalog();
    if (!known) return known.error();
    auto found = find(*known);
    if (found || !may_ask()) return found;
    const Result<ServedCatalog> fresh = cluster_.discovery().fetch();
    if (!fresh) return fresh.error();
    return find(*fresh);
  }

 private:
  [[nodiscard]] bool may_ask();

  Context& cluster_;
  const Duration period_;
  std::mutex mutex_;
  std::optional<Time> asked_;
};

/// Asks for the metrics of one autoscaler during one sync: for a list that several entries need
/// once, and not at all for a value that another autoscaler has just asked for. The errors are
/// upstream's texts. Rules: docs/spec/hpa.md, sections 8.2 to 8.4.
class MetricRequests {
 public:
  struct Parts {
    Context& cluster;
    FreshCatalog& catalog;
    SharedValues& values;
  };
  struct Scope {
    std::string ns;
    std::string pods;   ///< The selector of the pods, in text form.
    std::string asker;  ///< The UID of the autoscaler.
  };
  /// `parts` must outlive this.
  MetricRequests(const Parts& parts, Scope scope)
      : cluster_(parts.cluster),
        catalog_(parts.catalog),
        values_(parts.values),
        scope_(std::move(scope)) {}

  /// For Resource and ContainerResource.
  [[nodiscard]] Result<PodValues> resource(const MetricSpec& spec);
  [[nodiscard]] Result<PodValues> pods(const MetricSpec& spec);
  [[nodiscard]] Result<std::int64_t> object(const MetricSpec& spec);
  [[nodiscard]] Result<std::int64_t> external(const MetricSpec& spec);

 private:
  /// The version of custom.metrics.k8s.io.
  [[nodiscard]] Result<std::string> custom_version();
  /// "pods", or "ingresses.networking.k8s.io": the resource of the described object.
  [[nodiscard]] Result<std::string> resource_of(Value described);
  [[nodiscard]] Result<Value> custom(Request request);
  /// The question of `request` for SharedValues. `kind`: of the metric.
  [[nodiscard]] SharedValues::Question question(std::string_view kind,
                                                const Request& request) const;

  Context& cluster_;
  FreshCatalog& catalog_;
  SharedValues& values_;
  const Scope scope_;
  std::optional<Result<Value>> pod_metrics_;
};

}  // namespace davit::podautoscaler
