/// A cluster in memory for the controllers of the plugin, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

#include "plugins/volumebinder/note.hpp"

namespace davit::volumebinder {

class BinderTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  using Verb = testing::Verb;
  using Claim = volumes::Claim;
  using Volume = volumes::Volume;
  static constexpr const char* kBinder = "persistentvolume-binder-controller";
  static constexpr const char* kYes = R"({"pv.kubernetes.io/bound-by-controller":"yes"})";

  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  void start(std::string_view config = {}) {
    ASSERT_TRUE(cluster_.start(kBinder, &VolumeBinder::open, config).ok());
    run();
  }
  void run() { cluster_.run_until_idle(); }
  /// The next pass over all objects.
  void resync() { cluster_.advance(std::chrono::seconds(16)); }

  /// A volume of 1Gi, ReadWriteOnce, a hostPath of no class with policy Retain; `changes` and
  /// `more` are merge patches.
  void add_volume(const std::string& name, const std::string& changes = "{}",
                  const std::string& more = "{}") {
    Json volume =
        Json::must(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":")" + name +
                   R"(","uid":"uid-)" + name + R"("},"spec":{"capacity":{"storage":
        "1Gi"},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain",
        "hostPath":{"path":"/data"}},"status":{"phase":"Pending"}})");
    merge_patch(volume, Json::must(changes));
    merge_patch(volume, Json::must(more));
    cluster_.add(volume);
  }
  void add_volume_of_size(const std::string& name, const std::string& size,
                          const std::string& modes = R"(["ReadWriteOnce"])") {
    add_volume(
        name, R"({"spec":{"capacity":{"storage":")" + size + R"("},"accessModes":)" + modes + "}}");
  }
  /// A volume that a claimRef names `claim` in; an empty `uid` leaves it out.
  void add_claimed(const std::string& name, const std::string& claim, const std::string& uid,
                   const std::string& changes = "{}") {
    Json patch =
        Json::must(R"({"spec":{"claimRef":{"kind":"PersistentVolumeClaim","apiVersion":"v1",
        "namespace":"ns","name":")" +
                   claim + R"("}}})");
    if (!uid.empty()) patch["spec"]["claimRef"]["uid"] = Json::must('"' + uid + '"');
    add_volume(name, patch.dump(), changes);
  }
  /// A claim of 1Gi, ReadWriteOnce, of the class "".
  void add_claim(const std::string& name, const std::string& changes = "{}") {
    Json claim =
        Json::must(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":")" +
                   name + R"(","namespace":"ns","uid":"uid-)" + name +
                   R"("},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"",
        "resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}})");
    merge_patch(claim, Json::must(changes));
    cluster_.add(claim);
  }
  void add_claim_of_size(const std::string& name, const std::string& size) {
    add_claim(name, R"({"spec":{"resources":{"requests":{"storage":")" + size + R"("}}}})");
  }
  void add_claim_of_class(const std::string& name, const std::string& storage_class) {
    add_claim(name, R"({"spec":{"storageClassName":")" + storage_class + R"("}})");
  }
  void add_class(const std::string& name, const std::string& provisioner = "example.com/p",
                 const std::string& mode = "Immediate", const std::string& metadata = "{}") {
    Json out = Json::must(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":
        {"name":")" + name +
                          R"("},"provisioner":")" + provisioner + R"(","volumeBindingMode":")" +
                          mode + R"("})");
    merge_patch(out["metadata"], Json::must(metadata));
    cluster_.add(out);
  }
  void add_pod(const std::string& name, const std::string& claim, const std::string& node = "",
               const std::string& phase = "Pending") {
    cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                 R"(","namespace":"ns"},"spec":{"containers":[{"name":"c","image":"i"}],)" +
                 (node.empty() ? "" : R"("nodeName":")" + node + R"(",)") +
                 R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":")" + claim +
                 R"("}}]},"status":{"phase":")" + phase + R"("}})");
  }
  /// volume `v` bound to claim `c`, both as the controller leaves them.
  void bind(const std::string& v = "v", const std::string& c = "c",
            const std::string& volume_changes = "{}") {
    add_volume(v, volume_changes);
    add_claim(c);
    run();
    resync();
    ASSERT_TRUE(is_bound(v, c));
  }

  [[nodiscard]] Json volume(const std::string& name = "v") {
    return cluster_.json<Volume>({"", name});
  }
  [[nodiscard]] Json claim(const std::string& name = "c") {
    return cluster_.json<Claim>({"ns", name});
  }
  [[nodiscard]] std::string volume_phase(const std::string& name = "v") {
    return std::string(cluster_.find<Volume>({"", name})->phase());
  }
  [[nodiscard]] std::string claim_phase(const std::string& name = "c") {
    return std::string(cluster_.find<Claim>({"ns", name})->phase());
  }
  /// As the specification means it.
  [[nodiscard]] bool is_bound(const std::string& v, const std::string& c) {
    const auto volume = cluster_.find<Volume>({"", v});
    const auto claim = cluster_.find<Claim>({"ns", c});
    return volume && claim && volume->phase() == "Bound" && claim->phase() == "Bound" &&
           claim->volume_name() == v && volume->claim_ref()["uid"].string() == claim->uid() &&
           claim->annotation("pv.kubernetes.io/bind-completed").has_value();
  }
  [[nodiscard]] std::string volume_annotation(const std::string& v, std::string_view key) {
    return std::string(cluster_.find<Volume>({"", v})->annotation(key).value_or(""));
  }
  [[nodiscard]] std::string claim_annotation(const std::string& c, std::string_view key) {
    return std::string(cluster_.find<Claim>({"ns", c})->annotation(key).value_or(""));
  }
  [[nodiscard]] std::string claim_uid(const std::string& c = "c") {
    return std::string(cluster_.find<Claim>({"ns", c})->uid());
  }

  /// The requests of the controller, a line each.
  [[nodiscard]] std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
    return out;
  }
  [[nodiscard]] std::vector<std::string> writes() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.writes()) out.push_back(each.text());
    return out;
  }
  /// The number of times that an Event was recorded.
  [[nodiscard]] int times(const std::string& text) const {
    int count = 0;
    for (const std::string& each : cluster_.event_texts()) count += each == text ? 1 : 0;
    return count;
  }
  /// The last value of a gauge, or the sum of a counter.
  [[nodiscard]] double metric(const std::string& name, const std::vector<std::string>& labels,
                              bool is_gauge) const {
    double out = 0;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == name && each.labels == labels)
        out = is_gauge ? each.value : out + each.value;
    }
    return out;
  }

  testing::Cluster cluster_{{.note = note_text<volumebinder::declare>()}};
};

}  // namespace davit::volumebinder
