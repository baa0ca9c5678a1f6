#include "tests/live/support/load.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/object/parse.hpp"

namespace davit::live {
namespace {

using host::ApiRequest;
using host::ApiResponse;
using host::Value;
using host::Verb;

constexpr char kWorkloads[] = "/apis/apps/v1/namespaces/default/";
constexpr char kJobs[] = "/apis/batch/v1/namespaces/default/jobs";

ApiRequest request(Verb verb, host::ResourcePath path, std::string body) {
  ApiRequest out;
  out.verb = verb;
  out.path = std::move(path);
  out.body = std::move(body);
  return out;
}

/// About a dozen variables, as real pods have them.
std::string environment(int pod) {
  std::string out;
  for (const char* name : {"POD_ROLE", "REGION", "LOG_LEVEL", "DATABASE_URL", "CACHE_ENDPOINT",
                           "FEATURE_FLAGS", "JAVA_TOOL_OPTIONS", "OTEL_EXPORTER_OTLP_ENDPOINT"}) {
    out += std::string(out.empty() ? "" : ",") + R"({"name":")" + name +
           R"(","value":"https://service-)" + std::to_string(pod % 97) +
           R"(.internal.example.com:8443/v1/settings"})";
  }
  return out;
}

std::string container(const std::string& name, int pod) {
  return R"({"name":")" + name + R"(","image":"registry.example.com/team/)" + name +
         R"(:v1.2.3","args":["--listen=:8080","--config=/etc/app/config.yaml"],"env":[)" +
         environment(pod) +
         R"(],"ports":[{"name":"http","containerPort":8080},{"name":"metrics",)"
         R"("containerPort":9090}],)"
         R"("resources":{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"memory":"256Mi"}},)"
         R"("livenessProbe":{"httpGet":{"path":"/healthz","port":"http"},"periodSeconds":10},)"
         R"("readinessProbe":{"httpGet":{"path":"/readyz","port":"http"},"periodSeconds":5},)"
         R"("volumeMounts":[{"name":"config","mountPath":"/etc/app"},{"name":"tmp",)"
         R"("mountPath":"/tmp"}]})";
}

/// The members of a pod's spec that all workloads share.
std::string pod_contents(int workload) {
  return R"("containers":[)" + container("app", workload) +
         R"(],"volumes":[{"name":"config","configMap":{"name":"app"}},{"name":"tmp",)"
         R"("emptyDir":{}}])";
}

struct Kind {
  std::string plural;
  std::string name;
  std::string prefix;  ///< Before the number in the names of the objects.
};

/// Creates workloads of the group apps, each with labels of its own. `spec` are members of their
/// specs, each with a comma; `pod`, the same of their pods'.
void create_workloads(const ControlPlane& cluster, const Kind& kind, int count,
                      const std::string& spec, const std::string& pod = "") {
  std::vector<ApiRequest> requests;
  for (int i = 0; i < count; ++i) {
    const std::string name = kind.prefix + std::to_string(i);
    requests.push_back(request(Verb::kCreate, {"apps", "v1", kind.plural, "", "default", ""},
                               R"({"apiVersion":"apps/v1","kind":")" + kind.name +
                                   R"(","metadata":{"name":")" + name + R"("},"spec":{)" + spec +
                                   R"("selector":{"matchLabels":{"app":")" + name +
                                   R"("}},"template":{"metadata":{"labels":{"app":")" + name +
                                   R"("}},"spec":{)" + pod + pod_contents(i) + "}}}}"));
  }
  send_all(cluster.client(), requests);
}

void update_image(const ControlPlane& cluster, const std::string& plural, const std::string& prefix,
                  int count, const std::string& image) {
  std::vector<ApiRequest> requests;
  for (int i = 0; i < count; ++i) {
    requests.push_back(
        request(Verb::kPatch, {"apps", "v1", plural, "", "default", prefix + std::to_string(i)},
                R"({"spec":{"template":{"spec":{"containers":[{"name":"app","image":")" + image +
                    R"("}]}}}})"));
    requests.back().patch_type = host::PatchType::kStrategic;
  }
  send_all(cluster.client(), requests);
}

/// The number of items of a list that `matches` accepts; -1 when the server does not answer.
int count_items(const ControlPlane& cluster, const std::string& path,
                const std::function<bool(Value)>& matches) {
  host::ObjectSpace space;
  const Result<host::ObjectRef> list = host::parse_object(space, cluster.read(path));
  if (!list) return -1;
  int count = 0;
  list->root()["items"].each([&](Value item) { count += matches(item); });
  return count;
}

bool is_observed(Value item) {
  return item["status"]["observedGeneration"].integer() == item["metadata"]["generation"].integer();
}

bool has_counts(Value status, int count, std::initializer_list<const char*> members) {
  return std::all_of(members.begin(), members.end(),
                     [&](const char* member) { return status[member].integer() == count; });
}

