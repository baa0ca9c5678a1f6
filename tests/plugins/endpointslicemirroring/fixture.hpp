/// The mirroring controller in the in-memory cluster, under the rights and projections of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/endpointslicemirroring/note.hpp"

namespace davit::endpointslicemirroring {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Json;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using testing::Verb;
using namespace std::chrono_literals;

/// The part of an object at a path; null if there is none.
[[nodiscard]] Json part(const Json& object, std::initializer_list<std::string_view> path);

/// Objects are in the namespace "t". The Service and the Endpoints are called "s".
class MirroringTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "endpointslice-mirroring-controller";
  /// One address, one port.
  static constexpr const char* kOneAddress =
      R"([{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80,"protocol":"TCP"}]}])";

  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }

  void start(std::string_view config = {});

  // ---- Objects, as a user ----

  /// Adds the Service without a selector, changed by a JSON merge patch.
  void add_service(std::string_view patch = "{}");
  void edit_service(std::string_view patch);
  /// Adds the Endpoints with these subsets, changed by a JSON merge patch.
  void add_endpoints(std::string_view subsets = kOneAddress, std::string_view patch = "{}");
  void edit_endpoints(std::string_view patch);
  void set_subsets(std::string_view subsets);
  /// Adds a slice that the controller keeps, with one address, changed by a JSON merge patch.
  void add_slice(const std::string& name, std::string_view patch = "{}");
  void edit_slice(const std::string& name, std::string_view patch);
  /// EM01: the controller runs, and one slice mirrors one address.
  void mirror_one();

  // ---- The server's state ----

  /// All slices of the namespace, by name.
  [[nodiscard]] std::vector<Json> slices();
  /// The only slice.
  [[nodiscard]] Json slice();
  [[nodiscard]] std::string slice_name() { return slice().text_at({"metadata", "name"}); }
  /// "10.0.0.1 10.0.0.2": the addresses of all endpoints, sorted.
  [[nodiscard]] static std::string addresses_of(const Json& slice);
  /// "IPv4 [http:80/TCP] 10.0.0.1": each slice's type, ports and addresses, sorted.
  [[nodiscard]] std::vector<std::string> shapes();

  // ---- What the controller did ----

  [[nodiscard]] std::vector<std::string> events() const { return cluster_.event_texts(); }
  /// "create endpointslices/s-x 201", ….
  [[nodiscard]] std::vector<std::string> writes() const;
  [[nodiscard]] std::size_t count(Verb verb) const {
    return cluster_.requests_of(verb, "endpointslices").size();
  }

  testing::Cluster cluster_{{.note = note_text<endpointslicemirroring::declare>()}};
};

}  // namespace davit::endpointslicemirroring
