#include "host/loading/declared_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;

/// A controller whose watch takes its values from the configuration, with a default of labels only.
DeclaredController configured() {
  DeclaredController made;
  made.name = "c";
  DeclaredWatch watch{"", "v1", "pods", {}, "app=web", ""};
  watch.label_selector_from = {"watch.labels", true};
  watch.field_selector_from = {"watch.fields", false};
  watch.namespaces_from = {"watch.namespaces", false};
  made.watches = {watch};
  DeclaredRule rule{"", "pods", "", {"delete"}};
  rule.namespaces_from = {"watch.namespaces", false};
  made.rules = {rule};
  return made;
}

TEST(DeclaredConfigTest, ConfigurationGivesSelectorsAndNamespaces) {
  DeclaredController declared = configured();

  const Status status = apply_config(
      declared, R"({"watch":{"labels":"app=web,tier!=test","fields":"status.phase=Running",)"
                R"("namespaces":["x","y"]}})");

  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(declared.watches[0].label_selector, "app=web,tier!=test");
  EXPECT_EQ(declared.watches[0].field_selector, "status.phase=Running");
  EXPECT_THAT(declared.watches[0].namespaces, ElementsAre("x", "y"));
  EXPECT_THAT(declared.rules[0].namespaces, ElementsAre("x", "y"));
}

TEST(DeclaredConfigTest, DefaultStandsForAMissingValue) {
  DeclaredController declared = configured();

  const Status status =
      apply_config(declared, R"({"watch":{"fields":"","namespaces":"only-this"}})");

  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(declared.watches[0].label_selector, "app=web");
  EXPECT_THAT(declared.watches[0].namespaces, ElementsAre("only-this"));
}

TEST(DeclaredConfigTest, WhatTakesNothingNeedsNoConfiguration) {
  DeclaredController declared;
  declared.watches = {{"", "v1", "pods", {}, "app=web", ""}};

  EXPECT_TRUE(apply_config(declared, "").ok());
}

/// A controller whose HTTP requests go where the configuration says.
DeclaredController configured_http() {
  DeclaredController made;
  made.http.hosts_from = {"dns.server", false};
  made.http.roots_from = {"dns.caFile", true};
  return made;
}

TEST(DeclaredConfigTest, ConfigurationGivesHostsByTheUrlOfAService) {
  DeclaredController declared = configured_http();

  const Status status = apply_config(
      declared, R"({"dns":{"server":"https://dns.example.com/v2?x","caFile":"/etc/ca.pem"}})");

  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(declared.http.hosts, ElementsAre("dns.example.com"));
  EXPECT_EQ(declared.http.roots, "/etc/ca.pem");
}

TEST(DeclaredConfigTest, HostsThatAreMissingOrMalformedAreMistakes) {
  DeclaredController declared = configured_http();
  EXPECT_EQ(apply_config(declared, "{}").message(),
            "config.dns.server is missing: the plugin's note takes the hosts of its HTTP requests "
            "from it");
  EXPECT_EQ(apply_config(declared, R"({"dns":{"server":7}})").message(),
            "config.dns.server must be the URL of a server or a list of them: the plugin's note "
            "takes the hosts of its HTTP requests from it");
  EXPECT_EQ(apply_config(declared, R"({"dns":{"server":["ftp://x"]}})").message(),
            "config.dns.server must be hosts such as \"dns.example.com\", \"*.example.com:8443\" "
            "or \"http://localhost:9090\", not \"ftp://x\": the plugin's note takes the hosts of "
            "its HTTP requests from it");
  EXPECT_FALSE(apply_config(declared, R"({"dns":{"server":[]}})").ok());
}

struct ConfigCase {
  const char* config;
  const char* want;
};

// A value that is missing never reads as "all": that would widen what the plugin may do.
constexpr ConfigCase kConfigCases[] = {
    {"",
     "config.watch.fields is missing: the plugin's note takes fieldSelector of the watch of "
     "pods from it"},
    {R"({"watch":{"fields":""}})",
     "config.watch.namespaces is missing: the plugin's note takes namespaces of the watch of pods "
     "from it"},
    {R"({"watch":{"fields":"","namespaces":[]}})",
     "config.watch.namespaces must have at least one entry; [\"*\"] means every namespace: the "
     "plugin's note takes namespaces of the watch of pods from it"},
    {R"({"watch":{"fields":"","namespaces":["a/b"]}})",
     "config.watch.namespaces must be names of namespaces such as \"default\", not \"a/b\": the "
     "plugin's note takes namespaces of the watch of pods from it"},
    {R"({"watch":{"fields":"","namespaces":[1]}})",
     "config.watch.namespaces must be a namespace or a list of them: the plugin's note takes "
     "namespaces of the watch of pods from it"},
    {R"({"watch":{"labels":5}})",
     "config.watch.labels must be a string, not the number 5: the plugin's note takes "
     "labelSelector of the watch of pods from it"},
    {R"({"watch":{"labels":"a in ("}})",
     "config.watch.labels must be a label selector such as \"app=web,tier!=test\", not \"a in (\": "
     "the plugin's note takes labelSelector of the watch of pods from it"},
};

TEST(DeclaredConfigTest, EachMistakeNamesThePlaceAndThePurpose) {
  for (const ConfigCase& each : kConfigCases) {
    DeclaredController declared = configured();
    EXPECT_EQ(apply_config(declared, each.config).message(), each.want) << each.config;
  }
}

}  // namespace
}  // namespace davit::host
