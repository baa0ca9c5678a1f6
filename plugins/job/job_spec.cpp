#include "plugins/job/job_spec.hpp"

#include <algorithm>
#include <limits>

namespace davit::job {
namespace {

// Deadlines are int64 seconds, and longer ones than this, about 95 years, count as this. It leaves
// room for the difference of any two times in nanoseconds.
constexpr std::int64_t kDeadlineMax = 3'000'000'000;

/// Reads the numbers of a spec; remembers the first that is not one.
class Numbers {
 public:
  explicit Numbers(Value spec) : spec_(spec) {}

  [[nodiscard]] std::optional<std::int64_t> read(
      std::string_view name, std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
    const Value value = spec_[name];
    if (value.is_absent() || value.kind() == Kind::kNull) return std::nullopt;
    const std::optional<std::int64_t> number = value.integer();
    if (!number || *number < 0 || *number > most) {
      if (status_.ok()) {
        status_ =
            Status(Code::kInvalid, "spec." + std::string(name) + " must be an integer from 0 to " +
                                       std::to_string(most) + ", not " + value.json());
      }
      return std::nullopt;
    }
    return number;
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  Value spec_;
  Status status_;
};

FailureRule::Action read_action(std::string_view text) {
  using Action = FailureRule::Action;
  if (text == "FailJob") return Action::kFailJob;
  if (text == "FailIndex") return Action::kFailIndex;
  if (text == "Count") return Action::kCount;
  if (text == "Ignore") return Action::kIgnore;
  return Action::kUnknown;
}

FailureRule read_failure_rule(Value value) {
  FailureRule rule;
  rule.action = read_action(value["action"].string());
  const Value codes = value["onExitCodes"];
  rule.on_exit_codes = codes.kind() == Kind::kObject;
  rule.container = codes["containerName"].text();
  const std::string_view op = codes[&Names::op].string();
  if (op == "In") rule.op = FailureRule::Operator::kIn;
  if (op == "NotIn") rule.op = FailureRule::Operator::kNotIn;
  for (const Value each : codes[&Names::values].elements()) {
    if (const std::optional<std::int64_t> code = each.integer()) rule.exit_codes.push_back(*code);
  }
  for (const Value each : value["onPodConditions"].elements()) {
    rule.conditions.push_back({each[&Names::type].string(), each[&Names::status].string()});
  }
  return rule;
}

}  // namespace

Result<JobSpec> read_spec(const Job& job) {
  const Value from = job.spec();
  Numbers numbers(from);
  JobSpec spec;
  spec.parallelism = numbers.read("parallelism").value_or(1);
  spec.completions = numbers.read("completions");
  spec.backoff_limit = numbers.read("backoffLimit").value_or(spec.backoff_limit);
  spec.backoff_limit_per_index = numbers.read("backoffLimitPerIndex");
  spec.max_failed_indexes = numbers.read("maxFailedIndexes");
  const std::optional<std::int64_t> deadline =
      numbers.read("activeDeadlineSeconds", std::numeric_limits<std::int64_t>::max());
  if (deadline) spec.active_deadline = std::chrono::seconds(std::min(*deadline, kDeadlineMax));
  if (!numbers.status().ok()) return numbers.status();

  spec.indexed = job.is_indexed();
  if (spec.indexed && !spec.completions) {
    return Status(Code::kInvalid, "spec.completions is missing, which an Indexed Job needs");
  }
  if (!spec.indexed) spec.backoff_limit_per_index.reset();
  spec.suspended = job.is_suspended();
  spec.being_deleted = job.is_being_deleted();
  spec.restarts_in_place =
      job.pod_template()[&Names::spec][&Names::restart_policy].string() == "OnFailure";
  const Value policy = from["podFailurePolicy"];
  if (policy.kind() == Kind::kObject) {
    spec.failure_policy.emplace();
    for (const Value each : policy["rules"].elements()) {
      spec.failure_policy->push_back(read_failure_rule(each));
    }
  }
  spec.replaces_failed_only =
      spec.failure_policy.has_value() || from["podReplacementPolicy"].string() == "Failed";
  for (const Value each : from["successPolicy"]["rules"].elements()) {
    spec.success_policy.push_back(
        {each["succeededIndexes"].text(), each["succeededCount"].integer()});
  }
  return spec;
}

}  // namespace davit::job
