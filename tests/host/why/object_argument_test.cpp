#include "host/why/object_argument.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::HasSubstr;

ResourceInfo resource(const char* group, const char* plural, const char* kind,
                      const char* short_name) {
  ResourceInfo info;
  info.group = group;
  info.version = "v1";
  info.resource = plural;
  info.kind = kind;
  info.singular = std::string(plural).substr(0, std::string_view(plural).size() - 1);
  info.short_names = {short_name};
  return info;
}

ApiCatalog catalog() {
  ApiCatalog made;
  made.groups = {
      {"",
       {{"v1", {}, {resource("", "pods", "Pod", "po"), resource("", "events", "Event", "ev")}}}},
      {"apps", {{"v1", {}, {resource("apps", "deployments", "Deployment", "deploy")}}}},
      {"events.k8s.io", {{"v1", {}, {resource("events.k8s.io", "events", "Event", "ev")}}}}};
  return made;
}

struct ArgumentCase {
  const char* argument;
  const char* group;
  const char* resource;
  const char* name;
};

constexpr ArgumentCase kArguments[] = {
    {"deployment/web", "apps", "deployments", "web"},
    {"deployments/web", "apps", "deployments", "web"},
    {"Deployment/web", "apps", "deployments", "web"},
    {"DEPLOY/web", "apps", "deployments", "web"},
    {"deployments.apps/web", "apps", "deployments", "web"},
    {"deployments.v1.apps/web", "apps", "deployments", "web"},
    {"po/web-1-x.y", "", "pods", "web-1-x.y"},
    {"events/a", "", "events", "a"},
    {"events.events.k8s.io/a", "events.k8s.io", "events", "a"},
    {"pod/system:node:a", "", "pods", "system:node:a"},
    {"pod/Größe \"1\"", "", "pods", "Größe \"1\""},
};

TEST(ObjectArgumentTest, KindsAreFoundAsKubectlFindsThem) {
  for (const ArgumentCase& each : kArguments) {
    const Result<ObjectArgument> found = resolve_object(each.argument, catalog());
    ASSERT_TRUE(found) << each.argument << ": " << found.error().message();
    EXPECT_EQ(found->resource.group, each.group) << each.argument;
    EXPECT_EQ(found->resource.resource, each.resource) << each.argument;
    EXPECT_EQ(found->name, each.name);
  }
}

TEST(ObjectArgumentTest, WhatDoesNotNameAnObjectIsInvalid) {
  for (const char* const argument : {"", "web", "/", "/web", "deployment/", "deployment/a/b"}) {
    const Result<ObjectArgument> found = resolve_object(argument, catalog());
    ASSERT_FALSE(found) << argument;
    EXPECT_EQ(found.error().code(), Code::kInvalid) << argument;
    EXPECT_THAT(found.error().message(), HasSubstr("write KIND/NAME"));
  }
}

TEST(ObjectArgumentTest, KindThatTheServerLacksIsNotFound) {
  for (const char* const argument :
       {"dragon/smaug", "deployments.batch/web", "deployments.v2.apps/web", "./x"}) {
    const Result<ObjectArgument> found = resolve_object(argument, catalog());
    ASSERT_FALSE(found) << argument;
    EXPECT_EQ(found.error().code(), Code::kNotFound) << argument;
  }
}

TEST(ObjectArgumentTest, LongAndHostileKindIsQuotedAndCut) {
  const std::string kind = "\x1b[31m" + std::string(100'000, 'a');

  const Result<ObjectArgument> found = resolve_object(kind + "/x", catalog());

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message().find('\x1b'), std::string::npos);
  EXPECT_LT(found.error().message().size(), 1000U);
}

}  // namespace
}  // namespace davit::host
