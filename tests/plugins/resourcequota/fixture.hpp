/// The resource quota controller in the in-memory cluster, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/resourcequota/note.hpp"
#include "plugins/resourcequota/quota_controller.hpp"

namespace davit::resourcequota {

using testing::Fault;
using testing::Json;
using testing::PodBuilder;
using testing::Verb;
using namespace std::chrono_literals;

/// All in namespace "t". What is added is past the server's admission, as if it had been there
/// before the quota.
class QuotaTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "resourcequota-controller";
  static constexpr Duration kPeriod = 5min;

  QuotaTest();
  void TearDown() override {
    EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty());
    EXPECT_THAT(cluster_.events(), ::testing::IsEmpty()) << "RQ63";
  }

  /// `config` is JSON. `change` makes of what the server offers what the test wants; its error is
  /// that of discovery.
  void start(
      std::string_view config = {},
      const std::function<Status(Offer&)>& change = [](Offer&) { return Status(); });
  void run() { cluster_.run_until_idle(); }
  void recalculate() { cluster_.advance(kPeriod); }

  // ---- Objects ----

  /// Stores a quota, or changes its spec. `hard` is JSON, `more` further members of the spec.
  void quota(std::string_view hard, std::string_view more = {}, const std::string& name = "q");
  [[nodiscard]] static PodBuilder pod(std::string_view name) {
    return PodBuilder(name).ns("t").phase("Running");
  }
  /// A running pod whose only container requests this: R"("cpu":"100m")".
  [[nodiscard]] static PodBuilder pod_with(std::string_view name, std::string_view requests);
  /// Adds an object of namespace "t": JSON without the braces and without metadata.namespace.
  void add(std::string_view api_version, std::string_view kind, std::string_view name,
           std::string_view members = {}, std::string_view metadata = {});
  /// Defines widgets.example.com.
  void define_widgets();
  void add_widget(std::string_view name) { add("example.com/v1", "Widget", name); }
  void erase(const std::string& path);
  testing::RawReply send(const std::string& method, const std::string& target,
                         const std::string& body = {},
                         const std::string& type = "application/json") const;

  // ---- What is ----

  [[nodiscard]] Json read(const std::string& name = "q") const {
    return cluster_.json<ResourceQuota>({"t", name});
  }
  /// "pods=1 services=0": status.used, sorted.
  [[nodiscard]] std::string used(const std::string& name = "q") const;
  [[nodiscard]] std::string hard(const std::string& name = "q") const;
  [[nodiscard]] std::vector<std::string> writes() const;

  mutable testing::Cluster cluster_{{.note = note_text<resourcequota::declare>()}};

 private:
  [[nodiscard]] std::string status_list(const std::string& name, std::string_view list) const;

  std::function<Status(Offer&)> change_;
};

}  // namespace davit::resourcequota
