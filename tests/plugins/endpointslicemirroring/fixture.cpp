#include "tests/plugins/endpointslicemirroring/fixture.hpp"

#include <algorithm>

namespace davit::endpointslicemirroring {
namespace {

constexpr const char* kSlice = R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice",
    "metadata":{"namespace":"t",
                "labels":{"kubernetes.io/service-name":"s",
                "endpointslice.kubernetes.io/managed-by":
                    "endpointslicemirroring-controller.k8s.io"}},
    "addressType":"IPv4","ports":[{"name":"","port":80,"protocol":"TCP"}],
    "endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":true}}]})";

}  // namespace

Json part(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* found = object.at(path);
  return found == nullptr ? Json() : *found;
}

void MirroringTest::start(std::string_view config) {
  const Status started =
      cluster_.start(kController, &EndpointSliceMirroringController::open, config);
  ASSERT_TRUE(started.ok()) << started.message();
  cluster_.run_until_idle();
}

void MirroringTest::add_service(std::string_view patch) {
  Json object = Json::must(R"({"apiVersion":"v1","kind":"Service",
      "metadata":{"namespace":"t","name":"s"},"spec":{"ports":[{"port":80}]}})");
  testing::merge_patch(object, Json::must(patch));
  cluster_.add(object);
  cluster_.run_until_idle();
}

void MirroringTest::edit_service(std::string_view patch) {
  cluster_.merge<Service>({"t", "s"}, patch);
  cluster_.run_until_idle();
}

void MirroringTest::add_endpoints(std::string_view subsets, std::string_view patch) {
  Json object = Json::must(R"({"apiVersion":"v1","kind":"Endpoints",
      "metadata":{"namespace":"t","name":"s"}})");
  object["subsets"] = Json::must(subsets);
  testing::merge_patch(object, Json::must(patch));
  cluster_.add(object);
  cluster_.run_until_idle();
}

void MirroringTest::edit_endpoints(std::string_view patch) {
  cluster_.merge<Endpoints>({"t", "s"}, patch);
  cluster_.run_until_idle();
}

void MirroringTest::set_subsets(std::string_view subsets) {
  edit_endpoints(R"({"subsets":)" + std::string(subsets) + "}");
}

void MirroringTest::add_slice(const std::string& name, std::string_view patch) {
  Json object = Json::must(kSlice);
  object["metadata"]["name"] = Json(name);
  testing::merge_patch(object, Json::must(patch));
  cluster_.add(object);
  cluster_.run_until_idle();
}

void MirroringTest::edit_slice(const std::string& name, std::string_view patch) {
  cluster_.merge<EndpointSlice>({"t", name}, patch);
  cluster_.run_until_idle();
}

void MirroringTest::mirror_one() {
  start();
  add_service();
  add_endpoints();
  ASSERT_EQ(slices().size(), 1);
  cluster_.clear_records();
}

std::vector<Json> MirroringTest::slices() {
  std::vector<Json> out;
  for (const EndpointSlice& each : cluster_.all<EndpointSlice>()) {
    out.push_back(cluster_.json<EndpointSlice>(each.key()));
  }
  return out;
}

Json MirroringTest::slice() {
  const std::vector<Json> all = slices();
  EXPECT_EQ(all.size(), 1);
  return all.empty() ? Json() : all.front();
}

std::string MirroringTest::addresses_of(const Json& slice) {
  std::vector<std::string> addresses;
  const Json endpoints = part(slice, {"endpoints"});
  for (const Json& each : endpoints.items()) {
    addresses.push_back(part(each, {"addresses"}).items().front().text());
  }
  std::sort(addresses.begin(), addresses.end());
  std::string out;
  for (const std::string& each : addresses) out += (out.empty() ? "" : " ") + each;
  return out;
}

std::vector<std::string> MirroringTest::shapes() {
  std::vector<std::string> out;
  for (const Json& each : slices()) {
    std::string ports;
    const Json listed = part(each, {"ports"});
    for (const Json& port : listed.items()) {
      ports += (ports.empty() ? "" : ",") + port.text_at({"name"}) + ":" + port.text_at({"port"}) +
               "/" + port.text_at({"protocol"});
    }
    out.push_back(each.text_at({"addressType"}) + " [" + ports + "] " + addresses_of(each));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> MirroringTest::writes() const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.writes()) out.push_back(each.text());
  return out;
}

}  // namespace davit::endpointslicemirroring
