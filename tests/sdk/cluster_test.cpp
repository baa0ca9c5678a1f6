/// The in-memory cluster as a host: queues, time, cache lag, declared rights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace davit {
namespace {

using namespace std::chrono_literals;
using testing::PodBuilder;
using testing::Verb;

/// A controller of pods whose parts the test supplies; it writes down what its handlers see.
struct Script {
  std::function<Result<Again>(Context&, const Informer<Pod>&, const Key&)> sync;
  std::vector<std::string> seen;
};

class ScriptedController : public Controller {
 public:
  ScriptedController(Context& context, Script& script)
      : context_(context),
        script_(script),
        queue_(context.open_queue(
            {.name = "scripted"},
            [this](const Key& key) { return script_.sync(context_, pods_, key); })),
        pods_(
            context.open_informer<Pod>({.any = [this](const Event<Pod>& event) { note(event); }})) {
    context.add_index(pods_, "node", "spec.nodeName");
    context.add_index(pods_, "images", "spec.containers[].image");
    context.add_index(pods_, "cost", "metadata.annotations['a.b/c']");
    context.start_timer({.first = 10s, .period = 5s}, [this] { script_.seen.push_back("timer"); });
  }

 private:
  void note(const Event<Pod>& event) {
    constexpr const char* kTypes[] = {"", "added ", "updated ", "deleted "};
    std::string text = kTypes[static_cast<std::size_t>(event.type)];
    text += event.current.name();
    if (event.initial) text += " initially";
    if (event.old && event.old->value() == event.current.value()) text += " unchanged";
    script_.seen.push_back(std::move(text));
    queue_.add(event.current);
  }

