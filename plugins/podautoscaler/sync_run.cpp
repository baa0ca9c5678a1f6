#include "plugins/podautoscaler/sync_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <davit/kube/selector.hpp>
#include <davit/mutant.hpp>
#include <utility>

#include "plugins/podautoscaler/saturate.hpp"

namespace davit::podautoscaler {
namespace {

constexpr std::string_view kAble = "AbleToScale";
constexpr std::string_view kActive = "ScalingActive";
constexpr std::string_view kLimited = "ScalingLimited";
constexpr std::string_view kToZero = "ScaledToZero";
constexpr std::string_view kBelowMin = "Current number of replicas below Spec.MinReplicas";

ScaleTarget target_of(const Autoscaler& autoscaler) {
  const Value target = autoscaler.target();
  return {std::string(target["apiVersion"].string()),
          std::string(target[&Names::kind].string()),
          {std::string(autoscaler.ns()), std::string(target[&Names::name].string())}};
}

std::string reference_of(const Autoscaler& autoscaler) {
  const ScaleTarget target = target_of(autoscaler);
  return target.kind + "/" + target.key.text();
}

}  // namespace

SyncRun::SyncRun(const Parts& parts, const Autoscaler& autoscaler)
    : parts_(parts),
      autoscaler_(autoscaler),
      reference_(reference_of(autoscaler)),
      behavior_(read_behavior(autoscaler.spec()["behavior"])),
      begin_(parts.evaluation.cluster.now()),
      min_(autoscaler.min_replicas()),
      max_(autoscaler.max_replicas()),
      scales_(cluster().client(), cluster().discovery()),
      status_(autoscaler, cluster().wall_now()),
      history_(parts.memory.take(autoscaler.key(), autoscaler.uid())) {}

Status SyncRun::run() {
  Status out = scaled();
  if (out.code() == Code::kCancelled) return out;
  history_.prune(cluster().now(), options().downscale_window, behavior_ ? &*behavior_ : nullptr);
  parts_.memory.put(autoscaler_.key(), autoscaler_.uid(), std::move(history_));
  if (out.ok()) out = partial_;
  if (!out.ok() && error_kind_ == ErrorKind::kNone) error_kind_ = ErrorKind::kInternal;
  const std::int32_t from = scale_.replicas;
  parts_.evaluation.metrics.reconciled(from, is_scaled_ ? written_ : from, error_kind_, begin_);
  return out;
}

Status SyncRun::scaled() {
  Result<Scale> scale = scales_.get(target_of(autoscaler_));
  if (scale && !scale->selector.empty()) {
    if (const Status s = Selector::parse_text(scale->selector).error(); !s.ok()) {
      scale = Status(s.code(),
                     "received an object from a /scale endpoint which was not convertible to "
                     "autoscaling Scale: failed to parse target selector: " +
                         s.message());
    }
  }
  if (!scale) return fail_scale(scale.error());
  scale_ = std::move(*scale);
  status_.set(kAble, true, "SucceededGetScale",
              "the HPA controller was able to get the target's current scale");
  if (history_.recommendations.empty()) {
    history_.recommendations.push_back({scale_.replicas, begin_});
  }
  const Result<Wanted> wanted = decide();
  if (!wanted) return wanted.error();
  if (wanted->is_change) {
    if (Status s = write_scale(*wanted); !s.ok()) return s;
  }
  const std::int32_t desired = wanted->is_change ? wanted->replicas : scale_.replicas;
  status_.set_counts(scale_.replicas, desired, std::move(statuses_));
  parts_.evaluation.metrics.desired(autoscaler_.ns(), autoscaler_.name(), desired);
  return write_status();
}

Status SyncRun::fail_scale(const Status& error) {
  if (error.code() == Code::kCancelled) return error;
  // The host adds its request to the texts of servers that did not explain themselves.
  std::string text = error.message();
  if (error.has_cause("UnexpectedServerResponse") && text.ends_with(')')) {
    text.resize(std::min(text.rfind(" ("), text.size()));
  }
  if (text.starts_with("unexpected GroupVersion string")) error_kind_ = ErrorKind::kSpec;
  cluster().events().warning(autoscaler_, "FailedGetScale", text);
  status_.set(kAble, false, "FailedGetScale",
              "the HPA controller was unable to get the target's current scale: " + text);
  if (Status s = write_status(); !s.ok()) {
    if (s.code() == Code::kCancelled) return s;
    cluster().log().error("the status of an autoscaler cannot be written",
                          {{"autoscaler", autoscaler_.key().text()}, {"error", s.message()}});
  }
  return {error.code(), "failed to query scale subresource for " + reference_ + ": " + text};
}

bool SyncRun::may_start_from_zero() const {
  return options().scale_to_zero && status_.is_true(kToZero) &&
         (min_ != 0 || has_object_or_external(autoscaler_.metrics()));
}

Result<SyncRun::Wanted> SyncRun::decide() {
  if (scale_.replicas == 0 && !may_start_from_zero()) {
    status_.set(kActive, false, "ScalingDisabled",
                "scaling is disabled since the replica count of the target is zero");
    if (!options().scale_to_zero) status_.remove(kToZero);
    return Wanted{};
  }
  if (scale_.replicas > max_ && scale_.replicas != 0) {
    return Wanted{max_, "Current number of replicas above Spec.MaxReplicas", true};
  }
  if (scale_.replicas < min_ && scale_.replicas != 0) {
    return Wanted{min_, std::string(kBelowMin), true};
  }
  return decide_by_metrics();
}

Result<SyncRun::Wanted> SyncRun::decide_by_metrics() {
  const bool from_zero = scale_.replicas == 0;
  Evaluated evaluated = evaluate();
  if (evaluated.error.code() == Code::kCancelled) return evaluated.error;
  error_kind_ = evaluated.error_kind;
  if (evaluated.is_failed) {
    status_.set_counts(scale_.replicas, std::move(evaluated.statuses));
    const Status written = write_status();
    if (written.code() == Code::kCancelled) return written;
    cluster().events().warning(autoscaler_, "FailedComputeMetricsReplicas",
                               evaluated.error.message());
    return Status(evaluated.error.code(),
                  "failed to compute desired number of replicas based on listed metrics for " +
                      reference_ + ": " + evaluated.error.message());
  }
  statuses_ = std::move(evaluated.statuses);
  partial_ = evaluated.error;
  Wanted out;
  if (evaluated.replicas > 0) out.replicas = evaluated.replicas;
  if (out.replicas > scale_.replicas) out.reason = evaluated.metric + " above target";
  if (out.replicas < scale_.replicas) out.reason = "All metrics below target";
  const Limited limited = limit(out.replicas);
  status_.set(kAble, limited.able);
  status_.set(kLimited, limited.limited);
  out.replicas = limited.replicas;
  if (from_zero && min_ != 0 && out.replicas < min_) {
    out.replicas = min_;
    if (out.reason.empty()) out.reason = kBelowMin;
  }
  out.is_change = out.replicas != scale_.replicas;
  return out;
}

Evaluated SyncRun::evaluate() {
  const auto failed = [](const Status& why) {
    Evaluated out;
    out.error = why;
    out.error_kind = ErrorKind::kInternal;
    out.is_failed = true;
    return out;
  };
  if (scale_.selector.empty()) {
    const std::string_view error = "selector is required";
    refuse_selector("SelectorRequired", "InvalidSelector", error,
                    "the HPA target's scale is missing a selector");
    return failed({Code::kInvalid, std::string(error)});
  }
  const Result<Selector> selector = Selector::parse_text(scale_.selector);
  if (!selector) return failed(selector.error());
  const Result<std::vector<Pod>> pods = pods_of_target(*selector);
  if (!pods) return failed(pods.error());
  Evaluation evaluation(parts_.evaluation, autoscaler_, {scale_.replicas, scale_.current_replicas},
                        *pods, selector->to_string());
  return evaluation.run(status_);
}

Result<std::vector<Pod>> SyncRun::pods_of_target(const Selector& selector) {
  const std::string_view ns = autoscaler_.ns();
  if (Status s = parts_.selectors.set(autoscaler_.key(), scale_.selector); !s.ok()) return s;
  std::vector<Pod> out;
  std::vector<Value> labels;
  const auto equality = selector.equality();
  for (const Pod& each : equality ? parts_.pods.by_label(ns, equality->first, equality->second)
                                  : parts_.pods.in_namespace(ns)) {
    if (!selector.matches(each.labels())) continue;
    out.push_back(each);
    labels.push_back(each.labels());
  }
  const std::vector<std::string> rivals = parts_.selectors.select(ns, labels);
  if (rivals.size() < 2 || mutant("shared-pods")) return out;
  std::string names;
  for (const std::string& each : rivals) {
    names.append(names.empty() ? "" : " ").append(ns).append("/").append(each);
  }
  const std::string error =
      "pods by selector " + scale_.selector + " are controlled by multiple HPAs: [" + names + "]";
  refuse_selector("AmbiguousSelector", "AmbiguousSelector", error, error);
  return Status(Code::kInvalid, error);
}

void SyncRun::refuse_selector(std::string_view event, std::string_view reason,
                              std::string_view error, std::string_view message) {
  cluster().events().warning(autoscaler_, event, error);
  status_.set(kActive, false, reason, message);
}

Limited SyncRun::limit(std::int32_t desired) {
  const LimitInput in{.current = scale_.replicas,
                      .desired = desired,
                      .min = min_,
                      .max = max_,
                      .window = options().downscale_window,
                      .now = cluster().now()};
  return behavior_ ? limit_by_behavior(in, *behavior_, history_) : limit_by_default(in, history_);
}

Status SyncRun::write_scale(const Wanted& wanted) {
  constexpr int kAttempts = 5;
  constexpr int kPauseMs = 10;
  Scale present = scale_;
  Status error;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) {
      if (Status s = cluster().pause(std::chrono::milliseconds(kPauseMs)); !s.ok()) return s;
    }
    error = scales_.set(present, wanted.replicas).error();
    if (error.ok() || error.code() == Code::kCancelled) break;
    // The number stays, whatever another writer has set meanwhile: as upstream.
    if (Result<Scale> read = scales_.get(present.target); read) present = std::move(*read);
    if (error.code() != Code::kConflict || mutant("scale-conflict")) break;
  }
  if (error.code() == Code::kCancelled) return error;
  const std::string to = std::to_string(wanted.replicas);
  if (!error.ok()) {
    cluster().events().warning(
        autoscaler_, "FailedRescale",
        "New size: " + to + "; reason: " + wanted.reason + "; error: " + error.message());
    status_.set(kAble, false, "FailedUpdateScale",
                "the HPA controller was unable to update the target scale: " + error.message());
    status_.set_counts(scale_.replicas, std::move(statuses_));
    if (const Status s = write_status(); s.code() == Code::kCancelled) return s;
    return {error.code(), "failed to rescale " + reference_ + ": " + error.message()};
  }
  status_.set(kAble, true, "SucceededRescale",
              "the HPA controller was able to update the target scale to " + to);
  cluster().events().normal(autoscaler_, "SuccessfulRescale",
                            "New size: " + to + "; reason: " + wanted.reason);
  note_scaled(wanted.replicas);
  return {};
}

