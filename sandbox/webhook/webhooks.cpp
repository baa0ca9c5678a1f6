#include "sandbox/webhook/webhooks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <davit/kube/signed_duration.hpp>
#include <map>
#include <optional>
#include <utility>

#include "lib/base/uuid.hpp"
#include "lib/kube/patch/patch.hpp"
#include "sandbox/policy/match_conditions.hpp"
#include "sandbox/policy/match_resources.hpp"
#include "sandbox/policy/mutated_object.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";
constexpr std::int64_t kTimeoutSeconds = 10;
/// All webhooks of a write have this time together. k8s: requestTimeoutUpperBound.
constexpr Duration kWriteTimeMax = std::chrono::seconds(34);
/// k8s: --request-timeout.
constexpr Duration kRequestTimeMax = std::chrono::seconds(60);

/// A webhook could lock out the one who wants to change it, so none is asked about these.
bool is_exempt(const Resource& resource) {
  constexpr std::array<std::string_view, 6> kExempt = {
      "validatingwebhookconfigurations", "mutatingwebhookconfigurations",
      "validatingadmissionpolicies",     "validatingadmissionpolicybindings",
      "mutatingadmissionpolicies",       "mutatingadmissionpolicybindings"};
  return resource.group == kGroup && std::ranges::find(kExempt, resource.name) != kExempt.end();
}

/// The time of the webhooks of a request. A collection is deleted object by object, for which the
/// server has no limit but that of any request. k8s: DeleteCollection of endpoints/handlers.
Duration server_time(const Call& call) {
  return call.verb == Verb::kDeleteCollection ? kRequestTimeMax : kWriteTimeMax;
}

/// The time that the client gives the request; nothing: it names none, or more than the server.
std::optional<Duration> given_time(const Call& call) {
  const std::optional<Duration> time = parse_signed_duration(call.url.query.get("timeout"));
  return time && *time > Duration::zero() && *time < server_time(call) ? time : std::nullopt;
}

bool fails(const Json& hook) { return hook.get("failurePolicy").text() != "Ignore"; }

bool has_effects_in_dry_runs(const Json& hook) {
  const std::string& effects = hook.get("sideEffects").text();
  return effects != "None" && effects != "NoneOnDryRun";
}

Json match_of(const Json& hook) {
  Json out = Json::object({{"resourceRules", hook.get("rules")}});
  for (const std::string_view key : {"namespaceSelector", "objectSelector", "matchPolicy"}) {
    if (hook.contains(key)) out.set(key, hook.get(key));
  }
  return out;
}

}  // namespace

namespace {

/// The refusal of a request whose thread must not wait for webhooks.
ApiFailure must_wait(const PolicyContext& context) {
  if (context.hook_wanted == nullptr) return std::nullopt;
  *context.hook_wanted = true;
  return too_many_requests("the request waits for webhooks", {}, 1);
}

}  // namespace

/// The calls for one write.
class Webhooks::Run {
 public:
  Run(const Parts& parts, const PolicyContext& context)
      : parts_(parts),
        context_(context),
        resources_(parts.resources.now()),
        deadline_(context.call.begun +
                  given_time(context.call).value_or(server_time(context.call))) {}

  /// A hook that is to be called for a write.
  struct Invocation {
    const Hook* hook = nullptr;
    ResourcePtr matched;
    std::string version;
    std::string uid;
    Json object;  ///< As the hook sees it; null: a deletion.
    HookRequest request;
    std::string error;  ///< Why it cannot be called.
  };

  /// Nothing: the hook is not for this write.
  ApiResult<std::optional<Invocation>> prepare(const Hook& hook, const JudgedWrite& write) {
    using Outcome = std::optional<Invocation>;
    Match match = match_resources(hook.match, write, parts_.store, *resources_);
    if (!match.error.empty()) {
      return not_found(Subject{"", "namespaces", std::string(namespace_of(write))});
    }
    if (match.resource == nullptr) return Outcome();
    const WriteView view(write, *match.resource, context_, parts_.store);
    if (view.failure()) return *view.failure();
    if (!hook.conditions.empty()) {
      const ConditionsVerdict found = match_conditions(hook.conditions, view.values(), {});
      if (!found.error.empty() && fails(hook.spec)) {
        return forbidden(Subject::resource(write.resource, std::string(write.name)), found.error);
      }
      if (!found.matches) return Outcome();
    }
    if (write.dry_run && has_effects_in_dry_runs(hook.spec)) {
      return bad_request("admission webhook " + to_text(Json(hook.name)) +
                         " does not support dry run");
    }
    return Outcome(invocation(hook, std::move(match.resource), view.values()));
  }

  [[nodiscard]] HookVerdict call(const Invocation& invocation) {
    if (!invocation.error.empty()) return failed(invocation);
    const std::vector<HookReply> replies =
        call_hooks(*parts_.connector, parts_.clock, {invocation.request}, context_.call.stop);
    return verdict(invocation, replies.front(), HookKind::kMutating);
  }

