// Conversion webhooks of CustomResourceDefinitions. Their refusals are compared with a real
// server's in recorded_cases_test.
#include <gtest/gtest.h>

#include <davit/base64.hpp>
#include <string>
#include <vector>

#include "lib/net/certificates.hpp"
#include "tests/sandbox/server/conversion_hooks.hpp"

namespace davit::sandbox {
namespace {

TEST(ConversionWebhookTest, AnObjectIsStoredInTheStorageVersionAndShownInTheOthers) {
  WidgetServer widgets;

  const Reply made = widgets.sandbox.post(kWidgetsV1, widget_v1("w", 3));

  EXPECT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.get("apiVersion").text(), "ex.io/v1");
  EXPECT_EQ(to_text(made.body.get("spec")), R"({"color":"red","size":3})");
  EXPECT_EQ(widgets.stored("w").get("apiVersion").text(), "ex.io/v2");
  EXPECT_EQ(to_text(widgets.stored("w").get("spec")), R"({"color":"red","width":3})");
  EXPECT_EQ(widgets.converter.requests.size(), 2U) << "one to store it, one to show it";
  EXPECT_EQ(widgets.converter.targets.front(), "/convert?timeout=30s");
  const Reply as_stored = widgets.sandbox.get(kWidgetsV2 + "/w");
  EXPECT_EQ(to_text(as_stored.body.get("spec")), R"({"color":"red","width":3})");
  EXPECT_EQ(widgets.converter.requests.size(), 2U) << "the stored version needs no call";
}

TEST(ConversionWebhookTest, AListIsConvertedInBatches) {
  WidgetServer widgets;
  constexpr int kObjects = 250;
  for (int i = 0; i < kObjects; ++i) widgets.post_v2("w" + std::to_string(i), i);

  const Reply list = widgets.sandbox.get(kWidgetsV1);

  EXPECT_EQ(list.code, 200);
  ASSERT_EQ(list.body.get("items").size(), std::size_t{kObjects});
  for (const Json& each : list.body.get("items").items()) {
    EXPECT_EQ(each.get("apiVersion").text(), "ex.io/v1");
    EXPECT_EQ('w' + std::to_string(each.get("spec").get("size").integer_or(-1)),
              each.text_at({"metadata", "name"}));
  }
  ASSERT_EQ(widgets.converter.requests.size(), 3U);
  EXPECT_EQ(widgets.converter.requests[0].get("objects").size(), 100U);
  EXPECT_EQ(widgets.converter.requests[2].get("objects").size(), 50U);
  EXPECT_EQ(widgets.sandbox.get(kWidgetsV1 + "?limit=2").body.get("items").size(), 2U);
  EXPECT_EQ(widgets.converter.requests.back().get("objects").size(), 2U);
}

TEST(ConversionWebhookTest, OnlyObjectsOfAnotherVersionAreSent) {
  WidgetServer widgets;
  widgets.post_v2("a", 1);
  Json definition = widgets.sandbox.get(kDefinitions + "/widgets.ex.io").body;
  Json& versions = definition["spec"]["versions"];
  versions.make_array()[0].set("storage", true);
  versions.make_array()[1].set("storage", false);
  const Reply changed = widgets.sandbox.put(kDefinitions + "/widgets.ex.io", to_text(definition));
  ASSERT_EQ(changed.code, 200) << changed.text;
  ASSERT_EQ(widgets.sandbox.post(kWidgetsV1, widget_v1("b", 2)).code, 201);

  const Reply list = widgets.sandbox.get(kWidgetsV2);

  EXPECT_EQ(list.names(), "a b");
  ASSERT_EQ(widgets.converter.requests.size(), 1U);
  EXPECT_EQ(widgets.converter.requests[0].get("objects").size(), 1U);
  EXPECT_EQ(list.body.get("items").items()[1].get("spec").get("width").integer_or(0), 2);
}

TEST(ConversionWebhookTest, UpdatesPatchesAndAppliesAreOfTheVersionOfTheirRequest) {
  WidgetServer widgets;
  widgets.post_v2("w", 1);
  Sandbox& sandbox = widgets.sandbox;
  const std::string path = kWidgetsV1 + "/w";
  const auto width = [&] { return widgets.stored("w").get("spec").get("width").integer_or(0); };

  Json object = sandbox.get(path).body;
  object["spec"].set("size", 2);
  EXPECT_EQ(sandbox.put(path, to_text(object)).code, 200);
  EXPECT_EQ(width(), 2);
  EXPECT_EQ(sandbox.patch(path, "merge", R"({"spec":{"size":3}})").code, 200);
  EXPECT_EQ(width(), 3);
  EXPECT_EQ(sandbox.patch(path, "json", R"([{"op":"replace","path":"/spec/size","value":4}])").code,
            200);
  EXPECT_EQ(width(), 4);
  const Reply applied = sandbox.patch(
      path + "?fieldManager=me&force=true", "apply",
      R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":5}})");
  EXPECT_EQ(applied.code, 200) << applied.text;
  EXPECT_EQ(applied.body.get("spec").get("size").integer_or(0), 5);
  EXPECT_EQ(width(), 5);
  EXPECT_EQ(sandbox.patch(path + "/status", "merge", R"({"status":{"n":7}})").code, 200);
  EXPECT_EQ(widgets.stored("w").get("status").get("n").integer_or(0), 7);
  EXPECT_EQ(sandbox.patch(path + "/scale", "merge", R"({"spec":{"replicas":6}})").code, 200);
  EXPECT_EQ(width(), 6);
  EXPECT_EQ(sandbox.get(path + "/scale").body.get("spec").get("replicas").integer_or(0), 6);
}

TEST(ConversionWebhookTest, ADryRunConvertsAndStoresNothing) {
  WidgetServer widgets;
  widgets.post_v2("w", 1);

  const Reply made = widgets.sandbox.post(kWidgetsV1 + "?dryRun=All", widget_v1("n", 3));
  const Reply changed =
      widgets.sandbox.patch(kWidgetsV1 + "/w?dryRun=All", "merge", R"({"spec":{"size":9}})");
  const Reply gone = widgets.sandbox.remove(kWidgetsV1 + "/w?dryRun=All");

  EXPECT_EQ(made.code, 201);
  EXPECT_EQ(made.body.get("spec").get("size").integer_or(0), 3);
  EXPECT_EQ(changed.body.get("spec").get("size").integer_or(0), 9);
  EXPECT_EQ(gone.code, 200);
  EXPECT_TRUE(widgets.stored("n").is_null());
  EXPECT_EQ(widgets.stored("w").get("spec").get("width").integer_or(0), 1);
}

TEST(ConversionWebhookTest, AFailedConversionRefusesTheRequestAndStoresNothing) {
  WidgetServer widgets;
  widgets.post_v2("w", 1);
  widgets.converter.respond = [](test::ScriptedResponse& out) {
    out.status = 500;
    out.body = "oops";
  };
  const std::string why =
      R"(failed: an error on the server ("oops") has prevented the request from succeeding)";

  const Reply made = widgets.sandbox.post(kWidgetsV1, widget_v1("n", 3));
  const Reply read = widgets.sandbox.get(kWidgetsV1 + "/w");
  const Reply list = widgets.sandbox.get(kWidgetsV1);
  const Reply gone = widgets.sandbox.remove(kWidgetsV1 + "/w");

  EXPECT_EQ(made.code, 500);
  EXPECT_EQ(made.message(), "conversion webhook for ex.io/v1, Kind=Widget " + why);
  EXPECT_EQ(read.message(), "conversion webhook for ex.io/v2, Kind=Widget " + why);
  EXPECT_EQ(list.message(), "conversion webhook for ex.io/v2, Kind=Widget " + why);
  EXPECT_EQ(gone.code, 500);
  EXPECT_TRUE(widgets.stored("n").is_null());
  EXPECT_EQ(widgets.sandbox.get(kWidgetsV2 + "/w").code, 200) << "the stored version is readable";
}

TEST(ConversionWebhookTest, OnlyLabelsAndAnnotationsOfTheMetadataAreTheWebhooks) {
  WidgetServer widgets;
  widgets.post_v2("w", 1);
  widgets.converter.change = [](Json& object) {
    Json& metadata = object["metadata"];
    metadata.set("finalizers", Json::array({"ex.io/hook"}));
    metadata.set("generation", 99);
    metadata.set("labels", Json::object({{"a", "b"}}));
    object["spec"].set("unknown", "dropped");
  };

  const Reply read = widgets.sandbox.get(kWidgetsV1 + "/w");

  const Json& metadata = read.body.get("metadata");
  EXPECT_FALSE(metadata.contains("finalizers"));
  EXPECT_EQ(metadata.get("generation").integer_or(0), 1);
  EXPECT_EQ(to_text(metadata.get("labels")), R"({"a":"b"})");
  EXPECT_FALSE(read.body.get("spec").contains("unknown"));
}

TEST(ConversionWebhookTest, TablesAndMetadataAreThoseOfTheVersion) {
  WidgetServer widgets;
  widgets.post_v2("w", 1);
  widgets.converter.change = [](Json& object) {
    object["metadata"].set("annotations", Json::object({{"hook", "v1"}}));
  };
  const std::string accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

  const Reply metadata = widgets.sandbox.send("GET", kWidgetsV1, "", {{"Accept", accept}});
  const Reply table = widgets.sandbox.send(
      "GET", kWidgetsV1, "", {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});

  ASSERT_EQ(metadata.body.get("items").size(), 1U);
  EXPECT_EQ(metadata.body.get("items").items()[0].text_at({"metadata", "annotations", "hook"}),
            "v1");
  EXPECT_EQ(table.body.get("rows").size(), 1U);
  EXPECT_EQ(widgets.converter.requests.size(), 2U);
}

TEST(ConversionWebhookTest, AWatchShowsConvertedObjectsInOrder) {
  WidgetServer widgets;
  widgets.post_v2("a", 1);
  widgets.post_v2("b", 2);
  Reply watch = widgets.sandbox.get(kWidgetsV1 +
                                    "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&"
                                    "resourceVersionMatch=NotOlderThan");
  ASSERT_NE(watch.stream, nullptr);
  std::string text;
  static_cast<void>(watch.stream->read(text, 1 << 20));
  EXPECT_NE(text.find(R"("apiVersion":"ex.io/v1")"), std::string::npos);
  EXPECT_EQ(text.find(R"("width")"), std::string::npos) << text;
  EXPECT_LT(text.find("ADDED"), text.find("BOOKMARK"));

  ASSERT_EQ(widgets.sandbox.patch(kWidgetsV2 + "/a", "merge", R"({"spec":{"width":5}})").code, 200);
  ASSERT_EQ(widgets.sandbox.remove(kWidgetsV2 + "/b").code, 200);
  text.clear();
  static_cast<void>(watch.stream->read(text, 1 << 20));

  const Json first = json_literal(text.substr(0, text.find('\n')));
  EXPECT_EQ(first.get("type").text(), "MODIFIED");
  EXPECT_EQ(first.get("object").get("spec").get("size").integer_or(0), 5);
  EXPECT_EQ(Sandbox::events(*watch.stream), "");
  const Json second = json_literal(text.substr(text.find('\n') + 1));
  EXPECT_EQ(second.get("type").text(), "DELETED");
  EXPECT_EQ(second.get("object").get("spec").get("size").integer_or(0), 2);
}

TEST(ConversionWebhookTest, AWatchWhoseConversionFailsEndsWithAnError) {
  WidgetServer widgets;
  Reply watch = widgets.sandbox.get(kWidgetsV1 + "?watch=true");
  widgets.converter.respond = [](test::ScriptedResponse& out) { out.body = "garbage"; };
  widgets.post_v2("w", 1);
  std::string text;

  const HttpBodyStream::State state = watch.stream->read(text, 1 << 20);

  EXPECT_EQ(state, HttpBodyStream::State::kEnded);
  const Json event = json_literal(text);
  EXPECT_EQ(event.get("type").text(), "ERROR");
  EXPECT_EQ(event.get("object").get("code").integer_or(0), 500);
  EXPECT_EQ(event.text_at({"object", "message"}).substr(0, 58),
            "conversion webhook for ex.io/v2, Kind=Widget failed: could");
}

TEST(ConversionWebhookTest, ADefinitionIsDeletedWithoutItsWebhook) {
  WidgetServer widgets;
  widgets.post_v2("w", 1);
  widgets.converter.respond = [](test::ScriptedResponse& out) { out.status = 500; };

  EXPECT_EQ(widgets.sandbox.remove(kDefinitions + "/widgets.ex.io").code, 200);

  EXPECT_TRUE(widgets.stored("w").is_null());
  EXPECT_EQ(widgets.sandbox.get(kDefinitions + "/widgets.ex.io").code, 404);
}

TEST(ConversionWebhookTest, AServerThatCallsNoWebhooksChangesTheApiVersionOnly) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, widget_definition()).code, 201);
  ASSERT_EQ(sandbox.post(kWidgetsV2, widget_v2("w", 1)).code, 201);

  EXPECT_EQ(sandbox.get(kWidgetsV1 + "/w").body.get("apiVersion").text(), "ex.io/v1");
}

