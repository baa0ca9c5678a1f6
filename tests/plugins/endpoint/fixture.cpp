#include "tests/plugins/endpoint/fixture.hpp"

#include <algorithm>
#include <cstdio>

namespace davit::endpoint {

void EndpointTest::add_service(std::string_view patch, const std::string& name) {
  Json service = Json::must(R"({"apiVersion":"v1","kind":"Service",
      "metadata":{"namespace":"t"},
      "spec":{"type":"ClusterIP","selector":{"app":"a"},"clusterIP":"10.9.0.1",
              "ipFamilies":["IPv4"],
              "ports":[{"name":"http","port":80,"targetPort":8080,"protocol":"TCP"}]}})");
  service["metadata"]["name"] = name;
  service["metadata"]["creationTimestamp"] = kEarly;
  testing::merge_patch(service, Json::must(patch));
  cluster_.add(std::move(service));
}

void EndpointTest::touch_service(const std::string& name) {
  edit_service(R"({"metadata":{"annotations":{"touch":")" + std::to_string(++touches_) + R"("}}})",
               name);
}

void EndpointTest::add_pod(const std::string& name, const std::string& ip, std::string_view patch) {
  Json pod = Json::must(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"namespace":"t","labels":{"app":"a"}},
      "spec":{"nodeName":"n1","containers":[{"name":"c"}]},
      "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  pod["metadata"]["name"] = name;
  pod["metadata"]["uid"] = "uid-" + name;
  pod["status"]["conditions"].items().front()["lastTransitionTime"] = kEarly;
  if (!ip.empty()) {
    pod["status"]["podIP"] = ip;
    pod["status"]["podIPs"] = Json::must(R"([{"ip":")" + ip + R"("}])");
  }
  testing::merge_patch(pod, Json::must(patch));
  cluster_.add(std::move(pod));
}

void EndpointTest::set_ready(const std::string& pod, std::string_view status,
                             const std::string& since) {
  edit_pod(pod, R"({"status":{"conditions":[{"type":"Ready","status":")" + std::string(status) +
                    R"(","lastTransitionTime":")" + since + R"("}]}})");
}

std::string EndpointTest::numbered(std::size_t number) {
  char name[16];
  std::snprintf(name, sizeof(name), "p%04zu", number);
  return name;
}

void EndpointTest::add_pods(std::size_t first, std::size_t count, std::string_view patch) {
  constexpr std::size_t kOctet = 256;
  for (std::size_t i = first; i < first + count; ++i) {
    add_pod(numbered(i), "10.0." + std::to_string(i / kOctet) + "." + std::to_string(i % kOctet),
            patch);
  }
}

std::string EndpointTest::container_ports(const std::string& ports) {
  return R"({"spec":{"containers":[{"name":"c","ports":[)" + ports + "]}]}}";
}

std::vector<std::string> EndpointTest::events() const {
  std::vector<std::string> out;
  for (const std::string& each : cluster_.event_texts()) {
    if (std::find(out.begin(), out.end(), each) == out.end()) out.push_back(each);
  }
  return out;
}

std::vector<Json> EndpointTest::items(const Json& json, std::string_view member) {
  const Json* list = json.find(member);
  return list == nullptr || !list->is_array() ? std::vector<Json>() : list->items();
}

std::string EndpointTest::ports_of(const Json& object) {
  std::string out;
  for (const Json& each : items(object, "ports")) {
    if (!out.empty()) out += ' ';
    out += text(each, {"name"}) + ":" + text(each, {"port"}) + "/" + text(each, {"protocol"});
  }
  return out;
}

}  // namespace davit::endpoint
