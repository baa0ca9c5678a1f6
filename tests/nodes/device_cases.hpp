/// Slices, classes and claims for tests of the choice of devices.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "nodes/device_allocator.hpp"

namespace davit::sandbox {

/// Device "gpu-3" as JSON with more members.
[[nodiscard]] inline std::string device_json(const std::string& name,
                                             const std::string& members = "") {
  return R"({"name":")" + name + '"' + (members.empty() ? "" : "," + members) + "}";
}

inline constexpr char kRefused[] = "cannot allocate all claims";

/// A request's or class's member with one expression.
[[nodiscard]] inline std::string selector(const std::string& expression) {
  return R"(,"selectors":[{"cel":{"expression":)" + to_text(Json(expression)) + "}}]";
}

/// A cluster with one node of interest, "n1", and the class "any".
class DeviceCase {
 public:
  DeviceCase() {
    node.name = "n1";
    node.labels = json_literal(R"({"rack":"r1"})");
    add_class("any", "true");
  }

  void add_class(const std::string& name, const std::string& expression,
                 const std::string& more = "") {
    put(DeviceKind::kClass, R"({"metadata":{"name":")" + name +
                                R"("},"spec":{"selectors":[{"cel":{"expression":)" +
                                to_text(Json(expression)) + "}}]" + more + "}}");
  }
  /// `devices`: JSON of each, separated by commas. `place`: what the slice says about nodes.
  void add_slice(const std::string& name, const std::string& devices,
                 const std::string& place = R"("nodeName":"n1")", const std::string& pool = "p",
                 int generation = 1, int count = 1) {
    put(DeviceKind::kSlice,
        R"({"metadata":{"name":")" + name + R"("},"spec":{"driver":"d.io","pool":{"name":")" +
            pool + R"(","generation":)" + std::to_string(generation) + R"(,"resourceSliceCount":)" +
            std::to_string(count) + "}," + place + R"(,"devices":[)" + devices + "]}}");
  }
  /// A claim with these requests and other members of spec.devices.
  void add_claim(const std::string& name, const std::string& requests,
                 const std::string& more = "") {
    claims.push_back(json_literal(R"({"metadata":{"namespace":"ns","name":")" + name +
                                  R"(","uid":")" + name + R"("},"spec":{"devices":{"requests":[)" +
                                  requests + "]" + more + "}}}"));
  }
  /// A claim for so many devices of a class.
  void add_count(const std::string& name, int count, const std::string& more = "",
                 const std::string& of_claim = "") {
    add_claim(name,
              R"({"name":"r","exactly":{"deviceClassName":"any","count":)" + std::to_string(count) +
                  more + "}}",
              of_claim);
  }

  Result<DeviceChoice> allocate() {
    std::vector<const Json*> all;
    for (const Json& each : claims) all.push_back(&each);
    DeviceQuestion question{view, selectors,
                            [this](const std::string& id) { return taken.contains(id); }, shares,
                            *random};
    return allocate_devices(question, all, node);
  }
  /// "request=device" of all claims in their order; or why there are none.
  std::vector<std::string> devices() {
    const Result<DeviceChoice> choice = allocate();
    if (!choice) return {choice.error().message()};
    if (!choice->allocations) return {choice->refusal};
    std::vector<std::string> out;
    for (const Json& each : *choice->allocations) {
      for (const Json& result : each.get("devices").get("results").items()) {
        out.push_back(result.get("request").text() + "=" + result.get("device").text());
      }
    }
    return out;
  }

  /// The first claim's.
  Json allocation() {
    const Result<DeviceChoice> choice = allocate();
    return choice && choice->allocations ? choice->allocations->front() : Json();
  }

  DeviceView view;
  cel::DeviceSelectors selectors;
  NodeCapacity node;
  std::vector<Json> claims;
  std::set<std::string> taken;
  DeviceShares shares;
  std::unique_ptr<Random> random = make_seeded_random(1);

 private:
  void put(DeviceKind kind, const std::string& json) {
    EXPECT_NE(view.put(kind, json_literal(json)), DeviceChange::kNone);
  }
};

}  // namespace davit::sandbox
