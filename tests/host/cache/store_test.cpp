#include "host/cache/store.hpp"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class StoreTest : public CacheTest {
 protected:
  Strings names(std::string_view index, std::string_view key) {
    Strings found;
    const std::vector<ObjectRef> selected = *store_.select(index, key);
    for (const ObjectRef& each : selected) {
      found.emplace_back(metadata(*each).name);
    }
    return found;
  }
  /// The changes that a relist makes, as text.
  Strings relist(const std::vector<PodSpec>& pods, std::string_view version) {
    Replacement next(store_);
    for (const PodSpec& pod : pods) next.put(object(pod));
    Strings changes;
    for (const Change& change : store_.replace(std::move(next), version)) {
      changes.push_back(RecordingListener::describe(change));
    }
    return changes;
  }

  Store store_{space_};
};

TEST_F(StoreTest, ObjectsAreFoundByNamespaceAndName) {
  store_.put(object({.ns = "x", .name = "a", .version = "1"}));
  store_.put(object({.ns = "y", .name = "a", .version = "2"}));

  EXPECT_EQ(metadata(*store_.get("x", "a")).resource_version, "1");
  EXPECT_EQ(metadata(*store_.get("y", "a")).resource_version, "2");
  EXPECT_FALSE(store_.get("", "a"));
  EXPECT_FALSE(store_.get("xa", ""));
}

TEST_F(StoreTest, ManagedFieldsAreNotKept) {  // RT-083
  store_.put(object({.name = "a", .version = "1"}));
  EXPECT_FALSE(store_.get("default", "a").root()["metadata"]["managedFields"]);
}

TEST_F(StoreTest, PutReturnsWhetherTheObjectWasThere) {
  EXPECT_EQ(store_.put(object({.name = "a", .version = "1"})).type, ChangeType::kAdded);
  const Change change = store_.put(object({.name = "a", .version = "2"}));

  EXPECT_EQ(RecordingListener::describe(change), "UPDATED a@1->2");
  EXPECT_EQ(store_.version(), 2u);
}

TEST_F(StoreTest, TheEndOfAnObjectThatIsNotHeldIsNotReported) {
  EXPECT_FALSE(store_.remove(object({.name = "a", .version = "5"})));
  EXPECT_EQ(store_.resource_version(), "5");

  store_.put(object({.name = "a", .version = "6"}));
  const std::optional<Change> change = store_.remove(object({.name = "a", .version = "7"}));
  ASSERT_TRUE(change);
  EXPECT_EQ(RecordingListener::describe(*change), "DELETED a@7");
  EXPECT_FALSE(store_.remove(object({.name = "a", .version = "8"})));
}

TEST_F(StoreTest, TheEndOfAnotherLifeEndsTheOneThatIsHeld) {
  store_.put(object({.name = "a", .version = "1", .uid = "former"}));
  const std::optional<Change> change =
      store_.remove(object({.name = "a", .version = "5", .uid = "later"}));
  ASSERT_TRUE(change);
  EXPECT_EQ(RecordingListener::describe(*change), "DELETED a@1 tombstone");
  EXPECT_EQ(store_.size(), 0u);
}

TEST_F(StoreTest, UnknownIndexIsNotFoundAndUnknownKeyIsEmpty) {
  EXPECT_EQ(store_.select("node", "n1").error().code(), Code::kNotFound);
  EXPECT_THAT(names(kNamespaceIndex, "nowhere"), IsEmpty());
}

TEST_F(StoreTest, EmptyIndexNameSelectsEverything) {
  store_.put(object({.name = "a", .version = "1"}));
  store_.put(object({.ns = "x", .name = "b", .version = "1"}));
  EXPECT_THAT(names("", "whatever"), UnorderedElementsAre("a", "b"));
}

TEST_F(StoreTest, ControllerIndexHasOwnersAndOrphansOfEachNamespace) {
  store_.put(object({.name = "owned", .version = "1", .owner = "rs-1"}));
  store_.put(object({.name = "orphan", .version = "2"}));

  EXPECT_THAT(names(kControllerIndex, "rs-1"), ElementsAre("owned"));
  EXPECT_THAT(names(kControllerIndex, "/default"), ElementsAre("orphan"));
  store_.put(object({.name = "orphan", .version = "3", .owner = "rs-1"}));
  EXPECT_THAT(names(kControllerIndex, "rs-1"), UnorderedElementsAre("owned", "orphan"));
  EXPECT_THAT(names(kControllerIndex, "/default"), IsEmpty());
}