void SyncRun::note_scaled(std::int32_t to) {
  is_scaled_ = true;
  written_ = to;
  status_.set_scaled();
  if (behavior_) {
    const std::int32_t size =
        saturated32(to > scale_.replicas ? Wide{to} - scale_.replicas : Wide{scale_.replicas} - to);
    (to > scale_.replicas ? history_.ups : history_.downs).push_back({size, cluster().now()});
  }
  if (!options().scale_to_zero) return status_.remove(kToZero);
  const bool to_zero =
      scale_.replicas > 0 && to == 0 && min_ == 0 && has_object_or_external(autoscaler_.metrics());
  if (to_zero) {
    status_.set(kToZero, true, "ScaledToZero", "the HPA controller scaled the workload to zero");
  } else {
    status_.set(kToZero, false, "NotScaledToZero",
                "the HPA controller did not scale the workload to zero");
  }
}

Status SyncRun::write_status() {
  if (status_.is_same_as(autoscaler_)) return {};
  Status error = cluster()
                     .client()
                     .update<Autoscaler>(autoscaler_.key(), status_.body(autoscaler_),
                                         {.subresource = "status", .answer = Answer::kMetadata})
                     .error();
  if (error.ok() || error.code() == Code::kCancelled) return error;
  cluster().events().warning(autoscaler_, "FailedUpdateStatus", error.message());
  const bool is_lost = is_scaled_ && error.code() == Code::kConflict && !mutant("scaled-status");
  if (is_lost) error = write_status_again(std::move(error));
  if (error.ok() || error.code() == Code::kCancelled) return error;
  return error.with_context("failed to update status for " + std::string(autoscaler_.name()));
}

// Only this sync knows that it has written the scale, so that a conflict must not lose it.
Status SyncRun::write_status_again(Status conflict) {
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts && conflict.code() == Code::kConflict; ++attempt) {
    const Result<Autoscaler> live = cluster().client().get<Autoscaler>(autoscaler_.key());
    if (!live) return live.error();
    if (live->uid() != autoscaler_.uid()) return conflict;
    conflict = cluster()
                   .client()
                   .update<Autoscaler>(autoscaler_.key(), status_.body(*live),
                                       {.subresource = "status", .answer = Answer::kMetadata})
                   .error();
  }
  return conflict;
}

}  // namespace davit::podautoscaler