TEST(ConversionWebhookTest, ParametersOfPoliciesAreThoseOfTheVersionOfTheirKind) {
  WidgetServer widgets;
  Sandbox& sandbox = widgets.sandbox;
  widgets.converter.change = [](Json& object) {
    const std::string version = object.get("apiVersion").text();
    object["metadata"]["labels"].set("seen", version.substr(version.find('/') + 1));
  };
  widgets.post_v2("w", 3);
  demand_widget_sizes(sandbox, R"("selector":{"matchLabels":{"seen":"v1"}})");

  EXPECT_EQ(post_map(sandbox, "a", "3").code, 201) << "the stored object lacks the label";
  EXPECT_EQ(post_map(sandbox, "b", "2").code, 422);
}

TEST(ConversionWebhookTest, ADefinitionWhoseAuthoritiesCannotBeReadIsNotEstablished) {
  const auto webhook = [](const std::string& pem) {
    return R"({"clientConfig":{"url":"https://127.0.0.1:1/convert","caBundle":")" +
           encode_base64(pem) + R"("},"conversionReviewVersions":["v1"]})";
  };
  const Result<KeyPair> authority = make_authority("ca", WallTime());
  ASSERT_TRUE(authority) << authority.error().message();
  const std::string broken = "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n";
  for (const std::string& bad : {std::string("a"), authority->key, broken}) {
    WidgetServer widgets(widget_definition("v2", webhook(bad)));
    Sandbox& sandbox = widgets.sandbox;
    const Json definition = sandbox.get(kDefinitions + "/widgets.ex.io").body;
    const Json& condition = definition.get("status").get("conditions").items().at(1);
    EXPECT_EQ(condition.text_at({"status"}), "False") << bad;
    EXPECT_EQ(condition.text_at({"reason"}), "InvalidCABundle") << bad;
    EXPECT_EQ(sandbox.get(kWidgetsV2).code, 404) << bad;

    const auto change = [&](const std::string& pem) {
      return sandbox.patch(kDefinitions + "/widgets.ex.io", "merge",
                           R"({"spec":{"conversion":{"webhook":)" + webhook(pem) + "}}}");
    };
    EXPECT_EQ(change(broken + authority->certificate).code, 200) << "one of them can be read";
    EXPECT_EQ(sandbox.get(kWidgetsV2).code, 200) << bad;
    const Reply refused = change(bad);
    EXPECT_EQ(refused.code, 422) << "it is established now";
    EXPECT_NE(refused.message().find("unable to load root certificates: "), std::string::npos);
  }
}

