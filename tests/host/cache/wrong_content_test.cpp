// Lists and watches whose content is not what was asked for.
#include <gmock/gmock.h>

#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::StartsWith;

struct WrongCase {
  const char* name;
  const char* body;
};

class WrongContentTest : public CacheTest {
 protected:
  /// A list that has the pod "a", and a watch that ends so that the next request is a list.
  void fill_and_expire() {
    make_plain_informer();
    reply({.body = list_json("7", {{.name = "a", .version = "3"}})});
    step();
    reply({.body = error_json(410, "Expired")});
    step();
    wait();
  }
  [[nodiscard]] std::string last() const { return api_.asked.back(); }
};

// ---- Lists --------------------------------------------------------------------------------------

constexpr WrongCase kWrongLists[] = {
    {"Empty", "{}"},
    {"ItemsAlone", R"({"items":[]})"},
    {"Status", R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})"},
    {"ListOfAnotherKind",
     R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]})"},
    {"ListOfAnotherGroup",
     R"({"kind":"PodList","apiVersion":"apps/v1","metadata":{"resourceVersion":"9"},"items":[]})"},
    {"ObjectInsteadOfAList", R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",)"
                             R"("uid":"u","resourceVersion":"9"}})"},
    {"NoVersion", R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]})"},
    {"NoMetadata", R"({"kind":"PodList","apiVersion":"v1","items":[]})"},
    {"ItemOfAnotherKind",
     R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[)"
     R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"b","uid":"u",)"
     R"("resourceVersion":"8"}}]})"},
    {"EmptyItem", R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},)"
                  R"("items":[{}]})"},
    {"NumberAsItem", R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},)"
                     R"("items":[7]})"},
    {"ItemWithoutUid", R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},)"
                       R"("items":[{"metadata":{"name":"b","resourceVersion":"8"}}]})"},
    {"ItemWithoutVersion",
     R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},)"
     R"("items":[{"metadata":{"name":"b","uid":"u"}}]})"},
};

TEST_F(WrongContentTest, WrongListLeavesTheCacheAsItIsAndIsRepeated) {
  for (const WrongCase& each : kWrongLists) {
    SCOPED_TRACE(each.name);
    fill_and_expire();
    reply({.body = each.body});
    step();
    EXPECT_EQ(version_of("a"), "3");
    EXPECT_EQ(informer_->store().size(), 1U);
    EXPECT_EQ(informer_->store().resource_version(), "7");

    wait();
    reply({.body = list_json("10", {{.name = "b", .version = "10"}})});
    step();
    EXPECT_THAT(last(), StartsWith("list "));
    EXPECT_EQ(version_of("a"), "(none)");
    EXPECT_EQ(version_of("b"), "10");
    informer_.reset();
  }
}

// ---- Watches ------------------------------------------------------------------------------------

constexpr WrongCase kWrongEvents[] = {
    {"AnotherKind", R"({"type":"DELETED","object":{"kind":"Secret","apiVersion":"v1",)"
                    R"("metadata":{"name":"a","namespace":"default","uid":"uid-a",)"
                    R"("resourceVersion":"9"}}})"},
    {"NoKind", R"({"type":"DELETED","object":{"metadata":{"name":"a","namespace":"default",)"
               R"("uid":"uid-a","resourceVersion":"9"}}})"},
    {"NoMetadata", R"({"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1"}})"},
    {"NoName", R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":)"
               R"({"uid":"u","resourceVersion":"9"}}})"},
    {"NoVersion", R"({"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":)"
                  R"({"name":"a","namespace":"default","uid":"uid-a"}}})"},
    {"NoUid", R"({"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":)"
              R"({"name":"a","namespace":"default","resourceVersion":"9"}}})"},
    {"StatusAsObject", R"({"type":"ADDED","object":{"kind":"Status","apiVersion":"v1",)"
                       R"("status":"Failure","code":500}})"},
    {"EmptyObject", R"({"type":"DELETED","object":{}})"},
    {"UnknownType", R"({"type":"CHANGED","object":{"kind":"Pod","apiVersion":"v1","metadata":)"
                    R"({"name":"a","uid":"uid-a","resourceVersion":"9"}}})"},
    {"BookmarkOfAnotherKind", R"({"type":"BOOKMARK","object":{"kind":"Secret","apiVersion":"v1",)"
                              R"("metadata":{"resourceVersion":"99"}}})"},
    {"BookmarkWithoutVersion", R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",)"
                               R"("metadata":{}}})"},
};

