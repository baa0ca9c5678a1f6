/// A controller for a resource of its own, defined in web_app.yaml.
///
/// A WebApp gets a Deployment and a Service of its name, both owned by it, so that they go when it
/// goes. Its address is listed in the ConfigMap `web-apps` of the namespace `default`, which no
/// object can own across namespaces: a finalizer holds the WebApp until it is taken off the list.
#include <davit/entry.hpp>
#include <davit/kube/condition.hpp>
#include <davit/kube/deployment.hpp>
#include <davit/kube/service.hpp>

namespace {

using namespace davit;

constexpr std::string_view kFinalizer = "example.davit.dev/web-apps-list";
constexpr std::string_view kListNamespace = "default";
constexpr std::string_view kListName = "web-apps";
constexpr std::string_view kListSelector = "metadata.name=web-apps";
constexpr std::int64_t kDefaultPort = 8080;
constexpr std::chrono::seconds kTakenRetry{30};

class WebApp : public ObjectView {
 public:
  static constexpr Resource kResource{"example.davit.dev", "v1", "webapps", "WebApp"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view image() const { return spec()["image"].string(); }
  [[nodiscard]] std::int64_t replicas() const { return spec()[&Names::replicas].integer_or(1); }
  [[nodiscard]] std::int64_t port() const { return spec()[&Names::port].integer_or(kDefaultPort); }
  [[nodiscard]] Value conditions() const { return status()[&Names::conditions]; }
  [[nodiscard]] std::string list_key() const {
    return std::string(ns()) + "." + std::string(name());
  }
  [[nodiscard]] std::string address() const {
    return "http://" + std::string(name()) + "." + std::string(ns()) + ":" + std::to_string(port());
  }
};

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

/// {"metadata":{"name":…,"labels":…,"ownerReferences":[…]} and a comma: the begin of an owned
/// object.
void write_owned_metadata(JsonWriter& out, const WebApp& app) {
  out.begin_object().key("metadata").begin_object().member("name", app.name());
  out.key("labels").begin_object().member("app", app.name()).end_object();
  out.key("ownerReferences").begin_array();
  owner_identity(app).write_controller_reference(out);
  out.end_array().end_object();
}

void write_selector(JsonWriter& out, const WebApp& app) {
  out.begin_object().member("app", app.name()).end_object();
}

/// The part of a Deployment that follows its WebApp; the rest is left to others.
void write_deployment_spec(JsonWriter& out, const WebApp& app) {
  out.key("spec").begin_object().member("replicas", app.replicas());
  out.key("selector").begin_object().key("matchLabels");
  write_selector(out, app);
  out.end_object().key("template").begin_object();
  out.key("metadata").begin_object().key("labels");
  write_selector(out, app);
  out.end_object().key("spec").begin_object().key("containers").begin_array();
  out.begin_object().member("name", "app").member("image", app.image());
  out.key("ports").begin_array().begin_object().member("containerPort", app.port()).end_object();
  out.end_array().end_object().end_array().end_object().end_object().end_object();
}

void write_service_spec(JsonWriter& out, const WebApp& app) {
  out.key("spec").begin_object().key("selector");
  write_selector(out, app);
  out.key("ports").begin_array().begin_object().member("port", app.port()).end_object();
  out.end_array().end_object();
}

/// Whether the Deployment is what write_deployment_spec() would make of it.
bool follows(const Deployment& deployment, const WebApp& app) {
  const Value containers = deployment.pod_template()[&Names::spec][&Names::containers];
  if (deployment.replicas() != app.replicas() || containers.count() != 1) return false;
  const Value container = containers.at(0);
  return container["image"].string() == app.image() &&
         container[&Names::ports].at(0)[&Names::container_port].integer_or(0) == app.port();
}

bool follows(const Service& service, const WebApp& app) {
  return service.ports().count() == 1 &&
         service.ports().at(0)[&Names::port].integer_or(0) == app.port();
}

class WebAppController : public Controller {
 public:
  explicit WebAppController(Context& context)
      : context_(context),
        client_(context.client()),
        queue_(context.open_queue({.name = "webapp"}, [this](const Key& k) { return sync(k); })),
        apps_(context.open_informer<WebApp>(
            {.added = [this](const WebApp& app) { queue_.add(app); },
             .updated = [this](const WebApp&, const WebApp& app) { queue_.add(app); }})),
        deployments_(context.open_informer<Deployment>(
            {.any = [this](const davit::Event<Deployment>& event) { add_owner(event.current); }})),
        services_(context.open_informer<Service>(
            {.any = [this](const davit::Event<Service>& event) { add_owner(event.current); }})),
        lists_(context.open_informer<ConfigMap>({}, {.field_selector = kListSelector})) {}

