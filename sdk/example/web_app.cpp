/// A controller for a resource of its own, defined in web_app.yaml.
///
/// A WebApp gets a Deployment and a Service of its name, both owned by it, so that they go when it
/// goes. Its address is listed in the ConfigMap `web-apps` of the namespace `default`, which no
/// object can own across namespaces: a finalizer holds the WebApp until it is taken off the list.
#include "web_app.hpp"  // davit_codegen(web-app web_app.yaml)

#include <davit/entry.hpp>
#include <davit/watch.hpp>
#include <davit/writes.hpp>

#include "kubernetes.hpp"  // davit_codegen(web-app KINDS …)

namespace {

using namespace davit;
using apps::v1::Deployment;
using apps::v1::DeploymentDraft;
using core::v1::ConfigMap;
using core::v1::ConfigMapDraft;
using core::v1::Service;
using core::v1::ServiceDraft;
using example::v1::WebApp;
using example::v1::WebAppStatusDraft;

constexpr std::string_view kFinalizer = "example.davit.dev/web-apps-list";
const Key kList{"default", "web-apps"};
constexpr std::chrono::seconds kTakenRetry{30};

draft::Metadata metadata_of(const WebApp& app) {
  return {.name = app.name(),
          .ns = app.ns(),
          .labels = {{"app", app.name()}},
          .owners = {controller_of(app)}};
}

/// The part of a Deployment that follows its WebApp; the rest is left to others.
DeploymentDraft deployment_of(const WebApp& app) {
  return {.metadata = metadata_of(app),
          .spec = {.replicas = app.spec().replicas(),
                   .selector = {.match_labels = {{"app", app.name()}}},
                   .template_ = {.metadata = {{.labels = {{"app", app.name()}}}},
                                 .spec = {{.containers = {{
                                               .name = "app",
                                               .image = app.spec().image(),
                                               .ports = {{.container_port = app.spec().port()}},
                                           }}}}}}};
}

ServiceDraft service_of(const WebApp& app) {
  return {.metadata = metadata_of(app),
          .spec = {.ports = {{.port = app.spec().port()}}, .selector = {{"app", app.name()}}}};
}

class WebAppController : public Controller {
 public:
  explicit WebAppController(Context& context)
      : context_(context),
        queue_(context.open_queue({.name = "webapp"}, [this](const Key& k) { return sync(k); })),
        apps_(reconciles<WebApp>(context, queue_)),
        deployments_(owns<Deployment, WebApp>(context, queue_)),
        services_(owns<Service, WebApp>(context, queue_)),
        lists_(context.open_informer<ConfigMap>({}, {.field_selector = "metadata.name=web-apps"})) {
  }

 private:
  Result<Again> sync(const Key& key) const {
    const Lookup<WebApp> app = apps_.get(key);
    if (!app) return Again::when_changed();
    const std::string entry = key.ns + "." + key.name;
    if (app->is_being_deleted()) return finish(*app, entry);
    if (Status s = add_finalizer(context_, *app, kFinalizer); !s.ok()) return s;
    const Lookup<Deployment> deployment = deployments_.get(key);
    std::string taken;
    if (Status s = bring(*app, deployment, deployment_of(*app), taken); !s.ok()) return s;
    if (Status s = bring(*app, services_.get(key), service_of(*app), taken); !s.ok()) return s;
    const std::string address =
        "http://" + key.name + "." + key.ns + ":" + std::to_string(app->spec().port());
    const ConfigMapDraft list{.metadata = {.name = kList.name, .ns = kList.ns},
                              .data = {{entry, address}}};
    if (Status s = create_or_patch(context_, lists_.get(kList), list).error(); !s.ok()) return s;
    if (Status s = write_status(*app, deployment, taken); !s.ok()) return s;
    // Another owner's object is not watched, so its deletion brings no event.
    return taken.empty() ? Again::when_changed() : Again::after(kTakenRetry);
  }

  /// Takes a WebApp off the list and lets it go.
  Result<Again> finish(const WebApp& app, const std::string& entry) const {
    JsonWriter body;
    body.begin_object().key("data").begin_object().key(entry).null().end_object().end_object();
    const Status listed =
        context_.client().patch<ConfigMap>(kList, PatchType::kMerge, body.text()).error();
    if (Status s = listed.unless(Code::kNotFound); !s.ok()) return s;
    if (Status s = remove_finalizer(context_, app, kFinalizer); !s.ok()) return s;
    return Again::when_changed();
  }

  /// `taken` names an object that is in the way because it is somebody else's.
  template <typename View, typename Draft>
  Status bring(const WebApp& app, const Lookup<View>& live, const Draft& wanted,
               std::string& taken) const {
    const std::string kind(View::kResource.kind);
    if (live && !live->is_controlled_by(app)) {
      taken = kind + " " + app.key().text();
      return {};
    }
    const Result<Written> written = create_or_patch(context_, live, wanted, PatchType::kStrategic);
    if (!written) context_.events().warning(app, "Failed" + kind, written.error().message());
    if (written && *written == Written::kCreated) {
      context_.events().normal(app, "Created" + kind, "Created its " + kind);
    }
    return written.error();
  }

  Status write_status(const WebApp& app, const Lookup<Deployment>& deployment,
                      const std::string& taken) const {
    const bool ours = deployment && deployment->is_controlled_by(app);
    const std::int64_t available = ours ? deployment->status().available_replicas().value_or(0) : 0;
    Condition condition{"Available", "False", "Progressing", "Waiting for replicas", {}, {}};
    if (!taken.empty()) {
      condition.reason = "NameTaken";
      condition.message = taken + " belongs to somebody else";
    } else if (ours && available >= app.spec().replicas()) {
      condition = {"Available", "True", "Ready", "All replicas are available", {}, {}};
    }
    ConditionList conditions(app.status().conditions().raw());
    set_condition(conditions, condition, context_.wall_now());
    const WebAppStatusDraft status{
        .observed_generation = app.generation(),
        .ready_replicas = ours ? deployment->status().ready_replicas().value_or(0) : 0,
        .conditions = conditions};
    return patch_status(context_, app, status).error();
  }

  Context& context_;
  Queue queue_;
  Informer<WebApp> apps_;
  Informer<Deployment> deployments_;
  Informer<Service> services_;
  Informer<ConfigMap> lists_;
};

constexpr void declare(Note& note) {
  note.plugin("web-app", "0.1.0")
      .controller({.name = "web-app-controller",
                   .factory = &make<WebAppController>,
                   .aliases = {"web-app"},
                   .workers = 2})
      .rule<WebApp>({"patch"})
      .rule<WebApp>({"patch"}, {.subresource = "status"})
      .rule<WebApp>({"update"}, {.subresource = "finalizers"})
      .rule<Deployment>({"create", "patch"})
      .rule<Service>({"create", "patch"})
      .rule<ConfigMap>({"create", "patch"})
      .watch<WebApp>()
      .watch<Deployment>({"metadata.labels", "metadata.ownerReferences", "spec.replicas",
                          "spec.selector", "spec.template.metadata",
                          "spec.template.spec.containers", "status.readyReplicas",
                          "status.availableReplicas"})
      .watch<Service>(
          {"metadata.labels", "metadata.ownerReferences", "spec.ports", "spec.selector"})
      .watch<ConfigMap>({"data"}, {.field_selector = "metadata.name=web-apps"});
}

}  // namespace

DAVIT_PLUGIN(declare);
