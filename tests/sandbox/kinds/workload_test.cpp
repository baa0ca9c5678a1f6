#include <gtest/gtest.h>

#include "tests/sandbox/kinds/rule_cases.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kObject = R"({
    "metadata":{"name":"w","namespace":"n","uid":"u"},
    "spec":{"selector":{"matchLabels":{"app":"x"}},
        "template":{"metadata":{"labels":{"app":"x"}},
            "spec":{"containers":[{"name":"c","image":"nginx"}]}}}})";

/// A kind, and what `patch` makes of kObject.
struct KindCase {
  std::string_view kind;
  std::string_view patch;
  std::string_view lines;
};

std::shared_ptr<const KindRules> rules_of(std::string_view kind) {
  return find_builtin("apps/v1", kind)->rules;
}

Json defaulted(std::string_view kind, std::string_view patch) {
  Json object = merged(kObject, patch);
  rules_of(kind)->set_defaults(object);
  return object;
}

TEST(WorkloadTest, DefaultsAreThoseOfTheRealServer) {
  const KindCase cases[] = {
      {"ReplicaSet", "{}", R"({"replicas":1})"},
      {"Deployment", "{}",
       R"({"replicas":1,"revisionHistoryLimit":10,"progressDeadlineSeconds":600,
           "strategy":{"type":"RollingUpdate",
               "rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}}})"},
      {"Deployment", R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":0}}}})",
       R"({"replicas":1,"revisionHistoryLimit":10,"progressDeadlineSeconds":600,
           "strategy":{"type":"RollingUpdate",
               "rollingUpdate":{"maxUnavailable":"25%","maxSurge":0}}})"},
      {"Deployment", R"({"spec":{"replicas":0,"strategy":{"type":"Recreate"}}})",
       R"({"replicas":0,"revisionHistoryLimit":10,"progressDeadlineSeconds":600,
           "strategy":{"type":"Recreate"}})"},
      {"StatefulSet", "{}",
       R"({"replicas":1,"revisionHistoryLimit":10,"podManagementPolicy":"OrderedReady",
           "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}},
           "persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain",
               "whenScaled":"Retain"}})"},
      {"StatefulSet", R"({"spec":{"updateStrategy":{"type":"RollingUpdate"}}})",
       R"({"replicas":1,"revisionHistoryLimit":10,"podManagementPolicy":"OrderedReady",
           "updateStrategy":{"type":"RollingUpdate"},
           "persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain",
               "whenScaled":"Retain"}})"},
      {"DaemonSet", "{}",
       R"({"revisionHistoryLimit":10,"updateStrategy":{"type":"RollingUpdate",
               "rollingUpdate":{"maxUnavailable":1,"maxSurge":0}}})"},
  };
  for (const KindCase& each : cases) {
    Json object = defaulted(each.kind, each.patch);
    EXPECT_EQ(object.text_at({"spec", "template", "spec", "restartPolicy"}), "Always");
    object["spec"].erase("template");
    object["spec"].erase("selector");
    EXPECT_EQ(object.get("spec"), json_literal(each.lines)) << each.kind << each.patch;
  }
}

TEST(WorkloadTest, NewOnesHaveCountedNothing) {
  const KindCase cases[] = {
      {"Deployment", "", "{}"},
      {"ReplicaSet", "", R"({"replicas":0})"},
      {"StatefulSet", "", R"({"replicas":0,"availableReplicas":0})"},
      {"DaemonSet", "",
       R"({"currentNumberScheduled":0,"numberMisscheduled":0,"desiredNumberScheduled":0,
           "numberReady":0})"},
  };
  for (const KindCase& each : cases) {
    Json object = defaulted(each.kind, R"({"status":{"replicas":9}})");
    rules_of(each.kind)->prepare_create(object);
    EXPECT_EQ(object.get("status"), json_literal(each.lines)) << each.kind;
  }
}

TEST(WorkloadTest, ClaimTemplatesOfStatefulSetsAreFilled) {
  const Json object = defaulted(
      "StatefulSet", R"({"spec":{"volumeClaimTemplates":[{"metadata":{"name":"data"}}]}})");

  EXPECT_EQ(object.get("spec").get("volumeClaimTemplates"),
            json_literal(R"([{"metadata":{"name":"data"},"kind":"PersistentVolumeClaim",
                "apiVersion":"v1","spec":{"volumeMode":"Filesystem"},
                "status":{"phase":"Pending"}}])"));
}

