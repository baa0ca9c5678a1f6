#include "tests/live/differential/operations.hpp"

#include <utility>

namespace davit::live {

using sandbox::Json;
using sandbox::json_literal;

/// One kind to play with.
struct OperationSource::KindOfObject {
  std::string path;  ///< Of its collection.
  std::string api_version;
  std::string kind;
  std::string content;               ///< Everything but metadata, as JSON.
  std::vector<std::string> changes;  ///< Merge patches, good and bad.
  bool custom_fields = false;        ///< Has field selectors of its own.
};

const std::vector<OperationSource::KindOfObject>& OperationSource::kinds() {
  static const auto core = [](const char* plural) {
    return std::string("/api/v1/namespaces/") + kNamespace + '/' + plural;
  };
  static const std::string apps = std::string("/apis/apps/v1/namespaces/") + kNamespace + '/';
  static const std::string workload =
      R"("selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},)"
      R"("spec":{"containers":[{"name":"c","image":"nginx:1"}]}}})";
  static const std::vector<KindOfObject> kAll = {
      {core("configmaps"),
       "v1",
       "ConfigMap",
       R"({"data":{"a":"1","b":"2"}})",
       {R"({"data":{"a":"2"}})", R"({"data":{"c":"3","a":null}})", R"({"data":null})",
        R"({"data":{"bad key":"x"}})", R"({"immutable":true})", R"({"binaryData":{"z":"eA=="}})",
        R"({"binaryData":{"z":"%%"}})"}},
      {core("secrets"),
       "v1",
       "Secret",
       R"({"stringData":{"a":"1"}})",
       {R"({"data":{"a":"Yg=="}})", R"({"type":"other"})", R"({"stringData":{"b":"2"}})",
        R"({"data":{"a":"!"}})"}},
      {core("services"),
       "v1",
       "Service",
       R"({"spec":{"clusterIP":"None","selector":{"app":"x"},"ports":[{"port":80,"name":"http"}]}})",
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
      {core("pods"),
       "v1",
       "Pod",
       R"({"spec":{"containers":[{"name":"c","image":"nginx"}],"nodeName":"n1"}})",
       {R"({"spec":{"containers":[{"name":"c","image":"nginx:2"}]}})",
        R"({"spec":{"nodeName":"other"}})", R"({"spec":{"activeDeadlineSeconds":5}})",
        R"({"status":{"phase":"Running"}})", R"({"spec":{"containers":[]}})",
        R"({"spec":{"restartPolicy":"Odd"}})"},
       true},
      {core("serviceaccounts"),
       "v1",
       "ServiceAccount",
       R"({})",
       {R"({"imagePullSecrets":[{"name":"s"}]})", R"({"automountServiceAccountToken":false})"}},
      {apps + "deployments",
       "apps/v1",
       "Deployment",
       R"({"spec":{"replicas":2,)" + workload + "}",
       {R"({"spec":{"replicas":3}})", R"({"spec":{"replicas":-1}})", R"({"spec":{"paused":true}})",
        R"({"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}})",
        R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":"150%","maxUnavailable":"50%"}}}})",
        R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}}}})",
        R"({"spec":{"selector":{"matchLabels":{"app":"z"}}}})",
        R"({"spec":{"progressDeadlineSeconds":1,"minReadySeconds":5}})",
        R"({"metadata":{"annotations":{"n":"1"}}})", R"({"status":{"replicas":4}})"}},
      {apps + "replicasets",
       "apps/v1",
       "ReplicaSet",
       R"({"spec":{)" + workload + "}",
       {R"({"spec":{"replicas":3}})", R"({"spec":{"replicas":"3"}})",
        R"({"spec":{"minReadySeconds":2}})",
        R"({"spec":{"template":{"spec":{"restartPolicy":"Never"}}}})"}},
      {std::string("/apis/coordination.k8s.io/v1/namespaces/") + kNamespace + "/leases",
       "coordination.k8s.io/v1",
       "Lease",
       R"({"spec":{"holderIdentity":"x"}})",
       {R"({"spec":{"leaseDurationSeconds":15}})", R"({"spec":{"leaseDurationSeconds":0}})",
        R"({"spec":{"renewTime":"2026-01-01T00:00:00.000000Z"}})",
        R"({"spec":{"renewTime":"yesterday"}})"}},
  };
  return kAll;
}

std::string Operation::str() const {
  return method + ' ' + target + (type.empty() ? "" : " (" + type + ") " + body);
}

std::size_t OperationSource::below(std::size_t limit) { return random_() % limit; }

Json OperationSource::labels() {
  Json out = Json::object();
  if (chance(70)) out.set("app", one_of<std::string>({"x", "y"}));
  if (chance(30)) out.set("tier", one_of<std::string>({"web", "db", ""}));
  if (chance(3)) out.set("bad key!", "v");
  return out;
}

