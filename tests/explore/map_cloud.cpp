/// A cloud for the explorer: a load balancer is a ConfigMap, so that a leak shows in the cluster.
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

class MapCloud final : public Controller, public CloudProvider, private LoadBalancers {
 public:
  explicit MapCloud(Context& context) : context_(context) {
    static_cast<void>(context.open_informer<Service>());
    static_cast<void>(context.open_informer<Node>());
  }

  LoadBalancers* load_balancers() override { return this; }

 private:
  static Key key_of(const CloudService& at) {
    return {std::string(at.service.ns()), "lb-" + std::string(at.service.name())};
  }
  CloudReply get(const CloudService& at) override {
    const Status found = context_.client().get<ConfigMap>(key_of(at)).error();
    return found.ok() ? CloudReply::done("{}") : CloudReply::failed(found);
  }
  CloudReply ensure(const CloudService& at, std::span<const Node> nodes) override {
    const Status written = write(at, nodes);
    if (!written.ok()) return CloudReply::failed(written);
    return CloudReply::done(R"({"ingress":[{"hostname":"lb.example.com"}]})");
  }
  CloudReply update(const CloudService& at, std::span<const Node> nodes) override {
    const CloudReply present = get(at);
    return present.status.ok() ? CloudReply::failed(write(at, nodes)) : present;
  }
  CloudReply remove(const CloudService& at) override {
    const Status removed = context_.client().remove<ConfigMap>(key_of(at));
    return CloudReply::failed(removed.unless(Code::kNotFound));
  }

  [[nodiscard]] Status write(const CloudService& at, std::span<const Node> nodes) const {
    std::vector<std::string> names;
    for (const Node& each : nodes) names.emplace_back(each.name());
    std::sort(names.begin(), names.end());
    std::string all;
    for (const std::string& each : names) all += (all.empty() ? "" : ",") + each;
    const Key key = key_of(at);
    JsonWriter body;
    body.begin_object().member("apiVersion", "v1").member("kind", "ConfigMap");
    body.key("metadata").begin_object().member("name", key.name).member("namespace", key.ns);
    body.end_object().key("data").begin_object().member("nodes", all).end_object().end_object();
    return context_.client()
        .patch<ConfigMap>(key, PatchType::kApply, body.text(), {.force = true})
        .error();
  }

  Context& context_;
};

constexpr void declare_map_cloud(Note& note) {
  note.plugin("map-cloud", "0.1.0")
      .needs("davit.cloud-host/1")
      .controller({.name = "map-cloud", .factory = &make<MapCloud>, .off_by_default = true})
      .rule<ConfigMap>({"get", "create", "patch", "delete"})
      .watch<Service>({"metadata.uid"})
      .watch<Node>({"metadata.uid"});
}

}  // namespace
}  // namespace davit

DAVIT_PLUGIN(davit::declare_map_cloud);