TEST(WorkloadTest, DaemonSetsCountTheirTemplates) {
  const auto rules = rules_of("DaemonSet");
  Json old = defaulted("DaemonSet", "{}");
  rules->prepare_create(old);
  Json same = old;
  same["metadata"].erase("annotations");
  Json other = old;
  merge(other, json_literal(R"({"spec":{"template":{"metadata":{"labels":{"b":"c"}}}}})"));

  rules->prepare_update(same, old, UpdateTarget::kObject);
  rules->prepare_update(other, old, UpdateTarget::kObject);

  const auto count = [](const Json& object) {
    return object.text_at({"metadata", "annotations", "deprecated.daemonset.template.generation"});
  };
  EXPECT_EQ(count(old), "1");
  EXPECT_EQ(count(same), "1");
  EXPECT_EQ(count(other), "2");
}

// Rules of every kind with a selector and long-running pods.
constexpr KindCase kSelectorCases[] = {
    {"", "{}", ""},
    {"", R"({"spec":{"selector":{"matchLabels":{"app":"y"}}}})",
     "spec.template.metadata.labels: Invalid value: {\"app\":\"x\"}: `selector` does not match "
     "template `labels`"},
    {"", R"({"spec":{"template":{"spec":{"restartPolicy":"Never"}}}})",
     "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: "
     "\"Always\""},
    {"", R"({"spec":{"template":{"spec":{"containers":null}}}})",
     "spec.template.spec.containers: Required value"},
    {"", R"({"spec":{"minReadySeconds":-1}})",
     "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"},
};

TEST(WorkloadTest, SelectorsAndTemplatesAreChecked) {
  for (const std::string_view kind : {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"}) {
    for (const KindCase& each : kSelectorCases) {
      EXPECT_EQ(to_lines(rules_of(kind)->validate_create(defaulted(kind, each.patch))), each.lines)
          << kind << each.patch;
    }
  }
}

constexpr KindCase kRuleCases[] = {
    {"Deployment", R"({"spec":{"selector":null}})",
     "spec.selector: Required value\n"
     "spec.template.metadata.labels: Invalid value: {\"app\":\"x\"}: `selector` does not match "
     "template `labels`"},
    {"DaemonSet", R"({"spec":{"selector":null}})",
     "spec.template.metadata.labels: Invalid value: {\"app\":\"x\"}: `selector` does not match "
     "template `labels`"},
    {"DaemonSet", R"({"spec":{"updateStrategy":{"type":"X"}}})",
     "spec.updateStrategy: Unsupported value: {\"type\":\"X\"}: supported values: "
     "\"RollingUpdate\", \"OnDelete\""},
    {"Deployment", R"({"spec":{"selector":{"matchLabels":null}}})",
     "spec.selector: Invalid value: {}: empty selector is invalid for deployment"},
    {"ReplicaSet", R"({"spec":{"selector":{"matchLabels":null}}})",
     "spec.selector: Invalid value: {}: empty selector is invalid for deployment"},
    {"StatefulSet", R"({"spec":{"selector":{"matchLabels":null}}})",
     "spec.selector: Invalid value: {}: empty selector is invalid for statefulset"},
    {"DaemonSet", R"({"spec":{"selector":{"matchLabels":null}}})",
     "spec.selector: Invalid value: {}: empty selector is invalid for daemonset"},
    {"Deployment", R"({"spec":{"template":{"spec":{"activeDeadlineSeconds":1}}}})",
     "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is "
     "not Supported"},
    {"StatefulSet", R"({"spec":{"template":{"spec":{"activeDeadlineSeconds":1}}}})",
     "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet "
     "is not Supported"},
    {"DaemonSet", R"({"spec":{"template":{"spec":{"activeDeadlineSeconds":1}}}})",
     "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is "
     "not Supported"},
    {"Deployment", R"({"spec":{"replicas":-1}})",
     "spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
    {"Deployment", R"({"spec":{"progressDeadlineSeconds":5,"minReadySeconds":5}})",
     "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"},
    {"Deployment", R"({"spec":{"strategy":{"type":"X"}}})",
     "spec.strategy: Unsupported value: {\"type\":\"X\"}: supported values: \"Recreate\", "
     "\"RollingUpdate\""},
    {"Deployment", R"({"spec":{"strategy":{"type":"Recreate","rollingUpdate":{}}}})",
     "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is "
     "'Recreate'"},
    {"Deployment", R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}}}})",
     "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` "
     "is 0"},
    {"Deployment", R"({"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":"101%"}}}})",
     "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be greater "
     "than 100%"},
    {"Deployment", R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":"abc"}}}})",
     "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"abc\": a valid percent string must "
     "be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
     "validation is '[0-9]+%')"},
    {"StatefulSet", R"({"spec":{"podManagementPolicy":"X"}})",
     "spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'"},
    {"StatefulSet", R"({"spec":{"updateStrategy":{"type":"X"}}})",
     "spec.updateStrategy: Invalid value: {\"type\":\"X\"}: must be 'RollingUpdate' or "
     "'OnDelete'"},
    {"StatefulSet", R"({"spec":{"updateStrategy":{"rollingUpdate":{"partition":-1}}}})",
     "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or "
     "equal to 0"},
    {"StatefulSet",
     R"({"spec":{"volumeClaimTemplates":[{"metadata":{"name":"d"},"spec":{
             "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}],
         "template":{"spec":
         {"containers":[{"name":"c","image":"x",
             "volumeMounts":[{"name":"d","mountPath":"/d"}]}]}}}})",
     ""},
    {"DaemonSet", R"({"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":0}}}})",
     "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge "
     "is 0"},
    {"DaemonSet", R"({"spec":{"updateStrategy":{"rollingUpdate":{"maxSurge":1}}}})",
     "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when "
     "maxUnavailable is non-zero"},
};

