#include "lib/kube/schema/schema.hpp"

#include <gtest/gtest.h>

#include <set>

#include "lib/kube/schema/build.hpp"

namespace davit {
namespace {

const Field& field(std::string_view message, std::string_view name) {
  static const Field kMissing;
  const Message* found = schemas().find(message);
  const Field* out = found == nullptr ? nullptr : found->find(name);
  return out == nullptr ? kMissing : *out;
}

TEST(SchemaTest, KindsAreFoundByGroupVersion) {
  EXPECT_EQ(find_schema("v1", "Pod")->name, "core.v1.Pod");
  EXPECT_EQ(find_schema("apps/v1", "Deployment")->name, "apps.v1.Deployment");
  EXPECT_EQ(find_schema("events.k8s.io/v1", "Event")->name, "events.v1.Event");
  EXPECT_EQ(find_schema("apps/v1", "DeleteOptions")->name, "meta.v1.DeleteOptions");
  EXPECT_EQ(find_schema("apps/v1", "Pod"), nullptr);
  EXPECT_EQ(find_schema("apps/v2", "Deployment"), nullptr);
  EXPECT_EQ(find_schema("", "ObjectMeta"), nullptr);
  EXPECT_EQ(find_schema("v1", "PodSpec"), nullptr) << "a type, but no kind";
}

TEST(SchemaTest, TypesWithAFieldOfTheirOwnNamedKindAreNotKinds) {
  EXPECT_TRUE(schemas().find("core.v1.Pod")->has_kind());
  EXPECT_TRUE(schemas().find("meta.v1.DeleteOptions")->has_kind());
  for (const char* name :
       {"core.v1.ObjectReference", "rbac.v1.Subject", "authentication.v1.BoundObjectReference"}) {
    EXPECT_FALSE(schemas().find(name)->has_kind()) << name;
  }
}

TEST(SchemaTest, NamesAreCaseSensitive) {
  EXPECT_NE(find_schema("v1", "Pod")->find("spec"), nullptr);
  EXPECT_EQ(find_schema("v1", "Pod")->find("Spec"), nullptr);
  EXPECT_EQ(find_schema("v1", "Pod")->find(""), nullptr);
}

bool holds_message(FieldType type) {
  return type == FieldType::kMessage || type == FieldType::kSchemaOrArray ||
         type == FieldType::kSchemaOrBool || type == FieldType::kSchemaOrStrings;
}

TEST(SchemaTest, EveryFieldIsFoundByItsName) {
  for (const auto& message : schemas().all()) {
    std::set<std::string_view> names;
    for (const Field& each : message->fields) {
      EXPECT_EQ(message->find(each.name), &each) << message->name << '.' << each.name;
      EXPECT_TRUE(names.insert(each.name).second) << message->name << '.' << each.name;
      EXPECT_EQ(each.message != nullptr, holds_message(each.type));
    }
  }
}

TEST(SchemaTest, WireNumbersAreUniqueAndOrdered) {
  for (const auto& message : schemas().all()) {
    std::uint32_t last = 0;
    for (const WireField& each : message->wire) {
      EXPECT_GT(each.number, last) << message->name;
      EXPECT_NE(each.field == nullptr, each.inlined == nullptr) << message->name;
      last = each.number;
    }
  }
}

TEST(SchemaTest, InlinedMembersStandInTheParent) {
  EXPECT_EQ(field("core.v1.Volume", "emptyDir").message->name, "core.v1.EmptyDirVolumeSource");
  EXPECT_EQ(field("core.v1.Probe", "httpGet").message->name, "core.v1.HTTPGetAction");
  EXPECT_EQ(field("core.v1.EphemeralContainer", "image").type, FieldType::kString);
  EXPECT_EQ(schemas().find("core.v1.Volume")->find("volumeSource"), nullptr);
}

TEST(SchemaTest, MergeFactsReachTheirFields) {
  const Field& ports = field("core.v1.Container", "ports");
  EXPECT_EQ(ports.merge_key, "containerPort");
  EXPECT_EQ(ports.apply, ApplyType::kMap);
  EXPECT_EQ(ports.apply_keys, (std::vector<std::string>{"containerPort", "protocol"}));
  const Field& volumes = field("core.v1.PodSpec", "volumes");
  EXPECT_EQ(volumes.merge_key, "name");
  EXPECT_TRUE(volumes.retain_keys);
  EXPECT_TRUE(field("meta.v1.ObjectMeta", "finalizers").merge_primitives);
  EXPECT_TRUE(field("policy.v1.PodDisruptionBudgetSpec", "selector").replace);
  EXPECT_TRUE(field("apps.v1.DeploymentSpec", "strategy").retain_keys);
  EXPECT_EQ(field("core.v1.EphemeralContainer", "env").merge_key, "name");
  EXPECT_EQ(schemas().find("meta.v1.LabelSelector")->apply, ApplyType::kAtomic);
  EXPECT_EQ(field("core.v1.PodSpec", "tolerations").apply, ApplyType::kDefault);
}

// The tables were once typed by hand, and these had drifted from upstream's documents.
TEST(SchemaTest, TablesSayWhatUpstreamsDocumentsSay) {
  EXPECT_EQ(field("autoscaling.v2.HorizontalPodAutoscalerCondition", "observedGeneration").name, "")
      << "a later version may have it; v1.36 drops it";
  EXPECT_EQ(field("batch.v1.UncountedTerminatedPods", "succeeded").apply, ApplyType::kSet);
  EXPECT_EQ(field("batch.v1.UncountedTerminatedPods", "failed").apply, ApplyType::kSet);
  EXPECT_EQ(field("batch.v1.PodFailurePolicyOnExitCodesRequirement", "values").apply,
            ApplyType::kSet);
  EXPECT_EQ(field("core.v1.PersistentVolumeSpec", "claimRef").apply, ApplyType::kGranular);
  EXPECT_EQ(field("core.v1.ResourceStatus", "resources").apply, ApplyType::kMap);
  EXPECT_EQ(field("node.v1.Scheduling", "nodeSelector").apply, ApplyType::kAtomic);
  for (const char* name :
       {"core.v1.FileKeySelector", "core.v1.ScopeSelector", "rbac.v1.RoleRef", "rbac.v1.Subject"}) {
    EXPECT_EQ(schemas().find(name)->apply, ApplyType::kAtomic) << name;
  }
}

TEST(SchemaTest, VersionsOfAGroupHaveTablesOfTheirOwn) {
  EXPECT_EQ(find_schema("autoscaling/v2", "HorizontalPodAutoscaler")->go_name,
            "v2.HorizontalPodAutoscaler");
  EXPECT_EQ(find_schema("autoscaling/v1", "HorizontalPodAutoscaler")->go_name,
            "v1.HorizontalPodAutoscaler");
  EXPECT_EQ(field("autoscaling.v1.HorizontalPodAutoscalerSpec", "metrics").name, "");
}

}  // namespace
}  // namespace davit
