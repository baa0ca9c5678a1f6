/// A cluster in memory for the controller, under the rights of its note. The test is the binder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

#include "plugins/selinuxwarning/note.hpp"

namespace davit::selinuxwarning {

class SelinuxWarningTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  static constexpr const char* kController = "selinux-warning-controller";
  static constexpr const char* kEnd =
      ". If both pods land on the same node, only one of them may access the volume.";

  void TearDown() override {
    EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty());
    EXPECT_THAT(cluster_.requests(), ::testing::IsEmpty()) << "it writes Events only";
  }

  /// Driver a.csi mounts with labels, b.csi does not; claim p is bound to a volume of a.csi.
  void add_world() {
    add_driver("a.csi", "true");
    add_driver("b.csi", "false");
    add_volume("p", csi("a.csi", "h-p"));
  }
  void start() {
    ASSERT_TRUE(cluster_.start(kController, &make_without_options<SelinuxWarningController>).ok());
    settle();
  }
  void settle() { cluster_.run_until_idle(); }

  /// `mount`: JSON text of seLinuxMount.
  void add_driver(const std::string& name, const std::string& mount) {
    cluster_.add(R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":")" +
                 name + R"("},"spec":{"seLinuxMount":)" + mount + "}}");
  }
  static std::string csi(const std::string& driver, const std::string& handle) {
    return R"({"csi":{"driver":")" + driver + R"(","volumeHandle":")" + handle + R"("}})";
  }
  /// The claim and the volume `name`, bound to each other.
  void add_volume(const std::string& name, const std::string& source,
                  const std::string& ns = "default") {
    add_persistent_volume(name, source, ns);
    add_claim(name, "Bound", ns);
  }
  void add_persistent_volume(const std::string& name, const std::string& source,
                             const std::string& ns = "default") {
    Json spec = Json::must(R"({"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteMany"],
        "claimRef":{"kind":"PersistentVolumeClaim","namespace":")" +
                           ns + R"(","name":")" + name + R"(","uid":"uid-)" + name + R"("}})");
    merge_patch(spec, Json::must(source));
    cluster_.add(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":")" + name +
                 R"("},"spec":)" + spec.dump() + "}");
  }
  void add_claim(const std::string& name, const std::string& phase,
                 const std::string& ns = "default", const std::string& metadata = "{}") {
    Json claim =
        Json::must(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":")" +
                   name + R"(","namespace":")" + ns + R"(","uid":"uid-)" + name +
                   R"("},"spec":{"accessModes":["ReadWriteMany"],"volumeName":")" +
                   (phase == "Bound" ? name : "") + R"("},"status":{"phase":")" + phase + R"("}})");
    merge_patch(claim["metadata"], Json::must(metadata));
    cluster_.add(claim);
  }

  /// `context`: JSON text of the pod's securityContext; `source`: of its volume "v0".
  void add_pod(
      const std::string& name, const std::string& context, const std::string& source,
      const std::string& ns = "default",
      const std::string& containers =
          R"([{"name":"c","image":"i","volumeMounts":[{"name":"v0","mountPath":"/v"}]}])") {
    Json volume = Json::must(source);
    volume["name"] = "v0";
    cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                 R"(","namespace":")" + ns + R"("},"spec":{"securityContext":)" + context +
                 R"(,"containers":)" + containers + R"(,"volumes":[)" + volume.dump() +
                 R"(]},"status":{"phase":"Running"}})");
    settle();
  }
  static std::string claim(const std::string& name) {
    return R"({"persistentVolumeClaim":{"claimName":")" + name + R"("}})";
  }
  static std::string level(const std::string& level) {
    return R"({"seLinuxOptions":{"level":")" + level + R"("}})";
  }
  /// A pod with this level that mounts the claim.
  void add_user(const std::string& name, const std::string& of_level,
                const std::string& of_claim = "p", const std::string& ns = "default") {
    add_pod(name, level(of_level), claim(of_claim), ns);
  }

  /// "a3: SELinuxLabelConflict <message without its end>", for each Event since the last call.
  [[nodiscard]] std::vector<std::string> events() {
    std::vector<std::string> out;
    for (std::size_t i = seen_; i < cluster_.events().size(); ++i) {
      const testing::EventRecord& each = cluster_.events()[i];
      std::string message = each.message;
      if (message.ends_with(kEnd)) message.resize(message.size() - std::string(kEnd).size());
      std::string line = each.name;
      line += ": ";
      line += each.type;
      line += " " + each.reason;
      line += " " + message;
      out.push_back(std::move(line));
    }
    seen_ = cluster_.events().size();
    return out;
  }
  /// "a3: Normal SELinuxLabelConflict …" of two pods of one namespace.
  static std::string label_conflict(const std::string& pod, const std::string& own,
                                    const std::string& other, const std::string& others) {
    return conflict("SELinuxLabel", pod, own, other, others);
  }
  static std::string conflict(const std::string& property, const std::string& pod,
                              const std::string& own, const std::string& other,
                              const std::string& others) {
    return pod + ": Normal " + property + "Conflict " + property + " \"" + own +
           "\" conflicts with pod " + other + " that uses the same volume as this pod with " +
           property + " \"" + others + "\"";
  }
  /// The series that were set since the start, "property ns/pod value ns/pod value".
  [[nodiscard]] std::vector<std::string> series() const {
    std::vector<std::string> out;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name != "selinux_warning_controller_selinux_volume_conflict") continue;
      EXPECT_EQ(each.value, 1);
      const std::vector<std::string>& of = each.labels;
      std::string line = of[0];
      for (const std::size_t at : {1U, 4U}) {
        line += " " + of[at];
        line += "/" + of[at + 1];
        line += " " + of[at + 2];
      }
      out.push_back(std::move(line));
    }
    return out;
  }

  testing::Cluster cluster_{{.note = note_text<selinuxwarning::declare>()}};
  std::size_t seen_ = 0;
};

}  // namespace davit::selinuxwarning
