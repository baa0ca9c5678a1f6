// Conversion webhooks: the sizes of objects and requests, and definitions that change or go.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/sandbox/server/conversion_hooks.hpp"

namespace davit::sandbox {
namespace {

/// A Widget of `version` whose color has `bytes`.
std::string colored(const std::string& version, const std::string& name, std::size_t bytes) {
  return R"({"apiVersion":"ex.io/)" + version + R"(","kind":"Widget","metadata":{"name":")" + name +
         R"("},"spec":{"color":")" + std::string(bytes, 'x') + "\"}}";
}

/// Makes v1 the storage version.
void store_v1(Sandbox& sandbox) {
  Json definition = sandbox.get(kDefinitions + "/widgets.ex.io").body;
  Json& versions = definition["spec"]["versions"];
  versions.make_array()[0].set("storage", true);
  versions.make_array()[1].set("storage", false);
  const Reply changed = sandbox.put(kDefinitions + "/widgets.ex.io", to_text(definition));
  ASSERT_EQ(changed.code, 200) << changed.text;
}

/// Reads `watch` to its end, `bytes_max` at a time.
std::vector<Json> events_to_end(HttpBodyStream& watch, std::size_t bytes_max) {
  std::string text;
  constexpr int kReadsMax = 100;
  HttpBodyStream::State state = HttpBodyStream::State::kOpen;
  for (int i = 0; i < kReadsMax && state == HttpBodyStream::State::kOpen; ++i) {
    state = watch.read(text, bytes_max);
  }
  EXPECT_EQ(state, HttpBodyStream::State::kEnded);
  std::vector<Json> out;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    out.push_back(json_literal(text.substr(at, text.find('\n', at) - at)));
  }
  return out;
}

TEST(ConversionLimitsTest, AListOfLargeObjectsIsConvertedInSmallerBatches) {
  WidgetServer widgets;
  constexpr int kObjects = 10;
  constexpr std::size_t kBytes = std::size_t{900} << 10U;
  for (int i = 0; i < kObjects; ++i) {
    ASSERT_EQ(widgets.sandbox.post(kWidgetsV2, colored("v2", 'w' + std::to_string(i), kBytes)).code,
              201);
  }

  const Reply list = widgets.sandbox.get(kWidgetsV1);

  EXPECT_EQ(list.code, 200) << list.message();
  EXPECT_EQ(list.body.get("items").size(), std::size_t{kObjects});
  ASSERT_EQ(widgets.converter.requests.size(), 5U);
  for (const Json& each : widgets.converter.requests) EXPECT_EQ(each.get("objects").size(), 2U);
}

TEST(ConversionLimitsTest, FieldsThatAnUnservedStorageVersionLacksAreNotStored) {
  Json definition = json_literal(widget_definition());
  definition["spec"]["versions"].make_array()[1].set("served", false);
  WidgetServer widgets(to_text(definition));
  widgets.converter.change = [](Json& object) { object["spec"].set("unknown", 1); };

  const Reply made = widgets.sandbox.post(kWidgetsV1, widget_v1("w", 3));

  ASSERT_EQ(made.code, 201) << made.text;
  const Json stored = widgets.stored("w");
  EXPECT_EQ(stored.get("apiVersion").text(), "ex.io/v2");
  EXPECT_EQ(stored.get("spec").get("width").integer_or(0), 3);
  EXPECT_FALSE(stored.get("spec").contains("unknown"));
  const Json shown = widgets.sandbox.get(kWidgetsV1 + "/w").body;
  EXPECT_EQ(shown.get("spec").get("size").integer_or(0), 3);
  EXPECT_FALSE(shown.get("spec").contains("unknown"));
}