Json OperationSource::metadata(const std::string& name) {
  Json out = Json::object({{"name", name}});
  if (Json drawn = labels(); drawn.size() != 0) out.set("labels", std::move(drawn));
  if (chance(15)) out.set("annotations", Json::object({{"note", one_of<std::string>({"1", "2"})}}));
  if (chance(6)) out.set("finalizers", Json::array({"example.com/held"}));
  if (chance(2)) out.set("finalizers", Json::array({"held"}));
  if (chance(3)) {
    out.set("ownerReferences",
            Json::array({Json::object(
                {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "a"}, {"uid", "0f0f"}})}));
  }
  return out;
}

void OperationSource::spoil(Json& object) {
  switch (below(5)) {
    case 0:
      object.set("metadata", "text");
      return;
    case 1:
      object["metadata"].set("labels", Json::array({"x"}));
      return;
    case 2:
      object["metadata"].set("name", one_of<std::string>({"Upper", "under_score", "-dash", ""}));
      return;
    case 3:
      object.set("kind", "Other");
      return;
    default:
      object.set(one_of<std::string>({"spec", "data", "status"}), Json(3));
      return;
  }
}

Json OperationSource::object_of(const KindOfObject& kind, const std::string& name) {
  Json out = Json::object(
      {{"apiVersion", kind.api_version}, {"kind", kind.kind}, {"metadata", metadata(name)}});
  const Json content = json_literal(kind.content);
  for (const Json::Member& each : content.members()) out.set(each.key, each.value);
  if (chance(5)) spoil(out);
  return out;
}

Operation OperationSource::create(const KindOfObject& kind, const std::string& name) {
  std::string target = kind.path;
  if (chance(5)) target += "?dryRun=All";
  Json object = object_of(kind, name);
  if (chance(3)) object["metadata"].set("namespace", "elsewhere");
  if (chance(2)) object["metadata"].set("resourceVersion", "7");
  return {"POST", target, "application/json", to_text(object), {}};
}

Operation OperationSource::update(const KindOfObject& kind, const std::string& name) {
  Json object = object_of(kind, name);
  if (chance(40)) object["metadata"].set("resourceVersion", chance(80) ? "@RV@" : "1");
  if (chance(4)) object["metadata"].set("uid", "wrong");
  if (chance(3)) object["metadata"].set("name", "different");
  const std::string target = kind.path + '/' + name;
  return {"PUT", target, "application/json", to_text(object), target};
}

Json OperationSource::change_of(const KindOfObject& kind) {
  if (chance(65)) return json_literal(one_of(kind.changes));
  if (chance(50)) return Json::object({{"metadata", Json::object({{"labels", labels()}})}});
  return json_literal(one_of<std::string>(
      {R"({"metadata":{"labels":null}})", R"({"metadata":{"annotations":{"note":"3"}}})",
       R"({"metadata":{"finalizers":null}})", R"({"metadata":{"finalizers":["example.com/b"]}})",
       R"({"metadata":{"uid":"wrong"}})", R"({"metadata":{"name":"different"}})",
       R"({"metadata":{"resourceVersion":"1"}})", R"({"metadata":{"generation":99}})",
       R"({"metadata":{"creationTimestamp":"2001-01-01T00:00:00Z"}})", R"({})"}));
}

Operation OperationSource::patch(const KindOfObject& kind, const std::string& name) {
  const std::string target = kind.path + '/' + name;
  const std::size_t choice = below(10);
  if (choice < 4) {
    return {"PATCH", target, "application/merge-patch+json", to_text(change_of(kind)), target};
  }
  if (choice < 7) {
    return {"PATCH", target, "application/strategic-merge-patch+json", to_text(change_of(kind)),
            target};
  }
  const std::string body = one_of<std::string>(
      {R"([{"op":"add","path":"/metadata/labels/app","value":"y"}])",
       R"([{"op":"remove","path":"/metadata/labels/app"}])",
       R"([{"op":"test","path":"/metadata/name","value":"a"},{"op":"add","path":"/metadata/annotations","value":{"t":"1"}}])",
       R"([{"op":"replace","path":"/metadata/labels","value":{"app":"x"}}])",
       R"([{"op":"move","from":"/metadata/labels","path":"/metadata/annotations"}])",
       R"([{"op":"copy","from":"/metadata/labels","path":"/metadata/annotations"}])",
       R"([{"op":"odd","path":"/metadata/labels"}])", R"([])", R"({"op":"add"})", R"([{)"});
  return {"PATCH", target, "application/json-patch+json", body, target};
}

Operation OperationSource::apply(const KindOfObject& kind, const std::string& name) {
  const std::string target = kind.path + '/' + name +
                             "?fieldManager=" + one_of<std::string>({"m1", "m2", "m3"}) +
                             (chance(30) ? "&force=true" : "");
  Json object = Json::object({{"apiVersion", kind.api_version},
                              {"kind", kind.kind},
                              {"metadata", Json::object({{"name", name}})}});
  if (chance(60)) object["metadata"].set("labels", labels());
  if (chance(70)) {
    const Json content = json_literal(kind.content);
    for (const Json::Member& each : content.members()) object.set(each.key, each.value);
  }
  return {"PATCH", target, "application/apply-patch+yaml", to_text(object), kind.path + '/' + name};
}