  Context& context_;
  Script& script_;
  Queue queue_;
  Informer<Pod> pods_;
};

class ClusterTest : public ::testing::Test {
 protected:
  void start(testing::Cluster& cluster) {
    ASSERT_TRUE(cluster
                    .start("scripted",
                           [this](Context& context) -> InitResult {
                             return std::unique_ptr<Controller>(
                                 std::make_unique<ScriptedController>(context, script_));
                           })
                    .ok());
  }
  static Result<Again> rest(Context&, const Informer<Pod>&, const Key&) {
    return Again::when_changed();
  }
  Script script_{&ClusterTest::rest, {}};
  testing::Cluster cluster_;
};

const Key kWeb{"default", "web"};

TEST_F(ClusterTest, HandlersSeePresentObjectsThenChanges) {
  cluster_.add(PodBuilder("old"));
  start(cluster_);

  cluster_.add(PodBuilder("web"));
  cluster_.merge<Pod>(kWeb, R"({"status":{"phase":"Running"}})");
  cluster_.erase<Pod>(kWeb);
  cluster_.run_until_idle();

  EXPECT_EQ(script_.seen, (std::vector<std::string>{"added old initially", "added web",
                                                    "updated web", "deleted web"}));
}

TEST_F(ClusterTest, AResyncIsAnUpdateToTheSameObject) {
  cluster_.add(PodBuilder("web"));
  start(cluster_);

  cluster_.resync("pods");

  EXPECT_EQ(script_.seen.back(), "updated web unchanged");
}

TEST_F(ClusterTest, ObjectsAreFoundByTheRarestOfTheirLabels) {
  start(cluster_);
  for (int i = 0; i < 100; ++i) {
    cluster_.add(PodBuilder("a" + std::to_string(i)).label("team", "x").label("app", "a"));
  }
  cluster_.add(PodBuilder("b").label("team", "x").label("app", "b"));
  cluster_.add(PodBuilder("web").label("team", "x"));
  std::map<std::string, std::size_t> found;
  script_.sync = [&](Context&, const Informer<Pod>& pods, const Key& key) -> Result<Again> {
    found[key.name] = pods.with_labels("default", pods.get(key)->labels()).size();
    return Again::when_changed();
  };
  cluster_.run_until_idle();
  EXPECT_EQ(found["b"], 1u);
  EXPECT_EQ(found["a0"], 100u);
  EXPECT_EQ(found["web"], 102u);  // It has no rarer one.
}

TEST_F(ClusterTest, IndexesFindObjectsByTheStringsAtTheirPath) {
  start(cluster_);
  cluster_.add(PodBuilder("a").on_node("n1").label("app", "web").annotation("a.b/c", "5"));
  cluster_.add(PodBuilder("b")
                   .on_node("n2")
                   .label("app", "web")
                   .controlled_by("apps/v1", "ReplicaSet", "x", "uid-x"));
  cluster_.add(PodBuilder("c").ns("other").label("app", "web").on_node("n1"));
  std::size_t checked = 0;
  script_.sync = [&](Context&, const Informer<Pod>& pods, const Key&) -> Result<Again> {
    EXPECT_EQ(pods.by_index("node", "n1").size(), 2u);
    EXPECT_EQ(pods.by_index("images", "nginx:1.25").size(), 3u);
    EXPECT_EQ(pods.by_index("cost", "5")[0].name(), "a");
    EXPECT_EQ(pods.controlled_by({"ReplicaSet", "default", "x", "uid-x"}).at(0).name(), "b");
    EXPECT_EQ(pods.orphans("default")[0].name(), "a");
    EXPECT_EQ(pods.in_namespace("default").size(), 2u);
    EXPECT_EQ(pods.by_index(DAVIT_INDEX_LABEL, "default/app=web").size(), 2u);
    EXPECT_EQ(pods.list().size(), 3u);
    EXPECT_FALSE(pods.get("default", "c"));
    ++checked;
    return Again::when_changed();
  };

  cluster_.run_until_idle();

  EXPECT_EQ(checked, 3u);
}

TEST_F(ClusterTest, DelayedKeysAndTimersRunWhenTheClockReachesThem) {
  start(cluster_);
  script_.sync = [](Context&, const Informer<Pod>&, const Key&) -> Result<Again> {
    return Again::after(7s);
  };
  cluster_.add(PodBuilder("web"));
  cluster_.run_until_idle();

  cluster_.advance(6s);
  EXPECT_EQ(cluster_.syncs().size(), 1u);
  cluster_.advance(10s);
  EXPECT_EQ(cluster_.syncs().size(), 3u);                                       // After 7 and 14 s.
  EXPECT_EQ(std::count(script_.seen.begin(), script_.seen.end(), "timer"), 2);  // 10 and 15 s.
}

TEST_F(ClusterTest, AHeldCacheShowsAnOldWorldUntilItIsReleased) {
  start(cluster_);
  cluster_.hold("pods");
  cluster_.add(PodBuilder("a"));
  cluster_.add(PodBuilder("b"));
  EXPECT_EQ(cluster_.run_until_idle(), 0u);

  EXPECT_TRUE(cluster_.release_one("pods"));
  EXPECT_EQ(cluster_.run_until_idle(), 1u);

  cluster_.release("pods");
  EXPECT_EQ(cluster_.run_until_idle(), 1u);
  EXPECT_FALSE(cluster_.release_one("pods"));
}

Result<Again> label_once(Context& context, const Informer<Pod>& pods, const Key& key) {
  if (pods.get(key)->label("done")) return Again::when_changed();
  const Status status =
      context.client()
          .patch<Pod>(key, PatchType::kMerge, R"({"metadata":{"labels":{"done":"yes"}}})")
          .error();
  if (!status.ok()) return status;
  return Again::after(1s);
}

TEST_F(ClusterTest, AKeyWaitsUntilTheCacheHasSeenWhatItWrote) {
  cluster_.add(PodBuilder("web"));
  start(cluster_);
  cluster_.hold("pods");
  script_.sync = &label_once;
  cluster_.run_until_idle();

  cluster_.advance(1min);
  EXPECT_EQ(cluster_.syncs().size(), 1u);

  cluster_.release("pods");
  cluster_.run_until_idle();
  EXPECT_EQ(cluster_.syncs().size(), 2u);
}

TEST_F(ClusterTest, WithoutReadYourWritesAStaleCacheIsSynced) {
  testing::Cluster cluster({.read_your_writes = testing::ReadYourWrites::kOff});
  cluster.add(PodBuilder("web"));
  start(cluster);
  cluster.hold("pods");
  script_.sync = &label_once;
  cluster.run_until_idle();

  cluster.advance(1s);

  EXPECT_EQ(cluster.syncs().size(), 2u);
}

TEST_F(ClusterTest, InjectedFaultsHitTheMatchingRequestsOnly) {
  cluster_.add(PodBuilder("web"));
  start(cluster_);
  script_.sync = &label_once;
  cluster_.fail_next({.verb = Verb::kCreate, .resource = "pods"});
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "pods",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .message = "no",
                      .causes = {"A", "B"}});

  cluster_.run_until_idle();

  EXPECT_EQ(cluster_.syncs().back().code, Code::kForbidden);
  EXPECT_EQ(cluster_.syncs().back().error, "no");
  cluster_.advance(1s);
  EXPECT_EQ(cluster_.find<Pod>(kWeb)->label("done"), "yes");
}

