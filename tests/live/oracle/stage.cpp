#include "tests/live/oracle/stage.hpp"

#include <algorithm>

#include "tests/live/oracle/converged.hpp"
#include "tests/live/support/process.hpp"
#include "tests/support/api_checks/api_checks.hpp"

namespace davit::oracle {

using host::Verb;
using live::eventually;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {

/// Far beyond what anything takes on a slow machine.
constexpr seconds kWaitLimit{180};
/// The same where kube-controller-manager waits for six minutes.
constexpr seconds kLongWaitLimit{600};
constexpr milliseconds kPollPeriod{50};
/// A scenario may write thousands of times.
constexpr milliseconds kWritePollPeriod{5};
/// Nothing changes for so long, and for several of the server's response times. A controller on a
/// busy machine takes seconds.
constexpr milliseconds kQuiet{5000};
/// The same while a pod stops slowly: it lasts a few seconds longer only.
constexpr milliseconds kQuietWhileStopping{1500};
constexpr int kResponses = 5;

bool has_labels(const Json& object, const std::vector<std::string>& labels) {
  return std::all_of(labels.begin(), labels.end(), [&object](const std::string& each) {
    const std::size_t equals = each.find('=');
    return object.text_at({"metadata", "labels", each.substr(0, equals)}) ==
           each.substr(equals + 1);
  });
}

/// Whether the scenario looks at pods that are about to end by themselves.
bool has_stopping_pods(const std::vector<Life>& lives) {
  return std::any_of(lives.begin(), lives.end(), [](const Life& each) {
    return !each.gone && each.kind->name == "pod" &&
           each.now().get("metadata").contains("deletionTimestamp");
  });
}

/// A status counts once its controller has seen the spec.
bool is_seen_by_its_controller(const Json& object) {
  const std::string& kind = object.text_at({"kind"});
  if (has_no_controller(object)) return true;
  if (kind != "Deployment" && kind != "ReplicaSet" && kind != "ReplicationController" &&
      kind != "DaemonSet" && kind != "StatefulSet")
    return true;
  return object.get("status").get("observedGeneration") == object.get("metadata").get("generation");
}

bool holds(const Json& object, const std::vector<std::string>& checks) {
  return std::all_of(checks.begin(), checks.end(), [&object](const std::string& each) {
    return checks::why_not(object, each).empty();
  });
}

host::ResourcePath path_of(const KindInfo& kind, const std::string& ns, const std::string& name) {
  host::ResourcePath out;
  out.group = kind.group;
  out.version = kind.version;
  out.resource = kind.resource;
  out.ns = kind.namespaced ? ns : "";
  out.name = name;
  return out;
}

}  // namespace

Stage::Stage(host::RestClient& client, const World& world, const KnownDifferences& known,
             Switches switches)
    : client_(client), world_(world), known_(known), switches_(std::move(switches)) {}

Transcript Stage::play(const Scenario& scenario) {
  ns_ = scenario.name;
  wait_limit_ = scenario.isolation == IsolationGroup::kLost ? kLongWaitLimit : kWaitLimit;
  Transcript out;
  Step space;
  space.target.kind = find_kind("namespace");
  space.body = Json::object({{"metadata", Json::object({{"name", ns_}})}});
  Status status = create(space);
  if (!status.ok()) out.failures.push_back(scenario.place + ": " + status.message());
  for (const Step& step : scenario.steps) {
    if (!status.ok()) break;
    status = run(step);
    if (!status.ok()) out.failures.push_back(step.place + ": " + status.message());
    if (step.action != Step::Action::kRest) continue;
    const std::vector<Life> lives = world_.lives(ns_);
    out.rests.emplace_back(step.place, picture(lives, Names(lives), known_, scenario.compare));
  }
  for (const Condition& each : scenario.expectations) {
    if (!status.ok()) break;
    const Status met = wait(each);
    if (!met.ok()) out.failures.push_back(each.place + ": " + met.message());
  }
  return out;
}

Status Stage::run(const Step& step) {
  switch (step.action) {
    case Step::Action::kCreate:
      return create(step);
    case Step::Action::kPatch:
      return patch(step);
    case Step::Action::kDelete:
      return remove(step);
    case Step::Action::kEvict:
      return evict(step);
    case Step::Action::kRollBack:
      return roll_back(step);
    case Step::Action::kWait:
      return wait(step.until);
    case Step::Action::kRest:
      return rest();
    case Step::Action::kFault:
      return switches_.faults ? switches_.faults(step.body) : Status();
    case Step::Action::kMetrics:
      return switches_.metrics(step.body);
    case Step::Action::kPass:
      (void)eventually(
          switches_.silence, [] { return false; }, seconds(1));
      return {};
    case Step::Action::kControllers:
      step.starts ? switches_.start_controllers() : switches_.stop_controllers();
      return {};
  }
  return {};
}

Status Stage::call(Verb verb, const Step& step, const std::string& name, const std::string& body) {
  host::ApiRequest request;
  request.verb = verb;
  request.path = path_of(*step.target.kind, space_of(step, name), name);
  request.path.subresource = step.subresource;
  request.patch_type = step.patch_type;
  request.delete_options = step.deletion;
  request.body = body;
  const host::ApiResponse response = client_.call(request);
  if (!response.status.ok() || verb == Verb::kDelete || step.target.kind->name == "namespace") {
    return response.status;
  }
  // Later steps must not see the state before this write.
  const Json written = json_literal(response.body);
  const auto has_come = [&] { return world_.has_seen(written); };
  return eventually(kWaitLimit, has_come, kWritePollPeriod)
             ? Status()
             : Status(Code::kUnavailable, "this write does not show");
}

std::string Stage::space_of(const Step& step, const std::string& name) const {
  std::string out = step.body.text_at({"metadata", "namespace"});
  for (const Life& each : name.empty() ? std::vector<Life>() : world_.lives(ns_)) {
    if (each.kind != step.target.kind || each.name != name || each.gone) continue;
    out = each.now().text_at({"metadata", "namespace"});
  }
  return out.empty() ? ns_ : out;
}

Status Stage::create(const Step& step) {
  return call(Verb::kCreate, step, "", to_text(step.body)).unless(Code::kAlreadyExists);
}

Status Stage::patch(const Step& step) {
  // Who is named need not have been seen yet.
  if (!step.target.name.empty()) {
    return call(Verb::kPatch, step, step.target.name, to_text(step.body));
  }
  std::size_t done = 0;
  for (const Life& each : chosen(step.target)) {
    if (step.first && done == *step.first) break;
    if (Status s = call(Verb::kPatch, step, each.name, to_text(step.body)); !s.ok()) return s;
    ++done;
  }
  return done == step.first.value_or(std::max<std::size_t>(done, 1))
             ? Status()
             : Status(Code::kNotFound, "chose " + std::to_string(done) + " objects");
}

Status Stage::remove(const Step& step) {
  if (!step.target.name.empty()) return call(Verb::kDelete, step, step.target.name, "");
  std::size_t done = 0;
  for (const Life& each : chosen(step.target)) {
    if (step.first && done == *step.first) break;
    if (Status s = call(Verb::kDelete, step, each.name, "").unless(Code::kNotFound); !s.ok()) {
      return s;
    }
    ++done;
  }
  return done > 0 ? Status() : Status(Code::kNotFound, "chose nothing");
}

Status Stage::evict(const Step& step) {
  std::size_t done = 0;
  for (const Life& each : chosen(step.target)) {
    if (step.first && done == *step.first) break;
    host::ApiRequest request;
    request.verb = Verb::kCreate;
    request.path = path_of(*step.target.kind, ns_, each.name);
    request.path.subresource = "eviction";
    request.body = R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" +
                   each.name + R"("}})";
    const Status evicted = client_.call(request).status;
    if (step.refused && evicted.ok()) {
      return Status(Code::kMisuse, each.name + " was evicted against its budget");
    }
    if (step.refused ? evicted.code() != Code::kThrottled : !evicted.ok()) return evicted;
    ++done;
  }
  return done > 0 ? Status() : Status(Code::kNotFound, "chose nothing");
}

