// The generic verbs on a kind with few rules of its own.
#include <gtest/gtest.h>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";

std::string config_map(const std::string& name, const std::string& rest = "") {
  return R"({"metadata":{"name":")" + name + "\"}" + (rest.empty() ? "" : "," + rest) + '}';
}

TEST(ConfigMapTest, CreateSetsWhatIsTheSystemsAndIgnoresTheClients) {
  Sandbox sandbox;

  const Reply response = sandbox.post(
      kConfigMaps,
      R"({"metadata":{"name":"a","uid":"x","creationTimestamp":"2001-01-01T00:00:00Z"},)"
      R"("data":{"k":"v"}})");

  EXPECT_EQ(response.code, 201);
  EXPECT_NE(response.body.text_at({"metadata", "uid"}), "x");
  EXPECT_EQ(response.body.text_at({"metadata", "creationTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(response.body.text_at({"metadata", "namespace"}), "default");
  EXPECT_EQ(response.body.text_at({"kind"}), "ConfigMap");
  EXPECT_EQ(response.body.text_at({"data", "k"}), "v");
  EXPECT_FALSE(response.revision().empty());
}

std::string shown_warnings(const Reply& reply) {
  std::string out;
  for (const auto& [name, value] : reply.headers) {
    if (name == "Warning") out += value + '\n';
  }
  return out;
}

const std::string kRepeating =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  labels:\n    a: b\n    a: c\n"
    "data:\n  x: '1'\n  y: '2'\n  x: '3'\n";

TEST(ConfigMapTest, KeysThatYamlRepeatsAreWarnedOfOrRefusedAndTheLastOneCounts) {
  Sandbox sandbox;
  const auto create = [&](const std::string& validation) {
    return sandbox.send("POST", kConfigMaps + "?dryRun=All" + validation, kRepeating + "nope: 1\n",
                        {{"Content-Type", "application/yaml"}});
  };
  const std::string warnings =
      "299 - \"line 7: key \\\"a\\\" already set in map\"\n"
      "299 - \"line 11: key \\\"x\\\" already set in map\"\n"
      "299 - \"unknown field \\\"nope\\\"\"\n";

  const Reply warned = create("");
  EXPECT_EQ(warned.code, 201) << warned.text;
  EXPECT_EQ(shown_warnings(warned), warnings);
  EXPECT_EQ(to_text(warned.body.get("data")), R"({"x":"3","y":"2"})");
  EXPECT_EQ(warned.body.text_at({"metadata", "labels", "a"}), "c");
  EXPECT_EQ(shown_warnings(create("&fieldValidation=Ignore")), "");
  const Reply refused = create("&fieldValidation=Strict");
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.message(),
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "
            "yaml: unmarshal errors:\n  line 7: key \"a\" already set in map\n  line 11: key \"x\" "
            "already set in map, unknown field \"nope\"");
}

TEST(ConfigMapTest, AMistakeAfterARepeatedKeyIsTheOneThatIsNamed) {
  Sandbox sandbox;

  const Reply refused = sandbox.send("POST", kConfigMaps, kRepeating + "nope: !x 1\n",
                                     {{"Content-Type", "application/yaml"}});

  EXPECT_EQ(refused.code, 400);
  EXPECT_NE(refused.message().find("yaml: line 12: the tag !x is not supported"), std::string::npos)
      << refused.text;
}

TEST(ConfigMapTest, AnApplyWarnsOfRepeatedKeysOrIsRefused) {
  Sandbox sandbox;
  const std::string target = kConfigMaps + "/m?fieldManager=t";

  const Reply refused = sandbox.patch(target + "&fieldValidation=Strict", "apply", kRepeating);
  const Reply ignored = sandbox.patch(target + "&fieldValidation=Ignore", "apply", kRepeating);
  const Reply warned = sandbox.patch(target, "apply", kRepeating);

  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.message(),
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n"
            "  line 7: key \"a\" already set in map\n  line 11: key \"x\" already set in map");
  EXPECT_EQ(ignored.code, 201) << ignored.text;
  EXPECT_EQ(shown_warnings(ignored), "");
  EXPECT_EQ(warned.code, 200) << warned.text;
  EXPECT_EQ(shown_warnings(warned),
            "299 - \"line 7: key \\\"a\\\" already set in map\"\n"
            "299 - \"line 11: key \\\"x\\\" already set in map\"\n");
  EXPECT_EQ(warned.body.text_at({"data", "x"}), "3");
}

TEST(ConfigMapTest, ATakenNameIsRefused) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kConfigMaps, config_map("a")).code, 201);

  const Reply response = sandbox.post(kConfigMaps, config_map("a"));

  EXPECT_EQ(response.code, 409);
  EXPECT_EQ(response.reason(), "AlreadyExists");
  EXPECT_EQ(response.message(), R"(configmaps "a" already exists)");
  EXPECT_EQ(response.body.get("details"), json_literal(R"({"name":"a","kind":"configmaps"})"));
}

TEST(ConfigMapTest, AListIsSortedAndItsItemsCarryNoKind) {
  Sandbox sandbox;
  for (const char* name : {"b", "a"})
    ASSERT_EQ(sandbox.post(kConfigMaps, config_map(name)).code, 201);

  const Reply list = sandbox.get(kConfigMaps);

  EXPECT_EQ(list.body.text_at({"kind"}), "ConfigMapList");
  EXPECT_EQ(list.names(), "a b");
  EXPECT_FALSE(list.body.get("items").items()[0].contains("kind"));
  EXPECT_TRUE(list.body.get("items").items()[0].contains("metadata"));
}

