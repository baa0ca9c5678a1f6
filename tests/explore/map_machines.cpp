/// A cloud of machines for the explorer: a route is a ConfigMap, so that one that is lost or left
/// shows in the cluster, and a machine is gone when there is a ConfigMap of it.
#include <algorithm>
#include <davit/cloud.hpp>
#include <davit/entry.hpp>
#include <davit/json_writer.hpp>
#include <string>
#include <vector>

namespace davit {
namespace {

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

constexpr std::string_view kNamespace = "default";

class MapMachines final : public Controller,
                          public CloudProvider,
                          private Instances,
                          private Routes {
 public:
  explicit MapMachines(Context& context) : context_(context) {
    static_cast<void>(context.open_informer<Node>());
  }

  Instances* instances() override { return this; }
  Routes* routes() override { return this; }

 private:
  /// Whether the ConfigMap "WHAT-NODE" exists.
  [[nodiscard]] Result<bool> says(const std::string& what, const Node& node) const {
    const Key key{std::string(kNamespace), what + "-" + std::string(node.name())};
    const Status found = context_.client().get<ConfigMap>(key).error();
    if (found.ok()) return true;
    return found.code() == Code::kNotFound ? Result<bool>(false) : Result<bool>(found);
  }
  CloudReply exists(const Node& node) override {
    const Result<bool> is_gone = says("gone", node);
    if (!is_gone) return CloudReply::failed({Code::kUnavailable, is_gone.error().message()});
    return *is_gone ? CloudReply::not_found() : CloudReply::yes();
  }
  CloudReply shutdown(const Node& node) override {
    const Result<bool> is_off = says("off", node);
    if (!is_off) return CloudReply::failed(is_off.error());
    return *is_off ? CloudReply::yes() : CloudReply::done();
  }
  CloudReply metadata(const Node& node) override {
    const std::string name(node.name());
    return CloudReply::with({.provider_id = "map://" + name,
                             .instance_type = {},
                             .zone = "zone-" + name,
                             .region = {},
                             .addresses = {{"InternalIP", "192.0.2.1"}},
                             .labels = {}});
  }

  static Key key_of(const CloudRoute& route) {
    std::string name = "route-" + route.destination + "-" + route.node;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || c == ':'; }, '-');
    return {std::string(kNamespace), std::move(name)};
  }
  CloudReply list(std::string_view /*cluster*/) override {
    const auto maps = context_.client().list<ConfigMap>(kNamespace, "kind=route");
    if (!maps) return CloudReply::failed(maps.error());
    std::vector<CloudRoute> routes;
    for (const ConfigMap& each : *maps) {
      const Value data = each.value()["data"];
      routes.push_back({.name = std::string(each.name()),
                        .node = std::string(data["node"].string()),
                        .destination = std::string(data["destination"].string())});
    }
    return CloudReply::with(routes);
  }
  CloudReply create(const CloudRouteCall& at) override {
    const Key key = key_of(at.route);
    JsonWriter body;
    body.begin_object().member("apiVersion", "v1").member("kind", "ConfigMap");
    body.key("metadata").begin_object().member("name", key.name).member("namespace", key.ns);
    body.key("labels").begin_object().member("kind", "route").end_object().end_object();
    body.key("data").begin_object().member("node", at.route.node);
    body.member("destination", at.route.destination).end_object().end_object();
    return CloudReply::failed(
        context_.client()
            .patch<ConfigMap>(key, PatchType::kApply, body.text(), {.force = true})
            .error());
  }
  CloudReply remove(const CloudRouteCall& at) override {
    const Status removed = context_.client().remove<ConfigMap>(key_of(at.route));
    return CloudReply::failed(removed.unless(Code::kNotFound));
  }

  Context& context_;
};

constexpr void declare_map_machines(Note& note) {
  note.plugin("map-machines", "0.1.0")
      .needs("davit.cloud-host/1")
      .controller({.name = "map-machines", .factory = &make<MapMachines>, .off_by_default = true})
      .rule<ConfigMap>({"get", "list", "create", "patch", "delete"})
      .watch<Node>({"metadata.uid"});
}

}  // namespace
}  // namespace davit

DAVIT_PLUGIN(davit::declare_map_machines);
