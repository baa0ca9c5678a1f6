/// The syntax of scenario files, and the positions of mistakes in them.
#include "tests/live/oracle/scenario.hpp"

#include <gtest/gtest.h>

namespace davit::oracle {
namespace {

std::string mistake_in(const std::string& steps) {
  const Result<std::vector<Scenario>> read =
      read_scenarios("scenarios:\n- name: one\n  steps:\n" + steps, "x.yaml");
  return read ? "" : read.error().message();
}

struct MistakeCase {
  const char* steps;
  const char* mistake;
};

// clang-format off
constexpr MistakeCase kMistakes[] = {
    {"  - rest\n  - jump\n", "x.yaml:5: a step is rest, or begins with"},
    {"  - scale: deployment/web\n    too: 3\n", "x.yaml:5: unknown key too"},
    {"  - scale: deployments/web\n    to: many\n", "x.yaml:5: to is a number"},
    {"  - wait: deploymint/web\n    count: 1\n", "x.yaml:4: \"deploymint/web\" names no kind"},
    {"  - wait: pods app\n    count: 1\n", "x.yaml:4: app is not a label"},
    {"  - wait: pods app=web\n", "x.yaml:4: neither holds nor count"},
    {"  - create: web\n", "x.yaml:4: no object named web"},
    {"  - pod: pods app=web\n    becomes: happy\n", "x.yaml:4: a pod cannot become that"},
    {"  - patch: pods app=web\n", "x.yaml:4: a patch needs with"},
    {"  - rest\n  isolation: large\n",
     "x.yaml:2: isolation: nodes, alone, podgc, accounts, metrics, volumes, ipam, lost or devices"},
    {"  - rest\n  oldest: maybe\n", "x.yaml:2: oldest: true"},
    {"  - rest\n  servers: some\n", "x.yaml:2: servers: real"},
    {"  - fault: none\n  servers: real\n", "x.yaml:2: real servers inject no faults"},
    {"  - controllers: gone\n", "x.yaml:4: controllers: stopped or running"},
    {"  - controllers: stopped\n", "x.yaml:2: controllers need isolation: alone, accounts or ipam"},
    {"  - rest\n  flags: [--cluster-cidr=10.0.0.0/8]\n",
     "x.yaml:2: flags need isolation: ipam or lost"},
    {"  - rest\n  isolation: lost\n  flags: [--cluster-cidr=10.0.0.0/8]\n",
     "x.yaml:2: flags of isolation: lost: --disable-force-detach-on-timeout"},
    {"  - pass: silence\n", "x.yaml:2: pass needs isolation: lost"},
    {"  - pass: 5\n", "x.yaml:4: pass: silence"},
};
// clang-format on

TEST(ScenarioTest, ListHasEachScenarioWithItsPlaceAndWhichServersPlayIt) {
  const std::vector<Scenario> loaded = load_scenarios(DAVIT_ORACLE "/scenarios");
  const std::vector<ListedScenario> listed = list_scenarios(DAVIT_ORACLE "/scenarios");
  ASSERT_EQ(listed.size(), loaded.size());
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    EXPECT_EQ(listed[i].name, loaded[i].name);
    EXPECT_EQ(listed[i].place, loaded[i].place);
    EXPECT_EQ(listed[i].plays_on_oldest, loaded[i].plays_on_oldest) << loaded[i].name;
    EXPECT_EQ(listed[i].needs_real_server, loaded[i].needs_real_server) << loaded[i].name;
  }
}

TEST(ScenarioTest, MistakeIsReportedWithFileAndLine) {
  for (const MistakeCase& each : kMistakes) {
    EXPECT_TRUE(mistake_in(each.steps).starts_with(each.mistake)) << mistake_in(each.steps);
  }
}

TEST(ScenarioTest, FlagsAreThoseOfTheScenario) {
  const Result<std::vector<Scenario>> read = read_scenarios(
      "scenarios:\n- name: one\n  isolation: ipam\n  flags: [--allocate-node-cidrs, "
      "--cluster-cidr=10.0.0.0/8]\n  steps:\n  - rest\n",
      "x.yaml");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->front().isolation, IsolationGroup::kNodeIpam);
  EXPECT_EQ(read->front().flags,
            (std::vector<std::string>{"--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/8"}));
}

TEST(ScenarioTest, NamedObjectIsCreatedWithChanges) {
  const Result<std::vector<Scenario>> read = read_scenarios(
      "objects:\n  web: {kind: Deployment, metadata: {name: web}, spec: {replicas: 1}}\n"
      "scenarios:\n- name: one\n  steps:\n  - create: web\n"
      "    with: {metadata: {labels: {of: $ns}}, spec: {replicas: 4}}\n",
      "x.yaml");
  ASSERT_TRUE(read) << read.error().message();
  const Step& step = read->front().steps.front();
  EXPECT_EQ(to_text(step.body),
            R"({"kind":"Deployment","metadata":{"name":"web","labels":{"of":"one"}},)"
            R"("spec":{"replicas":4},"apiVersion":"apps/v1"})");
  EXPECT_EQ(step.place, "x.yaml:6");
}

std::string digest_of(const char* objects, const char* steps) {
  const Result<std::vector<Scenario>> read = read_scenarios(
      std::string("objects:\n") + objects + "scenarios:\n- name: one\n  steps:\n" + steps,
      "x.yaml");
  return read ? read->front().digest : read.error().message();
}

TEST(ScenarioTest, DigestIsOfTheStepsAndOfTheObjectsInThem) {
  constexpr char kWeb[] = "  web: {kind: Pod, metadata: {name: web}}\n";
  constexpr char kOther[] = "  db: {kind: Pod, metadata: {name: db}}\n";
  const std::string digest = digest_of(kWeb, "  - create: web\n");

  EXPECT_EQ(digest.size(), 16u);
  EXPECT_EQ(digest_of((std::string(kWeb) + kOther).c_str(), "  # Why.\n  - create: web\n"), digest);
  EXPECT_NE(digest_of(kWeb, "  - create: web\n  - rest\n"), digest);
  EXPECT_NE(digest_of("  web: {kind: Pod, metadata: {name: new}}\n", "  - create: web\n"), digest);
}

TEST(ScenarioTest, EachTurnOfARepeatHasItsNumberAndItsAddress) {
  const Result<std::vector<Scenario>> read = read_scenarios(
      "scenarios:\n- name: one\n  steps:\n  - repeat: 250\n    steps:\n"
      "    - create: {kind: Pod, metadata: {name: p-$i}, status: {podIP: $ip}}\n",
      "x.yaml");
  ASSERT_TRUE(read) << read.error().message();
  const std::vector<Step>& steps = read->front().steps;
  ASSERT_EQ(steps.size(), 250u);
  EXPECT_EQ(steps.front().body.text_at({"metadata", "name"}), "p-1");
  EXPECT_EQ(steps.front().body.text_at({"status", "podIP"}), "10.9.0.2");
  EXPECT_EQ(steps.back().body.text_at({"metadata", "name"}), "p-250");
  EXPECT_EQ(steps.back().body.text_at({"status", "podIP"}), "10.9.1.1");
}

}  // namespace
}  // namespace davit::oracle
