#include "sandbox/rest/eviction.hpp"

#include "lib/kube/condition_status.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/rest/binding.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/delete.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/response.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

const Collection kBudgets{"policy", "poddisruptionbudgets"};
constexpr const char* kDisruptionAllowed = "DisruptionAllowed";
/// k8s: MaxDisruptedPodSize. The controller drops what it has confirmed.
constexpr std::size_t kDisruptedPodsMax = 2000;

/// Whether the pod's end cannot disrupt anything any more.
bool needs_no_budget(const Json& pod) {
  const std::string& phase = pod.text_at({"status", "phase"});
  return is_being_deleted(pod) || phase == "Pending" || phase == "Succeeded" || phase == "Failed";
}

std::vector<VersionPtr> budgets_for(const Store& store, const std::string& ns, const Json& pod) {
  std::vector<VersionPtr> out;
  for (const VersionPtr& each : store.list(kBudgets, ns).objects) {
    const Json budget = each->json();
    if (selector_matches(budget.get("spec").get("selector"), pod.get("metadata").get("labels"))) {
      out.push_back(each);
    }
  }
  return out;
}

ApiError refused(std::string why, int retry_after_seconds) {
  return too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.",
                           {{"DisruptionBudget", "", std::move(why)}}, retry_after_seconds);
}

/// Why the budget allows nothing now.
std::string shortage(const Json& budget) {
  const std::string about = "The disruption budget " + budget.text_at({"metadata", "name"});
  const Json& status = budget.get("status");
  for (const Json& each : status.get("conditions").items()) {
    if (each.get("type").text() == kDisruptionAllowed &&
        each.get("reason").text() == "SyncFailed") {
      return about + " does not allow evicting pods currently because it failed sync: " +
             each.get("message").text();
    }
  }
  return about + " needs " + std::to_string(status.get("desiredHealthy").integer_or(0)) +
         " healthy pods and has " + std::to_string(status.get("currentHealthy").integer_or(0)) +
         " currently";
}

/// `budget` with one disruption less (k8s: EvictionREST.checkAndDecrement).
ApiResult<Json> decremented(const Json& budget, const std::string& pod, const std::string& now) {
  const std::string& name = budget.text_at({"metadata", "name"});
  const Json& status = budget.get("status");
  const std::int64_t observed = status.get("observedGeneration").integer_or(0);
  if (observed < budget.get("metadata").get("generation").integer_or(0)) {
    constexpr int kRetrySeconds = 10;
    return refused("The disruption budget " + name + " is still being processed by the server.",
                   kRetrySeconds);
  }
  const std::int64_t allowed = status.get("disruptionsAllowed").integer_or(0);
  if (allowed <= 0) return refused(shortage(budget), 0);
  if (status.get("disruptedPods").size() > kDisruptedPodsMax) {
    return forbidden({kBudgets.group, "poddisruptionbudget", name},
                     "DisruptedPods map too big - too many evictions not confirmed by PDB "
                     "controller");
  }
  Json next = budget;
  next["status"].set("disruptionsAllowed", allowed - 1);
  next["status"]["disruptedPods"].set(pod, now);
  if (allowed == 1) {
    Json condition = Json::object({{"type", kDisruptionAllowed},
                                   {"status", "False"},
                                   {"reason", "InsufficientPods"},
                                   {"message", ""}});
    set_condition(next, std::move(condition), now);
    for (Json& each : next["status"]["conditions"].make_array()) each.erase("lastProbeTime");
  }
  return next;
}

/// An unready pod may go without counting against a healthy enough budget.
bool evicts_unready(const Json& budget, const Json& pod) {
  if (condition_status(pod, "Ready") == "True") return false;
  if (budget.text_at({"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow") return true;
  const std::int64_t desired = budget.get("status").get("desiredHealthy").integer_or(0);
  return desired > 0 && budget.get("status").get("currentHealthy").integer_or(0) >= desired;
}

ApiFailure take_from_budget(const RestParts& parts, const std::string& ns, const Json& pod,
                            DryRun dry_run) {
  const std::vector<VersionPtr> budgets = budgets_for(parts.store, ns, pod);
  if (budgets.empty()) return std::nullopt;
  if (budgets.size() > 1) {
    return internal_error(
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
        "support.");
  }
  if (evicts_unready(budgets.front()->json(), pod)) return std::nullopt;
  const ResourcePtr resource = parts.resources.now()->find("policy", "v1", kBudgets.resource);
  return rewrite_status(
      parts, *resource, ns, budgets.front()->name, dry_run, [&](const Json& budget) {
        return decremented(budget, pod.text_at({"metadata", "name"}), time_text(parts.clock));
      });
}

ApiFailure mark_evicted(const RestParts& parts, const Resource& pods, const std::string& ns,
                        const std::string& name) {
  return rewrite_status(parts, pods, ns, name, DryRun::kNo,
                        [&](const Json& old) -> ApiResult<Json> {
                          Json next = old;
                          set_condition(next,
                                        Json::object({{"type", "DisruptionTarget"},
                                                      {"status", "True"},
                                                      {"reason", "EvictionByEvictionAPI"},
                                                      {"message", "Eviction API: evicting"}}),
                                        time_text(parts.clock));
                          return next;
                        });
}

}  // namespace

ApiResult<HttpServerResponse> post_eviction(const RestParts& parts, Call& call) {
  const ApiResult<WriteOptions> write = parse_write_options(call.url.query, WriteKind::kCreate);
  if (!write) return write.error();
  ApiResult<Decoded> decoded =
      decode_body(call.request, BodyType::of_kind("policy", "v1", "Eviction"), write->validation);
  if (!decoded) return decoded.error();
  const std::string& given = decoded->object.text_at({"metadata", "name"});
  if (!given.empty() && given != call.url.name) {
    return bad_request("name in URL does not match name in Eviction object");
  }
  ApiResult<DeleteOptions> options = parse_delete_options(decoded->object.get("deleteOptions"));
  if (!options) return options.error();
  if (write->dry_run == DryRun::kYes) options->dry_run = DryRun::kYes;
  const Resource& pods = *call.resource;
  const std::string ns = call.ns();
  if (ApiFailure failure =
          admit_part(pods, call.url.name, options->dry_run, decoded->object, call)) {
    return *failure;
  }
  // Webhooks may have changed them.
  options = parse_delete_options(decoded->object.get("deleteOptions"));
  if (!options) return options.error();
  if (write->dry_run == DryRun::kYes) options->dry_run = DryRun::kYes;
  const VersionPtr version = parts.store.get(pods.collection, ns, call.url.name);
  if (version == nullptr) return not_found(Subject::resource(pods, call.url.name));
  const Json pod = load(*version, pods);
  if (!needs_no_budget(pod)) {
    if (ApiFailure failure = take_from_budget(parts, call.ns(), pod, options->dry_run)) {
      return *failure;
    }
  }
  if (options->dry_run == DryRun::kNo) {
    if (ApiFailure failure = mark_evicted(parts, pods, call.ns(), call.url.name)) {
      return *failure;
    }
  }
  const ApiResult<Deleted> deleted = delete_one(parts, pods, call.ns(), call.url.name, *options);
  if (!deleted) return deleted.error();
  return object_response(parts, call, 201, created_status());
}

}  // namespace davit::sandbox