TEST(ConfigMapTest, TokensAreTrackedSinceTheDayOfTheFirstStart) {
  const std::string tracking =
      "/api/v1/namespaces/kube-system/configmaps/"
      "kube-apiserver-legacy-service-account-token-tracking";
  Sandbox sandbox;
  EXPECT_EQ(sandbox.get(tracking).body.text_at({"data", "since"}), "2026-01-01");

  sandbox.clock.advance(std::chrono::hours(48));
  sandbox.reopen();

  EXPECT_EQ(sandbox.get(tracking).body.text_at({"data", "since"}), "2026-01-01");
}

TEST(ConfigMapTest, AMissingObjectIsNotFound) {
  Sandbox sandbox;
  EXPECT_EQ(sandbox.get("/apis/apps/v1/namespaces/default/deployments/none").message(),
            R"(deployments.apps "none" not found)");
}

TEST(ConfigMapTest, DeletingReturnsAStatusWithTheUid) {
  Sandbox sandbox;
  const Reply created = sandbox.post(kConfigMaps, config_map("a"));

  const Reply response = sandbox.remove(kConfigMaps + "/a");

  EXPECT_EQ(response.code, 200);
  EXPECT_EQ(response.body.text_at({"status"}), "Success");
  EXPECT_EQ(response.body.text_at({"details", "uid"}), created.body.text_at({"metadata", "uid"}));
  EXPECT_EQ(sandbox.remove(kConfigMaps + "/a").code, 404);
}

TEST(ConfigMapTest, PagesContinueWhereTheLastOneEnded) {
  Sandbox sandbox;
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_EQ(sandbox.post(kConfigMaps, config_map(name)).code, 201);
  }

  const Reply first = sandbox.get(kConfigMaps + "?limit=2");
  ASSERT_EQ(sandbox.post(kConfigMaps, config_map("bb")).code, 201);
  const Reply second = sandbox.get(
      kConfigMaps + "?limit=2&continue=" + first.body.text_at({"metadata", "continue"}));

  EXPECT_EQ(first.names(), "a b");
  EXPECT_EQ(first.body.get("metadata").get("remainingItemCount").integer_or(0), 1);
  EXPECT_EQ(second.names(), "c") << "the state of the first page";
  EXPECT_EQ(second.revision(), first.revision());
  EXPECT_EQ(sandbox.get(kConfigMaps + "?limit=2&continue=zzz").code, 400);
}

TEST(ConfigMapTest, AnEqualUpdateWritesNothing) {
  Sandbox sandbox;
  const Reply created = sandbox.post(kConfigMaps, config_map("a", R"("data":{"k":"v"})"));

  const Reply same = sandbox.put(kConfigMaps + "/a", config_map("a", R"("data":{"k":"v"})"));
  const Reply other = sandbox.put(kConfigMaps + "/a", config_map("a", R"("data":{"k":"w"})"));

  EXPECT_EQ(same.code, 200);
  EXPECT_EQ(same.revision(), created.revision());
  EXPECT_NE(other.revision(), created.revision());
}

TEST(ConfigMapTest, AStaleUpdateConflicts) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kConfigMaps, config_map("a")).code, 201);

  const Reply response =
      sandbox.put(kConfigMaps + "/a", R"({"metadata":{"name":"a","resourceVersion":"1"}})");

  EXPECT_EQ(response.code, 409);
  EXPECT_EQ(response.message(),
            "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; "
            "please apply your changes to the latest version and try again");
}

TEST(ConfigMapTest, AFinalizerHoldsTheObjectUntilItIsTakenAway) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kConfigMaps, R"({"metadata":{"name":"f","finalizers":["ex.io/f"]}})").code,
            201);

  const Reply held = sandbox.remove(kConfigMaps + "/f");
  const Reply again = sandbox.post(kConfigMaps, config_map("f"));
  const Reply freed =
      sandbox.patch(kConfigMaps + "/f", "merge", R"({"metadata":{"finalizers":null}})");

  EXPECT_EQ(held.body.text_at({"kind"}), "ConfigMap");
  EXPECT_FALSE(held.body.text_at({"metadata", "deletionTimestamp"}).empty());
  EXPECT_EQ(again.message(), R"(object is being deleted: configmaps "f" already exists)");
  EXPECT_EQ(freed.code, 200);
  EXPECT_EQ(sandbox.get(kConfigMaps + "/f").code, 404);
}

TEST(ConfigMapTest, ALoneEmptyEntryForgetsWhoOwnsWhat) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kConfigMaps, config_map("a", R"("data":{"k":"v"})")).code, 201);

  const Reply kept = sandbox.put(kConfigMaps + "/a", config_map("a", R"("data":{"k":"w"})"));
  const Reply forgotten =
      sandbox.patch(kConfigMaps + "/a", "merge", R"({"metadata":{"managedFields":[{}]}})");

  EXPECT_EQ(kept.body.get("metadata").get("managedFields").items().size(), 1u);
  EXPECT_FALSE(forgotten.body.get("metadata").contains("managedFields")) << forgotten.text;
}

TEST(ConfigMapTest, ObjectsThatAreTooLargeToKeepAreRefused) {
  Sandbox sandbox;
  const std::string big(1'600'000, 'x');
  const Reply response =
      sandbox.post("/apis/apps/v1/namespaces/default/controllerrevisions",
                   R"({"metadata":{"name":"a"},"revision":1,"data":{"k":")" + big + "\"}}");
  EXPECT_EQ(response.code, 500);
  EXPECT_EQ(response.message(), "etcdserver: request is too large");
}

}  // namespace
}  // namespace davit::sandbox