std::string pod_body(int pod, int nodes) {
  const std::string number = std::to_string(pod);
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"load-)" + number +
         R"(","labels":{"app.kubernetes.io/name":"load","app.kubernetes.io/instance":"load-)" +
         std::to_string(pod % 500) +
         R"(","team":"platform"},"annotations":{"prometheus.io/scrape":"true",)"
         R"("prometheus.io/port":"9090",)"
         R"("sidecar.example.com/status":"injected"}},"spec":{"nodeName":"node-)" +
         std::to_string(nodes == 0 ? 0 : pod % nodes) + R"(","containers":[)" +
         container("app", pod) + "," + container("proxy", pod) +
         R"(],"volumes":[{"name":"config","configMap":{"name":"app"}},{"name":"tmp",)"
         R"("emptyDir":{}}]}})";
}

std::string pod_status(int pod) {
  const std::string time = R"("lastTransitionTime":"2026-01-01T00:00:00Z")";
  const std::string running =
      R"("ready":true,"restartCount":0,"started":true,)"
      R"("imageID":"registry.example.com/team/app@sha256:)"
      R"(0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",)"
      R"("containerID":"containerd://)"
      R"(0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","state":{"running":)"
      R"({"startedAt":"2026-01-01T00:00:00Z"}}})";
  const std::string ip = "10." + std::to_string(pod / 65536) + "." +
                         std::to_string(pod / 256 % 256) + "." + std::to_string(pod % 256);
  return R"({"status":{"phase":"Running","conditions":[{"type":"Initialized","status":"True",)" +
         time + R"(},{"type":"Ready","status":"True",)" + time +
         R"(},{"type":"ContainersReady","status":"True",)" + time +
         R"(},{"type":"PodScheduled","status":"True",)" + time +
         R"(}],"hostIP":"192.0.2.1","podIP":")" + ip + R"(","podIPs":[{"ip":")" + ip +
         R"("}],"startTime":"2026-01-01T00:00:00Z","containerStatuses":[{"name":"app",)"
         R"("image":"app:v1.2.3",)" +
         running + R"(,{"name":"proxy","image":"proxy:v1.2.3",)" + running + "]}}";
}

std::string node_name(int number) { return "node-" + std::to_string(number); }

/// The wall clock's, which stamps nodes' heartbeats.
std::string now() {
  std::array<char, 32> text{};
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string now_micro() {
  std::string out = now();
  out.insert(out.size() - 1, ".000000");
  return out;
}

host::ResourcePath lease_path(std::string name) {
  return {"coordination.k8s.io", "v1", "leases", "", "kube-node-lease", std::move(name)};
}

}  // namespace

void send_all(host::RestClient& client, const std::vector<ApiRequest>& requests) {
  constexpr std::size_t kAtOnce = 64;
  for (std::size_t first = 0; first < requests.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, requests.size() - first);
    for (const ApiResponse& response : client.batch({requests.data() + first, count})) {
      if (response.status.ok()) continue;
      std::fprintf(stderr, "load: %s\n", response.status.message().c_str());
      std::exit(1);
    }
  }
}

void create_nodes(const ControlPlane& cluster, int count) {
  constexpr int kZones = 10;
  std::vector<ApiRequest> creates;
  std::vector<ApiRequest> statuses;
  for (int i = 0; i < count; ++i) {
    creates.push_back(request(Verb::kCreate, {"", "v1", "nodes", "", "", ""},
                              R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" +
                                  node_name(i) + R"(","labels":{"topology.kubernetes.io/zone":"z)" +
                                  std::to_string(i % kZones) + R"("}}})"));
    statuses.push_back(request(
        Verb::kPatch, {"", "v1", "nodes", "status", "", node_name(i)},
        R"({"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady",)"
        R"("lastHeartbeatTime":")" +
            now() + R"(","lastTransitionTime":")" + now() + R"("}]}})"));
  }
  send_all(cluster.client(), creates);
  send_all(cluster.client(), statuses);
}

void untaint_nodes(const ControlPlane& cluster, int count) {
  std::vector<ApiRequest> requests;
  for (int i = 0; i < count; ++i) {
    requests.push_back(request(Verb::kPatch, {"", "v1", "nodes", "", "", node_name(i)},
                               R"({"spec":{"taints":null}})"));
    requests.back().patch_type = host::PatchType::kMerge;
  }
  send_all(cluster.client(), requests);
}

void create_leases(const ControlPlane& cluster, int nodes) {
  std::vector<ApiRequest> requests;
  for (int i = 0; i < nodes; ++i) {
    requests.push_back(
        request(Verb::kCreate, lease_path(""),
                R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":")" +
                    node_name(i) + R"("},"spec":{"holderIdentity":")" + node_name(i) +
                    R"(","leaseDurationSeconds":40,"renewTime":")" + now_micro() + R"("}})"));
  }
  send_all(cluster.client(), requests);
}

void renew_leases(const ControlPlane& cluster, int nodes) {
  std::vector<ApiRequest> requests;
  for (int i = 0; i < nodes; ++i) {
    requests.push_back(request(Verb::kPatch, lease_path(node_name(i)),
                               R"({"spec":{"renewTime":")" + now_micro() + R"("}})"));
  }
  send_all(cluster.client(), requests);
}

