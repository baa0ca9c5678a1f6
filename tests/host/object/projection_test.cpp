#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/object/abi.hpp"
#include "host/object/metadata.hpp"
#include "host/object/object_space.hpp"
#include "host/object/parse.hpp"
#include "tests/host/object/golden.hpp"

namespace davit::host {
namespace {

using Paths = std::vector<std::string>;

constexpr std::string_view kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"name": "p", "namespace": "ns", "uid": "u-1", "resourceVersion": "7",
    "labels": {"app": "web"}, "annotations": {"a.b/c": "1", "other": "2"},
    "ownerReferences": [{"name": "x", "uid": "o-0"},
                        {"name": "y", "uid": "o-1", "controller": true}]},
  "spec": {"nodeName": "n1",
           "containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "j"}]},
  "status": {"phase": "Running", "nested": [[{"deep": 1}], [2]]}})";

class ProjectionTest : public testing::Test {
 protected:
  ProjectionTest() { fill_object_table(table_); }

  Mask mask(const Paths& paths) {
    Result<Mask> mask = space_.add_projection(paths);
    EXPECT_TRUE(mask) << mask.error().message();
    return *mask;
  }

  ObjectRef parse(std::string_view json, const ParseOptions& options = {}) {
    Result<ObjectRef> object = parse_object(space_, json, options);
    EXPECT_TRUE(object) << object.error().message();
    return *object;
  }

  davit_code lookup(Value from, std::string_view key, Value* out = nullptr) {
    Value found;
    const davit_code code = table_.lookup(from.raw, {key.data(), key.size()}, &found.raw);
    Value by_name;
    EXPECT_EQ(table_.member(from.raw, space_.intern(key), &by_name.raw), code);
    EXPECT_EQ(by_name.raw.node, found.raw.node);
    EXPECT_EQ(by_name.raw.mask, found.raw.mask);
    EXPECT_EQ(static_cast<bool>(found), code == DAVIT_OK);
    if (out != nullptr) *out = found;
    return code;
  }

  ObjectSpace space_;
  davit_object_v1 table_{};
};

TEST_F(ProjectionTest, MemberOutsideIsUndeclaredWhetherItIsThereOrNot) {
  const ObjectRef pod = parse(kPod);
  const Value root = pod.root(mask({"spec.nodeName"}));

  Value spec;
  EXPECT_EQ(lookup(root, "spec", &spec), DAVIT_OK);
  EXPECT_EQ(lookup(spec, "nodeName"), DAVIT_OK);
  EXPECT_EQ(lookup(spec, "containers"), DAVIT_UNDECLARED);
  EXPECT_EQ(lookup(spec, "noSuchField"), DAVIT_UNDECLARED);
  EXPECT_EQ(lookup(root, "status"), DAVIT_UNDECLARED);
  EXPECT_EQ(spec.kind(), Kind::kObject);
  EXPECT_FALSE(spec["containers"]);
}

TEST_F(ProjectionTest, DeclaredMemberThatIsMissingIsNotFound) {
  const ObjectRef pod = parse(kPod);

  EXPECT_EQ(lookup(pod.root(mask({"spec.hostname"}))["spec"], "hostname"), DAVIT_NOT_FOUND);
}

TEST_F(ProjectionTest, IdentityIsAlwaysReadable) {
  const ObjectRef pod = parse(kPod);
  const Value root = pod.root(mask({}));

  EXPECT_EQ(root["apiVersion"].string(), "v1");
  EXPECT_EQ(root["kind"].string(), "Pod");
  for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion"}) {
    EXPECT_EQ(lookup(root["metadata"], key), DAVIT_OK) << key;
  }
  EXPECT_EQ(lookup(root["metadata"], "labels"), DAVIT_UNDECLARED);
  EXPECT_EQ(lookup(root["metadata"], "ownerReferences"), DAVIT_UNDECLARED);
}

TEST_F(ProjectionTest, PathIncludesItsSubtree) {
  const ObjectRef pod = parse(kPod);
  const Value root = pod.root(mask({"metadata.labels", "spec", "spec.nodeName"}));

  EXPECT_EQ(root["metadata"]["labels"].raw.mask, kFullMask);
  EXPECT_EQ(root["spec"].raw.mask, kFullMask) << "the longer path adds nothing";
  EXPECT_EQ(root["spec"]["containers"].at(1)["image"].string(), "j");
}

TEST_F(ProjectionTest, ElementsCarryTheirOwnMask) {
  const ObjectRef pod = parse(kPod);
  const Value containers = pod.root(mask({"spec.containers[].name"}))["spec"]["containers"];

  EXPECT_EQ(containers.count(), 2U);
  EXPECT_EQ(containers.at(1)["name"].string(), "b");
  EXPECT_EQ(lookup(containers.at(1), "image"), DAVIT_UNDECLARED);
}

TEST_F(ProjectionTest, OneKeyOfAMapMayHoldDots) {
  const ObjectRef pod = parse(kPod);
  const Value annotations =
      pod.root(mask({"metadata.annotations['a.b/c']"}))["metadata"]["annotations"];

  EXPECT_EQ(annotations["a.b/c"].string(), "1");
  EXPECT_EQ(lookup(annotations, "other"), DAVIT_UNDECLARED);
}

