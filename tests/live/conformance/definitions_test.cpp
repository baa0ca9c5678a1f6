/// Definitions that are created and deleted on a real API server, as the host discovers them.
#include <atomic>
#include <memory>

#include "host/api/discovery_poll.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "lib/base/random.hpp"
#include "lib/base/silent_log_sink.hpp"
#include "tests/live/conformance/fixture.hpp"

namespace davit::live {
namespace {

constexpr char kDefinition[] = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.powers.davit.dev}
spec:
  group: powers.davit.dev
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

/// The parts of a host that follow resources, without a controller.
struct Follower {
  explicit Follower(host::RestClient& client) : list_watch(client), discovery(client) {}
  ~Follower() { factory.stop(); }

  const std::unique_ptr<Clock> clock = make_system_clock();
  const std::unique_ptr<Random> random = make_seeded_random(1);
  SilentLogSink sink;
  host::ObjectSpace space;
  host::CacheMetrics metrics;
  host::RestListWatch list_watch;
  host::Discovery discovery;
  host::InformerFactory factory{{list_watch, space, *clock, *random, metrics}, Logger(sink)};
};

class Changes final : public host::DiscoveryListener {
 public:
  void discovery_changed() override { count.fetch_add(1, std::memory_order_relaxed); }
  std::atomic<int> count{0};
};

class DefinitionsLiveTest : public LiveTest {};

TEST_F(DefinitionsLiveTest, ADefinitionThatComesAndGoesIsFollowedByDiscoveryAndItsInformer) {
  Follower follower(cluster().client());
  ASSERT_TRUE(follower.discovery.refresh().ok());
  Changes changes;
  follower.discovery.add_listener(changes);
  host::DiscoveryPoll poll(follower.discovery, *follower.clock, Logger(follower.sink));
  ASSERT_TRUE(poll.start().ok());
  ASSERT_TRUE(follower.factory.start().ok());
  const auto use =
      follower.factory.acquire({.spec = {.resource = {"powers.davit.dev", "v1", "widgets"},
                                         .label_selector = {},
                                         .field_selector = {},
                                         .projection = {},
                                         .ns = ns(),
                                         .form = host::ObjectForm::kMetadata}});
  ASSERT_TRUE(use) << use.error().message();
  host::Informer& informer = use->informer();
  const auto is_found = [&] {
    follower.discovery.request_refresh();
    return follower.discovery.find_kind("powers.davit.dev", "v1", "Widget").has_value();
  };
  EXPECT_TRUE(
      eventually(kWaitLimit, [&] { return informer.availability().code() == Code::kNotFound; }));
  EXPECT_FALSE(informer.has_synced());

  kubectl({"create", "-f", "-"}, kDefinition);
  EXPECT_TRUE(eventually(kWaitLimit, is_found));
  EXPECT_GE(changes.count.load(), 1);
  EXPECT_TRUE(eventually(kWaitLimit, [&] { return informer.has_synced(); }));
  EXPECT_TRUE(informer.availability().ok());

  kubectl({"create", "-f", "-"},
          "apiVersion: powers.davit.dev/v1\nkind: Widget\nmetadata: {name: one, labels: {a: b}}\n"
          "spec: {size: 3}\n");
  EXPECT_TRUE(eventually(kWaitLimit, [&] { return bool(informer.store().get(ns(), "one")); }));
  const host::ObjectRef widget = informer.store().get(ns(), "one");
  ASSERT_TRUE(widget);
  EXPECT_EQ(widget.root()["metadata"]["labels"]["a"].string(), "b");
  EXPECT_EQ(widget.root()["spec"].json(), "") << "only metadata was transferred";

  kubectl({"delete", "crd/widgets.powers.davit.dev"});
  EXPECT_TRUE(
      eventually(kWaitLimit, [&] { return informer.availability().code() == Code::kNotFound; }));
  EXPECT_TRUE(eventually(kWaitLimit, [&] { return !is_found(); }));
  EXPECT_FALSE(informer.store().get(ns(), "one"))
      << "its deletion came before that of its definition";
  follower.discovery.remove_listener(changes);
}

}  // namespace
}  // namespace davit::live
