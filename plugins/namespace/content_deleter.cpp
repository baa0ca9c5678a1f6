#include "plugins/namespace/content_deleter.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace davit::namespaces {
namespace {

/// Answers that mean "not here" and not "failed".
bool is_missing(const Status& status) {
  constexpr int kMethodNotAllowed = 405;
  const ApiDetail* const detail = status.detail();
  return status.code() == Code::kNotFound ||
         (detail != nullptr && detail->http_status == kMethodNotAllowed);
}

Resource resource_of(const Gvr& gvr) { return {gvr.group, gvr.version, gvr.resource, {}}; }

DeleteOptions in_background() { return {.propagation = Propagation::kBackground}; }

}  // namespace

struct ContentDeleter::Target {
  const Gvr& gvr;
  const UnsupportedTable& unsupported;

  [[nodiscard]] bool lacks_list() const { return unsupported.lacks_list(gvr); }
  [[nodiscard]] bool lacks_delete_collection() const {
    return unsupported.lacks_delete_collection(gvr);
  }
};

/// The progress so far.
struct ContentDeleter::Progress {
  UnsupportedTable unsupported;
  DeletionOutcome outcome;
  std::vector<Status> errors;

  void add(const Gvr& gvr, const ResourceOutcome& done) {
    if (!done.error.ok()) outcome.findings.content.push_back(done.error.message());
    outcome.estimate = std::max(outcome.estimate, done.estimate);
    outcome.findings.totals.add(gvr, done.remaining);
  }
  [[nodiscard]] DeletionOutcome end() {
    outcome.error = aggregate(errors);
    return std::move(outcome);
  }
  [[nodiscard]] DeletionOutcome stop(Status why) {
    outcome.error = std::move(why);
    return std::move(outcome);
  }
};

ContentDeleter::ContentDeleter(const Context& cluster, Discover discover)
    : cluster_(cluster), discover_(std::move(discover)) {}

DeletionOutcome ContentDeleter::empty(const Namespace& ns) const {
  Progress progress;
  std::vector<Gvr> resources = find_resources(progress);
  const auto cancelled = [](const Status& status) { return status.code() == Code::kCancelled; };
  if (!progress.errors.empty() && cancelled(progress.errors.front())) return progress.end();
  const auto pods = std::find_if(resources.begin(), resources.end(),
                                 [](const Gvr& each) { return each.is_pods(); });
  if (pods != resources.end()) {
    const Gvr gvr = *pods;
    resources.erase(pods);
    const ResourceOutcome done = process(ns, {gvr, progress.unsupported});
    if (cancelled(done.error)) return progress.stop(done.error);
    progress.add(gvr, done);
    if (!done.error.ok()) {
      progress.errors.emplace_back(
          done.error.code(), "failed to delete pods for namespace: " + std::string(ns.name()) +
                                 ", err: " + done.error.message());
    }
    if (done.remaining.count > 0) {
      // As upstream: the conditions do not show the pods that are waited for.
      progress.outcome.findings.totals = {};
      return progress.end();
    }
  }
  for (const Gvr& each : resources) {
    const ResourceOutcome done = process(ns, {each, progress.unsupported});
    if (cancelled(done.error)) return progress.stop(done.error);
    progress.add(each, done);
    if (!done.error.ok()) progress.errors.push_back(done.error);
  }
  return progress.end();
}

std::vector<Gvr> ContentDeleter::find_resources(Progress& progress) const {
  const Result<Served> found = discover_(Asked::kInSync);
  Findings& findings = progress.outcome.findings;
  if (!found) {
    progress.errors.push_back(found.error());
    findings.discovery = found.error().message();
    return {};
  }
  if (const std::vector<std::string> failures = failures_of(*found); !failures.empty()) {
    progress.errors.emplace_back(Code::kUnavailable, partial_failure_text(failures));
    findings.discovery = partial_discovery_message(failures);
  }
  progress.unsupported = UnsupportedTable(found->kinds);
  ResourcePlan plan = plan_resources(found->kinds);
  if (plan.unparsed) {
    progress.errors.emplace_back(Code::kInternal, *plan.unparsed);
    findings.parsing = std::move(plan.unparsed);
  }
  return std::move(plan.resources);
}

ResourceOutcome ContentDeleter::process(const Namespace& ns, const Target& target) const {
  const Gvr& gvr = target.gvr;
  const Result<std::chrono::seconds> estimate = estimate_grace(ns, gvr);
  ResourceOutcome outcome;
  if (!estimate) {
    outcome.error = estimate.error();
    return outcome;
  }
  outcome.estimate = *estimate;
  outcome.error = delete_content(ns.name(), target);
  if (!outcome.error.ok()) return outcome;
  const Result<Value> left = list_metadata(ns.name(), target);
  if (left) return judge_remaining(ns.name(), gvr, *estimate, count_remaining(*left));
  outcome.error = left.error().unless(Code::kNotFound);
  return outcome;
}

Result<std::chrono::seconds> ContentDeleter::estimate_grace(const Namespace& ns,
                                                            const Gvr& gvr) const {
  if (!gvr.is_pods()) return std::chrono::seconds(0);
  const Result<Value> pods = cluster_.client().call(Request::list(resource_of(gvr), ns.name()));
  if (!pods) return pods.error();
  return grace_estimate(*pods, ns.deletion_time(), cluster_.wall_now());
}

Status ContentDeleter::delete_content(std::string_view ns, const Target& target) const {
  if (target.lacks_delete_collection()) return delete_each(ns, target);
  const Request request = Request::remove_collection(resource_of(target.gvr), ns, in_background());
  const Status status = cluster_.client().call(request).error();
  return is_missing(status) ? delete_each(ns, target) : status;
}

Status ContentDeleter::delete_each(std::string_view ns, const Target& target) const {
  const Result<Value> list = list_metadata(ns, target);
  if (!list) return list.error().unless(Code::kNotFound);
  for (const Value item : (*list)[&Names::items].elements()) {
    const Key key{std::string(ns), std::string(item[&Names::metadata][&Names::name].string())};
    const Status status = cluster_.client()
                              .call(Request::remove(resource_of(target.gvr), key, in_background()))
                              .error();
    if (!status.ok() && !is_missing(status)) return status;
  }
  return {};
}

Result<Value> ContentDeleter::list_metadata(std::string_view ns, const Target& target) const {
  const Status missing(Code::kNotFound, target.gvr.text() + " cannot be listed");
  if (target.lacks_list()) return missing;
  Result<Value> list = cluster_.client().call(
      Request::list(resource_of(target.gvr), ns, {.answer = Answer::kMetadata}));
  if (!list && is_missing(list.error())) return missing;
  return list;
}

}  // namespace davit::namespaces
