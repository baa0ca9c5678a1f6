// The C++ of docs/COMING_FROM_CONTROLLER_RUNTIME.md; sdk.SnippetsOfTheDocsAreCompiled compares
// both.
#include <davit/entry.hpp>
#include <davit/watch.hpp>
#include <davit/writes.hpp>

#include "kubernetes.hpp"
#include "web_app.hpp"

namespace {

using namespace davit;
using apps::v1::Deployment;
using apps::v1::DeploymentDraft;
using core::v1::ConfigMap;
using example::v1::WebApp;
using example::v1::WebAppStatusDraft;

constexpr std::string_view kFinalizer = "example.davit.dev/cleanup";

class WebAppController : public Controller {
 public:
  explicit WebAppController(Context& context)
      : context_(context),
        queue_(context.open_queue({.name = "webapp", .workers = 2},
                                  [this](const Key& key) { return reconcile(key); })),
        apps_(reconciles<WebApp>(context, queue_, generation_changed())),
        deployments_(owns<Deployment, WebApp>(context, queue_)),
        settings_(watches<ConfigMap>(context, queue_,
                                     [this](const ConfigMap& map) { return apps_using(map); })),
        failures_(context.open_metric({.type = MetricType::kCounter,
                                       .name = "webapp_failures_total",
                                       .help = "Failed steps by kind",
                                       .labels = {"kind"}})) {
    context.add_index(apps_, "image", "spec.image");
    context.start_timer({.period = std::chrono::hours(1)}, [this] { return resync(); });
  }

 private:
  Result<Again> reconcile(const Key& key) const {
    const Lookup<WebApp> app = apps_.get(key);
    if (!app) return Again::when_changed();
    if (app->is_being_deleted()) {
      if (Status s = clean_up(*app); !s.ok()) return s;
      if (Status s = remove_finalizer(context_, *app, kFinalizer); !s.ok()) return s;
      return Again::when_changed();
    }
    if (Status s = add_finalizer(context_, *app, kFinalizer); !s.ok()) return s;

    const DeploymentDraft wanted{
        .metadata = {.name = key.name, .ns = key.ns, .owners = {controller_of(*app)}},
        .spec = {.replicas = app->spec().replicas(),
                 .selector = {.match_labels = {{"app", key.name}}},
                 .template_ = {
                     .metadata = {{.labels = {{"app", key.name}}}},
                     .spec = {{.containers = {{.name = "app", .image = app->spec().image()}}}}}}};
    const Result<Written> written = create_or_patch(context_, deployments_.get(key), wanted);
    if (!written) {
      context_.events().warning(*app, "FailedDeployment", written.error().message());
      failures_.record(1, {"Deployment"});
      return written.error();
    }
    if (*written == Written::kCreated) {
      context_.events().normal(*app, "CreatedDeployment", "Created its Deployment");
    }

    ConditionList conditions(app->status().conditions().raw());
    set_condition(conditions, {"Available", "True", "Ready", "All is well", {}, {}},
                  context_.wall_now());
    const Result<Written> status = patch_status(
        context_, *app,
        WebAppStatusDraft{.observed_generation = app->generation(), .conditions = conditions});
    if (!status) return status.error();
    return Again::after(std::chrono::minutes(10));
  }

  Status clean_up(const WebApp& app) const {
    const Key list{"default", "web-apps"};
    return retry_on_conflict([&]() -> Status {
      const Result<ConfigMap> read = context_.client().get<ConfigMap>(list);
      if (!read) return read.error().unless(Code::kNotFound);
      JsonWriter body;
      body.begin_object().key("metadata").begin_object();
      body.key("resourceVersion").string(read->resource_version()).end_object();
      body.key("data").begin_object().key(app.name()).null().end_object().end_object();
      return context_.client().patch<ConfigMap>(list, PatchType::kMerge, body.text()).error();
    });
  }

  std::vector<Key> apps_using(const ConfigMap& map) const {
    std::vector<Key> keys;
    for (const WebApp& app : apps_.by_index("image", map.name())) keys.push_back(app.key());
    return keys;
  }

  void resync() const {
    for (const WebApp& app : apps_.list()) queue_.add(app.key());
  }

  Context& context_;
  Queue queue_;
  Informer<WebApp> apps_;
  Informer<Deployment> deployments_;
  Informer<ConfigMap> settings_;
  Metric failures_;
};

}  // namespace

davit::InitResult make_web_app(davit::Context& context);
davit::InitResult make_web_app(davit::Context& context) {
  return davit::make<WebAppController>(context);
}
