#include <gtest/gtest.h>

#include "tests/sandbox/admission/small_cluster.hpp"

namespace davit::sandbox {
namespace {

void add_high_class(SmallCluster& cluster) {
  cluster.add("scheduling.k8s.io", "priorityclasses",
              R"({"metadata":{"name":"high"},"value":1000,"preemptionPolicy":"Never"})");
}

struct PriorityCase {
  std::string_view spec;
  std::string_view priority;
  std::string_view policy;
  std::string_view why;  ///< Why it is refused, if it is.
};

constexpr PriorityCase kPriorityCases[] = {
    {"{}", "0", "PreemptLowerPriority", ""},
    {R"({"priority":0})", "0", "PreemptLowerPriority", ""},
    {R"({"priorityClassName":"high"})", "1000", "Never", ""},
    {R"({"priorityClassName":"nope"})", "", "", "no PriorityClass with name nope was found"},
    {R"({"priority":5})", "", "",
     "the integer value of priority (5) must not be provided in pod spec; priority admission "
     "controller computed 0 from the given PriorityClass name"},
    {R"({"priorityClassName":"high","preemptionPolicy":"PreemptLowerPriority"})", "", "",
     "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod "
     "spec; priority admission controller computed Never from the given PriorityClass name"},
    {R"({"runtimeClassName":"nope"})", "", "", "pod rejected: RuntimeClass \"nope\" not found"},
};

TEST(PodPluginsTest, PriorityComesFromTheClassAlone) {
  for (const PriorityCase& each : kPriorityCases) {
    AdmissionSetup setup;
    add_high_class(setup.cluster);
    Json pod = Json::object(
        {{"metadata", Json::object({{"name", "p"}})}, {"spec", json_literal(each.spec)}});

    const std::string refusal = setup.admit("", "pods", pod);

    if (each.why.empty()) {
      EXPECT_EQ(refusal, "");
      EXPECT_EQ(pod.text_at({"spec", "priority"}), each.priority) << each.spec;
      EXPECT_EQ(pod.text_at({"spec", "preemptionPolicy"}), each.policy) << each.spec;
    } else {
      EXPECT_EQ(refusal, "pods \"p\" is forbidden: " + std::string(each.why));
    }
  }
}

TEST(PodPluginsTest, PodsWithoutAClassGetTheDefaultOne) {
  AdmissionSetup setup;
  add_high_class(setup.cluster);
  setup.cluster.add("scheduling.k8s.io", "priorityclasses",
                    R"({"metadata":{"name":"usual"},"value":7,"globalDefault":true})");
  Json pod = json_literal(R"({"metadata":{"generateName":"p-"},"spec":{}})");
  Json other = json_literal(R"({"metadata":{"name":"other"},"value":8,"globalDefault":true})");

  EXPECT_EQ(setup.admit("", "pods", pod), "");
  EXPECT_EQ(pod.text_at({"spec", "priorityClassName"}), "usual");
  EXPECT_EQ(pod.text_at({"spec", "priority"}), "7");
  EXPECT_EQ(setup.admit("scheduling.k8s.io", "priorityclasses", other),
            "priorityclasses.scheduling.k8s.io \"other\" is forbidden: PriorityClass usual is "
            "already marked as default. Only one default can exist");
}

TEST(PodPluginsTest, PodsTolerateAnUnhealthyNodeForFiveMinutes) {
  AdmissionSetup setup;
  Json pod = json_literal(R"({"metadata":{"name":"p"},"spec":{}})");

  EXPECT_EQ(setup.admit("", "pods", pod), "");

  EXPECT_EQ(to_text(pod.get("spec").get("tolerations")),
            R"([{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
            R"("tolerationSeconds":300},)"
            R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",)"
            R"("tolerationSeconds":300}])");
}

TEST(PodPluginsTest, TolerationsOfTheUserStand) {
  AdmissionSetup setup;
  Json one = json_literal(
      R"({"metadata":{"name":"p"},"spec":{"tolerations":[
          {"key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":5}]}})");
  Json all =
      json_literal(R"({"metadata":{"name":"p"},"spec":{"tolerations":[{"operator":"Exists"}]}})");

  EXPECT_EQ(setup.admit("", "pods", one), "");
  EXPECT_EQ(setup.admit("", "pods", all), "");

  ASSERT_EQ(one.get("spec").get("tolerations").size(), 2U);
  EXPECT_EQ(one.get("spec").get("tolerations").items()[1].get("key").text(),
            "node.kubernetes.io/unreachable");
  EXPECT_EQ(all.get("spec").get("tolerations").size(), 1U);
}

