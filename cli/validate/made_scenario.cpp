#include "cli/validate/made_scenario.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/validate/sample_objects.hpp"
#include "host/loading/digest.hpp"

namespace davit::host {
namespace {

using explore::Scenario;
using Action = explore::Step::Action;

constexpr char kName[] = "made";
/// They compete.
constexpr std::size_t kObjectsOfEach = 2;

explore::Step step_on(Action action, const Json& object) {
  explore::Step out;
  out.action = action;
  out.place = kName;
  out.target.resource = object.get("kind").text();
  out.target.ns = object.text_at({"metadata", "namespace"});
  out.target.name = object.text_at({"metadata", "name"});
  return out;
}

explore::Step bringing(const Json& object, Action action = Action::kAdd) {
  explore::Step out = step_on(action, object);
  out.body = object;
  return out;
}

/// Objects of one resource.
struct Group {
  std::vector<Json> objects;
  Action action = Action::kAdd;  // That brings them into the cluster.
};

/// The objects of a resource: the user's, or ordinary ones.
Group objects_of(TrialHost& host, const TrialHost::Watched& resource, const TrialContent& content) {
  Group out;
  if (host.example_of(resource) != nullptr) {
    for (const ClusterObject& each : content.objects) {
      if (each.is_of(resource.api_version, resource.kind)) out.objects.push_back(each.object);
    }
    return out;
  }
  for (std::size_t i = 0; i < kObjectsOfEach; ++i) {
    const std::string usual = resource.watch.resource + "-" + std::to_string(i);
    Json object = ordinary_object(host, resource, resource.name_of(i, usual));
    const bool is_placed = resource.namespaced && resource.ns != "default";
    if (is_placed) object["metadata"].set("namespace", resource.ns);
    out.objects.push_back(std::move(object));
  }
  // As a user creates them, so that they get all that the server sets; as they are where the server
  // does not take them.
  const bool is_taken = std::ranges::all_of(
      out.objects, [&](const Json& each) { return host.create(resource, to_text(each)).ok(); });
  if (is_taken) out.action = Action::kCreate;
  return out;
}

/// The user's objects of other resources, such as a configuration.
std::vector<Json> other_objects(const TrialHost& host, const TrialContent& content) {
  std::vector<Json> out;
  for (const ClusterObject& each : content.objects) {
    const bool is_watched = std::any_of(
        host.watched().begin(), host.watched().end(),
        [&](const auto& resource) { return each.is_of(resource.api_version, resource.kind); });
    if (!each.is_definition() && !is_watched) out.push_back(each.object);
  }
  return out;
}

class Maker {
 public:
  explicit Maker(Scenario& scenario) : scenario_(scenario) {}

  void bring(const Json& object, Action action) { take(bringing(object, action)); }
  /// A server that does not take an object as it is takes no patch of it, either.
  void change(const Json& object, Action brought) {
    constexpr char kChanged[] = "explore.davit.dev/changed";
    if (brought == Action::kAdd) {
      Json changed = object;
      Json annotations = object.get("metadata").get("annotations");
      if (!annotations.is_object()) annotations = Json::object({});
      annotations.set(kChanged, "yes");
      changed["metadata"].set("annotations", std::move(annotations));
      return bring(changed, brought);
    }
    explore::Step step = step_on(Action::kPatch, object);
    step.body = Json::object(
        {{"metadata", Json::object({{"annotations", Json::object({{kChanged, "yes"}})}})}});
    take(std::move(step));
  }
  void remove(const Json& object) { take(step_on(Action::kDelete, object)); }
  void rest() { take_alone(Action::kRest); }
  /// The garbage collector's part: the dependents of what was removed.
  void collect() { take_alone(Action::kCollect); }

 private:
  void take_alone(Action action) {
    explore::Step step;
    step.action = action;
    step.place = kName;
    take(std::move(step));
  }
  void take(explore::Step step) { scenario_.steps.push_back(std::move(step)); }

  Scenario& scenario_;
};

/// The sum of all that makes the scenario what it is.
std::string digest_of(const Scenario& scenario) {
  std::string text;
  for (const std::vector<explore::Step>* steps : {&scenario.cluster, &scenario.steps}) {
    for (const explore::Step& each : *steps) text += each.text() + " " + to_text(each.body) + "\n";
  }
  return sha256_hex(text);
}

}  // namespace

Result<Scenario> made_scenario(const std::filesystem::path& file,
                               const std::filesystem::path& scratch, const TrialContent& content) {
  TrialHost host({.content = &content});
  Status status = host.open();
  if (status.ok()) status = host.load(file, scratch);
  if (status.ok()) status = host.put_objects();
  if (!status.ok()) return status;
  if (host.watched().empty()) {
    return Status(Code::kInvalid,
                  "the plugin watches nothing: say with --scenario what happens to it");
  }
  Scenario out;
  out.name = kName;
  out.place = kName;
  out.prompt = "its author may rely on the order of changes";
  const sandbox::Collection definitions{"apiextensions.k8s.io", "customresourcedefinitions"};
  for (const sandbox::VersionPtr& each : host.store().list(definitions, "").objects) {
    Json definition = each->json();
    definition.erase("status");
    Json metadata = Json::object({{"name", each->name}});
    // The approval of a group of Kubernetes itself.
    const Json annotations = each->json().get("metadata").get("annotations");
    if (annotations.is_object()) metadata.set("annotations", annotations);
    definition.set("metadata", std::move(metadata));
    out.cluster.push_back(bringing(definition));
  }
  for (const Json& each : other_objects(host, content)) out.cluster.push_back(bringing(each));
  std::vector<Group> groups;
  for (const TrialHost::Watched& each : host.watched()) {
    groups.push_back(objects_of(host, each, content));
  }
  Maker maker(out);
  for (const Group& group : groups) {
    for (const Json& each : group.objects) maker.bring(each, group.action);
  }
  maker.rest();
  for (const Group& group : groups) {
    for (const Json& each : group.objects) maker.change(each, group.action);
  }
  maker.rest();
  for (const Group& group : groups) maker.remove(group.objects.front());
  maker.rest();
  maker.collect();
  maker.rest();
  out.digest = digest_of(out);
  return out;
}

Result<explore::Subject> configured_subject(const explore::OpenPlugins& plugins,
                                            const Scenario& scenario, const TrialContent& content) {
  Result<explore::Subject> subject = plugins.subject(scenario);
  if (!subject) return subject;
  for (explore::Subject::Controller& each : subject->controllers) {
    each.config = config_for(content.configs, each.name);
    if (!each.config.empty()) subject->digest += sha256_hex(each.config);
  }
  return subject;
}

}  // namespace davit::host