void create_pods(const ControlPlane& cluster, int count, int nodes) {
  std::vector<ApiRequest> creates;
  std::vector<ApiRequest> statuses;
  for (int i = 0; i < count; ++i) {
    creates.push_back(
        request(Verb::kCreate, {"", "v1", "pods", "", "default", ""}, pod_body(i, nodes)));
    statuses.push_back(request(Verb::kPatch,
                               {"", "v1", "pods", "status", "default", "load-" + std::to_string(i)},
                               pod_status(i)));
  }
  send_all(cluster.client(), creates);
  send_all(cluster.client(), statuses);
}

std::size_t pod_bytes(const ControlPlane& cluster) {
  return cluster.read("/api/v1/namespaces/default/pods/load-0").size();
}

void create_deployments(const ControlPlane& cluster, int count, int replicas,
                        const std::string& node) {
  create_workloads(cluster, {"deployments", "Deployment", "d"}, count,
                   R"("replicas":)" + std::to_string(replicas) + ",",
                   node.empty() ? "" : R"("nodeName":")" + node + "\",");
}

void create_services(const ControlPlane& cluster, int deployments) {
  std::vector<ApiRequest> requests;
  for (int i = 0; i < deployments; ++i) {
    const std::string name = "d" + std::to_string(i);
    requests.push_back(request(Verb::kCreate, {"", "v1", "services", "", "default", ""},
                               R"({"metadata":{"name":")" + name +
                                   R"("},"spec":{"clusterIP":"None","selector":{"app":")" + name +
                                   R"("},"ports":[{"port":80,"targetPort":8080}]}})"));
  }
  send_all(cluster.client(), requests);
}

void update_deployments(const ControlPlane& cluster, int count, const std::string& image) {
  update_image(cluster, "deployments", "d", count, image);
}

void delete_deployments(const ControlPlane& cluster, int count) {
  std::vector<ApiRequest> requests;
  for (int i = 0; i < count; ++i) {
    requests.push_back(request(
        Verb::kDelete, {"apps", "v1", "deployments", "", "default", "d" + std::to_string(i)}, ""));
    requests.back().delete_options.propagation = host::Propagation::kBackground;
  }
  send_all(cluster.client(), requests);
}

bool rolled_out(const ControlPlane& cluster, int count, int replicas) {
  return count == count_items(cluster, std::string(kWorkloads) + "deployments", [&](Value item) {
           return is_observed(item) &&
                  has_counts(item["status"], replicas,
                             {"replicas", "updatedReplicas", "availableReplicas"});
         });
}

void create_jobs(const ControlPlane& cluster, int count, int pods) {
  std::vector<ApiRequest> requests;
  const std::string number = std::to_string(pods);
  for (int i = 0; i < count; ++i) {
    requests.push_back(request(
        Verb::kCreate, {"batch", "v1", "jobs", "", "default", ""},
        R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j)" + std::to_string(i) +
            R"("},"spec":{"parallelism":)" + number + R"(,"completions":)" + number +
            R"(,"template":{"spec":{"restartPolicy":"Never",)" + pod_contents(i) + "}}}}"));
  }
  send_all(cluster.client(), requests);
}

bool completed(const ControlPlane& cluster, int jobs) {
  return jobs == count_items(cluster, kJobs, [](Value item) {
           bool complete = false;
           item["status"]["conditions"].each([&](Value condition) {
             complete = complete || (condition["type"].string() == "Complete" &&
                                     condition["status"].string() == "True");
           });
           return complete;
         });
}

void create_daemon_sets(const ControlPlane& cluster, int count) {
  create_workloads(cluster, {"daemonsets", "DaemonSet", "ds"}, count,
                   R"("updateStrategy":{"rollingUpdate":{"maxUnavailable":"50%"}},)");
}

void update_daemon_sets(const ControlPlane& cluster, int count, const std::string& image) {
  update_image(cluster, "daemonsets", "ds", count, image);
}

bool daemons_rolled_out(const ControlPlane& cluster, int count, int nodes) {
  return count == count_items(cluster, std::string(kWorkloads) + "daemonsets", [&](Value item) {
           return is_observed(item) && has_counts(item["status"], nodes,
                                                  {"desiredNumberScheduled",
                                                   "updatedNumberScheduled", "numberAvailable"});
         });
}

void create_stateful_sets(const ControlPlane& cluster, int count, int replicas) {
  create_workloads(cluster, {"statefulsets", "StatefulSet", "s"}, count,
                   R"("serviceName":"s","replicas":)" + std::to_string(replicas) + ",");
}

void update_stateful_sets(const ControlPlane& cluster, int count, const std::string& image) {
  update_image(cluster, "statefulsets", "s", count, image);
}

bool ordinals_rolled_out(const ControlPlane& cluster, int count, int replicas) {
  return count == count_items(cluster, std::string(kWorkloads) + "statefulsets", [&](Value item) {
           return is_observed(item) && has_counts(item["status"], replicas,
                                                  {"replicas", "updatedReplicas", "readyReplicas"});
         });
}

}  // namespace davit::live
