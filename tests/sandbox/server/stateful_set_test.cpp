// The gate of a StatefulSet's field (docs/spec/statefulset.md, section 20).
#include <gtest/gtest.h>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

constexpr char kSets[] = "/apis/apps/v1/namespaces/default/statefulsets";
const std::string kWeb = kSets + std::string("/web");

std::string stateful_set(const std::string& rolling_update) {
  return R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},"spec":{
      "selector":{"matchLabels":{"a":"b"}},"serviceName":"web",
      "updateStrategy":{"type":"RollingUpdate","rollingUpdate":)" +
         rolling_update + R"(},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})";
}

std::string max_unavailable(const Reply& reply) {
  return reply.body.text_at({"spec", "updateStrategy", "rollingUpdate", "maxUnavailable"});
}

ApiServerOptions with_gate() {
  ApiServerOptions options;
  options.kind_gates.max_unavailable_stateful_set = true;
  return options;
}

TEST(StatefulSetServerTest, WithoutItsGateMaxUnavailableIsDroppedBeforeItIsChecked) {
  Sandbox sandbox;
  const Reply made = sandbox.post(kSets, stateful_set(R"({"maxUnavailable":0})"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.get("metadata").get("generation").integer(), 1);
  EXPECT_EQ(max_unavailable(made), "");

  const Reply patched = sandbox.patch(
      kWeb, "merge", R"({"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":2}}}})");
  ASSERT_EQ(patched.code, 200) << patched.text;
  EXPECT_EQ(max_unavailable(patched), "");
  EXPECT_EQ(patched.body.get("metadata").get("generation").integer(), 1) << "nothing changed";
}

TEST(StatefulSetServerTest, WithItsGateMaxUnavailableHasADefaultAndIsChecked) {
  Sandbox sandbox(with_gate());
  EXPECT_EQ(sandbox.post(kSets, stateful_set(R"({"maxUnavailable":0})")).code, 422);
  const Reply made = sandbox.post(kSets, stateful_set("{}"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(max_unavailable(made), "1");
}

TEST(StatefulSetServerTest, AStoredMaxUnavailableOutlivesItsGate) {
  Sandbox sandbox(with_gate());
  ASSERT_EQ(sandbox.post(kSets, stateful_set(R"({"maxUnavailable":2})")).code, 201);
  sandbox.reopen();

  const Reply kept = sandbox.patch(
      kWeb, "merge", R"({"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":"30%"}}}})");
  EXPECT_EQ(max_unavailable(kept), "30%") << kept.text;
  const Reply removed = sandbox.patch(
      kWeb, "merge", R"({"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":null}}}})");
  EXPECT_EQ(max_unavailable(removed), "");
  const Reply again = sandbox.patch(
      kWeb, "merge", R"({"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":2}}}})");
  EXPECT_EQ(max_unavailable(again), "") << "it is not in use any more";
}

}  // namespace
}  // namespace davit::sandbox
