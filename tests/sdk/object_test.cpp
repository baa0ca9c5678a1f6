#include <gtest/gtest.h>

#include <davit/kube/metadata.hpp>
#include <davit/object.hpp>
#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

namespace davit {
namespace {

class ValueTest : public ::testing::Test {
 protected:
  testing::Cluster cluster_;
};

TEST_F(ValueTest, MissingMembersReadAsAbsentAllTheWayDown) {
  const Value pod = cluster_.value(R"({"metadata":{"name":"web"}})");

  const Value missing = pod[&Names::spec][&Names::selector]["app"];

  EXPECT_TRUE(missing.is_absent());
  EXPECT_EQ(missing.kind(), Kind::kAbsent);
  EXPECT_EQ(missing.string(), "");
  EXPECT_EQ(missing.integer(), std::nullopt);
  EXPECT_EQ(missing.count(), 0u);
  EXPECT_EQ(missing.json(), "");
  EXPECT_TRUE(pod[&Names::metadata][&Names::name][&Names::name].is_absent());
}

TEST_F(ValueTest, EachKindReadsAsItselfAndAsNothingElse) {
  const Value value = cluster_.value(R"({"s":"","n":null,"b":true,"i":-7,"d":1.5,"a":[1],"o":{}})");

  EXPECT_EQ(value["s"].text(), "");
  EXPECT_EQ(value["i"].text(), std::nullopt);
  EXPECT_EQ(value["n"].kind(), Kind::kNull);
  EXPECT_TRUE(static_cast<bool>(value["n"]));
  EXPECT_EQ(value["b"].boolean(), true);
  EXPECT_EQ(value["s"].boolean(), std::nullopt);
  EXPECT_EQ(value["i"].integer(), -7);
  EXPECT_EQ(value["d"].integer(), std::nullopt);
  EXPECT_EQ(value["d"].number(), "1.5");
  EXPECT_EQ(value["a"].at(0).integer(), 1);
  EXPECT_TRUE(value["a"].at(1).is_absent());
  EXPECT_EQ(value["o"].kind(), Kind::kObject);
}

TEST_F(ValueTest, ElementsAndMembersBeyondOneBatchComeInOrder) {
  std::string array = "[";
  std::string object = "{";
  for (int i = 0; i < 40; ++i) {
    array += (i == 0 ? "" : ",") + std::to_string(i);
    object +=
        std::string(i == 0 ? "" : ",") + "\"k" + std::to_string(i) + "\":" + std::to_string(i);
  }

  std::int64_t next = 0;
  for (const Value each : cluster_.value(array + "]").elements()) EXPECT_EQ(each.integer(), next++);
  EXPECT_EQ(next, 40);

  next = 0;
  for (const Member& each : cluster_.value(object + "}").members()) {
    EXPECT_EQ(each.key, "k" + std::to_string(next));
    EXPECT_EQ(each.value.integer(), next++);
  }
  EXPECT_EQ(next, 40);
}

TEST_F(ValueTest, EqualityAndHashIgnoreTheOrderOfMembersOnly) {
  const Value a = cluster_.value(R"({"x":[1,2],"y":{"z":null}})");
  const Value b = cluster_.value(R"({"y":{"z":null},"x":[1,2]})");
  const Value c = cluster_.value(R"({"y":{"z":null},"x":[2,1]})");

  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_NE(a, c);
  EXPECT_NE(a.hash(), c.hash());
  EXPECT_NE(a, Value());
  EXPECT_EQ(Value(), Value());
}

TEST_F(ValueTest, PathFollowsInternedNames) {
  const Value value = cluster_.value(R"({"metadata":{"labels":{"app":"web"}}})");
  const Names& names = value.api()->names;

  EXPECT_EQ(value.path({names.metadata, names.labels})["app"].string(), "web");
  EXPECT_TRUE(value.path({names.metadata, names.spec}).is_absent());
}

TEST_F(ValueTest, RetainedObjectsOutliveTheCallTheyWereReadIn) {
  Retained kept(cluster_.value(R"({"a":1})"));
  Retained moved = std::move(kept);

  EXPECT_EQ(moved.get()["a"].integer(), 1);
  EXPECT_TRUE(kept.get().is_absent());  // NOLINT(bugprone-use-after-move)
}

TEST_F(ValueTest, MetadataIsReadInPlace) {
  const ObjectView object(cluster_.value(R"({"metadata":{"name":"web","namespace":"shop","uid":"u1",
    "resourceVersion":"7","generation":3,"labels":{"app":"web"},"annotations":{"a":"b"},
    "creationTimestamp":"2024-05-01T12:00:00Z","finalizers":["f"],
    "ownerReferences":[{"kind":"A","uid":"1"},
                       {"kind":"B","name":"b","uid":"2","controller":true}]}})"));

  EXPECT_EQ(object.key().text(), "shop/web");
  EXPECT_EQ(object.generation(), 3);
  EXPECT_EQ(object.label("app"), "web");
  EXPECT_EQ(object.label("other"), std::nullopt);
  EXPECT_EQ(object.annotation("a"), "b");
  EXPECT_EQ(format_time(*object.creation_time()), "2024-05-01T12:00:00Z");
  EXPECT_FALSE(object.is_being_deleted());
  EXPECT_TRUE(object.has_finalizer("f"));
  EXPECT_FALSE(object.has_finalizer("g"));
  ASSERT_TRUE(object.controller());
  EXPECT_EQ(object.controller()->kind(), "B");
  EXPECT_TRUE(object.is_controlled_by({"B", "shop", "b", "2"}));
  EXPECT_TRUE(object.is_controlled_by({"B", "", "b", "2"})) << "cluster-scoped";
  EXPECT_FALSE(object.is_controlled_by({"A", "shop", "b", "1"})) << "an owner, not the controller";
  EXPECT_FALSE(object.is_controlled_by({"B", "other", "b", "2"})) << "of another namespace";
  EXPECT_FALSE(object.is_controlled_by({"B", "shop", "c", "2"}));
  EXPECT_FALSE(object.is_controlled_by({"C", "shop", "b", "2"}));
}

TEST_F(ValueTest, OwnerReferencesCompareAsAWhole) {
  const Value list = cluster_.value(R"([
    {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"a","uid":"1","controller":true},
    {"uid":"1","controller":true,"apiVersion":"apps/v1","kind":"ReplicaSet","name":"a"},
    {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"a","uid":"1","controller":true,
     "blockOwnerDeletion":false}])");

  EXPECT_EQ(OwnerReference(list.at(0)), OwnerReference(list.at(1)));
  EXPECT_FALSE(OwnerReference(list.at(0)) == OwnerReference(list.at(2)));
}

}  // namespace
}  // namespace davit