Operation OperationSource::remove(const KindOfObject& kind, const std::string& name) {
  if (chance(3) && kind.kind != "Service") {  // Older versions cannot delete many Services.
    return {"DELETE",
            kind.path + "?labelSelector=" + one_of<std::string>({"app%3Dx", "tier"}),
            "",
            "",
            {}};
  }
  const std::string target = kind.path + '/' + name;
  if (chance(50)) return {"DELETE", target, "", "", target};
  const std::string body = one_of<std::string>(
      {R"({"propagationPolicy":"Foreground"})", R"({"propagationPolicy":"Background"})",
       R"({"propagationPolicy":"Orphan"})", R"({"propagationPolicy":"Odd"})",
       R"({"gracePeriodSeconds":0})", R"({"gracePeriodSeconds":600})", R"({"dryRun":["All"]})",
       R"({"preconditions":{"uid":"wrong"}})", R"({"preconditions":{"resourceVersion":"@RV@"}})",
       R"({"orphanDependents":true})",
       R"({"orphanDependents":true,"propagationPolicy":"Orphan"})"});
  return {"DELETE", target, "application/json", body, target};
}

std::string OperationSource::query_of(const KindOfObject& kind) {
  std::string out;
  const auto add = [&out](const std::string& part) { out += (out.empty() ? "?" : "&") + part; };
  if (chance(50)) {
    add("labelSelector=" +
        one_of<std::string>({"app%3Dx", "app%21%3Dx", "app%20in%20(x,y)", "app%20notin%20(x)",
                             "tier", "%21tier", "app%3D%3Dx,tier%3Dweb", "tier%3D"}));
  }
  if (chance(25)) {
    add("fieldSelector=" +
        (kind.custom_fields && chance(60)
             ? one_of<std::string>(
                   {"spec.nodeName%3Dn1", "status.phase%3DPending", "status.phase%21%3DPending"})
             : one_of<std::string>(
                   {"metadata.name%3Da", "metadata.name%21%3Da", "metadata.namespace%3Dfuzz"})));
  }
  return out;
}

std::string OperationSource::selection() {
  const KindOfObject& kind = one_of(kinds());
  const std::string query = query_of(kind);
  return kind.path + (query.empty() ? "?" : query + "&");
}

Operation OperationSource::read(const KindOfObject& kind, const std::string& name) {
  if (chance(50)) return {"GET", kind.path + '/' + name, "", "", {}};
  std::string query = query_of(kind);
  if (chance(10)) {
    query += (query.empty() ? "?" : "&") +
             one_of<std::string>({"labelSelector=%3D", "fieldSelector=odd%3D1", "limit=x",
                                  "fieldSelector=nonsense", "labelSelector=a%20in%20b",
                                  "resourceVersionMatch=Exact", "continue=zzz"});
  } else if (chance(30)) {
    query += std::string(query.empty() ? "?" : "&") + "limit=" + std::to_string(1 + below(3));
  }
  return {"GET", kind.path + query, "", "", {}};
}

Operation OperationSource::subresource(const KindOfObject& kind, const std::string& name) {
  const bool workload = kind.kind == "Deployment" || kind.kind == "ReplicaSet";
  const std::string target = kind.path + '/' + name;
  if (workload && chance(40)) {
    if (chance(30)) return {"GET", target + "/scale", "", "", {}};
    return {"PATCH", target + "/scale", "application/merge-patch+json",
            one_of<std::string>({R"({"spec":{"replicas":4}})", R"({"spec":{"replicas":-4}})"}),
            target};
  }
  const std::string body =
      kind.kind == "Pod"
          ? one_of<std::string>(
                {R"({"status":{"phase":"Running"}})", R"({"status":{"podIP":"10.2.0.1"}})",
                 R"({"status":{"podIP":"odd"}})", R"({"metadata":{"labels":{"s":"1"}}})"})
          : one_of<std::string>(
                {R"({"status":{"replicas":2}})", R"({"status":{"observedGeneration":1}})",
                 R"({"metadata":{"labels":{"s":"1"}}})", R"({"spec":{"replicas":9}})"});
  return {"PATCH", target + "/status", "application/merge-patch+json", body, target};
}

Operation OperationSource::next() {
  const KindOfObject& kind = one_of(kinds());
  // Endpoints go with the Service of their name, at a moment that differs by version.
  const std::string name =
      (kind.kind == "Endpoints" ? "of-" : "") + one_of<std::string>({"a", "b", "c", "d"});
  const std::size_t choice = below(100);
  if (choice < 24) return create(kind, name);
  if (choice < 44) return patch(kind, name);
  // Whether a PUT or an apply creates a Service differs by version.
  if (choice < 56 && kind.kind != "Service") return update(kind, name);
  if (choice < 62 && kind.kind != "Service") return apply(kind, name);
  if (choice < 72) return subresource(kind, name);
  if (choice < 88) return read(kind, name);
  return remove(kind, name);
}

}  // namespace davit::live