TEST_F(WrongContentTest, WrongEventChangesNothingAndIsFollowedByAList) {
  for (const WrongCase& each : kWrongEvents) {
    SCOPED_TRACE(each.name);
    make_plain_informer();
    reply({.body = list_json("7", {{.name = "a", .version = "3"}})});
    step();
    reply({.body = std::string(each.body) + "\n" +
                   event_json("ADDED", {.name = "b", .version = "10"})});
    step();
    EXPECT_EQ(version_of("a"), "3");
    EXPECT_EQ(version_of("b"), "(none)") << "what follows is not read";

    wait();
    reply({.body = list_json("10", {{.name = "b", .version = "10"}})});
    step();
    EXPECT_THAT(last(), StartsWith("list "));
    EXPECT_EQ(version_of("b"), "10");
    informer_.reset();
  }
}

// ---- Custom resources ---------------------------------------------------------------------------

/// Widgets and gadgets of one group and version.
class WrongCustomContentTest : public WrongContentTest {
 protected:
  WrongCustomContentTest() {
    ApiCatalog catalog;
    catalog.groups = {
        {"acme.io", {{"v1", {}, {of("widgets", "Widget"), of("gadgets", "Gadget")}}}}};
    api_.known = std::make_shared<const ApiCatalog>(std::move(catalog));
    ReflectorOptions options;
    options.streaming_list = false;
    make_informer(options, {{"acme.io", "v1", "widgets"}, {}, {}, {}});
  }
  static ResourceInfo of(const char* resource, const char* kind) {
    ResourceInfo out;
    out.group = "acme.io";
    out.version = "v1";
    out.resource = resource;
    out.kind = kind;
    out.verbs = {"list", "watch"};
    return out;
  }
  static std::string list_of(std::string_view kind, std::string_view items = "") {
    return R"({"apiVersion":"acme.io/v1","kind":")" + std::string(kind) +
           R"(","metadata":{"resourceVersion":"7"},"items":[)" + std::string(items) + "]}";
  }
  static std::string object_of(std::string_view kind) {
    return R"({"apiVersion":"acme.io/v1","kind":")" + std::string(kind) +
           R"(","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"8"}})";
  }
};

TEST_F(WrongCustomContentTest, ListOfAnotherKindIsNoContent) {
  reply({.body = list_of("GadgetList")});
  step();
  EXPECT_FALSE(informer_->has_synced());
  EXPECT_EQ(api_.doubts, 1) << "the definition may have changed";
}

TEST_F(WrongCustomContentTest, ListMayHaveAnyOtherName) {
  reply({.body = list_of("AllWidgets", object_of("Widget"))});
  step();
  EXPECT_TRUE(informer_->has_synced());
  EXPECT_EQ(version_of("a"), "8");
  EXPECT_EQ(api_.doubts, 0);
}

TEST_F(WrongCustomContentTest, ItemAndEventOfAnotherKindAreErrors) {
  reply({.body = list_of("AllWidgets", object_of("Gadget"))});
  step();
  EXPECT_FALSE(informer_->has_synced());
  wait();
  reply({.body = list_of("WidgetList")});
  step();
  EXPECT_TRUE(informer_->has_synced());
  reply({.body = R"({"type":"ADDED","object":)" + object_of("Gadget") + "}\n"});
  step();
  EXPECT_EQ(version_of("a"), "(none)");
  EXPECT_EQ(api_.doubts, 2);
}

}  // namespace
}  // namespace davit::host
