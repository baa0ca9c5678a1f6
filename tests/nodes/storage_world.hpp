/// A world with simulated storage in which the test plays the binder and the attach/detach
/// controller.
#pragma once

#include <string>

#include "tests/nodes/world.hpp"

namespace davit::sandbox {

[[nodiscard]] inline SimulationOptions with_storage() {
  SimulationOptions options = two_nodes();
  options.storage = StorageSwitch::kOn;
  return options;
}

class StorageWorld : public World {
 public:
  explicit StorageWorld(const SimulationOptions& options = with_storage()) : World(options) {}

  static std::string claim_path(const std::string& name) {
    return "/api/v1/namespaces/default/persistentvolumeclaims/" + name;
  }
  Json claim(const std::string& name) { return read(claim_path(name)); }
  std::string volume_name(const std::string& claim_name) {
    return "pvc-" + claim(claim_name).text_at({"metadata", "uid"});
  }
  Json volume(const std::string& claim_name) {
    return read("/api/v1/persistentvolumes/" + volume_name(claim_name));
  }

  void create_claim(const std::string& name, const std::string& storage_class = "sandbox",
                    const std::string& annotations = "") {
    must(sandbox.post("/api/v1/namespaces/default/persistentvolumeclaims",
                      R"({"metadata":{"name":")" + name + R"(","annotations":{)" + annotations +
                          R"(}},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":")" +
                          storage_class + R"(","resources":{"requests":{"storage":"1Gi"}}}})"));
  }
  /// A pod with the claim of the same name.
  void create_user(const std::string& name, const std::string& annotations = "",
                   const std::string& spec = "") {
    create_pod(name,
               R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":")" + name +
                   R"("}}])" + spec,
               annotations);
  }

  /// As the binder asks an external provisioner for a volume.
  void ask(const std::string& name) {
    merge(claim_path(name),
          R"({"metadata":{"annotations":{"volume.kubernetes.io/storage-provisioner":)"
          R"("sandbox.davit.dev"}}})");
  }
  /// As the binder completes a binding.
  void bind(const std::string& name) {
    const std::string volume = volume_name(name);
    merge(claim_path(name),
          R"({"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{)"
          R"("volumeName":")" +
              volume + R"("}})");
    merge(claim_path(name) + "/status",
          R"({"status":{"phase":"Bound","capacity":{"storage":"1Gi"}}})");
    set_phase(name, "Bound");
  }
  void set_phase(const std::string& name, const std::string& phase) {
    merge("/api/v1/persistentvolumes/" + volume_name(name) + "/status",
          R"({"status":{"phase":")" + phase + R"("}})");
  }
  void create_bound_claim(const std::string& name, const std::string& annotations = "") {
    create_claim(name, "sandbox", annotations);
    ask(name);
    bind(name);
  }

  static std::string attachment_path(const std::string& name) {
    return "/apis/storage.k8s.io/v1/volumeattachments/" + name;
  }
  Json attachment(const std::string& name) { return read(attachment_path(name)); }
  bool is_attached(const std::string& name) {
    return attachment(name).get("status").get("attached").boolean();
  }
  /// As the attach/detach controller begins. The attachment is called "NODE.CLAIM".
  void attach(const std::string& name, const std::string& node) {
    must(sandbox.post("/apis/storage.k8s.io/v1/volumeattachments",
                      R"({"metadata":{"name":")" + node + "." + name +
                          R"("},"spec":{"attacher":"sandbox.davit.dev","nodeName":")" + node +
                          R"(","source":{"persistentVolumeName":")" + volume_name(name) +
                          R"("}}})"));
  }
  void detach(const std::string& name, const std::string& node) {
    EXPECT_EQ(sandbox.remove(attachment_path(node + "." + name)).code, 200);
    run_until_idle();
  }
  /// The name by which Nodes list the volume.
  std::string listed(const std::string& name) {
    return "kubernetes.io/csi/sandbox.davit.dev^" + volume_name(name);
  }
  /// The node's volumesAttached, as the attach/detach controller reports them; empty: none.
  void report_attached(const std::string& name, const std::string& node) {
    const std::string entry =
        name.empty() ? "" : R"({"devicePath":"","name":")" + listed(name) + R"("})";
    const Reply reply = sandbox.patch("/api/v1/nodes/" + node + "/status", "strategic",
                                      R"({"status":{"volumesAttached":[)" + entry + "]}}");
    EXPECT_EQ(reply.code, 200) << reply.text;
    run_until_idle();
  }
  std::string in_use(const std::string& node_name) {
    return to_text(node(node_name).get("status").get("volumesInUse"));
  }
  bool is_in_use(const std::string& name, const std::string& node_name) {
    return in_use(node_name).find(listed(name)) != std::string::npos;
  }

  void merge(const std::string& path, const std::string& body) {
    const Reply reply = sandbox.patch(path, "merge", body);
    EXPECT_EQ(reply.code, 200) << path << ": " << reply.text;
    run_until_idle();
  }
  void must(const Reply& reply) {
    EXPECT_EQ(reply.code, 201) << reply.text;
    run_until_idle();
  }
  /// "reason message" of the Events about an object.
  std::vector<std::string> events(const std::string& name) {
    std::vector<std::string> out;
    const Json list = read("/api/v1/events");
    for (const Json& each : list.get("items").items()) {
      if (each.text_at({"involvedObject", "name"}) != name) continue;
      out.push_back(each.text_at({"reason"}) + " " + each.text_at({"message"}));
    }
    return out;
  }
};

}  // namespace davit::sandbox