  [[nodiscard]] std::vector<HookVerdict> call_all(const std::vector<Invocation>& invocations) {
    std::vector<HookRequest> requests;
    for (const Invocation& each : invocations) {
      if (each.error.empty()) requests.push_back(each.request);
    }
    const std::vector<HookReply> replies =
        call_hooks(*parts_.connector, parts_.clock, requests, context_.call.stop);
    std::vector<HookVerdict> out;
    std::size_t next = 0;
    for (const Invocation& each : invocations) {
      out.push_back(each.error.empty() ? verdict(each, replies[next++], HookKind::kValidating)
                                       : failed(each));
    }
    return out;
  }

  /// The refusal of a verdict; nothing: the write passes.
  [[nodiscard]] ApiFailure refusal(const Invocation& invocation, const HookVerdict& verdict) const {
    const std::string& name = invocation.hook->name;
    if (parts_.clock.now() >= deadline_) return out_of_time();
    if (!verdict.error.empty()) {
      // A call that was cut off is no failure of the webhook, which may be ignored.
      if (context_.call.stop.stop_requested()) {
        return internal_error("request did not complete within requested timeout");
      }
      if (!fails(invocation.hook->spec)) return std::nullopt;
      return internal_failure("failed calling webhook " + to_text(Json(name)) + ": " +
                              verdict.error);
    }
    return verdict.allowed ? std::nullopt : ApiFailure(refused_by_hook(name, verdict.status));
  }

  /// Applies the patch of a verdict to the object of a write; says whether that changed it.
  [[nodiscard]] ApiResult<bool> apply(const Invocation& invocation, const HookVerdict& verdict,
                                      const JudgedWrite& write, Json* object) const {
    if (!verdict.error.empty() || verdict.patch.is_null()) return false;
    if (object == nullptr) {
      return internal_failure("admission webhook " + to_text(Json(invocation.hook->name)) +
                              " attempted to modify the object, which is not supported for this "
                              "operation");
    }
    Json next = invocation.object;
    if (const PatchOutcome fault = apply_json_patch(next, verdict.patch)) {
      return internal_failure(fault->detail.empty() ? fault->message : fault->detail);
    }
    MutatedObject adopted = adopt_mutated(context_.parts, std::move(next), *invocation.matched,
                                          write, FieldValidation::kIgnore);
    if (!adopted.error.empty()) return internal_failure(adopted.error);
    const bool changed = adopted.object != *object;
    *object = std::move(adopted.object);
    return changed;
  }

 private:
  Invocation invocation(const Hook& hook, ResourcePtr matched, const cel::AdmissionValues& values) {
    Invocation out;
    out.hook = &hook;
    out.matched = std::move(matched);
    out.version = review_version(hook.spec);
    out.uid = random_uuid(parts_.random);
    if (values.object != nullptr) out.object = *values.object;
    if (out.version.empty()) {
      out.error =
          "could not create admission objects: webhook does not accept known AdmissionReview "
          "versions (v1, v1beta1)";
      return out;
    }
    const Json& config = hook.spec.get("clientConfig");
    std::string why_not;
    out.request = request_to(config, parts_.store, why_not);
    const auto left = std::chrono::ceil<std::chrono::seconds>(deadline_ - parts_.clock.now());
    out.request.timeout =
        std::min(std::chrono::seconds(hook.spec.get("timeoutSeconds").integer_or(kTimeoutSeconds)),
                 std::max(left, std::chrono::seconds(1)));
    if (!why_not.empty()) {
      out.error = "failed to call webhook: " + post_error(out.request, why_not);
      return out;
    }
    Json request = *values.request;
    request.set("uid", out.uid);
    request.set("object", out.object);
    request.set("oldObject", values.old_object == nullptr ? Json() : *values.old_object);
    out.request.body = review_text(out.version, std::move(request));
    return out;
  }

  /// No webhook's failurePolicy counts then.
  [[nodiscard]] ApiError out_of_time() const {
    ApiError out = without_details(
        reason::kTimeout,
        given_time(context_.call) || context_.call.verb == Verb::kDeleteCollection
            ? "Timeout: request did not complete within the allotted timeout"
            : "Timeout: request did not complete within requested timeout - context deadline "
              "exceeded");
    out.details = StatusDetails();
    return out;
  }

  static HookVerdict failed(const Invocation& invocation) {
    HookVerdict out;
    out.error = invocation.error;
    return out;
  }

  HookVerdict verdict(const Invocation& invocation, const HookReply& reply, HookKind kind) const {
    HookVerdict out = read_review(reply, invocation.version, invocation.uid, kind);
    for (const std::string& each : out.warnings) add_warning(context_.warnings, each);
    return out;
  }