TEST_F(ClusterTest, AFaultCanComeAfterTheWriteTookEffect) {
  cluster_.add(PodBuilder("web"));
  start(cluster_);
  script_.sync = &label_once;
  cluster_.fail_next({.verb = Verb::kPatch, .http_status = 0, .effect = testing::Effect::kApplied});

  cluster_.run_until_idle();

  EXPECT_EQ(cluster_.syncs().front().code, Code::kUnavailable);
  EXPECT_EQ(cluster_.find<Pod>(kWeb)->label("done"), "yes");
}

constexpr const char* kNote = R"({"name":"scripted","version":"1","abi":"1.0",
  "controllers":[{"name":"scripted",
  "rules":[{"group":"","resource":"pods","verbs":["patch"]}],
  "watches":[{"group":"","version":"v1","resource":"pods","projection":[
    "metadata.labels","spec.containers[].image","metadata.annotations['a.b/c']"]}]}]})";

TEST_F(ClusterTest, ProjectionsHideEverythingElse) {
  testing::Cluster cluster({.note = kNote});
  cluster.add(PodBuilder("web").label("app", "web").annotation("a.b/c", "1").annotation("d", "2"));
  start(cluster);
  std::vector<std::string> read;
  script_.sync = [&](Context&, const Informer<Pod>& pods, const Key& key) -> Result<Again> {
    const Pod pod = pods.get(key).value();
    const Value container = pod.spec()[&Names::containers].at(0);
    read = {std::string(pod.name()), pod.labels().json(), std::string(*pod.annotation("a.b/c")),
            std::string(container["image"].string())};
    EXPECT_FALSE(detail::current_call.read_undeclared);
    EXPECT_TRUE(container[&Names::name].is_absent());
    EXPECT_TRUE(std::exchange(detail::current_call.read_undeclared, false));
    EXPECT_EQ(pod.annotations().json(), "");
    EXPECT_TRUE(std::exchange(detail::current_call.read_undeclared, false));
    return Again::when_changed();
  };

  cluster.run_until_idle();

  EXPECT_EQ(read, (std::vector<std::string>{"web", R"({"app":"web"})", "1", "nginx:1.25"}));
  EXPECT_THAT(cluster.violations(),
              ::testing::ElementsAre(
                  R"(scripted: the note of scripted lets it read no "spec.containers[].name" of )"
                  R"(pods: add it to "projection" of that watch)"))
      << "the first read of a call";
}

