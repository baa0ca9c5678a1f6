// The kinds that random requests are about.
#include "tests/live/differential/operations.hpp"

namespace davit::live {

namespace {

std::string core(const char* plural) {
  return std::string("/api/v1/namespaces/") + kFuzzNamespace + '/' + plural;
}

std::string grouped(const char* group_version, const char* plural) {
  return std::string("/apis/") + group_version + "/namespaces/" + kFuzzNamespace + '/' + plural;
}

/// Selector and template of a workload.
constexpr char kWorkload[] =
    R"("selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},)"
    R"("spec":{"containers":[{"name":"c","image":"nginx:1"}]}}})";

std::vector<FuzzedKind> configuration() {
  return {
      {core("configmaps"),
       "v1",
       "ConfigMap",
       R"({"data":{"a":"1","b":"2"}})",
       {R"({"data":{"a":"2"}})", R"({"data":{"c":"3"}})", R"({"data":null})",
        R"({"data":{"bad key":"x"}})", R"({"immutable":true})", R"({"binaryData":{"z":"eA=="}})",
        R"({"binaryData":{"z":"%%"}})"}},
      {core("secrets"),
       "v1",
       "Secret",
       R"({"stringData":{"a":"1"}})",
       {R"({"data":{"a":"Yg=="}})", R"({"type":"other"})", R"({"stringData":{"b":"2"}})",
        R"({"data":{"a":"!"}})"}},
      {core("serviceaccounts"),
       "v1",
       "ServiceAccount",
       R"({})",
       {R"({"imagePullSecrets":[{"name":"s"}]})", R"({"automountServiceAccountToken":false})"}},
      {grouped("coordination.k8s.io/v1", "leases"),
       "coordination.k8s.io/v1",
       "Lease",
       R"({"spec":{"holderIdentity":"x"}})",
       {R"({"spec":{"leaseDurationSeconds":15}})", R"({"spec":{"leaseDurationSeconds":0}})",
        R"({"spec":{"renewTime":"2026-01-01T00:00:00.000000Z"}})",
        R"({"spec":{"renewTime":"yesterday"}})"}},
  };
}

std::vector<FuzzedKind> network() {
  return {
      {core("services"),
       "v1",
       "Service",
       R"({"spec":{"clusterIP":"None","selector":{"app":"x"},)"
       R"("ports":[{"port":80,"name":"http"}]}})",
       {R"({"spec":{"ports":[{"port":81,"name":"http"}]}})",
        R"({"spec":{"ports":[{"port":0,"name":"http"}]}})", R"({"spec":{"selector":{"app":"y"}}})",
        R"({"spec":{"sessionAffinity":"ClientIP"}})", R"({"spec":{"sessionAffinity":"Odd"}})",
        R"({"spec":{"ports":[{"port":80},{"port":81}]}})",
        R"({"spec":{"publishNotReadyAddresses":true}})"}},
      {core("endpoints"),
       "v1",
       "Endpoints",
       R"({"subsets":[{"addresses":[{"ip":"10.1.1.1"}],"ports":[{"port":80}]}]})",
       {R"({"subsets":null})", R"({"subsets":[{"addresses":[{"ip":"127.0.0.1"}]}]})",
        R"({"subsets":[{"addresses":[{"ip":"10.1.1.300"}],"ports":[{"port":80}]}]})"}},
  };
}

std::vector<FuzzedKind> workloads() {
  return {
      {core("pods"),
       "v1",
       "Pod",
       R"({"spec":{"containers":[{"name":"c","image":"nginx"}],"nodeName":"n1"}})",
       {R"({"spec":{"containers":[{"name":"c","image":"nginx:2"}]}})",
        R"({"spec":{"nodeName":"other"}})", R"({"spec":{"activeDeadlineSeconds":5}})",
        R"({"status":{"phase":"Running"}})", R"({"spec":{"containers":[]}})",
        R"({"spec":{"restartPolicy":"Odd"}})"},
       true},
      {grouped("apps/v1", "deployments"),
       "apps/v1",
       "Deployment",
       std::string(R"({"spec":{"replicas":2,)") + kWorkload + "}",
       {R"({"spec":{"replicas":3}})", R"({"spec":{"replicas":-1}})", R"({"spec":{"paused":true}})",
        R"({"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}})",
        R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":"150%","maxUnavailable":"50%"}}}})",
        R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}}}})",
        R"({"spec":{"selector":{"matchLabels":{"app":"z"}}}})",
        R"({"spec":{"progressDeadlineSeconds":1,"minReadySeconds":5}})",
        R"({"metadata":{"annotations":{"n":"1"}}})", R"({"status":{"replicas":4}})"}},
      {grouped("apps/v1", "replicasets"),
       "apps/v1",
       "ReplicaSet",
       std::string(R"({"spec":{)") + kWorkload + "}",
       {R"({"spec":{"replicas":3}})", R"({"spec":{"replicas":"3"}})",
        R"({"spec":{"minReadySeconds":2}})",
        R"({"spec":{"template":{"spec":{"restartPolicy":"Never"}}}})"}},
  };
}

}  // namespace

const std::vector<FuzzedKind>& fuzzed_kinds() {
  static const std::vector<FuzzedKind> kAll = [] {
    std::vector<FuzzedKind> all;
    for (auto part : {configuration(), network(), workloads()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kAll;
}

}  // namespace davit::live