TEST_F(ProjectionTest, WholeSubtreeReadsNeedTheWholeSubtree) {
  const ObjectRef pod = parse(kPod);
  const Value spec = pod.root(mask({"spec.nodeName"}))["spec"];
  std::size_t written = 9;
  davit_member member;
  std::int32_t same = 9;
  std::uint64_t hash = 9;
  const auto ignore = [](void*, davit_str) -> davit_code {
    ADD_FAILURE() << "must not write";
    return DAVIT_OK;
  };
  const davit_sink sink{sizeof(davit_sink), 0, nullptr, ignore};

  EXPECT_EQ(table_.members(spec.raw, 0, &member, 1, &written), DAVIT_UNDECLARED);
  EXPECT_EQ(written, 0U);
  EXPECT_EQ(table_.equal(spec.raw, spec.raw, &same), DAVIT_UNDECLARED);
  EXPECT_EQ(table_.hash(spec.raw, &hash), DAVIT_UNDECLARED);
  EXPECT_EQ(table_.json(spec.raw, &sink), DAVIT_UNDECLARED);
  EXPECT_EQ(table_.count(spec.raw), 0U) << "it would tell what neighbours declared";
}

TEST_F(ProjectionTest, ScalarAboveADeclaredPathShowsItsKindOnly) {
  const ObjectRef pod = parse(R"({"spec":"text","status":[1,2]})");
  const Value root = pod.root(mask({"spec.nodeName", "status.phase"}));
  davit_str text;

  EXPECT_EQ(root["spec"].kind(), Kind::kString);
  EXPECT_EQ(table_.string(root["spec"].raw, &text), DAVIT_UNDECLARED);
  EXPECT_EQ(lookup(root["spec"], "nodeName"), DAVIT_WRONG_TYPE);
  EXPECT_EQ(root["status"].kind(), Kind::kArray);
  EXPECT_EQ(root["status"].count(), 0U);
  EXPECT_FALSE(root["status"].at(0));
}

TEST_F(ProjectionTest, SamePathsGiveTheSameMaskInAnyOrder) {
  EXPECT_EQ(mask({"spec", "status.phase"}), mask({"status.phase", "spec", "spec"}));
  EXPECT_NE(mask({"spec"}), mask({"status"}));
}

TEST_F(ProjectionTest, ParserKeepsWhatIsDeclaredAndWhatTheHostReads) {
  const Paths paths = {"spec.containers[].name", "metadata.annotations['a.b/c']"};
  const ObjectRef pod = parse(kPod, {.keep_mask = *space_.add_keep_projection(paths)});

  EXPECT_EQ(
      pod.root().json(),
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u-1",)"
      R"("resourceVersion":"7","annotations":{"a.b/c":"1"},)"
      R"("ownerReferences":[{"uid":"o-0"},{"uid":"o-1","controller":true}]},)"
      R"("spec":{"containers":[{"name":"a"},{"name":"b"}]}})");
  EXPECT_EQ(controller_uid(*pod), "o-1");
  EXPECT_EQ(metadata(*pod).ns, "ns");
}

TEST_F(ProjectionTest, ParserDropsElementsThatNoPathNames) {
  const Paths paths = {"status.nested[].deep", "spec.containers.name"};
  const ObjectRef pod = parse(kPod, {.keep_mask = mask(paths)});

  EXPECT_EQ(pod.root()["status"].json(), R"({"nested":[[],[]]})");
  EXPECT_EQ(pod.root()["spec"].json(), R"({"containers":[]})");
}

TEST_F(ProjectionTest, ProjectedReadsAreTheSameOnProjectedAndFullObjects) {
  const Paths paths = {"metadata.labels", "status.conditions[].type", "spec.nodeName"};
  const std::string json = golden("pod.json");
  const ObjectRef full = parse(json);
  const ObjectRef kept = parse(json, {.keep_mask = *space_.add_keep_projection(paths)});

  EXPECT_LT(kept.bytes(), full.bytes() / 3);
  for (const ObjectRef& each : {full, kept}) {
    const Value root = each.root(mask(paths));
    EXPECT_EQ(root["metadata"]["labels"].json(), full.root()["metadata"]["labels"].json());
    EXPECT_EQ(root["status"]["conditions"].count(), 4U);
    EXPECT_EQ(root["status"]["conditions"].at(1)["type"].string(), "Ready");
    EXPECT_EQ(lookup(root["status"]["conditions"].at(1), "status"), DAVIT_UNDECLARED);
    EXPECT_EQ(lookup(root["spec"], "containers"), DAVIT_UNDECLARED);
  }
}

TEST_F(ProjectionTest, FirstRefusedReadIsKnownByItsPath) {
  const ObjectRef pod = parse(kPod);
  const Mask root = mask({"spec.containers[].name", "metadata.annotations['a.b/c']"});
  const auto refused = [&] {
    const auto at = space_.location_of(undeclared_read()->at);
    EXPECT_EQ(at.root, root);
    return at.path + " " + std::string(undeclared_read()->member());
  };
  forget_undeclared_read();
  EXPECT_FALSE(undeclared_read());

  EXPECT_EQ(lookup(pod.root(root)["spec"]["containers"].at(1), "image"), DAVIT_UNDECLARED);
  EXPECT_EQ(refused(), "spec.containers[] image");
  EXPECT_EQ(lookup(pod.root(root), "status"), DAVIT_UNDECLARED);
  EXPECT_EQ(refused(), "spec.containers[] image") << "the first one counts";

  forget_undeclared_read();
  EXPECT_EQ(lookup(pod.root(root), "status"), DAVIT_UNDECLARED);
  EXPECT_EQ(refused(), " status");
}

}  // namespace
}  // namespace davit::host