struct RuntimeClassCase {
  const char* spec;
  const char* why;  ///< Why it is refused, if it is.
};

constexpr const char* kKata = R"({"metadata":{"name":"kata"},"handler":"kata",
    "overhead":{"podFixed":{"cpu":"250m","memory":"120Mi"}},
    "scheduling":{"nodeSelector":{"vm":"yes"},"tolerations":[
        {"key":"vm","operator":"Exists","effect":"NoSchedule"},
        {"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute"}]}})";

constexpr RuntimeClassCase kRuntimeClassCases[] = {
    {R"({"runtimeClassName":"kata"})", ""},
    {R"({"runtimeClassName":"kata","overhead":{"cpu":"0.25","memory":"120Mi"}})", ""},
    {R"({"runtimeClassName":"kata","overhead":{"cpu":"1"}})",
     "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"},
    {R"({"runtimeClassName":"kata","nodeSelector":{"vm":"no"}})",
     "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no"},
    {R"({"overhead":{"cpu":"1"}})",
     "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"},
    {R"({"runtimeClassName":"plain","overhead":{"cpu":"1"}})",
     "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"},
    {R"({"runtimeClassName":"plain"})", ""},
};

TEST(PodPluginsTest, RuntimeClassIsAppliedUnlessThePodSaysOtherwise) {
  for (const RuntimeClassCase& each : kRuntimeClassCases) {
    AdmissionSetup setup;
    setup.cluster.add("node.k8s.io", "runtimeclasses", kKata);
    setup.cluster.add("node.k8s.io", "runtimeclasses", R"({"metadata":{"name":"plain"}})");
    Json pod = Json::object(
        {{"metadata", Json::object({{"name", "p"}})}, {"spec", json_literal(each.spec)}});

    std::string refusal = setup.admit("", "pods", pod);
    if (refusal.empty()) refusal = setup.reserve("", "pods", pod);

    const std::string why = each.why;
    EXPECT_EQ(refusal, why.empty() ? "" : "pods \"p\" is forbidden: " + why) << each.spec;
  }
}

TEST(PodPluginsTest, RuntimeClassAddsToWhatThePodHas) {
  AdmissionSetup setup;
  setup.cluster.add("node.k8s.io", "runtimeclasses", kKata);
  Json pod = json_literal(R"({"metadata":{"name":"p"},"spec":{"runtimeClassName":"kata",
      "nodeSelector":{"disk":"ssd"},"tolerations":[{"key":"vm","operator":"Exists"}]}})");

  EXPECT_EQ(setup.admit("", "pods", pod), "");

  const Json& spec = pod.get("spec");
  EXPECT_EQ(to_text(spec.get("overhead")), R"({"cpu":"250m","memory":"120Mi"})");
  EXPECT_EQ(to_text(spec.get("nodeSelector")), R"({"disk":"ssd","vm":"yes"})");
  EXPECT_EQ(to_text(spec.get("tolerations")),
            R"([{"key":"vm","operator":"Exists"},)"
            R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",)"
            R"("tolerationSeconds":300},)"
            R"({"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute"}])");
}

TEST(PodPluginsTest, SubresourcesAreLeftAlone) {
  AdmissionSetup setup;
  Json pod = json_literal(R"({"metadata":{"name":"p"},"spec":{}})");

  EXPECT_EQ(setup.admit("", "pods", pod, "status"), "");

  EXPECT_EQ(to_text(pod.get("spec")), "{}");
}

TEST(PodPluginsTest, UpdatesKeepThePriority) {
  AdmissionSetup setup;
  const ResourcePtr pods = find_plural("", "pods");
  const Json old =
      json_literal(R"({"spec":{"priority":1000,"preemptionPolicy":"Never","tolerations":[]}})");
  Json pod = json_literal(R"({"metadata":{"name":"p"},"spec":{}})");

  EXPECT_FALSE(setup.admission->admit({*pods, WriteVerb::kUpdate, "n", "p", "", &old}, pod));

  EXPECT_EQ(pod.text_at({"spec", "priority"}), "1000");
  EXPECT_EQ(pod.text_at({"spec", "preemptionPolicy"}), "Never");
}

