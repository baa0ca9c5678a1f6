#include "tests/live/differential/operations.hpp"

#include <algorithm>
#include <utility>

namespace davit::live {

std::string Operation::str() const {
  return method + ' ' + target + (type.empty() ? "" : " (" + type + ") " + body);
}

std::vector<Operation> operations_of(std::uint64_t seed, std::size_t count) {
  constexpr std::size_t kPerWatch = 250;
  OperationSource source(seed);
  std::vector<Operation> out;
  for (std::size_t done = 0; done < count;) {
    const std::string selection = source.selection();
    out.push_back({kWatchStart, selection, "", "", {}});
    const std::size_t end = std::min(done + kPerWatch, count);
    for (; done < end; ++done) out.push_back(source.next());
    out.push_back({kWatchEnd, selection, "", "", {}});
  }
  return out;
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

void OperationSource::damage(Json& object) {
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

Json OperationSource::object_of(const FuzzedKind& kind, const std::string& name) {
  Json out = Json::object(
      {{"apiVersion", kind.api_version}, {"kind", kind.kind}, {"metadata", metadata(name)}});
  const Json content = json_literal(kind.content);
  for (const Json::Member& each : content.members()) out.set(each.key, each.value);
  if (chance(5)) damage(out);
  return out;
}

Operation OperationSource::create(const FuzzedKind& kind, const std::string& name) {
  std::string target = kind.path;
  if (chance(5)) target += "?dryRun=All";
  Json object = object_of(kind, name);
  if (chance(3)) object["metadata"].set("namespace", "elsewhere");
  if (chance(2)) object["metadata"].set("resourceVersion", "7");
  return {"POST", target, "application/json", to_text(object), {}};
}

Operation OperationSource::update(const FuzzedKind& kind, const std::string& name) {
  Json object = object_of(kind, name);
  if (chance(40)) object["metadata"].set("resourceVersion", chance(80) ? "@RV@" : "1");
  if (chance(4)) object["metadata"].set("uid", "wrong");
  if (chance(3)) object["metadata"].set("name", "different");
  const std::string target = kind.path + '/' + name;
  return {"PUT", target, "application/json", to_text(object), target};
}

Json OperationSource::change_of(const FuzzedKind& kind) {
  if (chance(65)) return json_literal(one_of(kind.changes));
  if (chance(50)) return Json::object({{"metadata", Json::object({{"labels", labels()}})}});
  return json_literal(one_of<std::string>(
      {R"({"metadata":{"labels":null}})", R"({"metadata":{"annotations":{"note":"3"}}})",
       R"({"metadata":{"finalizers":null}})", R"({"metadata":{"finalizers":["example.com/b"]}})",
       R"({"metadata":{"uid":"wrong"}})", R"({"metadata":{"name":"different"}})",
       R"({"metadata":{"resourceVersion":"1"}})", R"({"metadata":{"generation":99}})",
       R"({"metadata":{"creationTimestamp":"2001-01-01T00:00:00Z"}})", R"({})"}));
}

Operation OperationSource::patch(const FuzzedKind& kind, const std::string& name) {
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
       R"([{"op":"test","path":"/metadata/name","value":"a"},)"
       R"({"op":"add","path":"/metadata/annotations","value":{"t":"1"}}])",
       R"([{"op":"replace","path":"/metadata/labels","value":{"app":"x"}}])",
       R"([{"op":"move","from":"/metadata/labels","path":"/metadata/annotations"}])",
       R"([{"op":"copy","from":"/metadata/labels","path":"/metadata/annotations"}])",
       R"([{"op":"odd","path":"/metadata/labels"}])", R"([])", R"({"op":"add"})", R"([{)"});
  return {"PATCH", target, "application/json-patch+json", body, target};
}

Operation OperationSource::apply(const FuzzedKind& kind, const std::string& name) {
  const std::string target = kind.path + '/' + name +
                             "?fieldManager=" + one_of<std::string>({"m1", "m2", "m3"}) +
                             (chance(30) ? "&force=true" : "");
  Json object = Json::object({{"apiVersion", kind.api_version},
                              {"kind", kind.kind},
                              {"metadata", Json::object({{"name", name}})}});
  // No labels: who owns a map that has become empty is recorded otherwise by older versions.
  if (chance(80)) {
    const Json content = json_literal(kind.content);
    for (const Json::Member& each : content.members()) object.set(each.key, each.value);
  }
  return {"PATCH", target, "application/apply-patch+yaml", to_text(object), kind.path + '/' + name};
}

Operation OperationSource::remove(const FuzzedKind& kind, const std::string& name) {
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
  // An older version does not respond with the Service, and so its resourceVersion stays unknown.
  if (kind.kind == "Service" && body.find("@RV@") != std::string::npos) {
    return {"DELETE", target, "", "", target};
  }
  return {"DELETE", target, "application/json", body, target};
}

std::string OperationSource::query_of(const FuzzedKind& kind) {
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
  const FuzzedKind& kind = one_of(fuzzed_kinds());
  const std::string query = query_of(kind);
  return kind.path + (query.empty() ? "?" : query + "&");
}

Operation OperationSource::read(const FuzzedKind& kind, const std::string& name) {
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

Operation OperationSource::subresource(const FuzzedKind& kind, const std::string& name) {
  // Older versions do not record who scales, and Deployments are applied with replicas.
  const bool workload = kind.kind == "ReplicaSet";
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
  const FuzzedKind& kind = one_of(fuzzed_kinds());
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