TEST(ConversionLimitsTest, AnObjectThatItsConversionMakesTooLargeIsNotStored) {
  WidgetServer widgets;
  ASSERT_EQ(widgets.sandbox.post(kWidgetsV1, widget_v1("old", 1)).code, 201);
  const Json old = widgets.sandbox.get(kWidgetsV1 + "/old").body;
  widgets.converter.change = [](Json& object) {
    if (object.get("apiVersion").text() == "ex.io/v1") return;
    object["spec"].set("color", std::string(std::size_t{2} << 20U, 'x'));
  };

  const Reply made = widgets.sandbox.post(kWidgetsV1, widget_v1("new", 2));
  const Reply changed =
      widgets.sandbox.patch(kWidgetsV1 + "/old", "merge", R"({"spec":{"size":2}})");

  for (const Reply* each : {&made, &changed}) {
    EXPECT_EQ(each->code, 500);
    EXPECT_EQ(each->message(), "etcdserver: request is too large");
  }
  EXPECT_TRUE(widgets.stored("new").is_null());
  EXPECT_EQ(widgets.stored("old").get("spec").get("width").integer_or(0), 1);
}

TEST(ConversionLimitsTest, AWriteThatChangesNothingMovesAnObjectToTheNewStorageVersion) {
  WidgetServer widgets;
  for (const char* name : {"put", "patch", "apply"}) widgets.post_v2(name, 1);
  store_v1(widgets.sandbox);
  const auto path = [](const std::string& name) { return kWidgetsV2 + '/' + name; };

  const Json object = widgets.sandbox.get(path("put")).body;
  const Reply moved = widgets.sandbox.put(path("put"), to_text(object));
  ASSERT_EQ(widgets.sandbox.patch(path("patch"), "merge", "{}").code, 200);
  const std::string applied =
      R"({"apiVersion":"ex.io/v2","kind":"Widget","metadata":{"name":"apply"}})";
  ASSERT_EQ(widgets.sandbox.patch(path("apply") + "?fieldManager=m", "apply", applied).code, 200);

  for (const char* name : {"put", "patch", "apply"}) {
    EXPECT_EQ(widgets.stored(name).get("apiVersion").text(), "ex.io/v1") << name;
    EXPECT_EQ(widgets.stored(name).get("spec").get("size").integer_or(0), 1) << name;
  }
  EXPECT_NE(moved.body.text_at({"metadata", "resourceVersion"}),
            object.text_at({"metadata", "resourceVersion"}));
  const Reply again = widgets.sandbox.put(path("put"), to_text(moved.body));
  EXPECT_EQ(again.body.text_at({"metadata", "resourceVersion"}),
            moved.body.text_at({"metadata", "resourceVersion"}))
      << "there is nothing left to write";
}

TEST(ConversionLimitsTest, WithoutAWebhookAWriteMovesAnObjectToTheNewStorageVersion) {
  Sandbox sandbox;  // Calls no webhooks, as with the strategy None.
  ASSERT_EQ(sandbox.post(kDefinitions, widget_definition()).code, 201);
  ASSERT_EQ(sandbox.post(kWidgetsV2, widget_v2("w", 1)).code, 201);
  store_v1(sandbox);
  const auto stored = [&sandbox] {
    return sandbox.store.get({"ex.io", "widgets"}, "default", "w")->json().get("apiVersion").text();
  };

  EXPECT_EQ(sandbox.patch(kWidgetsV2 + "/w?dryRun=All", "merge", "{}").code, 200);
  EXPECT_EQ(stored(), "ex.io/v2");
  EXPECT_EQ(sandbox.patch(kWidgetsV2 + "/w", "merge", "{}").code, 200);

  EXPECT_EQ(stored(), "ex.io/v1");
}

TEST(ConversionLimitsTest, NothingIsCreatedOnceTheDefinitionHasGone) {
  WidgetServer widgets;
  widgets.converter.respond = [&widgets](test::ScriptedResponse&) {
    EXPECT_EQ(widgets.sandbox.remove(kDefinitions + "/widgets.ex.io").code, 200);
  };

  const Reply made = widgets.sandbox.post(kWidgetsV1, widget_v1("w", 3));

  EXPECT_EQ(made.code, 404);
  EXPECT_EQ(made.message(), "the server could not find the requested resource");
  EXPECT_TRUE(widgets.stored("w").is_null());
}