Status Stage::roll_back(const Step& step) {
  for (const Life& each : world_.lives(ns_)) {
    if (each.gone || each.kind->name != "replicaset") continue;
    const Json& set = each.now();
    const std::string& revision =
        set.text_at({"metadata", "annotations", "deployment.kubernetes.io/revision"});
    if (revision != step.revision || !each.name.starts_with(step.target.name + '-')) continue;
    Json pod_template = set.get("spec").get("template");
    if (Json* labels = pod_template.at({"metadata", "labels"})) labels->erase("pod-template-hash");
    Step replacement = step;
    replacement.patch_type = host::PatchType::kJson;
    replacement.body = Json::array({Json::object(
        {{"op", "replace"}, {"path", "/spec/template"}, {"value", std::move(pod_template)}})});
    return patch(replacement);
  }
  return Status(Code::kNotFound, "no ReplicaSet of revision " + step.revision);
}

std::vector<Life> Stage::chosen(const Target& target) const {
  std::vector<Life> out = target.is_everywhere ? world_.all_lives() : world_.lives(ns_);
  std::erase_if(out, [&target](const Life& each) {
    if (each.gone || each.kind != target.kind) return true;
    if (!target.name.empty() && each.name != target.name) return true;
    return !has_labels(each.now(), target.labels) || !holds(each.now(), target.where);
  });
  std::sort(out.begin(), out.end(), [](const Life& a, const Life& b) { return a.name < b.name; });
  return out;
}