TEST(PodPluginsTest, NodesStartTaintedAndClaimsProtected) {
  AdmissionSetup setup;
  Json node = json_literal(R"({"metadata":{"name":"cn"},"spec":{}})");
  Json claim = json_literal(R"({"metadata":{"name":"c"}})");

  EXPECT_EQ(setup.admit("", "nodes", node), "");
  EXPECT_EQ(setup.admit("", "persistentvolumeclaims", claim), "");

  EXPECT_EQ(to_text(node.get("spec").get("taints")),
            R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])");
  EXPECT_EQ(to_text(claim.get("metadata").get("finalizers")),
            R"(["kubernetes.io/pvc-protection"])");
}

TEST(PodPluginsTest, AccountsBringTheirTokenToContainersWithoutOne) {
  AdmissionSetup setup({.service_accounts = AdmissionOptions::ServiceAccounts::kOn});
  setup.cluster.add("", "serviceaccounts",
                    R"({"metadata":{"namespace":"n","name":"default"},
                        "imagePullSecrets":[{"name":"pull"}]})");
  Json pod = json_literal(R"({"metadata":{"name":"p"},"spec":{"containers":[
      {"name":"a"},
      {"name":"b","volumeMounts":[{"name":"own",
       "mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}]}})");

  EXPECT_EQ(setup.admit("", "pods", pod), "");

  const Json& spec = pod.get("spec");
  EXPECT_EQ(spec.get("serviceAccountName").text(), "default");
  EXPECT_EQ(to_text(spec.get("imagePullSecrets")), R"([{"name":"pull"}])");
  ASSERT_EQ(spec.get("volumes").size(), 1U);
  const std::string& volume = spec.get("volumes").items()[0].get("name").text();
  EXPECT_TRUE(volume.starts_with("kube-api-access-")) << volume;
  const Json& mounts = spec.get("containers").items()[0].get("volumeMounts");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts.items()[0].get("name").text(), volume);
  EXPECT_EQ(spec.get("containers").items()[1].get("volumeMounts").size(), 1U);
}

TEST(PodPluginsTest, AccountsMustExistAndTokensCanBeDeclined) {
  AdmissionSetup setup({.service_accounts = AdmissionOptions::ServiceAccounts::kOn});
  setup.cluster.add("", "serviceaccounts", R"({"metadata":{"namespace":"n","name":"default"}})");
  Json quiet = json_literal(
      R"({"metadata":{"name":"p"},
          "spec":{"automountServiceAccountToken":false,"containers":[{"name":"a"}]}})");
  Json lost = json_literal(R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"nope"}})");

  EXPECT_EQ(setup.admit("", "pods", quiet), "");
  EXPECT_FALSE(quiet.get("spec").contains("volumes"));
  EXPECT_EQ(setup.admit("", "pods", lost),
            "pods \"p\" is forbidden: error looking up service account n/nope: serviceaccount "
            "\"nope\" not found");
}

TEST(PodPluginsTest, PodsAndBindingsGetTheZoneAndRegionOfTheirNode) {
  AdmissionSetup setup;
  setup.cluster.add("", "nodes",
                    R"({"metadata":{"name":"a","labels":{"topology.kubernetes.io/zone":"z",)"
                    R"("topology.kubernetes.io/region":"r","other":"x"}}})");
  Json placed =
      json_literal(R"({"metadata":{"name":"p","labels":{"topology.kubernetes.io/zone":"own"}},)"
                   R"("spec":{"nodeName":"a"}})");
  Json binding = json_literal(R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"a"}})");
  Json unplaced = json_literal(R"({"metadata":{"name":"p"},"spec":{}})");

  EXPECT_EQ(setup.admit("", "pods", placed), "");
  EXPECT_EQ(setup.admit("", "pods", binding, "binding"), "");
  EXPECT_EQ(setup.admit("", "pods", unplaced), "");

  EXPECT_EQ(to_text(placed.get("metadata").get("labels")),
            R"({"topology.kubernetes.io/zone":"own","topology.kubernetes.io/region":"r"})");
  EXPECT_EQ(to_text(binding.get("metadata").get("labels")),
            R"({"topology.kubernetes.io/zone":"z","topology.kubernetes.io/region":"r"})");
  EXPECT_FALSE(unplaced.get("metadata").contains("labels"));
}

}  // namespace
}  // namespace davit::sandbox
