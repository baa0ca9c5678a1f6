#include "bench/scale/cluster_content.hpp"

#include <cstdio>
#include <string>
#include <utility>

#include "lib/kube/json.hpp"
#include "tests/live/support/process.hpp"

namespace davit::bench {
namespace {

using sandbox::Collection;
using sandbox::Draft;
using sandbox::Pairs;
using sandbox::Store;

const Collection kPods{"", "pods"};
constexpr char kCreated[] = "2026-01-01T00:00:00Z";
/// Times are written in the past, so that no controller waits for them.
constexpr int kMinutesOfADay = 1440;

/// A UUID that no other object has: `kind` is a number of the collection.
std::string uid(int kind, int number) {
  char text[40];
  std::snprintf(text, sizeof text, "%08x-0000-4000-8000-%012x", kind, number);
  return text;
}

std::string node_name(int number) { return "node-" + std::to_string(number); }

std::string metadata(int kind, const std::string& ns, const std::string& name, int number,
                     const std::string& labels) {
  return R"("metadata":{"name":")" + name +
         (ns.empty() ? std::string() : R"(","namespace":")" + ns) + R"(","uid":")" +
         uid(kind, number) + R"(","creationTimestamp":")" + kCreated + R"(","labels":{)" + labels +
         "}}";
}

std::string label(const std::string& key, const std::string& value) {
  return "\"" + key + R"(":")" + value + "\"";
}

Draft draft(const std::string& ns, const std::string& name, const std::string& json,
            Pairs labels = {}) {
  return {ns, name, json_literal(json), std::move(labels), {}};
}

void create(Store& store, const Collection& collection, Draft object) {
  if (const auto made = store.create(collection, std::move(object)); !made) {
    live::give_up("cannot create " + collection.resource + ": " + made.error().message());
  }
}

void create_node(Store& store, int number) {
  const std::string name = node_name(number);
  const std::string zone = "zone-" + std::to_string(number % 10);
  create(store, {"", "nodes"},
         draft("", name,
               R"({"apiVersion":"v1","kind":"Node",)" +
                   metadata(1, "", name, number,
                            label("kubernetes.io/hostname", name) + "," +
                                label("topology.kubernetes.io/zone", zone)) +
                   R"(,"spec":{},"status":{"allocatable":{"cpu":"8","memory":"32Gi"},)"
                   R"("conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":")" +
                   kCreated + R"(","lastTransitionTime":")" + kCreated + R"("}]}})",
               {{"kubernetes.io/hostname", name}, {"topology.kubernetes.io/zone", zone}}));
  create(store, {"coordination.k8s.io", "leases"},
         draft("kube-node-lease", name,
               R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)" +
                   metadata(2, "kube-node-lease", name, number, "") +
                   R"(,"spec":{"holderIdentity":")" + name +
                   R"(","leaseDurationSeconds":40,"renewTime":"2026-01-01T00:00:00.000000Z"}})"));
}

void create_service(Store& store, int number) {
  const std::string name = "s" + std::to_string(number);
  create(
      store, {"", "services"},
      draft("default", name,
            R"({"apiVersion":"v1","kind":"Service",)" + metadata(3, "default", name, number, "") +
                R"(,"spec":{"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP",)"
                R"("ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","selector":{"app":")" +
                name +
                R"("},"ports":[{"name":"http","port":80,"targetPort":8080,"protocol":"TCP"}]}})"));
}

/// "2026-02-01T07:05:00Z" for minute 425.
std::string time_of(int minute) {
  char text[32];
  std::snprintf(text, sizeof text, "2026-02-01T%02d:%02d:00Z", minute / 60 % 24, minute % 60);
  return text;
}

std::string environment(int number) {
  std::string out;
  for (const char* name : {"REGION", "LOG_LEVEL", "DATABASE_URL", "CACHE_ENDPOINT"}) {
    out += std::string(out.empty() ? "" : ",") + R"({"name":")" + name +
           R"(","value":"https://service-)" + std::to_string(number % 97) +
           R"(.internal.example.com:8443/v1"})";
  }
  return out;
}

std::string status(int number, int minute) {
  std::string conditions;
  for (const char* type : {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
    conditions += std::string(conditions.empty() ? "" : ",") + R"({"type":")" + type +
                  R"(","status":"True","lastTransitionTime":")" + time_of(minute) + "\"}";
  }
  const std::string ip = "10." + std::to_string(number / 65536 % 256) + "." +
                         std::to_string(number / 256 % 256) + "." + std::to_string(number % 256);
  return R"({"phase":"Running","podIP":")" + ip + R"(","podIPs":[{"ip":")" + ip +
         R"("}],"startTime":")" + kCreated + R"(","conditions":[)" + conditions +
         R"(],"containerStatuses":[{"name":"app","image":"registry.example.com/team/app:v1",)"
         R"("imageID":"sha256:0","ready":true,"started":true,"restartCount":0,)"
         R"("state":{"running":{"startedAt":")" +
         kCreated + R"("}}}]})";
}

Draft pod(const Size& size, int number, int minute) {
  const std::string name = "pod-" + std::to_string(number);
  const int service = number / size.backends;
  const std::string app = service < size.services ? "s" + std::to_string(service) : "none";
  return draft(
      "default", name,
      R"({"apiVersion":"v1","kind":"Pod",)" +
          metadata(4, "default", name, number,
                   label("app", app) + "," + label("app.kubernetes.io/part-of", "scale")) +
          R"(,"spec":{"nodeName":")" + node_name(number % size.nodes) +
          R"(","restartPolicy":"Always","containers":[{"name":"app",)"
          R"("image":"registry.example.com/team/app:v1","env":[)" +
          environment(number) +
          R"(],"ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],)"
          R"("resources":{"requests":{"cpu":"100m","memory":"128Mi"}},)"
          R"("readinessProbe":{"httpGet":{"path":"/readyz","port":"http"},"periodSeconds":5}}],)"
          R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
          R"("effect":"NoExecute","tolerationSeconds":300}]},"status":)" +
          status(number, minute) + "}",
      {{"app", app}, {"app.kubernetes.io/part-of", "scale"}});
}

}  // namespace

void fill(Store& store, const Size& size) {
  for (int i = 0; i < size.nodes; ++i) create_node(store, i);
  for (int i = 0; i < size.services; ++i) create_service(store, i);
  for (int i = 0; i < size.pods; ++i) create(store, kPods, pod(size, i, 0));
}

void touch_pods(Store& store, const Size& size, int from, int count, int minute) {
  for (int i = 0; i < count; ++i) {
    Draft changed = pod(size, (from + i) % size.pods, minute % kMinutesOfADay);
    const sandbox::VersionPtr old = store.get(kPods, changed.ns, changed.name);
    const auto updated = store.update(kPods, std::move(changed), old ? old->revision : 0);
    if (!updated) live::give_up("cannot change a pod: " + updated.error().message());
  }
}

std::size_t pod_bytes(const Store& store) {
  const sandbox::VersionPtr first = store.get(kPods, "default", "pod-0");
  return first ? first->text.size() : 0;
}

std::size_t count(const Store& store, const Collection& collection) {
  return store.list(collection, "").objects.size();
}

}  // namespace davit::bench
