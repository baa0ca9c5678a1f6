/// Builders of the objects that tests put into a cluster. Each begins as what the API server would
/// hold after its defaulting, in namespace "default".
#pragma once

#include <cstdint>
#include <davit/kube/metadata.hpp>
#include <davit/kube/time.hpp>
#include <davit/testing/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace davit::testing {

/// The base of all builders; `Self` is the derived builder.
template <typename Self>
class ObjectBuilder {
 public:
  /// Replaces the namespace.
  Self& ns(std::string_view ns) { return metadata("namespace", ns); }
  Self& uid(std::string_view uid) { return metadata("uid", uid); }
  Self& label(std::string_view key, std::string_view value) {
    json_["metadata"]["labels"][key] = value;
    return self();
  }
  Self& annotation(std::string_view key, std::string_view value) {
    json_["metadata"]["annotations"][key] = value;
    return self();
  }
  Self& created(WallTime time) { return metadata("creationTimestamp", format_time(time)); }
  Self& being_deleted(WallTime since) { return metadata("deletionTimestamp", format_time(since)); }
  Self& generation(std::int64_t generation) {
    json_["metadata"]["generation"] = generation;
    return self();
  }
  Self& finalizer(std::string_view finalizer) {
    json_["metadata"]["finalizers"].push_back(Json(finalizer));
    return self();
  }
  /// Adds the controller reference of an owner that is in the cluster.
  template <typename View>
  Self& controlled_by(const View& owner) {
    const OwnerIdentity identity = owner_identity(owner);
    return controlled_by(identity.api_version, identity.kind, identity.name, identity.uid);
  }
  Self& controlled_by(std::string_view api_version, std::string_view kind, std::string_view name,
                      std::string_view uid) {
    Json& owner = json_["metadata"]["ownerReferences"].push_back(Json::object());
    owner["apiVersion"] = api_version;
    owner["kind"] = kind;
    owner["name"] = name;
    owner["uid"] = uid;
    owner["controller"] = true;
    owner["blockOwnerDeletion"] = true;
    return self();
  }
  /// Sets any member, by JSON text: spec("terminationGracePeriodSeconds", "30").
  Self& spec(std::string_view member, std::string_view json) {
    json_["spec"][member] = Json::must(json);
    return self();
  }
  Self& status(std::string_view member, std::string_view json) {
    json_["status"][member] = Json::must(json);
    return self();
  }
  Self& status(std::string_view member, std::int64_t number) {
    json_["status"][member] = number;
    return self();
  }
  /// Appends to status.conditions.
  Self& condition(std::string_view type, std::string_view status, std::string_view reason = {},
                  WallTime since = {}) {
    Json& condition = json_["status"]["conditions"].push_back(Json::object());
    condition["type"] = type;
    condition["status"] = status;
    if (!reason.empty()) condition["reason"] = reason;
    if (since != WallTime()) condition["lastTransitionTime"] = format_time(since);
    return self();
  }

  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] std::string text() const { return json_.dump(); }
  [[nodiscard]] Key key() const {
    return {json_.text_at({"metadata", "namespace"}), json_.text_at({"metadata", "name"})};
  }

 protected:
  ObjectBuilder(std::string_view api_version, std::string_view kind, std::string_view name) {
    json_["apiVersion"] = api_version;
    json_["kind"] = kind;
    json_["metadata"]["name"] = name;
    json_["metadata"]["namespace"] = "default";
  }
  Self& metadata(std::string_view member, Json value) {
    json_["metadata"][member] = std::move(value);
    return self();
  }
  Self& self() { return static_cast<Self&>(*this); }

  Json json_;
};

