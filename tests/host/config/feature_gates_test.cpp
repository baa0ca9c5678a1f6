#include "host/config/feature_gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/config/manifest.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string mistake_of(const std::vector<std::string>& values) {
  const Result<GateSettings> gates = parse_feature_gates(values);
  return gates ? "" : gates.error().message();
}

TEST(FeatureGatesTest, ValuesMergeAndTheLastOneCounts) {
  const auto gates = parse_feature_gates(std::vector<std::string>{"A=true, B=F", "A=0"});
  ASSERT_TRUE(gates);
  EXPECT_THAT(*gates, ElementsAre(Pair("A", false), Pair("B", false)));
  const auto prefixed = parse_feature_gates(std::vector<std::string>{"kube:A=1"});
  ASSERT_TRUE(prefixed);
  EXPECT_THAT(*prefixed, ElementsAre(Pair("A", true)));
}

TEST(FeatureGatesTest, MalformedValuesAreRefusedInUpstreamsWords) {
  EXPECT_EQ(mistake_of({"A"}), "--feature-gates: missing bool value for A");
  EXPECT_EQ(mistake_of({"A=x"}), "--feature-gates: invalid value of A=x: true or false");
  EXPECT_EQ(mistake_of({"other:A=true"}), "--feature-gates: component not registered: other");
  EXPECT_EQ(mistake_of({"kube:A=true", "B=true"}),
            "--feature-gates: set kube feature gates with default empty prefix or kube: prefix "
            "consistently, do not mix use");
}

TEST(FeatureGatesTest, UnknownAndLockedGatesAndMissingOnesAreMistakes) {
  EXPECT_THAT(check_feature_gates({{"MaxUnavailableStatefulSets", true}}),
              ElementsAre("unrecognized feature gate: MaxUnavailableStatefulSets; did you mean "
                          "MaxUnavailableStatefulSet?"));
  EXPECT_THAT(check_feature_gates({{"SeparateTaintEvictionController", false}}),
              ElementsAre("cannot set feature gate SeparateTaintEvictionController to false, "
                          "feature is locked to true"));
  EXPECT_THAT(check_feature_gates({{"SeparateTaintEvictionController", true}}), IsEmpty());
  EXPECT_THAT(check_feature_gates({{"GangScheduling", true}}),
              ElementsAre("GangScheduling is enabled, but depends on features that are disabled: "
                          "[GenericWorkload]"));
  EXPECT_THAT(check_feature_gates({{"GangScheduling", true}, {"GenericWorkload", true}}),
              IsEmpty());
  EXPECT_THAT(check_feature_gates({}), IsEmpty());
}

// The table was once typed by hand, and these had drifted from v1.36.
TEST(FeatureGatesTest, TheTableSaysWhatUpstreamRefuses) {
  EXPECT_THAT(check_feature_gates({{"DRADeviceTaintRules", true}, {"DRADeviceTaints", false}}),
              ElementsAre("DRADeviceTaintRules is enabled, but depends on features that are "
                          "disabled: [DRADeviceTaints]"));
  EXPECT_THAT(check_feature_gates({{"RouteExternalCertificate", true}}),
              ElementsAre("unrecognized feature gate: RouteExternalCertificate"))
      << "a vendor's gate";
}

TEST(FeatureGatesTest, AStageDecidesAboutGatesThatAreNotSetThemselves) {
  const GateSettings all = {{"AllBeta", true}, {"ComponentFlagz", false}};
  EXPECT_TRUE(is_gate_on("MaxUnavailableStatefulSet", all));
  EXPECT_TRUE(is_gate_set("MaxUnavailableStatefulSet", all));
  EXPECT_FALSE(is_gate_on("ComponentFlagz", all));
  EXPECT_FALSE(is_gate_on("GenericWorkload", all)) << "alpha";
  EXPECT_FALSE(is_gate_on("MaxUnavailableStatefulSet", {}));
  EXPECT_FALSE(is_gate_set("MaxUnavailableStatefulSet", {}));
  EXPECT_FALSE(is_gate_on("NoSuchGate", all));
}

TEST(FeatureGatesTest, GatesWithoutEffectGetAWarning) {
  EXPECT_THAT(gate_warnings({{"StaleControllerConsistencyJob", false}}),
              ElementsAre("feature gate StaleControllerConsistencyJob has no effect: davit behaves "
                          "as with \"true\""));
  EXPECT_THAT(gate_warnings({{"JobPodReplacementPolicy", true}}),
              ElementsAre("feature gate JobPodReplacementPolicy will be removed in a future "
                          "release"));
  EXPECT_THAT(gate_warnings({{"MaxUnavailableStatefulSet", true}, {"AllAlpha", true}}), IsEmpty());
}

TEST(FeatureGatesTest, TheManifestHasThemAndReportsMistakes) {
  const std::string head = "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n";
  const ManifestResult good =
      parse_manifest(head + "featureGates: {MaxUnavailableStatefulSet: true}\n", "m.yaml");
  ASSERT_TRUE(good.ok());
  EXPECT_THAT(good.manifest.feature_gates, ElementsAre(Pair("MaxUnavailableStatefulSet", true)));
  const ManifestResult bad = parse_manifest(head + "featureGates: {NoSuchGate: true}\n", "m.yaml");
  ASSERT_EQ(bad.mistakes.size(), 1U);
  EXPECT_THAT(bad.mistakes[0].str(), testing::HasSubstr("unrecognized feature gate: NoSuchGate"));
}

ClientSettings client_of(double qps, int burst) {
  ClientSettings settings;
  settings.qps = qps;
  settings.burst = burst;
  return settings;
}

TEST(ClientRateTest, ZeroMeansClientGosDefaultAndBelowItIsNoLimit) {
  EXPECT_EQ(effective_rate(client_of(0, 0)).qps, 5);
  EXPECT_EQ(effective_rate(client_of(0, 0)).burst, 10);
  EXPECT_EQ(effective_rate(client_of(0, 30)).burst, 30);
  EXPECT_LT(effective_rate(client_of(-1, 0)).qps, 0);
  EXPECT_EQ(effective_rate(client_of(20, 30)).qps, 20);
  EXPECT_NE(check_client(client_of(20, 0)), "");
  EXPECT_EQ(check_client(client_of(0, 0)), "");
  EXPECT_EQ(check_client(client_of(-1, 0)), "");
}

}  // namespace
}  // namespace davit::host
