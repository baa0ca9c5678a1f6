#include "plugins/podautoscaler/evaluation.hpp"

#include <davit/mutant.hpp>
#include <utility>

namespace davit::podautoscaler {
namespace {

CalculatorSettings settings_of(const Options& options, const Autoscaler& autoscaler) {
  CalculatorSettings out = options.calculator;
  if (!options.configurable_tolerance) return out;
  const std::optional<Behavior> behavior = read_behavior(autoscaler.spec()["behavior"]);
  if (!behavior) return out;
  out.tolerance.down = behavior->down.tolerance.value_or(out.tolerance.down);
  out.tolerance.up = behavior->up.tolerance.value_or(out.tolerance.up);
  return out;
}

/// The first entry that failed.
struct FirstFailure {
  std::string_view reason;
  std::string inner;
  std::string outer;
};

}  // namespace

Evaluation::Evaluation(const Parts& parts, const Autoscaler& autoscaler, Replicas replicas,
                       const std::vector<Pod>& pods, std::string pod_selector)
    : parts_(parts),
      autoscaler_(autoscaler),
      replicas_(replicas),
      pods_(pods),
      facts_(facts_of(pods)),
      calculator_(settings_of(parts.options, autoscaler), replicas),
      requests_({parts.cluster, parts.catalog, parts.values},
                {.ns = std::string(autoscaler.ns()),
                 .pods = std::move(pod_selector),
                 .asker = std::string(autoscaler.uid())}) {}

Evaluated Evaluation::run(StatusDraft& status) {
  Evaluated out;
  std::optional<FirstFailure> first;
  std::size_t failed = 0;
  const auto before =
      static_cast<std::int32_t>(autoscaler_.status()["currentReplicas"].integer_or(0));
  const Value entries = autoscaler_.metrics();
  for (const Value entry : entries.elements()) {
    const MetricSpec spec = read_metric(entry);
    const Time begin = parts_.cluster.now();
    const Result<Proposal> proposal = compute(spec);
    if (proposal.error().code() == Code::kCancelled) {
      out.error = proposal.error();
      out.is_failed = true;
      return out;
    }
    if (proposal) {
      parts_.metrics.computed(before, proposal->replicas, ErrorKind::kNone, spec.type, begin);
      out.statuses.push_back(spec.status(*proposal));
      if (out.replicas == 0 || proposal->replicas > out.replicas) {
        out.replicas = proposal->replicas;
        out.metric = spec.title();
      }
      continue;
    }
    const ErrorKind kind =
        spec.source == MetricSource::kUnknown ? ErrorKind::kSpec : ErrorKind::kInternal;
    parts_.metrics.computed(0, 0, kind, spec.type, begin);
    const std::string inner = proposal.error().message();
    parts_.cluster.events().warning(autoscaler_, spec.failure_reason(), inner);
    out.statuses.emplace_back(R"({"type":""})");
    ++failed;
    if (!first) {
      first = {spec.failure_reason(), inner, spec.outer_error(inner)};
      out.error_kind = kind;
    }
  }
  if (first) {
    out.error = Status(Code::kUnavailable,
                       "invalid metrics (" + std::to_string(failed) + " invalid out of " +
                           std::to_string(entries.count()) + "), first error is: " + first->outer);
  }
  // One broken metric blocks scaling down, but not up.
  const bool goes_down = out.replicas < replicas_.current && !mutant("broken-metric");
  if (first && (failed == entries.count() || goes_down)) {
    out.is_failed = true;
    status.set("ScalingActive", false, first->reason,
               "the HPA was unable to compute the replica count: " + first->inner);
  } else {
    status.set("ScalingActive", true, "ValidMetricFound",
               "the HPA was able to successfully calculate a replica count from " + out.metric);
  }
  return out;
}

Result<Proposal> Evaluation::compute(const MetricSpec& spec) {
  switch (spec.source) {
    case MetricSource::kResource:
    case MetricSource::kContainerResource: {
      Result<Proposal> proposal = of_resource(spec);
      if (proposal) return proposal;
      if (!spec.average_value && !spec.utilization) return proposal;
      return proposal.error().with_context("failed to get " + std::string(spec.name) +
                                           (spec.average_value ? " usage" : " utilization"));
    }
    case MetricSource::kPods:
      return of_pods(spec);
    case MetricSource::kObject:
    case MetricSource::kExternal:
      return of_value(spec);
    case MetricSource::kUnknown:
      break;
  }
  return Status(Code::kInvalid, "unknown metric source type \"" + std::string(spec.type) + "\"");
}

PodMetric Evaluation::metric_of(PodValues values, bool is_cpu) const {
  return {.pods = facts_,
          .values = std::move(values),
          .is_cpu = is_cpu,
          .now = parts_.cluster.wall_now()};
}

Result<Proposal> Evaluation::of_resource(const MetricSpec& spec) {
  if (!spec.average_value && !spec.utilization) {
    return Status(Code::kInvalid,
                  "invalid resource metric source: neither an average utilization target nor an "
                  "average value (usage) target was set");
  }
  Result<PodValues> values = requests_.resource(spec);
  if (!values) return values.error();
  PodMetric metric = metric_of(std::move(*values), spec.name == "cpu");
  if (spec.average_value) return calculator_.by_average(std::move(metric), *spec.average_value);
  const Result<PodRequests> requests =
      requests_of(pods_, {spec.name, spec.container, parts_.options.pod_level_resources});
  return calculator_.by_utilization(std::move(metric), requests, *spec.utilization);
}

Result<Proposal> Evaluation::of_pods(const MetricSpec& spec) {
  Result<PodValues> values = requests_.pods(spec);
  if (!values) return values.error();
  return calculator_.by_average(metric_of(std::move(*values), false),
                                spec.average_value.value_or(0));
}

Result<Proposal> Evaluation::of_value(const MetricSpec& spec) {
  const bool is_object = spec.source == MetricSource::kObject;
  const bool average = spec.wants_average();
  const bool is_value = is_object ? spec.target_type == "Value" && spec.value : !!spec.value;
  if (!average && !is_value) {
    const std::string source = is_object ? "object" : "external";
    return Status(Code::kInvalid, "invalid " + source + " metric source: neither a value target " +
                                      "nor an average value target was set");
  }
  const Result<std::int64_t> value = is_object ? requests_.object(spec) : requests_.external(spec);
  if (!value) return value.error();
  if (average) return calculator_.by_average_value(*value, *spec.average_value);
  return calculator_.by_value(facts_, *value, *spec.value);
}

}  // namespace davit::podautoscaler