/// A pending pod with one container.
class PodBuilder : public ObjectBuilder<PodBuilder> {
 public:
  explicit PodBuilder(std::string_view name) : ObjectBuilder("v1", "Pod", name) {
    json_["spec"] = Json::must(
        R"({"containers":[{"name":"main","image":"nginx:1.25"}],"restartPolicy":"Always"})");
    json_["status"] = Json::must(R"({"phase":"Pending"})");
  }
  PodBuilder& phase(std::string_view phase) {
    json_["status"]["phase"] = phase;
    return *this;
  }
  PodBuilder& on_node(std::string_view node) {
    json_["spec"]["nodeName"] = node;
    return *this;
  }
  /// Running and Ready since then.
  PodBuilder& ready(WallTime since) {
    return phase("Running").condition("Ready", "True", {}, since);
  }
  PodBuilder& not_ready(WallTime since) {
    return phase("Running").condition("Ready", "False", "ContainersNotReady", since);
  }
  PodBuilder& restarts(std::int64_t count) {
    Json& status = json_["status"]["containerStatuses"].push_back(Json::object());
    status["name"] = "main";
    status["restartCount"] = count;
    return *this;
  }
};

/// The common base of the builders of Deployments and ReplicaSets.
template <typename Self>
class WorkloadBuilder : public ObjectBuilder<Self> {
 public:
  Self& replicas(std::int64_t replicas) {
    this->json_["spec"]["replicas"] = replicas;
    return this->self();
  }
  Self& min_ready_seconds(std::int64_t seconds) {
    this->json_["spec"]["minReadySeconds"] = seconds;
    return this->self();
  }
  /// Replaces the selector, as JSON text.
  Self& selector(std::string_view json) { return this->spec("selector", json); }
  Self& image(std::string_view image) {
    this->json_["spec"]["template"]["spec"]["containers"].items().front()["image"] = image;
    return this->self();
  }
  /// Adds a label to the selector and to the template.
  Self& selects(std::string_view key, std::string_view value) {
    this->json_["spec"]["selector"]["matchLabels"][key] = value;
    return template_label(key, value);
  }
  Self& template_label(std::string_view key, std::string_view value) {
    this->json_["spec"]["template"]["metadata"]["labels"][key] = value;
    return this->self();
  }
  /// Replaces the pod template, as JSON text.
  Self& pod_template(std::string_view json) { return this->spec("template", json); }
  Self& observed_generation(std::int64_t generation) {
    return this->status("observedGeneration", generation);
  }

 protected:
  WorkloadBuilder(std::string_view kind, std::string_view name)
      : ObjectBuilder<Self>("apps/v1", kind, name) {
    this->json_["metadata"]["labels"]["app"] = name;
    this->json_["spec"] = Json::must(R"({"replicas":1,"selector":{},"template":{
        "metadata":{},"spec":{"containers":[{"name":"main","image":"nginx:1.25"}],
        "restartPolicy":"Always"}}})");
    selects("app", name);
  }
};

/// Selects the pods labelled app=<name>.
class ReplicaSetBuilder : public WorkloadBuilder<ReplicaSetBuilder> {
 public:
  explicit ReplicaSetBuilder(std::string_view name) : WorkloadBuilder("ReplicaSet", name) {
    json_["status"]["replicas"] = 0;
  }
};

/// Selects the pods labelled app=<name>; rolls with 25% surge and 25% unavailable.
class DeploymentBuilder : public WorkloadBuilder<DeploymentBuilder> {
 public:
  explicit DeploymentBuilder(std::string_view name) : WorkloadBuilder("Deployment", name) {
    json_["spec"]["revisionHistoryLimit"] = 10;
    json_["spec"]["progressDeadlineSeconds"] = 600;
    json_["status"] = Json::object();
    rolling("\"25%\"", "\"25%\"");
  }
  /// Both as JSON text: "1" or "\"25%\"".
  DeploymentBuilder& rolling(std::string_view max_surge, std::string_view max_unavailable) {
    Json& strategy = json_["spec"]["strategy"];
    strategy["type"] = "RollingUpdate";
    strategy["rollingUpdate"]["maxSurge"] = Json::must(max_surge);
    strategy["rollingUpdate"]["maxUnavailable"] = Json::must(max_unavailable);
    return *this;
  }
  DeploymentBuilder& recreate() {
    json_["spec"]["strategy"] = Json::must(R"({"type":"Recreate"})");
    return *this;
  }
  DeploymentBuilder& paused() { return spec("paused", "true"); }
};

}  // namespace davit::testing
