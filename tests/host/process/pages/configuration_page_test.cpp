#include "host/process/pages/configuration_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/process/pages/upstream_settings.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;

/// The places of `ours` whose value `upstream` does not have.
void compare(const Json& ours, const Json* upstream, const std::string& place,
             std::vector<std::string>& out) {
  if (upstream == nullptr) {
    out.push_back(place);
  } else if (!ours.is_object()) {
    if (ours != *upstream) out.push_back(place);
  } else {
    for (const Json::Member& each : ours.members()) {
      compare(each.value, upstream->find(each.key), place + "/" + each.key, out);
    }
  }
}

TEST(ConfigurationPageTest, EachValueStandsWhereUpstreamHasIt) {
  const Json upstream = json_literal(upstream_file("upstream_configz.json"));
  const Json ours = configuration_page(upstream_settings());

  std::vector<std::string> different;
  compare(ours, &upstream, "", different);

  EXPECT_THAT(different, ElementsAre("/kubecontrollermanager.config.k8s.io/Generic/Debugging/"
                                     "enableProfiling"));
  // Sections of upstream that are missing are those of controllers that davit does not have.
  std::vector<std::string> missing;
  const char* const kind = "kubecontrollermanager.config.k8s.io";
  for (const Json::Member& each : upstream.get(kind).members()) {
    if (!ours.get(kind).contains(each.key)) missing.push_back(each.key);
  }
  EXPECT_THAT(missing,
              ElementsAre("AttachDetachController", "CSRSigningController", "DeprecatedController",
                          "EphemeralVolumeController", "HPAController", "NodeIPAMController",
                          "PersistentVolumeBinderController", "ServiceController",
                          "ValidatingAdmissionPolicyStatusController",
                          "DeviceTaintEvictionController", "ResourceClaimController"));
}

TEST(ConfigurationPageTest, SettingsOfARunAreInForce) {
  SettingsInForce settings;
  settings.manifest.controllers = {"podgc", "-job", "cronjob", "of-a-plugin"};
  settings.manifest.client.qps = 0.5;
  settings.manifest.leader_election.migrates = true;
  settings.manifest.leader_election.migration = {
      .leader_name = "cloud-provider-extraction-migration",
      .components = {{"route", "kube-controller-manager"}}};
  settings.controllers["statefulset-controller"].workers = 12;

  const Json page = configuration_page(settings).get("kubecontrollermanager.config.k8s.io");

  const Json& generic = page.get("Generic");
  EXPECT_EQ(generic.get("Controllers"),
            json_literal(R"(["pod-garbage-collector-controller","-job-controller",
                             "cronjob-controller","of-a-plugin"])"));
  EXPECT_EQ(generic.get("ClientConnection").get("qps").text(), "0.5");
  EXPECT_EQ(generic.get("LeaderMigration"), json_literal(R"({
      "leaderName":"cloud-provider-extraction-migration","resourceLock":"leases",
      "controllerLeaders":[{"name":"route","component":"kube-controller-manager"}]})"));
  EXPECT_EQ(page.get("StatefulSetController").get("ConcurrentStatefulSetSyncs"), Json(12));
  EXPECT_EQ(page.get("NamespaceController").get("NamespaceSyncPeriod"), Json("5m0s"));
}

}  // namespace
}  // namespace davit::host
