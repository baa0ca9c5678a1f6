/// The Endpoints controller with what tests of it read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugins/endpoint/endpoints_controller.hpp"
#include "tests/plugins/endpoint/fixture.hpp"

namespace davit::endpoint {

using Texts = std::vector<std::string>;

class EndpointsTest : public EndpointTest {
 protected:
  static constexpr const char* kController = "endpoints-controller";

  void start(std::string_view config = kWriteAtOnce) {
    const Status started = cluster().start(kController, &EndpointsController::open, config);
    ASSERT_TRUE(started.ok()) << started.message();
    run_until_idle();
  }
  void restart() {
    cluster().stop(kController);
    cluster().clear_records();
    start();
  }
  /// From now on only what comes is recorded.
  void clear_records() { cluster().clear_records(); }

  [[nodiscard]] Json endpoints(const std::string& name = "s") const {
    return cluster().json<Endpoints>({"t", name});
  }
  [[nodiscard]] bool has_endpoints(const std::string& name = "s") {
    return cluster().find<Endpoints>({"t", name}).has_value();
  }
  /// "10.0.0.1 10.0.0.2|10.0.0.3|http:8080/TCP" of each subset: ready, not ready, ports.
  [[nodiscard]] Texts subsets(const std::string& name = "s") const {
    Texts out;
    for (const Json& each : items(endpoints(name), "subsets")) {
      out.push_back(ips(each, "addresses") + "|" + ips(each, "notReadyAddresses") + "|" +
                    ports_of(each));
    }
    return out;
  }
  /// The first ready address.
  [[nodiscard]] Json address() const {
    return items(items(endpoints(), "subsets").at(0), "addresses").at(0);
  }
  /// The number of addresses of a kind in all subsets.
  [[nodiscard]] std::size_t count(std::string_view list) const {
    std::size_t out = 0;
    for (const Json& each : items(endpoints(), "subsets")) out += items(each, list).size();
    return out;
  }
  [[nodiscard]] std::string annotation(std::string_view key) const {
    return text(endpoints(), {"metadata", "annotations", key});
  }
  [[nodiscard]] std::string trigger() const { return annotation(kTriggerTime); }
  [[nodiscard]] Json labels() const { return *endpoints().at({"metadata", "labels"}); }
  /// Those and what marks the object as the controller's.
  [[nodiscard]] static Json with_manager(const std::string& more = "{}") {
    Json out = Json::must(more);
    out["endpoints.kubernetes.io/managed-by"] = "endpoint-controller";
    return out;
  }
  [[nodiscard]] Texts writes() const {
    Texts out;
    for (const auto& each : cluster().writes()) out.push_back(each.text());
    return out;
  }
  /// Endpoints made by hand; changed by a JSON merge patch.
  void add_endpoints(const std::string& name, std::string_view patch = "{}") {
    Json object = Json::must(R"({"apiVersion":"v1","kind":"Endpoints",
        "metadata":{"namespace":"t"}})");
    object["metadata"]["name"] = name;
    testing::merge_patch(object, Json::must(patch));
    cluster().add(std::move(object));
  }

 private:
  static std::string ips(const Json& subset, std::string_view list) {
    std::string out;
    for (const Json& each : items(subset, list)) {
      if (!out.empty()) out += ' ';
      out += text(each, {"ip"});
    }
    return out;
  }
};

}  // namespace davit::endpoint