TEST_F(StoreTest, LabelIndexHasEveryLabelOfEachNamespace) {
  store_.put(object({.name = "a", .version = "1", .labels = R"("app":"web","tier":"front")"}));
  store_.put(object({.ns = "x", .name = "b", .version = "2", .labels = R"("app":"web")"}));
  EXPECT_THAT(names(kLabelIndex, "default/app=web"), ElementsAre("a"));
  EXPECT_THAT(names(kLabelIndex, "x/app=web"), ElementsAre("b"));
  EXPECT_THAT(names(kLabelIndex, "x/tier=front"), IsEmpty());

  store_.put(object({.name = "a", .version = "3", .labels = R"("tier":"back")"}));
  EXPECT_THAT(names(kLabelIndex, "default/app=web"), IsEmpty());
  EXPECT_THAT(names(kLabelIndex, "default/tier=back"), ElementsAre("a"));
}

// RT-082
TEST_F(StoreTest, DeclaredIndexFollowsUpdatesAndIsFilledWhenAddedLate) {
  store_.put(object({.name = "a", .version = "1", .node = "n1"}));
  ASSERT_TRUE(store_.add_index("node", "spec.nodeName").ok());
  EXPECT_THAT(names("node", "n1"), ElementsAre("a"));

  store_.put(object({.name = "a", .version = "2", .node = "n2"}));

  EXPECT_THAT(names("node", "n1"), IsEmpty());
  EXPECT_THAT(names("node", "n2"), ElementsAre("a"));
}

TEST_F(StoreTest, IndexMayBeAddedTwiceButNotOverAnotherPath) {
  EXPECT_TRUE(store_.add_index("node", "spec.nodeName").ok());
  EXPECT_TRUE(store_.add_index("node", "spec.nodeName").ok());
  EXPECT_EQ(store_.add_index("node", "spec.hostname").code(), Code::kAlreadyExists);
  EXPECT_EQ(store_.add_index("bad", "spec..x").code(), Code::kInvalid);
}

TEST_F(StoreTest, IndexOverElementsHasEachDistinctKeyOnce) {
  ASSERT_TRUE(store_.add_index("claim", "spec.volumes[].claim").ok());
  const auto pod = [this](std::string_view name, std::string_view claims) {
    return *parse_object(space_, R"({"metadata":{"name":")" + std::string(name) +
                                     R"(","namespace":"x","resourceVersion":"1"},"spec":)"
                                     R"({"volumes":[)" +
                                     std::string(claims) + "]}}");
  };
  store_.put(pod("a", R"({"claim":"c1"},{"claim":"c2"},{"claim":"c1"},{"other":"c3"})"));
  store_.put(pod("b", R"({"claim":"c2"})"));
  EXPECT_THAT(names("claim", "c1"), ElementsAre("a"));
  EXPECT_THAT(names("claim", "c2"), UnorderedElementsAre("a", "b"));

  store_.remove(pod("a", ""));
  EXPECT_THAT(names("claim", "c1"), IsEmpty());
  EXPECT_THAT(names("claim", "c2"), ElementsAre("b"));
}

// RT-072, RT-073, RT-074
TEST_F(StoreTest, RelistReportsDeletionsFirstAndSharesWhatIsUnchanged) {
  relist(
      {{.name = "a", .version = "1"}, {.name = "b", .version = "2"}, {.name = "d", .version = "3"}},
      "5");
  const ObjectRef unchanged = store_.get("default", "b");

  const Strings changes = relist(
      {{.name = "b", .version = "2"}, {.name = "d", .version = "8"}, {.name = "c", .version = "9"}},
      "9");

  EXPECT_THAT(changes, ElementsAre("DELETED a@1 tombstone", "UPDATED d@3->8", "ADDED c@9"));
  EXPECT_EQ(store_.get("default", "b"), unchanged);
  EXPECT_EQ(store_.resource_version(), "9");
}

TEST_F(StoreTest, ObjectRecreatedDuringAGapIsOneUpdateWithAnotherUid) {
  relist({{.name = "a", .version = "1", .uid = "old"}}, "1");
  Replacement next(store_);
  next.put(object({.name = "a", .version = "7", .uid = "new"}));
  const std::vector<Change> changes = store_.replace(std::move(next), "7");

  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].type, ChangeType::kUpdated);
  EXPECT_EQ(metadata(*changes[0].old).uid, "old");
  EXPECT_EQ(metadata(*changes[0].current).uid, "new");
}

TEST_F(StoreTest, VersionThatIsNotANumberCannotBeCompared) {
  store_.advance("12");
  EXPECT_EQ(store_.version(), 12u);
  store_.advance("opaque-13");
  EXPECT_EQ(store_.version(), 0u);
  EXPECT_EQ(store_.resource_version(), "opaque-13");
}

