#include "sandbox/kinds/resource.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace davit::sandbox {
namespace {

ResourcePtr find(std::string_view api_version, std::string_view name) {
  const std::vector<ResourcePtr> all = builtin_resources();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ResourcePtr& each) {
    return each->api_version() == api_version && each->name == name;
  });
  return found == all.end() ? nullptr : *found;
}

TEST(ResourceTest, NoPluralOfAGroupVersionComesTwice) {
  std::set<std::string> seen;
  for (const ResourcePtr& each : builtin_resources()) {
    EXPECT_TRUE(seen.insert(each->api_version() + '/' + each->name).second) << each->name;
    EXPECT_TRUE(std::is_sorted(each->verbs.begin(), each->verbs.end())) << each->name;
    EXPECT_EQ(each->rules->columns().size(), each->rules->cells(Json::object(), {}).size())
        << each->name;
    EXPECT_EQ(each->has_status, each->subresource("status") != nullptr) << each->name;
  }
}

TEST(ResourceTest, NamesItselfAsMessagesDo) {
  const ResourcePtr deployments = find("apps/v1", "deployments");
  const ResourcePtr pods = find("v1", "pods");

  EXPECT_EQ(deployments->qualified_name(), "deployments.apps");
  EXPECT_EQ(deployments->singular, "deployment");
  EXPECT_EQ(pods->qualified_name(), "pods");
  EXPECT_EQ(pods->short_names, std::vector<std::string>{"po"});
  EXPECT_EQ(pods->categories, std::vector<std::string>{"all"});
}

TEST(ResourceTest, SubresourcesSayWhatTheirRequestsCarry) {
  const ResourcePtr pods = find("v1", "pods");

  ASSERT_NE(pods->subresource("eviction"), nullptr);
  EXPECT_EQ(pods->subresource("eviction")->kind, "Eviction");
  EXPECT_EQ(pods->subresource("eviction")->verbs, std::vector<std::string>{"create"});
  EXPECT_EQ(pods->subresource("proxy")->kind, "PodProxyOptions");
  EXPECT_EQ(pods->subresource("status")->kind, "");
  EXPECT_EQ(pods->subresource("scale"), nullptr);
}

TEST(ResourceTest, BothGroupsOfEventsShareOneCollection) {
  EXPECT_EQ(find("v1", "events")->collection, find("events.k8s.io/v1", "events")->collection);
}

struct FlagCase {
  std::string_view api_version;
  std::string_view name;
  bool Resource::*flag;
  bool expected;
};

// clang-format off
constexpr FlagCase kFlagCases[] = {
    {"v1",                     "namespaces",  &Resource::namespaced,            false},
    {"v1",                     "nodes",       &Resource::keeps_status_on_create, true},
    {"v1",                     "pods",        &Resource::graceful_deletion,      true},
    {"v1",                     "pods",        &Resource::delete_returns_object,  true},
    {"v1",                     "configmaps",  &Resource::delete_returns_object,  false},
    {"v1",                     "configmaps",  &Resource::unconditional_update,   true},
    {"v1",                     "configmaps",  &Resource::has_status,             false},
    {"v1",                     "services",    &Resource::has_generation,         false},
    {"v1",                     "endpoints",   &Resource::create_on_update,       true},
    {"coordination.k8s.io/v1", "leases",      &Resource::unconditional_update,   false},
    {"coordination.k8s.io/v1", "leases",      &Resource::create_on_update,       true},
    {"batch/v1",               "jobs",        &Resource::orphans_by_default,     true},
    {"apps/v1",                "deployments", &Resource::orphans_by_default,     false},
    {"apps/v1",                "deployments", &Resource::has_generation,         true},
};
// clang-format on

TEST(ResourceTest, FlagsAreThoseOfTheRealServer) {
  for (const FlagCase& each : kFlagCases) {
    const ResourcePtr resource = find(each.api_version, each.name);
    ASSERT_NE(resource, nullptr) << each.name;
    EXPECT_EQ((*resource).*each.flag, each.expected) << each.name;
  }
}

struct ErrorCase {
  FieldError error;
  std::string reason;
  std::string message;
};

TEST(FieldErrorTest, TextsAreThoseOfTheRealServer) {
  const ErrorCase cases[] = {
      {field_required("f"), "FieldValueRequired", "Required value"},
      {field_required("f", "why"), "FieldValueRequired", "Required value: why"},
      {field_invalid("f", "a\"b", "why"), "FieldValueInvalid", R"(Invalid value: "a\"b": why)"},
      {field_invalid("f", -1, "why"), "FieldValueInvalid", "Invalid value: -1: why"},
      {field_invalid("f", Json(), "why"), "FieldValueInvalid", "Invalid value: null: why"},
      {field_invalid("f", Json::object({{"a", "x"}}), "why"), "FieldValueInvalid",
       R"(Invalid value: {"a":"x"}: why)"},
      {field_duplicate("f", "c"), "FieldValueDuplicate", R"(Duplicate value: "c")"},
      {field_not_found("f", "v"), "FieldValueNotFound", R"(Not found: "v")"},
      {field_not_supported("f", "X", {"A", "B"}), "FieldValueNotSupported",
       R"(Unsupported value: "X": supported values: "A", "B")"},
      {field_forbidden("f", "no"), "FieldValueForbidden", "Forbidden: no"},
      {field_too_long("f", 5), "FieldValueTooLong", "Too long: may not be more than 5 bytes"},
      {field_too_many("f", 3, 2), "FieldValueTooMany", "Too many: 3: must have at most 2 items"},
  };
  for (const ErrorCase& each : cases) {
    EXPECT_EQ(each.error.reason, each.reason);
    EXPECT_EQ(each.error.message, each.message);
    EXPECT_EQ(each.error.field, "f");
  }
}

}  // namespace
}  // namespace davit::sandbox
