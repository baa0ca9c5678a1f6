#include "plugins/podautoscaler/status_draft.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/json_equal.hpp>
#include <utility>

namespace davit::podautoscaler {

StatusDraft::StatusDraft(const Autoscaler& autoscaler, WallTime now)
    : now_(now), conditions_(autoscaler.status()[&Names::conditions]) {
  const Value status = autoscaler.status();
  current_ = status["currentReplicas"].integer_or(0);
  desired_ = status["desiredReplicas"].integer_or(0);
  last_scale_ = status["lastScaleTime"].string();
  observed_generation_ = status[&Names::observed_generation].integer();
  for (const Value each : status["currentMetrics"].elements()) metrics_.push_back(each.json());
}

void StatusDraft::set(std::string_view type, bool is_true, std::string_view reason,
                      std::string_view message) {
  Condition next{.type = std::string(type),
                 .status = is_true ? "True" : "False",
                 .reason = std::string(reason),
                 .message = std::string(message),
                 .last_transition_time = std::chrono::floor<std::chrono::seconds>(now_),
                 .last_update_time = std::nullopt};
  const Condition* const present = conditions_.find(type);
  if (present != nullptr && present->status == next.status) {
    next.last_transition_time = present->last_transition_time;
  }
  static_cast<void>(conditions_.replace(std::move(next)));
}

bool StatusDraft::is_true(std::string_view type) const {
  const Condition* const found = conditions_.find(type);
  return found != nullptr && found->status == "True";
}

void StatusDraft::set_counts(std::int32_t current, std::int32_t desired,
                             std::vector<std::string> metrics) {
  current_ = current;
  desired_ = desired;
  metrics_ = std::move(metrics);
  observed_generation_.reset();
}

std::string StatusDraft::metrics_json() const {
  std::string out = "[";
  for (const std::string& each : metrics_) out.append(out.size() > 1 ? "," : "").append(each);
  return out + "]";
}

bool StatusDraft::is_same_as(const Autoscaler& autoscaler) const {
  const Value status = autoscaler.status();
  const Value metrics = status["currentMetrics"];
  return status["currentReplicas"].integer_or(0) == current_ &&
         status["desiredReplicas"].integer_or(0) == desired_ &&
         parse_time(status["lastScaleTime"].string()) == parse_time(last_scale_) &&
         status[&Names::observed_generation].integer() == observed_generation_ &&
         metrics.count() == metrics_.size() &&
         (metrics_.empty() || json_equal(metrics_json(), metrics)) &&
         ConditionList(status[&Names::conditions]) == conditions_;
}

std::string StatusDraft::body(const Autoscaler& autoscaler) const {
  JsonWriter out;
  out.begin_object().member("apiVersion", Autoscaler::kResource.api_version());
  out.member("kind", Autoscaler::kResource.kind).member("metadata", autoscaler.metadata());
  out.member("spec", autoscaler.spec()).key("status").begin_object();
  if (observed_generation_) out.member("observedGeneration", *observed_generation_);
  if (!last_scale_.empty()) out.member("lastScaleTime", last_scale_);
  if (current_ != 0) out.member("currentReplicas", current_);
  out.member("desiredReplicas", desired_).key("currentMetrics");
  if (metrics_.empty()) {
    out.null();
  } else {
    out.raw(metrics_json());
  }
  out.key("conditions");
  conditions_.write(out);
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::podautoscaler