 private:
  /// What belongs to a WebApp has its name, or should not be there.
  void add_owner(const ObjectView& owned) const {
    const std::optional<OwnerReference> owner = owned.controller();
    if (!owner || owner->kind() != WebApp::kResource.kind) return;
    queue_.add(Key{std::string(owned.ns()), std::string(owner->name())});
  }

  Result<Again> sync(const Key& key) const {
    const std::optional<WebApp> app = apps_.get(key);
    if (!app) return Again::when_changed();
    if (app->is_being_deleted()) return finish(*app);
    if (!app->has_finalizer(kFinalizer)) {
      if (Status s = set_finalizers(*app, Finalizer::kAdded); !s.ok()) return s;
    }
    std::string taken;
    if (Status s = bring_deployment(*app, taken); !s.ok()) return s;
    if (Status s = bring_service(*app, taken); !s.ok()) return s;
    if (Status s = list_address(*app); !s.ok()) return s;
    if (Status s = write_status(*app, taken); !s.ok()) return s;
    // Another owner's object is not watched, so its deletion brings no event.
    return taken.empty() ? Again::when_changed() : Again::after(kTakenRetry);
  }

  /// Takes a WebApp off the list and lets it go.
  Result<Again> finish(const WebApp& app) const {
    if (!app.has_finalizer(kFinalizer)) return Again::when_changed();
    JsonWriter body;
    body.begin_object().key("data").begin_object().key(app.list_key()).null();
    body.end_object().end_object();
    const Status listed = patch_list(body.text()).unless(Code::kNotFound);
    if (!listed.ok()) return listed;
    if (Status s = set_finalizers(app, Finalizer::kRemoved); !s.ok()) return s;
    return Again::when_changed();
  }

  enum class Finalizer { kAdded, kRemoved };
  /// The finalizers of others stay. The resourceVersion makes sure that none of them is lost.
  Status set_finalizers(const WebApp& app, Finalizer ours) const {
    JsonWriter body;
    body.begin_object().key("metadata").begin_object();
    body.member("resourceVersion", app.resource_version()).key("finalizers").begin_array();
    for (const Value each : app.metadata()[&Names::finalizers].elements()) {
      if (each.string() != kFinalizer) body.string(each.string());
    }
    if (ours == Finalizer::kAdded) body.string(kFinalizer);
    body.end_array().end_object().end_object();
    return client_.patch<WebApp>(app.key(), PatchType::kMerge, body.text())
        .error()
        .unless(Code::kNotFound);
  }

  /// `taken` names an object that is in the way because it is somebody else's.
  Status bring_deployment(const WebApp& app, std::string& taken) const {
    const std::optional<Deployment> present = deployments_.get(app.key());
    if (present && !present->is_controlled_by(app.uid())) {
      taken = "Deployment " + app.key().text();
      return {};
    }
    if (present && follows(*present, app)) return {};
    JsonWriter body;
    write_owned_metadata(body, app);
    write_deployment_spec(body, app);
    body.end_object();
    return present
               ? client_.patch<Deployment>(app.key(), PatchType::kStrategic, body.text()).error()
               : created<Deployment>(app, body.text());
  }

  Status bring_service(const WebApp& app, std::string& taken) const {
    const std::optional<Service> present = services_.get(app.key());
    if (present && !present->is_controlled_by(app.uid())) {
      taken = "Service " + app.key().text();
      return {};
    }
    if (present && follows(*present, app)) return {};
    JsonWriter body;
    write_owned_metadata(body, app);
    write_service_spec(body, app);
    body.end_object();
    return present ? client_.patch<Service>(app.key(), PatchType::kMerge, body.text()).error()
                   : created<Service>(app, body.text());
  }