TEST(WorkloadTest, RulesAreThoseOfTheRealServer) {
  for (const KindCase& each : kRuleCases) {
    EXPECT_EQ(to_lines(rules_of(each.kind)->validate_create(defaulted(each.kind, each.patch))),
              each.lines)
        << each.kind << each.patch;
  }
}

constexpr KindCase kUpdateCases[] = {
    {"Deployment", R"({"spec":{"replicas":5}})", ""},
    {"Deployment",
     R"({"spec":{"selector":{"matchLabels":{"app":null,"q":"1"}},
         "template":{"metadata":{"labels":{"q":"1"}}}}})",
     "spec.selector: Invalid value: {\"matchLabels\":{\"q\":\"1\"}}: field is immutable"},
    {"StatefulSet", R"({"spec":{"replicas":5,"minReadySeconds":1}})", ""},
    {"StatefulSet", R"({"spec":{"serviceName":"other"}})",
     "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', "
     "'template', 'updateStrategy', 'revisionHistoryLimit', "
     "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"},
};

TEST(WorkloadTest, UpdatesKeepWhatPodsAreFoundBy) {
  for (const KindCase& each : kUpdateCases) {
    const auto rules = rules_of(each.kind);
    const Json old = defaulted(each.kind, "{}");
    Json object = old;
    merge(object, json_literal(each.patch));
    EXPECT_EQ(to_lines(rules->validate_update(object, old, UpdateTarget::kObject)), each.lines)
        << each.kind << each.patch;
  }
}

constexpr KindCase kStatusCases[] = {
    {"Deployment", R"({"replicas":1,"readyReplicas":1,"availableReplicas":1})", ""},
    {"Deployment", R"({"replicas":0,"unavailableReplicas":-1,"collisionCount":2})",
     "status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0"},
    {"Deployment", R"({"replicas":1,"updatedReplicas":2})",
     "status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas"},
    {"Deployment", R"({"replicas":2,"readyReplicas":1,"availableReplicas":2})",
     "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"},
    {"Deployment", R"({"collisionCount":1})",
     "status.collisionCount: Invalid value: 1: cannot be decremented"},
    {"ReplicaSet", R"({"replicas":1,"fullyLabeledReplicas":2})",
     "status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas"},
    {"StatefulSet", R"({"replicas":1,"currentReplicas":2,"collisionCount":2})",
     "status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas"},
    {"DaemonSet", R"({"numberReady":-1,"collisionCount":2})",
     "status.numberReady: Invalid value: -1: must be greater than or equal to 0"},
};