TEST_F(ClusterTest, RequestsOutsideTheDeclaredRulesAreRefused) {
  testing::Cluster cluster({.note = kNote});
  cluster.add(PodBuilder("web"));
  start(cluster);
  script_.sync = [](Context& context, const Informer<Pod>&, const Key& key) -> Result<Again> {
    const Client client = context.client();
    EXPECT_EQ(client.remove<Pod>(key).code(), Code::kUndeclared);
    EXPECT_EQ(client.get<ReplicaSet>(key).error().code(), Code::kUndeclared);
    EXPECT_TRUE(client.get<Pod>(key));  // A watched resource may be read.
    EXPECT_EQ(client.update<Pod>(key, "{}").error().code(), Code::kUndeclared);
    return Again::when_changed();
  };

  cluster.run_until_idle();

  EXPECT_THAT(cluster.violations(),
              ::testing::ElementsAre(
                  R"(scripted: the plugin declares no rule for delete of pods in group "": )"
                  R"("rules" of scripted in its note need )"
                  R"({"group":"","resource":"pods","verbs":["delete"]})",
                  ::testing::HasSubstr(R"(no rule for get of replicasets in group "apps")"),
                  ::testing::HasSubstr("no rule for update of pods")));
  EXPECT_TRUE(cluster.writes().empty());
}

TEST_F(ClusterTest, AnInformerWithOtherSelectorsThanDeclaredIsRefused) {
  testing::Cluster cluster({.note = kNote});
  const Status started = cluster.start("scripted", [](Context& context) -> InitResult {
    static_cast<void>(context.open_informer<Pod>({}, {.field_selector = "spec.nodeName=n1"}));
    return std::make_unique<Controller>();
  });

  const auto needed = ::testing::HasSubstr(
      R"("watches" of scripted needs an entry {"group":"",)"
      R"("version":"v1","resource":"pods","fieldSelector":"spec.nodeName=n1"})");
  EXPECT_THAT(started.message(), needed);
  EXPECT_THAT(cluster.violations(), ::testing::ElementsAre(needed));
}

TEST_F(ClusterTest, WhatAHookOfTheTestThrowsReachesTheTest) {
  cluster_.add(PodBuilder("web"));
  start(cluster_);
  script_.sync = [](Context& context, const Informer<Pod>&, const Key& key) -> Result<Again> {
    if (Status s = context.client().remove<Pod>(key); !s.ok()) return s;
    return Again::when_changed();
  };
  cluster_.on_request([](const testing::RequestRecord&) { throw std::runtime_error("a mistake"); });

  EXPECT_THROW(cluster_.run_until_idle(), std::runtime_error);
  cluster_.on_request({});
  cluster_.advance(1min);
  EXPECT_FALSE(cluster_.find<Pod>({"default", "web"})) << "it is thrown once";
}

TEST_F(ClusterTest, RequestsFromAHandlerAreMisuse) {
  cluster_.add(PodBuilder("web"));
  const Status started = cluster_.start("bad", [](Context& context) -> InitResult {
    class Bad : public Controller {
     public:
      explicit Bad(Context& c)
          : pods_(c.open_informer<Pod>({.added = [client = c.client()](const Pod& pod) {
              EXPECT_EQ(client.remove<Pod>(pod.key()).code(), Code::kMisuse);
            }})) {}

     private:
      Informer<Pod> pods_;
    };
    return make<Bad>(context);
  });

  EXPECT_TRUE(started.ok());
  EXPECT_EQ(cluster_.violations().size(), 1u);
}