  const Parts& parts_;
  const PolicyContext& context_;
  const std::shared_ptr<const ResourceSet> resources_;
  const Time deadline_;
};

std::shared_ptr<const Webhooks::Hooks> Webhooks::hooks(HookKind kind) {
  if (parts_.connector == nullptr) return nullptr;
  const bool mutates = kind == HookKind::kMutating;
  const std::string plural =
      mutates ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
  const std::vector<VersionPtr> sources =
      parts_.store.list({std::string(kGroup), plural}, "").objects;
  if (sources.empty()) return nullptr;
  const MutexLock lock(mutex_);
  Known& known = mutates ? mutating_ : validating_;
  if (known.hooks == nullptr || known.sources != sources) {
    known.hooks = made_of(sources);
    known.sources = sources;
  }
  return known.hooks;
}

std::shared_ptr<const Webhooks::Hooks> Webhooks::made_of(const std::vector<VersionPtr>& sources) {
  auto out = std::make_shared<Hooks>();
  for (const VersionPtr& each : sources) {
    const Json configuration = each->json();
    std::map<std::string, int> seen;
    for (const Json& spec : configuration.get("webhooks").items()) {
      if (spec.get("rules").items().empty()) continue;
      Hook hook;
      hook.name = spec.get("name").text();
      // Counted in its configuration: another one may appear between the passes of a write.
      hook.key = each->name + '/' + hook.name + '/' + std::to_string(seen[hook.name]++);
      hook.spec = spec;
      hook.match = match_of(spec);
      const cel::AdmissionCompiler compiler(cel::Declares::kNo);
      for (const Json& condition : spec.get("matchConditions").items()) {
        hook.conditions.push_back(compiler.compile(condition.get("expression").text(),
                                                   cel::Wanted::kBool, cel::Declares::kYes));
      }
      out->push_back(std::move(hook));
    }
  }
  return out;
}

std::vector<std::string> Webhooks::concerned(std::string_view resource) {
  const auto names = [resource](const Json& rule) {
    return std::ranges::any_of(rule.get("resources").items(), [resource](const Json& each) {
      const std::string_view name = std::string_view(each.text()).substr(0, each.text().find('/'));
      return name == "*" || name == resource;
    });
  };
  std::vector<std::string> out;
  for (const HookKind kind : {HookKind::kMutating, HookKind::kValidating}) {
    const std::shared_ptr<const Hooks> list = hooks(kind);
    if (list == nullptr) continue;
    for (const Hook& each : *list) {
      if (std::ranges::any_of(each.spec.get("rules").items(), names)) out.push_back(each.key);
    }
  }
  return out;
}

ApiFailure Webhooks::mutate(JudgedWrite write, Json* object, const PolicyContext& context,
                            Reinvocation& round) {
  const std::shared_ptr<const Hooks> list =
      is_exempt(write.resource) ? nullptr : hooks(HookKind::kMutating);
  if (list == nullptr) return std::nullopt;
  Run run(parts_, context);
  if (object != nullptr) round.begin(*object);
  for (const Hook& hook : *list) {
    if (!round.runs(hook.key)) continue;
    write.object = object;
    ApiResult<std::optional<Run::Invocation>> invocation = run.prepare(hook, write);
    if (!invocation) return invocation.error();
    if (!*invocation) continue;
    if (ApiFailure later = must_wait(context)) return later;
    const HookVerdict verdict = run.call(**invocation);
    if (ApiFailure failure = run.refusal(**invocation, verdict)) return failure;
    const ApiResult<bool> patched = run.apply(**invocation, verdict, write, object);
    if (!patched) return patched.error();
    if (*patched) round.changed();
    if (hook.spec.get("reinvocationPolicy").text() == "IfNeeded") round.add(hook.key);
  }
  if (object != nullptr) round.end(*object);
  return std::nullopt;
}

ApiFailure Webhooks::judge(const JudgedWrite& write, const PolicyContext& context) {
  const std::shared_ptr<const Hooks> list =
      is_exempt(write.resource) ? nullptr : hooks(HookKind::kValidating);
  if (list == nullptr) return std::nullopt;
  Run run(parts_, context);
  std::vector<Run::Invocation> invocations;
  for (const Hook& each : *list) {
    ApiResult<std::optional<Run::Invocation>> invocation = run.prepare(each, write);
    if (!invocation) return invocation.error();
    if (*invocation) invocations.push_back(std::move(**invocation));
  }
  if (invocations.empty()) return std::nullopt;
  if (ApiFailure later = must_wait(context)) return later;
  const std::vector<HookVerdict> verdicts = run.call_all(invocations);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (ApiFailure failure = run.refusal(invocations[i], verdicts[i])) return failure;
  }
  return std::nullopt;
}

}  // namespace davit::sandbox