TEST(WorkloadTest, CountsInStatusAreConsistent) {
  for (const KindCase& each : kStatusCases) {
    const auto rules = rules_of(each.kind);
    Json old = defaulted(each.kind, "{}");
    if (each.kind != "ReplicaSet") old["status"].set("collisionCount", 2);
    Json object = old;
    merge(object["status"], json_literal(each.lines.empty() ? "{\"replicas\":1}" : each.patch));
    EXPECT_EQ(to_lines(rules->validate_update(object, old, UpdateTarget::kStatus)), each.lines)
        << each.kind << each.patch;
  }
}

TEST(WorkloadTest, StatusOfADeploymentKeepsItsLabels) {
  const auto rules = rules_of("Deployment");
  const Json old = defaulted("Deployment", R"({"metadata":{"labels":{"a":"b"}}})");
  Json object = old;
  merge(object, json_literal(R"({"metadata":{"labels":{"a":"c"},"annotations":{"d":"e"}},
                                 "spec":{"replicas":9},"status":{"replicas":1}})"));

  rules->prepare_update(object, old, UpdateTarget::kStatus);

  EXPECT_EQ(object.text_at({"metadata", "labels", "a"}), "b");
  EXPECT_EQ(object.text_at({"metadata", "annotations", "d"}), "e");
  EXPECT_EQ(object.text_at({"spec", "replicas"}), "1");
  EXPECT_EQ(object.text_at({"status", "replicas"}), "1");
}

TEST(WorkloadTest, GenerationFollowsTheSpecAndADeploymentsAnnotations) {
  for (const std::string_view kind : {"Deployment", "ReplicaSet"}) {
    const auto rules = rules_of(kind);
    const Json old = defaulted(kind, "{}");
    const auto raises = [&](std::string_view patch) {
      Json object = old;
      merge(object, json_literal(patch));
      return rules->raises_generation(object, old);
    };
    EXPECT_TRUE(raises(R"({"spec":{"replicas":5}})")) << kind;
    EXPECT_FALSE(raises(R"({"metadata":{"labels":{"a":"b"}}})")) << kind;
    EXPECT_EQ(raises(R"({"metadata":{"annotations":{"a":"b"}}})"), kind == "Deployment");
  }
}

TEST(WorkloadTest, ReplicationControllersTakeTheirLabelsFromTheTemplate) {
  const auto rules = find_builtin("v1", "ReplicationController")->rules;
  Json object = merged(kObject, R"({"spec":{"selector":null}})");

  rules->set_defaults(object);

  EXPECT_EQ(object.get("spec").get("selector"), json_literal(R"({"app":"x"})"));
  EXPECT_EQ(object.get("metadata").get("labels"), json_literal(R"({"app":"x"})"));
  EXPECT_EQ(to_lines(rules->validate_create(object)), "");
}

TEST(WorkloadTest, ReplicationControllersNeedATemplate) {
  const auto rules = find_builtin("v1", "ReplicationController")->rules;
  Json object = merged(kObject, R"({"spec":{"selector":{"app":"x"},"template":null}})");

  rules->set_defaults(object);

  EXPECT_EQ(to_lines(rules->validate_create(object)), "spec.template: Required value");
}

TEST(WorkloadTest, RevisionsKeepTheirData) {
  const auto rules = rules_of("ControllerRevision");
  const Json old =
      json_literal(R"({"metadata":{"name":"r","namespace":"n"},"data":{"a":1},"revision":1})");
  Json object = old;
  merge(object, json_literal(R"({"data":{"a":2},"revision":-1})"));

  EXPECT_EQ(to_lines(rules->validate_create(
                json_literal(R"({"metadata":{"name":"r","namespace":"n"}})"))),
            "data: Required value: data is mandatory");
  EXPECT_EQ(to_lines(rules->validate_update(object, old, UpdateTarget::kObject)),
            "revision: Invalid value: -1: must be greater than or equal to 0\n"
            "data: Invalid value: {\"a\":2}: field is immutable");
}

}  // namespace
}  // namespace davit::sandbox
