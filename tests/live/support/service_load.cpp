#include "tests/live/support/service_load.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host/object/parse.hpp"
#include "tests/live/support/load.hpp"

namespace davit::live {
namespace {

using host::ApiRequest;
using host::Value;
using host::Verb;

std::string service_name(int service) { return "s" + std::to_string(service); }

/// "g1-s4-7": the first word is its generation.
std::string pod_name(int generation, int service, int pod) {
  return "g" + std::to_string(generation) + "-" + service_name(service) + "-" + std::to_string(pod);
}

ApiRequest creation(std::string resource, std::string body) {
  ApiRequest out;
  out.verb = Verb::kCreate;
  out.path = {"", "v1", std::move(resource), "", "default", ""};
  out.body = std::move(body);
  return out;
}

ApiRequest set_ready(const std::string& pod, int number, const std::string& ready) {
  const std::string ip = "10." + std::to_string(number / 65536) + "." +
                         std::to_string(number / 256 % 256) + "." + std::to_string(number % 256);
  ApiRequest out;
  out.verb = Verb::kPatch;
  out.path = {"", "v1", "pods", "status", "default", pod};
  out.body = R"({"status":{"phase":"Running","podIP":")" + ip + R"(","podIPs":[{"ip":")" + ip +
             R"("}],"conditions":[{"type":"Ready","status":")" + ready +
             R"(","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
  return out;
}

}  // namespace

void ServiceLoad::create() {
  // No slice has pods of a node that does not exist.
  ApiRequest node = creation("nodes", R"({"metadata":{"name":"node-1"}})");
  node.path.ns.clear();
  std::vector<ApiRequest> requests = {std::move(node)};
  for (int service = 0; service < services_; ++service) {
    const std::string name = service_name(service);
    requests.push_back(creation("services", R"({"metadata":{"name":")" + name +
                                                R"("},"spec":{"selector":{"app":")" + name +
                                                R"("},"clusterIP":"None","ports":[{"name":"http",)"
                                                R"("port":80,"targetPort":8080}]}})"));
  }
  send_all(client_, requests);
  create_pods(0, backends_);
}

void ServiceLoad::create_pods(int first, int last) {
  std::vector<ApiRequest> creates;
  std::vector<ApiRequest> statuses;
  for (int service = 0; service < services_; ++service) {
    for (int pod = first; pod < last; ++pod) {
      const std::string name = pod_name(generation_, service, pod);
      creates.push_back(
          creation("pods", R"({"metadata":{"name":")" + name + R"(","labels":{"app":")" +
                               service_name(service) +
                               R"("}},"spec":{"nodeName":"node-1","containers":[{"name":"app",)"
                               R"("image":"registry.example.com/app:v1","ports":[)"
                               R"({"containerPort":8080}]}]}})"));
      statuses.push_back(set_ready(name, number_of(service, pod), "True"));
    }
  }
  send_all(client_, creates);
  send_all(client_, statuses);
}

int ServiceLoad::number_of(int service, int pod) const {
  return (generation_ * services_ + service) * backends_ + pod;
}

void ServiceLoad::make_unready(int service, int pod) {
  send_all(client_,
           {set_ready(pod_name(generation_, service, pod), number_of(service, pod), "False")});
}

void ServiceLoad::delete_pods(int generation, int first, int last) {
  std::vector<ApiRequest> requests;
  for (int service = 0; service < services_; ++service) {
    for (int pod = first; pod < last; ++pod) {
      ApiRequest request;
      request.verb = Verb::kDelete;
      request.path = {"", "v1", "pods", "", "default", pod_name(generation, service, pod)};
      request.delete_options.grace_seconds = 0;
      requests.push_back(std::move(request));
    }
  }
  send_all(client_, requests);
}

void ServiceLoad::roll() {
  constexpr int kWaves = 4;
  ++generation_;
  for (int wave = 0; wave < kWaves; ++wave) {
    const int first = backends_ * wave / kWaves;
    const int last = backends_ * (wave + 1) / kWaves;
    create_pods(first, last);
    delete_pods(generation_ - 1, first, last);
  }
}

bool ServiceLoad::endpoints_follow() const {
  host::ApiRequest request;
  request.raw_path = "/api/v1/namespaces/default/endpoints";
  host::ObjectSpace space;
  const Result<host::ObjectRef> list = host::parse_object(space, client_.call(request).body);
  if (!list) return false;
  const std::string newest = "g" + std::to_string(generation_) + "-";
  int newer = 0;
  int older = 0;
  list->root()["items"].each([&](Value item) {
    item["subsets"].each([&](Value subset) {
      subset["addresses"].each([&](Value address) {
        ++(address["targetRef"]["name"].string().starts_with(newest) ? newer : older);
      });
    });
  });
  // The API server's own Endpoints, "kubernetes", has one address and no pod.
  return newer == services_ * std::min(backends_, kEndpointsMax) && older <= 1;
}

}  // namespace davit::live