TEST_F(ClusterTest, ConfigEventsMetricsAndLogReachTheTest) {
  cluster_.add(PodBuilder("web").uid("u"));
  const Status started = cluster_.start(
      "scripted",
      [this](Context& context) -> InitResult {
        EXPECT_EQ(context.config()["limit"].integer(), 3);
        const Metric metric = context.open_metric({.type = MetricType::kHistogram,
                                                   .name = "m",
                                                   .help = "h",
                                                   .labels = {"l"},
                                                   .buckets = {1, 2}});
        metric.record(1.5, {"v"});
        context.log().info("hello", {{"k", "v"}});
        script_.sync = [](Context& c, const Informer<Pod>& pods, const Key& key) -> Result<Again> {
          c.events().warning(*pods.get(key), "Reason", "message");
          return Again::when_changed();
        };
        return std::unique_ptr<Controller>(std::make_unique<ScriptedController>(context, script_));
      },
      R"({"limit":3})");
  cluster_.run_until_idle();

  EXPECT_TRUE(started.ok());
  EXPECT_EQ(cluster_.event_texts(), std::vector<std::string>{"Warning Reason message"});
  EXPECT_EQ(cluster_.events()[0].kind + cluster_.events()[0].uid, "Podu");
  EXPECT_EQ(cluster_.metrics()[0].labels, std::vector<std::string>{"v"});
  EXPECT_EQ(cluster_.log()[0].message, "hello");
}

TEST_F(ClusterTest, AStoppedControllerSeesNothingMore) {
  start(cluster_);
  cluster_.stop("scripted");

  cluster_.add(PodBuilder("web"));
  cluster_.advance(1min);

  EXPECT_TRUE(script_.seen.empty());
}

constexpr const char* kRuled = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gates.example.davit.dev}
spec:
  group: example.davit.dev
  scope: Namespaced
  names: {plural: gates, singular: gate, kind: Gate}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {low: {type: integer}, high: {type: integer}}
              x-kubernetes-validations: [{rule: RULE}]
)";

std::string ruled(const std::string& rule) {
  std::string text = kRuled;
  return text.replace(text.find("RULE"), 4, rule);
}

/// The HTTP status of a create of a Gate.
int create_gate(testing::Cluster& cluster, const std::string& spec) {
  return cluster
      .exchange({.method = "POST",
                 .target = "/apis/example.davit.dev/v1/namespaces/default/gates",
                 .headers = {{"Content-Type", "application/json"}},
                 .body = R"({"apiVersion":"example.davit.dev/v1","kind":"Gate",)"
                         R"("metadata":{"generateName":"g-"},"spec":)" +
                         spec + "}"})
      .http_status;
}

TEST(ClusterObjectsTest, RulesOfADefinitionJudgeWrites) {
  testing::Cluster cluster;
  cluster.add_yaml(ruled("self.low <= self.high"));
  EXPECT_EQ(create_gate(cluster, R"({"low":1,"high":2})"), 201);
  EXPECT_EQ(create_gate(cluster, R"({"low":3,"high":2})"), 422);
}

TEST(ClusterObjectsTest, MistakesOfATestThrowAndTheClusterStays) {
  testing::Cluster cluster;
  EXPECT_THROW(cluster.add_yaml(ruled("self.nope < 1")), std::runtime_error);
  EXPECT_THROW(cluster.add("{"), std::runtime_error);
  EXPECT_THROW(cluster.add(R"({"apiVersion":"v1","kind":"Nope"})"), std::runtime_error);
  EXPECT_THROW(cluster.add_file("/there/is/none.yaml"), std::runtime_error);
  EXPECT_THROW(cluster.remove<Pod>({"default", "none"}), std::runtime_error);
  EXPECT_THROW(static_cast<void>(cluster.value("[")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(cluster.health("none")), std::runtime_error);
  EXPECT_THROW(testing::Cluster({.note = "{}"}), std::runtime_error);
  cluster.add(PodBuilder("web"));
  EXPECT_TRUE(cluster.find<Pod>({"default", "web"}));
}

TEST(ClusterObjectsTest, EachDocumentOfAYamlTextIsAdded) {
  testing::Cluster cluster;
  cluster.add_yaml(
      "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n---\n"
      "# Nothing.\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: b\n  namespace: far\n");
  EXPECT_TRUE(cluster.find<Pod>({"far", "b"}));
  EXPECT_EQ(cluster.exchange({"GET", "/api/v1/namespaces/default/configmaps/a"}).http_status, 200);
}

}  // namespace
}  // namespace davit
