// Selectors of lists and watches see custom resources as the version of the request shows them.
// A real server's responses are compared in recorded_cases_test.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/sandbox/server/conversion_hooks.hpp"

namespace davit::sandbox {
namespace {

/// Both versions, whose numbers and colors can be selected.
Json selectable_definition() {
  Json definition = json_literal(widget_definition());
  for (Json& version : definition["spec"]["versions"].make_array()) {
    const bool is_v1 = version.get("name").text() == "v1";
    version.set("selectableFields",
                Json::array({Json::object({{"jsonPath", is_v1 ? ".spec.size" : ".spec.width"}}),
                             Json::object({{"jsonPath", ".spec.color"}})}));
  }
  return definition;
}

/// Widgets, whose labels say to which version the webhook has converted them.
struct SelectableWidgets : WidgetServer {
  SelectableWidgets() : WidgetServer(to_text(selectable_definition())) {
    converter.change = [](Json& object) {
      const std::string version = object.get("apiVersion").text();
      object["metadata"]["labels"].set("seen", version.substr(version.find('/') + 1));
    };
  }

  [[nodiscard]] std::string names(const std::string& target) {
    const Reply list = sandbox.get(target);
    return list.code == 200 ? list.names() : list.text;
  }
};

TEST(ConversionSelectorTest, LabelsAreThoseThatTheWebhookGives) {
  SelectableWidgets widgets;
  widgets.post_v2("a", 1);
  ASSERT_EQ(widgets.sandbox.post(kWidgetsV1, widget_v1("b", 2)).code, 201);

  EXPECT_EQ(widgets.names(kWidgetsV1 + "?labelSelector=seen=v1"), "a b");
  EXPECT_EQ(widgets.names(kWidgetsV1 + "?labelSelector=seen=v2"), "");
  EXPECT_EQ(widgets.names(kWidgetsV2 + "?labelSelector=seen=v2"), "b") << "a was never converted";
  EXPECT_EQ(widgets.names(kWidgetsV2 + "?labelSelector=!seen"), "a");
}

TEST(ConversionSelectorTest, FieldsAreThoseOfTheVersion) {
  SelectableWidgets widgets;
  widgets.post_v2("a", 1);
  widgets.post_v2("b", 2);

  EXPECT_EQ(widgets.names(kWidgetsV1 + "?fieldSelector=spec.size=2"), "b");
  EXPECT_EQ(widgets.names(kWidgetsV1 + "?fieldSelector=spec.size!=2"), "a");
  EXPECT_EQ(widgets.names(kWidgetsV2 + "?fieldSelector=spec.width=1,spec.color=red"), "a");
  EXPECT_EQ(widgets.sandbox.get(kWidgetsV1 + "?fieldSelector=spec.width=1").code, 400);
  const std::size_t asked = widgets.converter.requests.size();
  EXPECT_EQ(widgets.names(kWidgetsV1 + "?fieldSelector=metadata.name=b"), "b");
  EXPECT_EQ(widgets.converter.requests.size(), asked + 1);
  EXPECT_EQ(widgets.converter.requests.back().get("objects").size(), 1U)
      << "a name selects without the webhook";
}

TEST(ConversionSelectorTest, AListConvertsEachObjectOnce) {
  SelectableWidgets widgets;
  constexpr int kObjects = 250;
  for (int i = 0; i < kObjects; ++i) widgets.post_v2("w" + std::to_string(i), i % 2);
  widgets.converter.requests.clear();

  const Reply list = widgets.sandbox.get(kWidgetsV1 + "?fieldSelector=spec.size=1");

  EXPECT_EQ(list.body.get("items").size(), std::size_t{kObjects / 2});
  std::size_t converted = 0;
  for (const Json& each : widgets.converter.requests) converted += each.get("objects").size();
  EXPECT_EQ(converted, std::size_t{kObjects});
}

TEST(ConversionSelectorTest, AListThatTakesTooLongEnds) {
  SelectableWidgets widgets;
  constexpr int kObjects = 350;
  for (int i = 0; i < kObjects; ++i) widgets.post_v2("w" + std::to_string(i), 1);
  widgets.converter.respond = [&](test::ScriptedResponse&) {
    widgets.sandbox.clock.advance(std::chrono::seconds(25));
  };

  const Reply selected = widgets.sandbox.get(kWidgetsV1 + "?fieldSelector=spec.size=1");
  EXPECT_EQ(selected.code, 504) << "three of four batches have taken more than a minute";
  EXPECT_EQ(selected.message(), "Timeout: request did not complete within the allotted timeout");
  EXPECT_EQ(widgets.sandbox.get(kWidgetsV1).code, 504);
  EXPECT_EQ(widgets.sandbox.get(kWidgetsV1 + "?limit=100").code, 200);
}

TEST(ConversionSelectorTest, PagesOfAConvertedListAreComplete) {
  SelectableWidgets widgets;
  constexpr int kObjects = 30;
  for (int i = 0; i < kObjects; ++i) widgets.post_v2("w" + std::to_string(100 + i), i % 3);
  const std::string target = kWidgetsV1 + "?fieldSelector=spec.size=1&limit=4";
  std::vector<std::string> seen;
  std::string next;
  do {
    const Reply page = widgets.sandbox.get(target + (next.empty() ? "" : "&continue=" + next));
    ASSERT_EQ(page.code, 200) << page.text;
    for (const Json& each : page.body.get("items").items()) {
      EXPECT_EQ(each.get("spec").get("size").integer_or(-1), 1);
      seen.push_back(each.text_at({"metadata", "name"}));
    }
    next = page.body.text_at({"metadata", "continue"});
  } while (!next.empty());

  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(seen.front(), "w101");
  EXPECT_EQ(seen.back(), "w128");
}

TEST(ConversionSelectorTest, AWatchShowsWhatComesIntoAndGoesOutOfTheSelection) {
  SelectableWidgets widgets;
  widgets.post_v2("before", 5);
  widgets.post_v2("other", 1);
  Reply watch = widgets.sandbox.get(kWidgetsV1 + "?watch=true&fieldSelector=spec.size=5");
  ASSERT_NE(watch.stream, nullptr);
  EXPECT_EQ(Sandbox::events(*watch.stream), "ADDED before");

  widgets.post_v2("w", 4);
  EXPECT_EQ(Sandbox::events(*watch.stream), "");
  const auto patch = [&](const std::string& spec) {
    EXPECT_EQ(widgets.sandbox.patch(kWidgetsV2 + "/w", "merge", R"({"spec":)" + spec + "}").code,
              200);
  };
  patch(R"({"width":5})");
  EXPECT_EQ(Sandbox::events(*watch.stream), "ADDED w");
  patch(R"({"color":"blue"})");
  EXPECT_EQ(Sandbox::events(*watch.stream), "MODIFIED w");
  patch(R"({"width":6})");
  EXPECT_EQ(Sandbox::events(*watch.stream), "DELETED w");
  ASSERT_EQ(widgets.sandbox.remove(kWidgetsV2 + "/w").code, 200);
  ASSERT_EQ(widgets.sandbox.remove(kWidgetsV2 + "/before").code, 200);
  EXPECT_EQ(Sandbox::events(*watch.stream), "DELETED before");
}

TEST(ConversionSelectorTest, OnlyWhatIsSelectedIsDeleted) {
  SelectableWidgets widgets;
  widgets.post_v2("a", 1);
  widgets.post_v2("b", 2);

  EXPECT_EQ(widgets.sandbox.remove(kWidgetsV1 + "?labelSelector=seen=v2").code, 200);
  EXPECT_EQ(widgets.names(kWidgetsV2), "a b");
  EXPECT_EQ(widgets.sandbox.remove(kWidgetsV1 + "?fieldSelector=spec.size=1").code, 200);
  EXPECT_EQ(widgets.names(kWidgetsV2), "b");
}

TEST(ConversionSelectorTest, AFieldThatBecomesSelectableSelectsOlderObjects) {
  Sandbox sandbox;
  Json definition = selectable_definition();
  definition["spec"].erase("conversion");
  Json plain = definition;
  for (Json& version : plain["spec"]["versions"].make_array()) version.erase("selectableFields");
  ASSERT_EQ(sandbox.post(kDefinitions, to_text(plain)).code, 201);
  ASSERT_EQ(sandbox.post(kWidgetsV2, widget_v2("w", 1)).code, 201);
  const std::string path = kDefinitions + "/widgets.ex.io";
  definition["metadata"].set("resourceVersion",
                             sandbox.get(path).body.text_at({"metadata", "resourceVersion"}));
  ASSERT_EQ(sandbox.put(path, to_text(definition)).code, 200);

  EXPECT_EQ(sandbox.get(kWidgetsV2 + "?fieldSelector=spec.width=1").names(), "w");
  EXPECT_EQ(sandbox.get(kWidgetsV1 + "?fieldSelector=spec.color=red").names(), "w");
  Reply watch = sandbox.get(kWidgetsV2 + "?watch=true&fieldSelector=spec.width=1");
  ASSERT_NE(watch.stream, nullptr);
  EXPECT_EQ(Sandbox::events(*watch.stream), "ADDED w");
}

}  // namespace
}  // namespace davit::sandbox