std::string Stage::why_not(const Condition& condition) const {
  const std::vector<Life> found = chosen(condition.target);
  if (condition.count ? found.size() != *condition.count : found.empty()) {
    return "there are " + std::to_string(found.size()) + ' ' +
           std::string(condition.target.kind->resource) + ' ' + condition.target.name;
  }
  for (const Life& each : found) {
    if (!is_seen_by_its_controller(each.now())) return each.name + " is not observed";
    for (const std::string& check : condition.holds) {
      if (std::string why = checks::why_not(each.now(), check); !why.empty()) {
        return each.name + ": " + why;
      }
    }
  }
  return "";
}

Status Stage::wait(const Condition& condition) {
  std::string why;
  std::uint64_t seen = ~std::uint64_t{0};
  const auto is_met = [&] {
    const std::uint64_t changes =
        condition.target.is_everywhere ? world_.changes() : world_.changes(ns_);
    if (changes == seen) return false;
    seen = changes;
    why = why_not(condition);
    return why.empty();
  };
  return eventually(wait_limit_, is_met, kPollPeriod) ? Status() : Status(Code::kUnavailable, why);
}

Status Stage::rest() {
  std::string why = "always something new";
  std::uint64_t seen = ~std::uint64_t{0};
  bool has_converged = false;
  milliseconds quiet = kQuiet;
  auto since = steady_clock::now();
  auto response = milliseconds(0);
  const auto is_quiet = [&] {
    const std::uint64_t changes = world_.changes(ns_);
    if (changes != seen) {
      seen = changes;
      since = steady_clock::now();
      const std::vector<Life> lives = world_.lives(ns_);
      quiet = has_stopping_pods(lives) ? kQuietWhileStopping : kQuiet;
      why = why_not_converged(lives, world_.slices());
      has_converged = why.empty();
      response = milliseconds(0);
      return false;
    }
    if (!has_converged) return false;
    if (response == milliseconds(0)) {
      // Events that the server has not sent yet would make the cluster look idle.
      const auto asked = steady_clock::now();
      host::ApiRequest request;
      request.verb = Verb::kList;
      request.path = path_of(*find_kind("pod"), ns_, "");
      if (!client_.call(request).status.ok()) return false;
      response =
          std::chrono::duration_cast<milliseconds>(steady_clock::now() - asked) + milliseconds(1);
    }
    return steady_clock::now() - since >= quiet + kResponses * response;
  };
  return eventually(kWaitLimit, is_quiet, kPollPeriod)
             ? Status()
             : Status(Code::kUnavailable, "no rest: " + why);
}

}  // namespace davit::oracle
