// docs/manifest.schema.json and the parser must say the same: same keys, same defaults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/signed_duration.hpp>
#include <set>

#include "host/config/manifest.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/strict_json.hpp"

namespace davit::host {
namespace {

const std::string kSchemaHead = "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n";

YamlNode schema() {
  const Result<std::string> text = read_text_file(DAVIT_DOCS "/manifest.schema.json");
  if (!text) return {};
  YamlDocument document = parse_strict_json(*text, "schema");
  for (const Mistake& mistake : document.mistakes) ADD_FAILURE() << mistake.str();
  return std::move(document.root);
}

std::set<std::string> keys_of_schema(const YamlNode& object) {
  std::set<std::string> out;
  const YamlNode* properties = object.find("properties");
  if (properties == nullptr) return out;
  for (const YamlMember& member : properties->members) out.insert(member.key);
  return out;
}

/// The parser names what is allowed when it meets an unknown key.
std::set<std::string> keys_of_parser(const std::string& manifest) {
  std::set<std::string> out;
  for (const Mistake& mistake : parse_manifest(manifest, "m").mistakes) {
    const std::size_t begin = mistake.text.find("(allowed: ");
    if (begin == std::string::npos) continue;
    std::string list = mistake.text.substr(begin + 10);
    list.pop_back();
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(", "), list.size());
      out.insert(list.substr(0, comma));
      list.erase(0, comma + 2);
    }
  }
  return out;
}

TEST(ManifestSchemaTest, SchemaAndParserKnowTheSameKeys) {
  const YamlNode root = schema();
  const YamlNode* properties = root.find("properties");
  ASSERT_NE(properties, nullptr);
  EXPECT_EQ(keys_of_schema(root), keys_of_parser(kSchemaHead + "zzzzzz: 1\n"));
  for (const char* section :
       {"client", "leaderElection", "health", "logging", "metrics", "journal", "pluginSignatures",
        "pluginSources", "quarantine", "swap", "tracing"}) {
    const YamlNode* node = properties->find(section);
    ASSERT_NE(node, nullptr) << section;
    EXPECT_EQ(keys_of_schema(*node), keys_of_parser(kSchemaHead + section + ": {zzzzzz: 1}\n"));
  }
  const YamlNode* definitions = root.find("definitions");
  EXPECT_EQ(keys_of_schema(*definitions->find("plugin")),
            keys_of_parser(kSchemaHead + "plugins: [{name: a, zzzzzz: 1}]\n"));
  EXPECT_EQ(keys_of_schema(*definitions->find("controller")),
            keys_of_parser(kSchemaHead + "plugins: [{name: a, controllers: {c: {zzzzzz: 1}}}]\n"));
}

/// Adds "section: {key: default, ...}" for all that has a default.
void append_defaults(const YamlNode& object, std::string& out) {
  for (const YamlMember& member : object.find("properties")->members) {
    const YamlNode* value = member.value.find("default");
    if (value != nullptr) {
      out += json_string(member.key) + ": " + *to_json(*value) + ",\n";
    } else if (member.value.find("properties") != nullptr) {
      out += json_string(member.key) + ": {";
      append_defaults(member.value, out);
      out += "},\n";
    }
  }
}

