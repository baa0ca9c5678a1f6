/// A namespace controller in the in-memory cluster, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plugins/namespace/namespace_controller.hpp"
#include "plugins/namespace/note.hpp"

namespace davit::namespaces {

using Json = davit::testing::Json;
using testing::Fault;
using testing::Verb;
using namespace std::chrono_literals;

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource = {"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

/// Objects are in the namespace "x", which is there from the beginning.
class NamespaceTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "namespace-controller";
  static constexpr Duration kDelay = 5s;

  NamespaceTest();
  void TearDown() override { EXPECT_EQ(cluster_.violations(), std::vector<std::string>()); }

  [[nodiscard]] testing::Cluster& cluster() { return cluster_; }

  // ---- The controller ----

  void start(std::string_view config = {});
  /// As start(), and `change(Served&)` makes of what the server offers what the test wants. It may
  /// answer a Status: the error of discovery.
  template <typename Change>
  void start_discovering(Change change) {
    const Status started = try_start_discovering(change);
    ASSERT_TRUE(started.ok()) << started.message();
    cluster_.run_until_idle();
    cluster_.clear_records();
    is_started_ = true;
  }
  template <typename Change>
  [[nodiscard]] Status try_start_discovering(Change change) {
    return cluster_.start(kController, [change](Context& context) {
      return NamespaceController::open_with(context, [&context, change](Asked) -> Result<Served> {
        const Result<ServedCatalog> catalog = context.discovery().fetch();
        if (!catalog) return catalog.error();
        Served found = served(*catalog);
        if constexpr (std::is_same_v<decltype(change(found)), Status>) {
          if (Status failed = change(found); !failed.ok()) return failed;
        } else {
          change(found);
        }
        return found;
      });
    });
  }
  /// Whether start_discovering() has ended.
  [[nodiscard]] bool is_started() const { return is_started_; }
  /// The preferred entry of a resource.
  static ServedKind& kind_of(Served& found, std::string_view resource) {
    return *std::find_if(found.kinds.begin(), found.kinds.end(),
                         [&](const ServedKind& each) { return each.gvr.resource == resource; });
  }
  /// Lets all pass that happens within `duration`.
  void advance(Duration duration) { cluster_.advance(duration); }
  /// The user deletes "x", and the controller syncs it once.
  void delete_and_sync() {
    delete_namespace();
    advance(kDelay);
  }

  // ---- Objects, as a user ----

  void create_namespace(const std::string& name);
  void delete_namespace(const std::string& name = "x") {
    cluster_.remove<Namespace>({"", name});
    cluster_.run_until_idle();
  }
  /// POSTs to a path below that of the namespace: "configmaps". `path`: "/api/v1".
  void post(std::string_view path, std::string_view resource, std::string_view body,
            std::string_view ns = "x");
  void add_config_map(const std::string& name, std::string_view finalizers = "[]",
                      std::string_view ns = "x");
  /// A pod on a node, so that it has time to end. `patch`: a JSON merge patch.
  void add_bound_pod(const std::string& name, int grace, std::string_view patch = "{}");
  /// As the kubelet does when its containers have ended.
  void end_pod(const std::string& name) { cluster_.erase<Pod>({"x", name}); }
  void drop_finalizers(const std::string& config_map);
  /// A CustomResourceDefinition of widgets.example.com, and one of them in "x".
  void add_widget();

  // ---- The server's state ----

  [[nodiscard]] bool has_namespace(const std::string& name = "x") {
    return cluster_.find<Namespace>({"", name}).has_value();
  }
  [[nodiscard]] bool has_config_map(const std::string& name, const std::string& ns = "x") {
    return cluster_.find<ConfigMap>({ns, name}).has_value();
  }
  [[nodiscard]] bool has_pod(const std::string& name) {
    return cluster_.find<Pod>({"x", name}).has_value();
  }
  [[nodiscard]] Json ns(const std::string& name = "x") const {
    return cluster_.json<Namespace>({"", name});
  }
  [[nodiscard]] std::vector<Json> conditions() const;
  /// "True <reason>: <message>"; "" without such a condition.
  [[nodiscard]] std::string condition(std::string_view type) const;
  [[nodiscard]] std::string transition_time(std::string_view type) const;

  // ---- What the controller did ----

  /// "deletecollection pods 200", … of all requests or of those for one resource.
  [[nodiscard]] std::vector<std::string> texts(std::string_view resource = {}) const;
  [[nodiscard]] std::size_t count(Verb verb, std::string_view resource,
                                  std::string_view subresource = {}) const {
    return cluster_.requests_of(verb, resource, subresource).size();
  }
  /// The number of syncs: each reads the namespace once, and again after each conflict.
  [[nodiscard]] std::size_t sync_count() const { return cluster_.syncs().size(); }
  [[nodiscard]] std::string last_error() const { return cluster_.syncs().back().error; }

 private:
  testing::Cluster cluster_;
  bool is_started_ = false;
};

}  // namespace davit::namespaces