TEST(ConversionLimitsTest, NothingIsCreatedWhileTheDefinitionIsBeingDeleted) {
  WidgetServer widgets;
  Sandbox& sandbox = widgets.sandbox;
  widgets.post_v2("held", 1);
  ASSERT_EQ(
      sandbox.patch(kWidgetsV2 + "/held", "merge", R"({"metadata":{"finalizers":["ex.io/f"]}})")
          .code,
      200);
  widgets.converter.respond = [&widgets](test::ScriptedResponse&) {
    EXPECT_EQ(widgets.sandbox.remove(kDefinitions + "/widgets.ex.io").code, 200);
  };

  const Reply waited = sandbox.post(kWidgetsV1, widget_v1("w", 3));
  widgets.converter.respond = nullptr;
  const Reply later = sandbox.post(kWidgetsV2 + "?dryRun=All", widget_v2("w", 3));

  for (const Reply* each : {&waited, &later}) {
    EXPECT_EQ(each->code, 403);
    EXPECT_EQ(each->message(),
              "widgets.ex.io \"w\" is forbidden: create not allowed while custom resource "
              "definition is terminating");
  }
  EXPECT_TRUE(widgets.stored("w").is_null());
  ASSERT_EQ(sandbox.patch(kWidgetsV2 + "/held", "merge", R"({"metadata":{"finalizers":[]}})").code,
            200);
  EXPECT_EQ(sandbox.get(kDefinitions + "/widgets.ex.io").code, 404);
}

TEST(ConversionLimitsTest, AWatchShowsWhatItsDefinitionsEndDeletes) {
  for (const std::size_t bytes_max : {std::size_t{1}, std::size_t{1} << 20U}) {
    for (const std::string& path : {kWidgetsV1, kWidgetsV2}) {
      SCOPED_TRACE(path + ", " + std::to_string(bytes_max));
      WidgetServer widgets;
      widgets.post_v2("a", 1);
      widgets.post_v2("b", 2);
      const Reply running = widgets.sandbox.get(path + "?watch=true");
      const Reply fresh = widgets.sandbox.get(path + "?watch=true");
      ASSERT_NE(running.stream, nullptr);
      ASSERT_NE(fresh.stream, nullptr);
      std::string begun;
      ASSERT_EQ(running.stream->read(begun, 1 << 20), HttpBodyStream::State::kOpen);

      ASSERT_EQ(widgets.sandbox.remove(kDefinitions + "/widgets.ex.io").code, 200);

      const std::vector<Json> rest = events_to_end(*running.stream, bytes_max);
      const std::vector<Json> all = events_to_end(*fresh.stream, bytes_max);
      ASSERT_EQ(rest.size(), 2U);
      ASSERT_EQ(all.size(), 4U);
      for (const Json& each : rest) {
        EXPECT_EQ(each.get("type").text(), "DELETED");
        EXPECT_TRUE(each.get("object").get("spec").contains(path == kWidgetsV1 ? "size" : "width"));
      }
      EXPECT_EQ(all.front().get("type").text(), "ADDED");
      EXPECT_EQ(all.back(), rest.back());
    }
  }
}

TEST(ConversionLimitsTest, AWatchWithoutAWebhookShowsWhatItsDefinitionsEndDeletes) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kDefinitions, widget_definition()).code, 201);
  ASSERT_EQ(sandbox.post(kWidgetsV2, widget_v2("a", 1)).code, 201);
  ASSERT_EQ(sandbox.post(kWidgetsV2, widget_v2("b", 1)).code, 201);
  const Reply watch = sandbox.get(kWidgetsV1 + "?watch=true");
  ASSERT_NE(watch.stream, nullptr);

  ASSERT_EQ(sandbox.remove(kDefinitions + "/widgets.ex.io").code, 200);

  EXPECT_EQ(events_to_end(*watch.stream, 1).size(), 4U);
}

}  // namespace
}  // namespace davit::sandbox
