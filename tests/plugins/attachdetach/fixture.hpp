/// A cluster in memory for the controller, under the rights of its note. The test is the attacher
/// and the kubelets.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <string>
#include <vector>

#include "plugins/attachdetach/note.hpp"

namespace davit::attachdetach {

class AttachDetachTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  using Verb = testing::Verb;
  using Attachment = volumes::Attachment;
  static constexpr const char* kController = "persistentvolume-attach-detach-controller";
  static constexpr const char* kName = "kubernetes.io/csi/d^h-va";

  void TearDown() override { EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty()); }

  /// Nodes n1 and n2, the driver d, the claim and volume va.
  void add_world() {
    add_node("n1");
    add_node("n2");
    add_driver("d", true);
    add_volume("va");
  }
  void start(std::string_view config = R"({"reconcilerSyncLoopPeriod":"2s"})") {
    ASSERT_TRUE(cluster_.start(kController, &AttachDetach::open, config).ok());
    run();
  }
  void restart(std::string_view config = R"({"reconcilerSyncLoopPeriod":"2s"})") {
    cluster_.stop(kController);
    cluster_.clear_records();
    start(config);
  }
  /// Long enough for the writes of a node to be merged.
  void run() { cluster_.advance(std::chrono::milliseconds(300)); }
  template <typename Time>
  void pass(Time time) {
    cluster_.advance(time);
  }

  void add_node(const std::string& name, bool is_managed = true) {
    const std::string mark =
        is_managed
            ? R"("annotations":{"volumes.kubernetes.io/controller-managed-attach-detach":"true"},)"
            : "";
    cluster_.add(R"({"apiVersion":"v1","kind":"Node","metadata":{)" + mark + R"("name":")" + name +
                 R"("},"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  }
  void add_driver(const std::string& name, bool requires_attachment) {
    cluster_.add(R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":")" +
                 name + R"("},"spec":{"attachRequired":)" +
                 (requires_attachment ? "true" : "false") + "}}");
  }
  /// The source of a volume of the driver d.
  static std::string csi(const std::string& handle) {
    return R"({"csi":{"driver":"d","volumeHandle":")" + handle + R"("}})";
  }
  /// The claim and the volume `name`, bound to each other.
  void add_volume(const std::string& name, const std::string& source = {},
                  const std::string& modes = R"(["ReadWriteOnce"])", const std::string& ns = "ns",
                  const std::string& labels = "{}") {
    Json spec = Json::must(
        R"({"capacity":{"storage":"1Gi"},"claimRef":{"kind":"PersistentVolumeClaim",
        "namespace":")" +
        ns + R"(","name":")" + name + R"(","uid":"uid-)" + name + R"("},"accessModes":)" + modes +
        "}");
    merge_patch(spec, Json::must(source.empty() ? csi("h-" + name) : source));
    cluster_.add(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":")" + name +
                 R"(","labels":)" + labels + R"(},"spec":)" + spec.dump() +
                 R"(,"status":{"phase":"Bound"}})");
    add_claim(name, name, "Bound", ns);
  }
  void add_claim(const std::string& name, const std::string& volume, const std::string& phase,
                 const std::string& ns = "ns", const std::string& metadata = "{}") {
    Json claim =
        Json::must(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":")" +
                   name + R"(","namespace":")" + ns + R"(","uid":"uid-)" + name +
                   R"("},"spec":{"accessModes":["ReadWriteOnce"],"volumeName":")" + volume +
                   R"("},"status":{"phase":")" + phase + R"("}})");
    merge_patch(claim["metadata"], Json::must(metadata));
    cluster_.add(claim);
  }
  void add_pod(const std::string& name, const std::string& claim, const std::string& node = "n1",
               const std::string& ns = "ns") {
    add_pod_with(name, R"({"persistentVolumeClaim":{"claimName":")" + claim + R"("}})", node, ns);
  }
  /// A pod with a volume "v" from this source.
  void add_pod_with(const std::string& name, const std::string& source,
                    const std::string& node = "n1", const std::string& ns = "ns") {
    Json volume = Json::must(source);
    merge_patch(volume, Json::must(R"({"name":"v"})"));
    cluster_.add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                 R"(","namespace":")" + ns +
                 R"("},"spec":{"containers":[{"name":"c","image":"i"}],"nodeName":")" + node +
                 R"(","volumes":[)" + volume.dump() + R"(]},"status":{"phase":"Running"}})");
  }
  void erase_pod(const std::string& name, const std::string& ns = "ns") {
    ASSERT_TRUE(cluster_.erase<Pod>({ns, name}));
    run();
  }
  void merge_node(const std::string& node, const std::string& patch) {
    cluster_.merge<Node>({"", node}, patch);
    run();
  }
  /// The kubelet says that it has these volumes mounted.
  void set_in_use(const std::string& node, const std::string& names) {
    merge_node(node, R"({"status":{"volumesInUse":)" + names + "}}");
  }
  void use(const std::string& node = "n1") {
    set_in_use(node, R"([")" + std::string(kName) + R"("])");
  }
  void set_ready(const std::string& node, bool is_ready) {
    merge_node(node, std::string(R"({"status":{"conditions":[{"type":"Ready","status":")") +
                         (is_ready ? "True" : "Unknown") + R"("}]}})");
  }
  void taint(const std::string& node) {
    merge_node(node, R"({"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service",
        "value":"x","effect":"NoExecute"}]}})");
  }

  static std::string attachment(const std::string& node = "n1", const std::string& handle = "h-va",
                                const std::string& driver = "d") {
    return "csi-" + hash_of(handle + driver + node);
  }
  /// Does something before the next request of this kind is carried out.
  void before(Verb verb, const std::function<void()>& act) {
    cluster_.on_request(
        [verb, act, is_done = false](const testing::RequestRecord& request) mutable {
          if (is_done || request.verb != verb) return;
          is_done = true;
          act();
        });
  }
  [[nodiscard]] bool has(const std::string& attachment) {
    return cluster_.find<Attachment>({"", attachment}).has_value();
  }
  void set_status(const std::string& attachment, const std::string& status) {
    cluster_.merge<Attachment>({"", attachment}, R"({"status":)" + status + "}");
    run();
  }
  /// The attacher has attached it, and will keep it until it has detached it.
  void attached(const std::string& attachment, bool keeps = false) {
    if (keeps) {
      cluster_.merge<Attachment>({"", attachment},
                                 R"({"metadata":{"finalizers":["external-attacher/d"]}})");
    }
    set_status(attachment, R"({"attached":true,"attachError":null})");
  }
  void detached(const std::string& attachment) {
    ASSERT_TRUE(cluster_.erase<Attachment>({"", attachment}));
    run();
  }
  void add_attachment(const std::string& name, const std::string& volume, const std::string& node,
                      bool is_attached) {
    cluster_.add(
        R"({"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttachment","metadata":{"name":")" +
        name + R"("},"spec":{"attacher":"d","nodeName":")" + node +
        R"(","source":{"persistentVolumeName":")" + volume + R"("}},"status":{"attached":)" +
        (is_attached ? "true" : "false") + "}}");
  }
  /// Row AD002: p1 has va on n1.
  void attach_one(bool keeps = false) {
    add_world();
    start();
    add_pod("p1", "va");
    run();
    attached(attachment(), keeps);
    cluster_.clear_records();
  }

  /// The names in the list of a node, with blanks between.
  [[nodiscard]] std::string report(const std::string& node = "n1") {
    std::string out;
    const std::optional<Node> found = cluster_.find<Node>({"", node});
    for (const Value each : found->status()["volumesAttached"].elements()) {
      out.append(out.empty() ? "" : " ").append(each["name"].string());
    }
    return out;
  }
  [[nodiscard]] std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
    return out;
  }
  [[nodiscard]] std::size_t count(Verb verb, std::string_view resource) const {
    std::size_t out = 0;
    for (const testing::RequestRecord& each : cluster_.requests()) {
      out += each.verb == verb && each.resource == resource ? 1 : 0;
    }
    return out;
  }
  [[nodiscard]] std::size_t deletes() const { return count(Verb::kDelete, "volumeattachments"); }
  [[nodiscard]] std::size_t creates() const { return count(Verb::kCreate, "volumeattachments"); }
  [[nodiscard]] std::size_t patches() const { return count(Verb::kPatch, "nodes"); }
  [[nodiscard]] int times(const std::string& text) const {
    int out = 0;
    for (const std::string& each : cluster_.event_texts()) out += each == text ? 1 : 0;
    return out;
  }
  static std::string failed(const std::string& text) {
    return "Warning FailedAttachVolume AttachVolume.Attach failed for volume \"va\" : " + text;
  }
  static std::string busy(const std::string& text) {
    return "Warning FailedAttachVolume Multi-Attach error for volume \"va\" Volume is already " +
           text;
  }
  [[nodiscard]] double metric(const std::string& name, const std::vector<std::string>& labels,
                              bool is_gauge) const {
    double out = 0;
    for (const testing::MetricSample& each : cluster_.metrics()) {
      if (each.name == name && each.labels == labels) {
        out = is_gauge ? each.value : out + each.value;
      }
    }
    return out;
  }
  [[nodiscard]] double forced(const std::string& reason) const {
    return metric("attach_detach_controller_attachdetach_controller_forced_detaches", {reason},
                  false);
  }

  testing::Cluster cluster_{{.note = note_text<attachdetach::declare>()}};
};

}  // namespace davit::attachdetach
