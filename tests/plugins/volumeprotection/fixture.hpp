/// A cluster in memory for the controllers of the plugin, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

#include "plugins/volumeprotection/note.hpp"

namespace davit::volumeprotection {

class ProtectionTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  using Verb = testing::Verb;

  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  void start(std::string_view name, InitResult (*factory)(Context&), std::string_view config = {}) {
    ASSERT_TRUE(cluster_.start(name, factory, config).ok());
    settle();
  }
  void settle() { cluster_.run_until_idle(); }

  template <typename View>
  [[nodiscard]] bool has(const Key& key) {
    return cluster_.find<View>(key).has_value();
  }
  /// The finalizers of an object, such as `["kubernetes.io/pv-protection"]`; "" for none.
  template <typename View>
  [[nodiscard]] std::string finalizers(const Key& key) {
    Json object = cluster_.json<View>(key);
    const Json* found = object["metadata"].find("finalizers");
    return found == nullptr ? "" : found->dump();
  }
  /// The requests of the controllers, a line each.
  [[nodiscard]] std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
    return out;
  }

  testing::Cluster cluster_{{.note = note_text<volumeprotection::declare>()}};
};

}  // namespace davit::volumeprotection