TEST_F(StoreTest, OverheadStaysBelowOneHundredBytesAnObject) {
  ASSERT_TRUE(store_.add_index("node", "spec.nodeName").ok());
  constexpr int kPods = 20000;
  Replacement next(store_);
  for (int i = 0; i < kPods; ++i) {
    const std::string number = std::to_string(i);
    next.put(object({.ns = "ns-" + std::to_string(i % 50),
                     .name = "pod-" + number,
                     .version = number,
                     .node = "node-" + std::to_string(i % 1000),
                     .owner = "11111111-2222-3333-4444-" + std::to_string(100000000000 + i / 10)}));
  }
  store_.replace(std::move(next), "1");
  EXPECT_LE(store_.overhead_bytes() / kPods, 100u);
}

/// A store and what it should hold, in the plainest form, changed by chance in the same way.
class RandomHistory {
 public:
  RandomHistory(ObjectSpace& space, unsigned seed) : random_(seed), store_(space) {
    EXPECT_TRUE(store_.add_index("node", "spec.nodeName").ok());
  }

  template <typename MakeObject>
  void step(const MakeObject& object) {
    const PodSpec pod = any_pod();
    const auto dice = random_() % 100;
    if (dice < 60) {
      const bool known = pods_.contains({pod.ns, pod.name});
      EXPECT_EQ(store_.put(object(pod)).type, known ? ChangeType::kUpdated : ChangeType::kAdded);
      pods_[{pod.ns, pod.name}] = pod;
    } else if (dice < 97) {
      store_.remove(object(pod));
      pods_.erase({pod.ns, pod.name});
    } else {
      Replacement next(store_);
      std::erase_if(pods_, [&](const auto&) { return random_() % 4 == 0; });
      for (int k = 0; k < 5; ++k) {
        const PodSpec more = any_pod();
        pods_[{more.ns, more.name}] = more;
      }
      for (const auto& [key, each] : pods_) next.put(object(each));
      store_.replace(std::move(next), std::to_string(version_));
    }
  }

  void expect_agreement() {
    const std::string ns = "ns" + pick(3);
    const std::string node = "n" + pick(6);
    const std::string owner = "o" + pick(5);
    EXPECT_EQ(store_.size(), pods_.size());
    EXPECT_EQ(found(kNamespaceIndex, ns), wanted([&](const PodSpec& p) { return p.ns == ns; }));
    EXPECT_EQ(found("node", node), wanted([&](const PodSpec& p) { return p.node == node; }));
    const std::string label = pick(4);
    for (const std::string key : {"app", "tier"}) {
      EXPECT_EQ(found(kLabelIndex, ns + "/" + key + "=" + label), wanted([&](const PodSpec& p) {
                  return p.ns == ns &&
                         p.labels.find('"' + key + "\":\"" + label + '"') != std::string::npos;
                }));
    }
    EXPECT_EQ(found(kControllerIndex, owner),
              wanted([&](const PodSpec& p) { return p.owner == owner; }));
    EXPECT_EQ(found(kControllerIndex, "/" + ns),
              wanted([&](const PodSpec& p) { return p.owner.empty() && p.ns == ns; }));
  }

 private:
  std::string pick(unsigned below) { return std::to_string(random_() % below); }

  // None, one, or several.
  std::string any_labels() {
    if (random_() % 4 == 0) return "";
    const std::string app = R"("app":")" + pick(4) + '"';
    return random_() % 3 == 0 ? app : app + R"(,"tier":")" + pick(4) + R"(","x":"y")";
  }

  PodSpec any_pod() {
    return PodSpec{.ns = "ns" + pick(3),
                   .name = "p" + pick(40),
                   .version = std::to_string(++version_),
                   .uid = "u" + pick(2),
                   .node = random_() % 4 == 0 ? "" : "n" + pick(6),
                   .owner = random_() % 3 == 0 ? "" : "o" + pick(5),
                   .labels = any_labels()};
  }

  [[nodiscard]] std::set<std::string> found(std::string_view index, const std::string& key) const {
    std::set<std::string> names;
    const std::vector<ObjectRef> selected = *store_.select(index, key);
    for (const ObjectRef& each : selected) {
      const Metadata meta = metadata(*each);
      names.insert(std::string(meta.ns) + "/" + std::string(meta.name) + "@" +
                   std::string(meta.resource_version));
    }
    return names;
  }

  [[nodiscard]] std::set<std::string> wanted(
      const std::function<bool(const PodSpec&)>& belongs) const {
    std::set<std::string> names;
    for (const auto& [key, pod] : pods_) {
      if (belongs(pod)) names.insert(pod.ns + "/" + pod.name + "@" + pod.version);
    }
    return names;
  }

  std::mt19937 random_;
  Store store_;
  std::map<std::pair<std::string, std::string>, PodSpec> pods_;
  std::uint64_t version_ = 0;
};

TEST_F(StoreTest, RandomHistoriesAgreeWithANaiveModel) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RandomHistory history(space_, seed);
    for (int i = 0; i < 300; ++i) {
      history.step([this](const PodSpec& pod) { return object(pod); });
      history.expect_agreement();
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace davit::host
