#include "plugins/job/job_status.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "plugins/shared/pods/json_rewrite.hpp"

namespace davit::job {
namespace {

std::vector<std::string> read_texts(Value list) {
  std::vector<std::string> texts;
  for (const Value each : list.elements()) {
    if (const auto text = each.text()) texts.emplace_back(*text);
  }
  return texts;
}

/// A counter of the API's; what is none reads as zero.
std::int64_t read_count(Value value) {
  return std::clamp<std::int64_t>(value.integer_or(0), 0, std::numeric_limits<std::int32_t>::max());
}

std::optional<std::string> owned(std::optional<std::string_view> text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

void write_texts(JsonWriter& out, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  out.key(name).begin_array();
  for (const std::string& each : texts) out.string(each);
  out.end_array();
}

/// A member of the status; left out without a value.
pods::Replacement count(std::string_view key, std::optional<std::int64_t> value) {
  if (!value) return {key, {}};
  return {key, [value](JsonWriter& out) { out.integer(*value); }};
}
pods::Replacement text(std::string_view key, std::optional<std::string> value) {
  if (!value) return {key, {}};
  return {key, [value](JsonWriter& out) { out.string(*value); }};
}
pods::Replacement time(std::string_view key, std::optional<WallTime> value) {
  return text(key, value ? std::optional(format_time(*value)) : std::nullopt);
}
/// Zero is left out.
std::optional<std::int64_t> unless_zero(std::int64_t value) {
  return value == 0 ? std::nullopt : std::optional(value);
}

void write_conditions(JsonWriter& out, const std::vector<JobCondition>& conditions) {
  out.begin_array();
  for (const JobCondition& each : conditions) out.raw(each.json);
  out.end_array();
}

void write_status(JsonWriter& out, const JobStatus& status, Value stored) {
  const auto write_uncounted = [&](JsonWriter& value) {
    value.begin_object();
    write_texts(value, "succeeded", status.uncounted_succeeded);
    write_texts(value, "failed", status.uncounted_failed);
    value.end_object();
  };
  pods::Replacement conditions{"conditions", {}};
  if (!status.conditions.empty()) {
    conditions.write = [&](JsonWriter& value) { write_conditions(value, status.conditions); };
  }
  std::optional<std::string> completed;
  if (!status.completed_indexes.empty()) completed = status.completed_indexes;
  const pods::Replacement members[] = {
      conditions,
      time("startTime", status.start_time),
      time("completionTime", status.completion_time),
      count("active", unless_zero(status.active)),
      count("succeeded", unless_zero(status.succeeded)),
      count("failed", unless_zero(status.failed)),
      count("terminating", status.terminating),
      text("completedIndexes", completed),
      text("failedIndexes", status.failed_indexes),
      {"uncountedTerminatedPods", write_uncounted},
      count("ready", status.ready),
  };
  pods::rewrite_object(out, stored, members);
}

}  // namespace

JobCondition make_condition(std::string_view type, std::string_view status, std::string_view reason,
                            std::string_view message, WallTime now) {
  JsonWriter out;
  out.begin_object().member("type", type).member("status", status);
  out.member("lastProbeTime", format_time(now)).member("lastTransitionTime", format_time(now));
  out.member("reason", reason).member("message", message).end_object();
  return {std::string(type), std::string(status), std::string(reason), std::string(message),
          std::move(out).text()};
}

const JobCondition* JobStatus::find_true(std::string_view type) const {
  for (const JobCondition& each : conditions) {
    if (each.type == type && each.status == "True") return &each;
  }
  return nullptr;
}

bool JobStatus::set_condition(JobCondition condition) {
  for (JobCondition& each : conditions) {
    if (each.type != condition.type) continue;
    if (each.status == condition.status && each.reason == condition.reason &&
        each.message == condition.message) {
      return false;
    }
    each = std::move(condition);
    return true;
  }
  if (condition.status == "False") return false;
  conditions.push_back(std::move(condition));
  return true;
}

JobStatus read_status(const Job& job) {
  const Value from = job.status();
  JobStatus status;
  status.active = read_count(from["active"]);
  status.succeeded = read_count(from["succeeded"]);
  status.failed = read_count(from["failed"]);
  status.ready = from["ready"].integer();
  status.terminating = from["terminating"].integer();
  status.uncounted_succeeded = read_texts(from["uncountedTerminatedPods"]["succeeded"]);
  status.uncounted_failed = read_texts(from["uncountedTerminatedPods"]["failed"]);
  status.completed_indexes = from["completedIndexes"].string();
  status.failed_indexes = owned(from["failedIndexes"].text());
  status.start_time = job.start_time();
  status.completion_time = parse_time(from["completionTime"].string());
  for (const Value each : from[&Names::conditions].elements()) {
    const ConditionView view(each);
    status.conditions.push_back({std::string(view.type()), std::string(view.status()),
                                 std::string(view.reason()), std::string(view.message()),
                                 each.json()});
  }
  return status;
}

std::string body_with_status(const Job& job, const JobStatus& status) {
  // Items of a list, which a cache may hold, carry no kind.
  const pods::Replacement members[] = {
      text("apiVersion", Job::kResource.api_version()),
      text("kind", std::string(Job::kResource.kind)),
      {"status", [&](JsonWriter& value) { write_status(value, status, job.status()); }},
  };
  JsonWriter out;
  pods::rewrite_object(out, job.value(), members);
  return std::move(out).text();
}

}  // namespace davit::job