  template <typename View>
  Status created(const WebApp& app, const std::string& body) const {
    const Status status = client_.create<View>(app.ns(), body).error();
    // The cache will show whose it is.
    if (status.code() == Code::kAlreadyExists) return {};
    const std::string what(View::kResource.kind);
    if (status.ok()) {
      context_.events().normal(app, "Created" + what, "Created its " + what);
    } else {
      context_.events().warning(app, "FailedCreate" + what, status.message());
    }
    return status;
  }

  Status list_address(const WebApp& app) const {
    const std::optional<ConfigMap> list = lists_.get(kListNamespace, kListName);
    const std::string key = app.list_key();
    if (list && list->value()["data"][key].string() == app.address()) return {};
    JsonWriter body;
    body.begin_object();
    if (!list) body.key("metadata").begin_object().member("name", kListName).end_object();
    body.key("data").begin_object().member(key, app.address()).end_object().end_object();
    return list ? patch_list(body.text())
                : client_.create<ConfigMap>(kListNamespace, body.text()).error();
  }

  Status patch_list(const std::string& body) const {
    const Key list{std::string(kListNamespace), std::string(kListName)};
    return client_.patch<ConfigMap>(list, PatchType::kMerge, body).error();
  }

  Status write_status(const WebApp& app, const std::string& taken) const {
    const std::optional<Deployment> deployment = deployments_.get(app.key());
    const bool ours = deployment && deployment->is_controlled_by(app.uid());
    const std::int64_t ready = ours ? deployment->ready_replicas() : 0;
    Condition available{"Available", "False", "Progressing", "Waiting for replicas", {}, {}};
    if (!taken.empty()) {
      available.reason = "NameTaken";
      available.message = taken + " belongs to somebody else";
    } else if (ours && deployment->available_replicas() >= app.replicas()) {
      available = {"Available", "True", "Ready", "All replicas are available", {}, {}};
    }
    available.last_transition_time = context_.wall_now();
    ConditionList conditions(app.conditions());
    const ConditionList before = conditions;
    conditions.set(std::move(available));
    const Value status = app.status();
    if (conditions == before && status[&Names::ready_replicas].integer_or(-1) == ready &&
        status[&Names::observed_generation].integer_or(-1) == app.generation()) {
      return {};
    }
    JsonWriter body;
    body.begin_object().key("status").begin_object();
    body.member("observedGeneration", app.generation()).member("readyReplicas", ready);
    body.key("conditions");
    conditions.write(body);
    body.end_object().end_object();
    return client_
        .patch<WebApp>(app.key(), PatchType::kMerge, body.text(), {.subresource = "status"})
        .error()
        .unless(Code::kNotFound);
  }

  Context& context_;
  Client client_;
  Queue queue_;
  Informer<WebApp> apps_;
  Informer<Deployment> deployments_;
  Informer<Service> services_;
  Informer<ConfigMap> lists_;
};

}  // namespace

DAVIT_PLUGIN(R"({"name":"web-app","version":"0.1.0","abi":"1.0",
  "requires":["davit.object/1","davit.informer/1","davit.queue/1","davit.client/1","davit.event/1"],
  "controllers":[{"name":"web-app-controller","aliases":["web-app"],"workers":2,
    "rules":[
      {"group":"example.davit.dev","resource":"webapps","verbs":["patch"]},
      {"group":"example.davit.dev","resource":"webapps","subresource":"status","verbs":["patch"]},
      {"group":"example.davit.dev","resource":"webapps","subresource":"finalizers",
       "verbs":["update"]},
      {"group":"apps","resource":"deployments","verbs":["create","patch"]},
      {"group":"","resource":"services","verbs":["create","patch"]},
      {"group":"","resource":"configmaps","verbs":["create","patch"]}],
    "watches":[
      {"group":"example.davit.dev","version":"v1","resource":"webapps"},
      {"group":"apps","version":"v1","resource":"deployments","projection":[
        "metadata.ownerReferences","spec.replicas","spec.template.spec.containers[].image",
        "spec.template.spec.containers[].ports[].containerPort","status.readyReplicas",
        "status.availableReplicas"]},
      {"group":"","version":"v1","resource":"services",
       "projection":["metadata.ownerReferences","spec.ports[].port"]},
      {"group":"","version":"v1","resource":"configmaps",
       "fieldSelector":"metadata.name=web-apps","projection":["data"]}]}]})",
             {"web-app-controller", &davit::make<WebAppController>});