void expect_defaults(const Manifest& manifest) {
  const Manifest defaults;
  EXPECT_EQ(manifest.client.kubeconfig, defaults.client.kubeconfig);
  EXPECT_EQ(manifest.client.min_resync_period, defaults.client.min_resync_period);
  EXPECT_EQ(manifest.client.master, defaults.client.master);
  EXPECT_EQ(manifest.client.qps, defaults.client.qps);
  EXPECT_EQ(manifest.client.burst, defaults.client.burst);
  EXPECT_EQ(manifest.client.content_type, defaults.client.content_type);
  EXPECT_EQ(manifest.client.service_account_credentials,
            defaults.client.service_account_credentials);
  EXPECT_EQ(manifest.client.user_agent, defaults.client.user_agent);
  EXPECT_EQ(manifest.client.field_manager, defaults.client.field_manager);
  const LeaderElectionSettings& election = manifest.leader_election;
  EXPECT_EQ(election.enabled, defaults.leader_election.enabled);
  EXPECT_EQ(election.name, defaults.leader_election.name);
  EXPECT_EQ(election.ns, defaults.leader_election.ns);
  EXPECT_EQ(election.lease_duration, defaults.leader_election.lease_duration);
  EXPECT_EQ(election.renew_deadline, defaults.leader_election.renew_deadline);
  EXPECT_EQ(election.retry_period, defaults.leader_election.retry_period);
  EXPECT_EQ(election.migrates, defaults.leader_election.migrates);
  EXPECT_EQ(election.migration_config, defaults.leader_election.migration_config);
  EXPECT_EQ(manifest.health.bind_address, defaults.health.bind_address);
  EXPECT_EQ(manifest.health.port, defaults.health.port);
  EXPECT_EQ(manifest.serving.port.value_or(ServingSettings::kDefaultPort),
            ServingSettings::kDefaultPort);
  ServingSettings serving = manifest.serving;
  serving.port.reset();
  EXPECT_EQ(serving, defaults.serving);
  EXPECT_EQ(manifest.authentication, defaults.authentication);
  EXPECT_EQ(manifest.authorization, defaults.authorization);
  EXPECT_EQ(manifest.logging.verbosity, defaults.logging.verbosity);
  EXPECT_EQ(manifest.logging.format, defaults.logging.format);
  EXPECT_EQ(manifest.logging.modules, defaults.logging.modules);
  EXPECT_EQ(manifest.metrics, defaults.metrics);
  EXPECT_EQ(manifest.tracing.endpoint, defaults.tracing.endpoint);
  EXPECT_EQ(manifest.tracing.sampling_rate_per_million.value_or(kSampleAll), kSampleAll);
  EXPECT_EQ(manifest.tracing.headers, defaults.tracing.headers);
  EXPECT_EQ(manifest.tracing.certificate_authority, defaults.tracing.certificate_authority);
  EXPECT_EQ(manifest.controllers, defaults.controllers);
  EXPECT_EQ(manifest.controller_start_interval, defaults.controller_start_interval);
  EXPECT_EQ(manifest.controller_shutdown_timeout, defaults.controller_shutdown_timeout);
  EXPECT_EQ(manifest.dry_run, defaults.dry_run);
  EXPECT_EQ(manifest.state_directory, defaults.state_directory);
  EXPECT_EQ(manifest.quarantine.crashes, defaults.quarantine.crashes);
  EXPECT_EQ(manifest.quarantine.window, defaults.quarantine.window);
  EXPECT_EQ(manifest.journal.bytes, defaults.journal.bytes);
  EXPECT_EQ(manifest.swap.watch_for, defaults.swap.watch_for);
  EXPECT_EQ(manifest.swap.max_error_percent, defaults.swap.max_error_percent);
  EXPECT_EQ(manifest.plugin_signatures, defaults.plugin_signatures);
  EXPECT_EQ(manifest.plugin_sources, defaults.plugin_sources);
  EXPECT_EQ(manifest.plugin_directories, defaults.plugin_directories);
}

TEST(ManifestSchemaTest, SchemaAndParserHaveTheSameDefaults) {
  std::string text = "{apiVersion: davit.dev/v1alpha1, kind: ControllerHost,\n";
  append_defaults(schema(), text);
  const ManifestResult result = parse_manifest(text + "}", "m");
  for (const Mistake& mistake : result.mistakes) ADD_FAILURE() << mistake.str();
  expect_defaults(result.manifest);
}

TEST(ManifestSchemaTest, EveryKeyOfTheSchemaHasADefaultOrIsAList) {
  const YamlNode root = schema();
  for (const YamlMember& member : root.find("properties")->members) {
    const bool told = member.value.find("default") != nullptr ||
                      member.value.find("properties") != nullptr ||
                      member.value.find("const") != nullptr || member.key == "plugins";
    EXPECT_TRUE(told) << member.key;
  }
}

TEST(ManifestSchemaTest, TheSampleManifestIsGoodAndShowsTheDefaults) {
  const ManifestResult result = load_manifest(DAVIT_DOCS "/davit.yaml");
  for (const Mistake& mistake : result.mistakes) ADD_FAILURE() << mistake.str();
  expect_defaults(result.manifest);
  EXPECT_EQ(result.manifest.plugins->size(), 2U);
  const std::string text = *read_text_file(DAVIT_DOCS "/davit.yaml");
  EXPECT_TRUE(text.starts_with("# yaml-language-server: $schema=manifest.schema.json\n"));
}

TEST(ManifestSchemaTest, TheSampleManifestNamesEveryKey) {
  const YamlDocument sample = parse_yaml(*read_text_file(DAVIT_DOCS "/davit.yaml"), "davit.yaml");
  const YamlNode root = schema();
  for (const YamlMember& member : root.find("properties")->members) {
    const YamlNode* shown = sample.root.find(member.key);
    ASSERT_NE(shown, nullptr) << member.key;
    for (const std::string& key : keys_of_schema(member.value)) {
      EXPECT_NE(shown->find(key), nullptr) << member.key << "." << key;
    }
  }
}

}  // namespace
}  // namespace davit::host
