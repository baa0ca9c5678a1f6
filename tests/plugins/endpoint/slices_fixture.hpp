/// The EndpointSlice controller among Nodes n1 (zone za), n2 (zb) and n0 (no zone).
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/plugins/endpoint/fixture.hpp"

namespace davit::endpoint {

class SlicesTest : public EndpointTest {
 protected:
  static constexpr const char* kController = "endpointslice-controller";
  /// Longer than the controller waits after a foreign change of a slice.
  static constexpr Duration kAWhile = std::chrono::seconds(2);

  SlicesTest();

  /// Starts the controller, waits until it is idle and forgets what was recorded.
  void start(std::string_view config = kWriteAtOnce);
  void restart(std::string_view config = kWriteAtOnce);
  void add_node(const std::string& name, const std::string& zone);
  /// From now on only what comes is recorded.
  void clear_records() { cluster().clear_records(); }

  /// The slices of the Service, by name.
  [[nodiscard]] std::vector<Json> slices(const std::string& service = "s");
  /// The only slice of the Service.
  [[nodiscard]] Json slice(const std::string& service = "s");
  /// The only endpoint of the only slice.
  [[nodiscard]] Json endpoint(const std::string& service = "s");
  [[nodiscard]] static std::string name_of(const Json& slice) {
    return text(slice, {"metadata", "name"});
  }
  [[nodiscard]] static std::string uid_of(const Json& slice) {
    return text(slice, {"metadata", "uid"});
  }
  [[nodiscard]] static std::string version_of(const Json& slice) {
    return text(slice, {"metadata", "resourceVersion"});
  }
  [[nodiscard]] static std::string trigger_of(const Json& slice) {
    return text(slice, {"metadata", "annotations", kTriggerTime});
  }
  /// "10.0.0.1 10.0.0.2": the addresses of all endpoints in order.
  [[nodiscard]] static std::string addresses_of(const Json& slice);
  /// "true/true/false": ready, serving, terminating.
  [[nodiscard]] static std::string conditions_of(const Json& endpoint);
  /// "za|n1": zones and nodes of the hints, "" without any.
  [[nodiscard]] static std::string hints_of(const Json& endpoint);
  /// "IPv4 [http:80/TCP] 10.0.0.1": type, ports and addresses of each slice, sorted.
  [[nodiscard]] std::vector<std::string> shapes(const std::string& service = "s");
  /// The numbers of endpoints of the slices, largest first.
  [[nodiscard]] std::vector<std::size_t> sizes(const std::string& service = "s");
  /// "create endpointslices/s-… 201", …: names and all, in order.
  [[nodiscard]] std::vector<std::string> writes() const;
  [[nodiscard]] std::size_t count_writes(testing::Verb verb) const {
    return cluster().requests_of(verb, "endpointslices").size();
  }
  void edit_slice(const Json& slice, std::string_view patch) {
    cluster().merge<EndpointSlice>({"t", name_of(slice)}, patch);
  }
  /// A slice made by hand, with the labels given as JSON.
  void add_slice(const std::string& name, const std::string& labels, std::string_view patch = "{}");
};

}  // namespace davit::endpoint
