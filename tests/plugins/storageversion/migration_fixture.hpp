/// A cluster in memory for the migrator, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

#include "plugins/storageversion/note.hpp"

namespace davit::storageversion {

/// The custom resource that the tests migrate.
class Foo : public ObjectView {
 public:
  static constexpr Resource kResource{"x.example.com", "v2", "foos", "Foo"};
  using ObjectView::ObjectView;
};

class MigratorTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  using Verb = testing::Verb;
  static constexpr const char* kMigrator = "storage-version-migrator-controller";
  static constexpr const char* kSwitchedOn = R"({"storageVersionMigrator":"on"})";
  static constexpr const char* kDefinition = "foos.x.example.com";

  /// The kind, by a migration that ended long ago, and three objects of the custom resource, which
  /// has had another storage version.
  void SetUp() override {
    add_migration("long-ago", "", "secrets",
                  R"({"resourceVersion":"1","conditions":[
        {"type":"Running","status":"False","reason":"MigrationCompleted","message":"x"},
        {"type":"Succeeded","status":"True","reason":"x","message":""}]})");
    add_definition("foos", "Foo");
    patch_definition("/status", R"({"status":{"storedVersions":["v1","v2"]}})");
    for (const char* name : {"f0", "f1", "f2"}) add_object("Foo", name);
  }
  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  void start() {
    ASSERT_TRUE(cluster_.start(kMigrator, &StorageVersionMigrator::open, kSwitchedOn).ok());
    settle();
    ASSERT_THAT(requests(), ::testing::IsEmpty());
  }
  void settle() { cluster_.run_until_idle(); }

  void add_migration(const std::string& name, const std::string& group, const std::string& resource,
                     const std::string& status = "{}", const std::string& created = {}) {
    Json object = Json::must(
        R"({"apiVersion":"storagemigration.k8s.io/v1beta1","kind":"StorageVersionMigration"})");
    object["metadata"]["name"] = name;
    object["metadata"]["creationTimestamp"] =
        created.empty() ? format_time(cluster_.wall_now()) : created;
    object["spec"]["resource"]["group"] = group;
    object["spec"]["resource"]["resource"] = resource;
    object["status"] = Json::must(status);
    cluster_.add(object);
  }
  void migrate_foos(const std::string& name = "m") { add_migration(name, "x.example.com", "foos"); }

  /// In x.example.com, v1 and v2, of which v2 is the stored one now.
  void add_definition(const std::string& plural, const std::string& kind) {
    const std::string version =
        R"("schema":{"openAPIV3Schema":{"type":"object",
           "x-kubernetes-preserve-unknown-fields":true}},"served":true)";
    cluster_.add(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":")" +
                 plural + R"(.x.example.com"},"spec":{"group":"x.example.com",
        "scope":"Namespaced","names":{"plural":")" +
                 plural + R"(","singular":"x)" + plural + R"(","kind":")" + kind +
                 R"(","listKind":")" + kind +
                 R"(List"},"versions":[{"name":"v1","storage":false,)" + version +
                 R"(},{"name":"v2","storage":true,)" + version +
                 R"(}]},"status":{"storedVersions":["v2"],
        "acceptedNames":{"plural":")" +
                 plural + R"(","singular":"x)" + plural + R"(","kind":")" + kind +
                 R"(","listKind":")" + kind + R"(List"},
        "conditions":[{"type":"Established","status":"True"},
                      {"type":"NamesAccepted","status":"True"}]}})");
  }
  /// As an administrator. `part`: "", or "/status".
  void patch_definition(const std::string& part, const std::string& patch) {
    const testing::RawReply reply = cluster_.exchange(
        {.method = "PATCH",
         .target = std::string("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/") +
                   kDefinition + part,
         .headers = {{"Content-Type", "application/merge-patch+json"}},
         .body = patch});
    ASSERT_EQ(reply.http_status, 200) << reply.body;
  }
  /// Has the server store the objects in this version from now on.
  void store_in(const std::string& version) {
    Json versions = cluster_.json<Definition>({"", kDefinition})["spec"]["versions"];
    for (Json& each : versions.items()) {
      each["storage"] = Json::must(each.text_at({"name"}) == version ? "true" : "false");
    }
    patch_definition("", R"({"spec":{"versions":)" + versions.dump() + "}}");
  }
  void add_object(const std::string& kind, const std::string& name,
                  const std::string& ns = "default") {
    cluster_.add(R"({"apiVersion":"x.example.com/v2","kind":")" + kind +
                 R"(","metadata":{"name":")" + name + R"(","namespace":")" + ns + R"("}})");
  }

  /// "Running=False MigrationCompleted", … in their order.
  [[nodiscard]] std::vector<std::string> conditions(const std::string& name = "m") {
    return conditions_in(cluster_.json<Migration>({"", name}));
  }
  /// The condition of the definition, "True MigrationRunning <message> of generation 1".
  [[nodiscard]] std::string migrating(const std::string& definition = kDefinition) {
    Json object = cluster_.json<Definition>({"", definition});
    for (Json& each : object["status"]["conditions"].items()) {
      if (each.text_at({"type"}) != "StorageMigrating") continue;
      return each.text_at({"status"}) + " " + each.text_at({"reason"}) + " " +
             each.text_at({"message"}) + " of generation " + each["observedGeneration"].dump();
    }
    return "";
  }
  [[nodiscard]] std::string stored_versions() {
    return cluster_.json<Definition>({"", kDefinition})["status"]["storedVersions"].dump();
  }
  [[nodiscard]] std::string message(const std::string& name = "m") {
    Json object = cluster_.json<Migration>({"", name});
    for (Json& each : object["status"]["conditions"].items()) {
      if (each.text_at({"type"}) == "Failed") return each.text_at({"message"});
    }
    return "";
  }
  /// The names of the objects that were applied, in order.
  [[nodiscard]] std::vector<std::string> applied(const std::string& resource = "foos") {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.requests_of(Verb::kPatch, resource)) {
      out.push_back(each.name);
    }
    return out;
  }
  [[nodiscard]] std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
    return out;
  }

  static std::vector<std::string> conditions_in(Json object) {
    std::vector<std::string> out;
    for (Json& each : object["status"]["conditions"].items()) {
      out.push_back(each.text_at({"type"}) + "=" + each.text_at({"status"}) + " " +
                    each.text_at({"reason"}));
    }
    return out;
  }

  testing::Cluster cluster_{{.note = note_text<storageversion::declare>()}};
};

}  // namespace davit::storageversion