TEST(ConversionWebhookTest, TheFirstKnownReviewVersionIsSent) {
  WidgetServer widgets(widget_definition(
      "v2", R"({"clientConfig":{"service":{"name":"s","namespace":"default","path":"/c"}},
                "conversionReviewVersions":["v3","v1beta1","v1"]})"));
  ASSERT_EQ(widgets.sandbox
                .post("/api/v1/namespaces/default/services",
                      R"({"metadata":{"name":"s"},"spec":{"type":"ExternalName",)"
                      R"("externalName":"localhost"}})")
                .code,
            201);

  EXPECT_EQ(widgets.sandbox.post(kWidgetsV1, widget_v1("w", 3)).code, 201);

  EXPECT_EQ(widgets.converter.servers.front().url, "https://localhost:443");
  EXPECT_EQ(widgets.converter.servers.front().server_name, "s.default.svc");
  EXPECT_EQ(widgets.converter.targets.front(), "/c?timeout=30s");
}

TEST(ConversionWebhookTest, AMissingServiceIsNamed) {
  WidgetServer widgets(
      widget_definition("v2", R"({"clientConfig":{"service":{"name":"s","namespace":"default"}},
                "conversionReviewVersions":["v1"]})"));

  EXPECT_EQ(widgets.sandbox.post(kWidgetsV1, widget_v1("w", 3)).message(),
            "conversion webhook for ex.io/v1, Kind=Widget failed: Post "
            "\"https://s.default.svc:443?timeout=30s\": service \"s\" not found");
}

}  // namespace
}  // namespace davit::sandbox
