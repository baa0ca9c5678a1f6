#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <davit/watch.hpp>

#include "gadget.hpp"

namespace davit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Writes down the keys that it is given.
class KeyCollector final : public Controller {
 public:
  using Open = std::function<void(Context&, const Queue&)>;

  KeyCollector(Context& context, std::vector<std::string>& keys, const Open& open)
      : queue_(context.open_queue({.name = "keys"}, [&keys](const Key& key) -> Result<Again> {
          keys.push_back(key.text());
          return Again::when_changed();
        })) {
    open(context, queue_);
  }

 private:
  Queue queue_;
};

class WatchTest : public ::testing::Test {
 protected:
  void start(const KeyCollector::Open& open) {
    const Status started = cluster_.start("keys", [&](Context& context) -> InitResult {
      return std::unique_ptr<Controller>(std::make_unique<KeyCollector>(context, keys_, open));
    });
    ASSERT_TRUE(started.ok()) << started.message();
  }
  std::vector<std::string> new_keys() {
    keys_.clear();
    cluster_.run_until_idle();
    return keys_;
  }
  void add_gadget(std::string_view name, int size) {
    cluster_.add(json_of(test::v1::GadgetDraft{.metadata = {.name = name, .ns = "default"},
                                               .spec = {.size = size}}));
  }

  testing::Cluster cluster_;
  std::vector<std::string> keys_;
};

TEST_F(WatchTest, ReconcilesAddsEachChangedObject) {
  add_gadget("one", 1);
  start([](Context& context, const Queue& queue) {
    static_cast<void>(reconciles<test::v1::Gadget>(context, queue));
  });
  EXPECT_THAT(new_keys(), ElementsAre("default/one"));

  cluster_.merge<test::v1::Gadget>({"default", "one"}, R"({"status":{"observedGeneration":1}})");
  EXPECT_THAT(new_keys(), ElementsAre("default/one"));

  cluster_.erase<test::v1::Gadget>({"default", "one"});
  EXPECT_THAT(new_keys(), ElementsAre("default/one"));
}

TEST_F(WatchTest, GenerationChangedLeavesOutStatusAndLabels) {
  add_gadget("one", 1);
  start([](Context& context, const Queue& queue) {
    static_cast<void>(reconciles<test::v1::Gadget>(context, queue, generation_changed()));
  });
  EXPECT_THAT(new_keys(), ElementsAre("default/one"));

  cluster_.merge<test::v1::Gadget>({"default", "one"}, R"({"status":{"observedGeneration":1}})");
  cluster_.merge<test::v1::Gadget>({"default", "one"}, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_THAT(new_keys(), IsEmpty());

  cluster_.merge<test::v1::Gadget>({"default", "one"}, R"({"spec":{"size":2}})");
  EXPECT_THAT(new_keys(), ElementsAre("default/one"));
}

TEST_F(WatchTest, PredicatesAreJoined) {
  add_gadget("one", 1);
  start([](Context& context, const Queue& queue) {
    static_cast<void>(reconciles<test::v1::Gadget>(
        context, queue,
        all_of(any_of(labels_changed(), annotations_changed()), negated([](const auto& event) {
                 return event.current.label("quiet").has_value();
               }))));
  });
  EXPECT_THAT(new_keys(), ElementsAre("default/one"));
  const auto after = [this](std::string_view patch) {
    cluster_.merge<test::v1::Gadget>({"default", "one"}, patch);
    return new_keys().size();
  };

  EXPECT_EQ(after(R"({"spec":{"size":3}})"), 0);
  EXPECT_EQ(after(R"({"metadata":{"labels":{"a":"b"}}})"), 1);
  EXPECT_EQ(after(R"({"metadata":{"annotations":{"a":"b"}}})"), 1);
  EXPECT_EQ(after(R"({"metadata":{"labels":{"quiet":""}}})"), 0);
}

TEST_F(WatchTest, ResourceVersionChangedLeavesOutResyncs) {
  cluster_.add(testing::PodBuilder("web"));
  start([](Context& context, const Queue& queue) {
    static_cast<void>(reconciles<Pod>(context, queue, resource_version_changed()));
  });
  EXPECT_THAT(new_keys(), ElementsAre("default/web"));

  cluster_.resync("pods");
  EXPECT_THAT(new_keys(), IsEmpty());

  cluster_.merge<Pod>({"default", "web"}, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_THAT(new_keys(), ElementsAre("default/web"));
}

testing::PodBuilder pod_of(std::string_view name, std::string_view api_version,
                           std::string_view kind, std::string_view owner) {
  return testing::PodBuilder(name).controlled_by(api_version, kind, owner, "uid-of-it");
}

TEST_F(WatchTest, OwnsAddsTheControllerOfTheRightGroupAndKind) {
  start([](Context& context, const Queue& queue) {
    static_cast<void>(owns<Pod, test::v1::Gadget>(context, queue));
  });

  cluster_.add(pod_of("a", "test.davit.dev/v1", "Gadget", "one"));
  cluster_.add(pod_of("b", "test.davit.dev/v1beta1", "Gadget", "two"));
  cluster_.add(pod_of("c", "other.davit.dev/v1", "Gadget", "three"));
  cluster_.add(pod_of("d", "test.davit.dev/v1", "Other", "four"));
  cluster_.add(testing::PodBuilder("e"));

  EXPECT_THAT(new_keys(), UnorderedElementsAre("default/one", "default/two"));
}

TEST_F(WatchTest, OwnsAddsOldAndNewOwner) {
  start([](Context& context, const Queue& queue) {
    static_cast<void>(owns<Pod, test::v1::Gadget>(context, queue));
  });
  cluster_.add(pod_of("a", "test.davit.dev/v1", "Gadget", "one"));
  EXPECT_THAT(new_keys(), ElementsAre("default/one"));

  cluster_.add(pod_of("a", "test.davit.dev/v1", "Gadget", "two"));

  EXPECT_THAT(new_keys(), UnorderedElementsAre("default/one", "default/two"));
}

TEST_F(WatchTest, OwnsCanFollowEveryOwnerAndOwnersOfTheCluster) {
  start([](Context& context, const Queue& queue) {
    static_cast<void>(owns<Pod, test::v1::Gadget>(
        context, queue, {}, {.by = OwnedBy::kAnyOwner, .scope = OwnerScope::kCluster}));
  });
  testing::Json pod = pod_of("a", "test.davit.dev/v1", "Gadget", "one").json();
  pod["metadata"]["ownerReferences"].items().front()["controller"] = false;

  cluster_.add(pod);

  EXPECT_THAT(new_keys(), ElementsAre("one"));
}

TEST_F(WatchTest, WatchesAddsWhatTheFunctionReturnsForOldAndNewState) {
  start([](Context& context, const Queue& queue) {
    static_cast<void>(watches<Pod>(context, queue, [](const Pod& pod) {
      const auto of = pod.label("of");
      return of ? std::vector<Key>{{"default", std::string(*of)}} : std::vector<Key>();
    }));
  });
  cluster_.add(testing::PodBuilder("a").label("of", "one"));
  cluster_.add(testing::PodBuilder("b"));
  EXPECT_THAT(new_keys(), ElementsAre("default/one"));

  cluster_.merge<Pod>({"default", "a"}, R"({"metadata":{"labels":{"of":"two"}}})");

  EXPECT_THAT(new_keys(), ElementsAre("default/one", "default/two"));
}

}  // namespace
}  // namespace davit
