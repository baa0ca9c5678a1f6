/// A garbage collector in the in-memory cluster, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/garbagecollector/garbage_collector.hpp"
#include "plugins/garbagecollector/note.hpp"

namespace davit::garbage {

using Json = davit::testing::Json;
using testing::Fault;
using testing::Verb;
using namespace std::chrono_literals;

/// An object on the server.
struct Thing {
  std::string collection;  ///< "/api/v1/namespaces/ns/configmaps"
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;

  [[nodiscard]] std::string path() const { return collection + "/" + name; }
};

/// The parts of an object beyond its name.
struct Extras {
  std::string owners = "[]";  ///< JSON: see own().
  std::string finalizers = "[]";
  std::string ns = "ns";
};

/// Objects are ConfigMaps in the namespace "ns"; "ns2" is there, too.
class GarbageTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "garbage-collector-controller";

  GarbageTest();
  void TearDown() override { EXPECT_EQ(cluster_.violations(), std::vector<std::string>()); }

  [[nodiscard]] testing::Cluster& cluster() { return cluster_; }

  // ---- The controller ----

  void start() {
    start_discovering([](Offer&) { return Status(); });
  }
  /// As start(), and `change` makes of what the server offers what the test wants. Its error is
  /// that of discovery.
  void start_discovering(const std::function<Status(Offer&)>& change);
  /// The same, before what happened is forgotten.
  void start_recording(const std::function<Status(Offer&)>& change);
  void stop() { cluster_.stop(kController); }
  /// Puts another build in the place of the one that runs.
  void swap();
  [[nodiscard]] const GarbageCollector& collector() const { return *collector_; }

  void run() { cluster_.run_until_idle(); }
  void advance(Duration duration) { cluster_.advance(duration); }

  // ---- Objects, as a user ----

  /// A reference as JSON text.
  [[nodiscard]] static std::string own(const Thing& owner, std::string_view more = "");
  [[nodiscard]] static std::string own_blocking(const Thing& owner) {
    return own(owner, R"(,"blockOwnerDeletion":true)");
  }
  [[nodiscard]] static std::string list(const std::vector<std::string>& references);
  /// A ConfigMap that does not exist.
  [[nodiscard]] static Thing absent(const std::string& name) {
    return {"", "v1", "ConfigMap", name, name + "-never-was"};
  }

  Thing create(const std::string& name, const Extras& extras = {});
  Thing create_owned(const std::string& name, const std::vector<std::string>& references,
                     const std::string& finalizers = "[]") {
    return create(name, {.owners = list(references), .finalizers = finalizers});
  }
  /// POSTs `body` to a collection. "NAME", "OWNERS" and "FINALIZERS" in it are replaced.
  Thing create_in(const std::string& collection, std::string body, const std::string& name,
                  const Extras& extras = {});
  Thing create_pod(const std::string& name, const Extras& extras = {});
  void create_namespace(const std::string& name);
  /// A CustomResourceDefinition of widgets.example.com.
  void define_widgets(std::string_view versions = kOneVersion);
  Thing create_widget(const std::string& name, const Extras& extras = {});
  void erase(const Thing& thing, std::string_view policy = "Background");
  /// A JSON merge patch.
  void merge(const Thing& thing, const std::string& patch);
  void set_owners(const Thing& thing, const std::vector<std::string>& references) {
    merge(thing, R"({"metadata":{"ownerReferences":)" + list(references) + "}}");
  }
  void drop_finalizers(const Thing& thing) { merge(thing, R"({"metadata":{"finalizers":null}})"); }

  // ---- The server's state ----

  [[nodiscard]] bool exists(const Thing& thing) const;
  [[nodiscard]] bool is_being_deleted(const Thing& thing) const;
  /// Names of its owners.
  [[nodiscard]] std::vector<std::string> owners(const Thing& thing) const;
  [[nodiscard]] std::vector<std::string> finalizers(const Thing& thing) const;
  [[nodiscard]] Json read(const Thing& thing) const;

  // ---- What the controller did ----

  /// "get configmaps/d 200", … of all requests, or of those about a name.
  [[nodiscard]] std::vector<std::string> texts(std::string_view name = {}) const;
  [[nodiscard]] std::vector<testing::RequestRecord> deletions(std::string_view name) const;
  [[nodiscard]] std::vector<testing::RequestRecord> patches(std::string_view name) const;
  /// The policy in the body of the only deletion of an object.
  [[nodiscard]] std::string policy_of_deletion(std::string_view name) const;
  [[nodiscard]] double sync_errors() const;
  /// Makes the next request about an object fail.
  void fail(Verb verb, const std::string& name, int http_status, int times = 1);

  static constexpr std::string_view kOneVersion =
      R"([{"name":"v1","served":true,"storage":true,)"
      R"("schema":{"openAPIV3Schema":{"type":"object"}}}])";

 private:
  [[nodiscard]] std::vector<testing::RequestRecord> requests_about(Verb verb,
                                                                   std::string_view name) const;
  testing::RawReply send(const std::string& method, const std::string& target,
                         const std::string& body = {},
                         const std::string& type = "application/json") const;
  [[nodiscard]] InitResult open(Context& context);

  mutable testing::Cluster cluster_;
  std::function<Status(Offer&)> change_;
  const GarbageCollector* collector_ = nullptr;
};

}  // namespace davit::garbage
