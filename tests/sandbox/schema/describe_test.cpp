#include "sandbox/schema/describe.hpp"

#include <gtest/gtest.h>

#include "sandbox/schema/build.hpp"

namespace davit::sandbox {
namespace {

const Field* field_of(const Message& type, std::string_view name) {
  for (const Field& each : type.fields) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

TEST(DescriptionsTest, EveryKindHasOne) {
  const Descriptions descriptions;
  for (const auto& type : schemas().all()) {
    if (type->has_kind()) {
      EXPECT_NE(descriptions.of(*type), "") << type->name;
    }
  }
}

TEST(DescriptionsTest, EveryFieldOfWhatUsersWriteMostHasOne) {
  const Descriptions descriptions;
  for (const char* name : {"meta.v1.ObjectMeta",
                           "meta.v1.OwnerReference",
                           "meta.v1.LabelSelector",
                           "core.v1.Pod",
                           "core.v1.PodSpec",
                           "core.v1.PodStatus",
                           "core.v1.Container",
                           "core.v1.ContainerStatus",
                           "core.v1.EnvVar",
                           "core.v1.Probe",
                           "core.v1.Toleration",
                           "core.v1.ConfigMap",
                           "core.v1.Secret",
                           "core.v1.ServiceSpec",
                           "core.v1.ServicePort",
                           "core.v1.Node",
                           "core.v1.NodeSpec",
                           "core.v1.NodeStatus",
                           "core.v1.NodeCondition",
                           "core.v1.Namespace",
                           "core.v1.Event",
                           "core.v1.Endpoints",
                           "core.v1.PersistentVolumeClaimSpec",
                           "apps.v1.Deployment",
                           "apps.v1.DeploymentSpec",
                           "apps.v1.DeploymentStatus",
                           "apps.v1.DeploymentCondition",
                           "apps.v1.ReplicaSetSpec",
                           "apps.v1.ReplicaSetStatus",
                           "apps.v1.StatefulSetSpec",
                           "apps.v1.StatefulSetStatus",
                           "apps.v1.DaemonSetSpec",
                           "apps.v1.DaemonSetStatus",
                           "batch.v1.JobSpec",
                           "batch.v1.JobStatus",
                           "batch.v1.CronJobSpec",
                           "batch.v1.CronJobStatus",
                           "coordination.v1.LeaseSpec",
                           "discovery.v1.EndpointSlice",
                           "policy.v1.PodDisruptionBudgetSpec",
                           "networking.v1.IngressSpec",
                           "networking.v1.NetworkPolicySpec",
                           "rbac.v1.PolicyRule",
                           "rbac.v1.RoleBinding"}) {
    const Message* type = schemas().find(name);
    ASSERT_NE(type, nullptr) << name;
    for (const Field& field : type->fields) {
      EXPECT_NE(descriptions.of(*type, field), "") << name << '.' << field.name;
    }
  }
}

TEST(DescriptionsTest, EachIsOfATypeOrAFieldThatThereIs) {
  const Descriptions descriptions;
  for (const Descriptions::Entry& each : descriptions.entries()) {
    if (each.type.starts_with('(')) continue;
    const Message* type = schemas().find(each.type);
    ASSERT_NE(type, nullptr) << each.type;
    if (each.field.empty()) continue;
    EXPECT_NE(field_of(*type, each.field), nullptr) << each.type << '.' << each.field;
  }
}

TEST(DescriptionsTest, EachIsThereOnceAndConsistsOfSentences) {
  const Descriptions descriptions;
  const Descriptions::Entry* last = nullptr;
  for (const Descriptions::Entry& each : descriptions.entries()) {
    EXPECT_TRUE(each.text.ends_with('.')) << each.type << '.' << each.field;
    if (last != nullptr) {
      EXPECT_FALSE(last->type == each.type && last->field == each.field)
          << each.type << '.' << each.field;
    }
    last = &each;
  }
}

TEST(DescriptionsTest, AnEntryOfSeveralLinesIsOneLine) {
  const Descriptions descriptions;
  const Message& type = *schemas().find("batch.v1.CronJobSpec");
  EXPECT_EQ(descriptions.of(type, *field_of(type, "concurrencyPolicy")),
            "What happens if the last Job still runs: Allow starts another, Forbid skips one, "
            "Replace ends the old one first. Default: Allow.");
}

TEST(DescriptionsTest, CommonFieldsHaveThatOfTheirKindOfType) {
  const Descriptions descriptions;
  const auto of = [&](const char* name, const char* field) {
    const Message& type = *schemas().find(name);
    return descriptions.of(type, *field_of(type, field));
  };
  EXPECT_NE(of("core.v1.Pod", "status"), of("core.v1.PodCondition", "status"));
  EXPECT_EQ(of("core.v1.Pod", "status"), of("apps.v1.Deployment", "status"));
  EXPECT_EQ(of("core.v1.PodCondition", "status"), of("meta.v1.Condition", "status"));
  EXPECT_EQ(of("core.v1.NodeStatus", "conditions"), of("core.v1.PodStatus", "conditions"));
}

}  // namespace
}  // namespace davit::sandbox
