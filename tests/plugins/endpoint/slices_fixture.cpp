#include "tests/plugins/endpoint/slices_fixture.hpp"

#include <algorithm>

#include "plugins/endpoint/endpointslice_controller.hpp"

namespace davit::endpoint {

SlicesTest::SlicesTest() {
  add_node("n1", "za");
  add_node("n2", "zb");
  add_node("n0", "");
}

void SlicesTest::start(std::string_view config) {
  const Status started = cluster().start(kController, &EndpointSliceController::open, config);
  ASSERT_TRUE(started.ok()) << started.message();
  run_until_idle();
}

void SlicesTest::restart(std::string_view config) {
  cluster().stop(kController);
  clear_records();
  start(config);
  advance(kAWhile);
}

void SlicesTest::add_node(const std::string& name, const std::string& zone) {
  Json node = Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{},
      "status":{"conditions":[{"type":"Ready","status":"True"}],"allocatable":{"cpu":"1"}}})");
  node["metadata"]["name"] = name;
  if (!zone.empty()) node["metadata"]["labels"]["topology.kubernetes.io/zone"] = zone;
  cluster().add(std::move(node));
}

std::vector<Json> SlicesTest::slices(const std::string& service) {
  std::vector<Json> out;
  for (const EndpointSlice& each : cluster().all<EndpointSlice>()) {
    if (each.service_name() == service) out.push_back(cluster().json<EndpointSlice>(each.key()));
  }
  return out;
}

Json SlicesTest::slice(const std::string& service) {
  const std::vector<Json> all = slices(service);
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? Json::object() : all.front();
}

Json SlicesTest::endpoint(const std::string& service) {
  const std::vector<Json> all = items(slice(service), "endpoints");
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? Json::object() : all.front();
}

std::string SlicesTest::addresses_of(const Json& slice) {
  std::string out;
  for (const Json& endpoint : items(slice, "endpoints")) {
    for (const Json& each : items(endpoint, "addresses")) {
      if (!out.empty()) out += ' ';
      out += each.text();
    }
  }
  return out;
}

std::string SlicesTest::conditions_of(const Json& endpoint) {
  return text(endpoint, {"conditions", "ready"}) + "/" + text(endpoint, {"conditions", "serving"}) +
         "/" + text(endpoint, {"conditions", "terminating"});
}

std::string SlicesTest::hints_of(const Json& endpoint) {
  const Json* hints = endpoint.find("hints");
  if (hints == nullptr) return {};
  std::string out;
  for (const Json& each : items(*hints, "forZones")) out += text(each, {"name"});
  out += '|';
  for (const Json& each : items(*hints, "forNodes")) out += text(each, {"name"});
  return out;
}

std::vector<std::string> SlicesTest::shapes(const std::string& service) {
  std::vector<std::string> out;
  for (const Json& each : slices(service)) {
    out.push_back(text(each, {"addressType"}) + " [" + ports_of(each) + "] " + addresses_of(each));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::size_t> SlicesTest::sizes(const std::string& service) {
  std::vector<std::size_t> out;
  for (const Json& each : slices(service)) out.push_back(items(each, "endpoints").size());
  std::sort(out.rbegin(), out.rend());
  return out;
}

std::vector<std::string> SlicesTest::writes() const {
  std::vector<std::string> out;
  for (const auto& each : cluster().writes()) out.push_back(each.text());
  return out;
}

void SlicesTest::add_slice(const std::string& name, const std::string& labels,
                           std::string_view patch) {
  Json slice = Json::must(R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice",
      "metadata":{"namespace":"t","labels":)" +
                          labels + R"(},"addressType":"IPv4","endpoints":[],"ports":[]})");
  slice["metadata"]["name"] = name;
  testing::merge_patch(slice, Json::must(patch));
  cluster().add(std::move(slice));
}

}  // namespace davit::endpoint
