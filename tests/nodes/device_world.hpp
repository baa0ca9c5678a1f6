/// A world with simulated devices in which the test plays the resource claim controller.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/nodes/world.hpp"

namespace davit::sandbox {

/// Two nodes with two devices each.
[[nodiscard]] inline SimulationOptions with_devices(int per_node = 2) {
  SimulationOptions options = two_nodes();
  options.devices = DeviceSwitch::kOn;
  options.devices_per_node = per_node;
  return options;
}

class DeviceWorld : public World {
 public:
  explicit DeviceWorld(const SimulationOptions& options = with_devices(),
                       ApiServerOptions served = {})
      : World(options, std::move(served)) {}

  static constexpr char kClaims[] = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  static constexpr char kSlices[] = "/apis/resource.k8s.io/v1/resourceslices";

  static std::string claim_path(const std::string& name) {
    return std::string(kClaims) + "/" + name;
  }
  Json claim(const std::string& name) { return read(claim_path(name)); }
  Json slices() { return read(kSlices).get("items"); }
  /// The first slice of a node.
  Json slice(const std::string& node) {
    return read(std::string(kSlices) + "/" + node + "-devices.sandbox.davit.dev-0");
  }

  /// `exactly`: members of the one request beside its class.
  void create_claim(const std::string& name, const std::string& exactly = "",
                    const std::string& of_claim = "") {
    must(sandbox.post(kClaims, R"({"metadata":{"name":")" + name +
                                   R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{)"
                                   R"("deviceClassName":"sandbox")" +
                                   exactly + "}}]" + of_claim + "}}}"));
  }
  /// A pod with the claim.
  void create_user(const std::string& name, const std::string& claim_name,
                   const std::string& annotations = "", const std::string& spec = "") {
    create_pod(
        name,
        R"("resourceClaims":[{"name":"d","resourceClaimName":")" + claim_name + R"("}])" + spec,
        annotations);
  }
  /// "pool/device" of all devices that the claim has.
  std::vector<std::string> devices(const std::string& name) {
    std::vector<std::string> out;
    const Json object = claim(name);
    const Json* const allocation = object.at({"status", "allocation", "devices", "results"});
    if (allocation == nullptr) return out;
    for (const Json& each : allocation->items()) {
      out.push_back(each.get("pool").text() + "/" + each.get("device").text());
    }
    return out;
  }
  /// The names of the pods for which the claim is reserved.
  std::vector<std::string> consumers(const std::string& name) {
    std::vector<std::string> out;
    const Json object = claim(name);
    for (const Json& each : object.get("status").get("reservedFor").items()) {
      out.push_back(each.get("name").text());
    }
    return out;
  }
  std::string node_of(const std::string& pod_name) {
    return pod(pod_name).text_at({"spec", "nodeName"});
  }
  /// The scheduler's words about a pod that it cannot bind.
  std::string refusal(const std::string& pod_name) {
    return condition(pod(pod_name), "PodScheduled", "message");
  }
  /// As the controller does when a claim has no consumers any more.
  void release(const std::string& name) {
    merge(claim_path(name) + "/status", R"({"status":{"allocation":null,"reservedFor":null}})");
    merge(claim_path(name), R"({"metadata":{"finalizers":null}})");
  }
  void annotate(const std::string& node_name, const std::string& name, const std::string& value) {
    merge("/api/v1/nodes/" + node_name, R"({"metadata":{"annotations":{"sandbox.davit.dev/)" +
                                            name + R"(":)" + to_text(Json(value)) + "}}}");
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
