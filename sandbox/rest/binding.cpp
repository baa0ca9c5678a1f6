#include "sandbox/rest/binding.hpp"

#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/response.hpp"
#include "sandbox/rest/verbs.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

/// The errors of one target as Go prints several: in brackets.
ApiFailure check_target(const Json& binding) {
  const std::string& kind = binding.text_at({"target", "kind"});
  std::vector<std::string> texts;
  if (!kind.empty() && kind != "Node") {
    texts.push_back("target.kind: Unsupported value: " + to_text(Json(kind)) +
                    R"(: supported values: "Node", "<empty>")");
  }
  if (binding.text_at({"target", "name"}).empty()) {
    texts.emplace_back("target.name: Required value");
  }
  if (texts.empty()) return std::nullopt;
  if (texts.size() == 1) return internal_error(texts.front());
  return internal_error('[' + texts[0] + ", " + texts[1] + ']');
}

/// `name`: that of the URL. k8s: the order of BindingREST.Create.
ApiFailure check_binding(const Json& binding, std::string_view name) {
  if (binding.text_at({"metadata", "name"}) != name) {
    return bad_request("name in URL does not match name in Binding object");
  }
  return check_target(binding);
}

/// Why this pod gets no node; empty: it does.
std::string refusal(const Json& pod) {
  const std::string& name = pod.text_at({"metadata", "name"});
  const std::string& node = pod.text_at({"spec", "nodeName"});
  if (is_being_deleted(pod)) {
    return "pod " + name + " is being deleted, cannot be assigned to a host";
  }
  if (!node.empty()) return "pod " + name + " is already assigned to node \"" + node + '"';
  if (!pod.get("spec").get("schedulingGates").items().empty()) {
    return "pod " + name + " has non-empty .spec.schedulingGates";
  }
  return "";
}

void merge_map(Json& pod, const Json& binding, std::string_view key) {
  const Json* from = binding.at({"metadata", key});
  if (from == nullptr) return;
  for (const Json::Member& each : from->members()) {
    pod["metadata"][key].set(each.key, each.value);
  }
}

ApiResult<Json> bound(const Json& old, const Json& binding, const std::string& now) {
  const std::string& name = old.text_at({"metadata", "name"});
  const std::string& uid = binding.text_at({"metadata", "uid"});
  const Subject subject{"", "pods/binding", name};
  if (!uid.empty() && uid != old.text_at({"metadata", "uid"})) {
    return conflict(subject, "Precondition failed: UID in precondition: " + uid +
                                 ", UID in object meta: " + old.text_at({"metadata", "uid"}));
  }
  if (const std::string why = refusal(old); !why.empty()) return conflict(subject, why);
  Json next = old;
  const std::string& revision = binding.text_at({"metadata", "resourceVersion"});
  if (!revision.empty()) next["metadata"].set("resourceVersion", revision);
  next["spec"].set("nodeName", binding.text_at({"target", "name"}));
  merge_map(next, binding, "annotations");
  merge_map(next, binding, "labels");
  next["status"].erase("nominatedNodeName");
  set_condition(next, Json::object({{"type", "PodScheduled"}, {"status", "True"}}), now);
  return next;
}

}  // namespace

ApiResult<HttpServerResponse> post_binding(const RestParts& parts, Call& call) {
  const ApiResult<WriteOptions> options = parse_write_options(call.url.query, WriteKind::kCreate);
  if (!options) return options.error();
  ApiResult<Decoded> decoded =
      decode_body(call.request, BodyType::of_kind("", "v1", "Binding"), options->validation);
  if (!decoded) return decoded.error();
  Json& binding = decoded->object;
  // The older way to bind, POST to "bindings", has the name in the object only.
  const auto name_now = [&] {
    return call.url.name.empty() ? binding.text_at({"metadata", "name"}) : call.url.name;
  };
  if (ApiFailure failure = check_binding(binding, name_now())) return *failure;
  const ResourcePtr pods = parts.resources.now()->find("", "v1", "pods");
  // PodTopologyLabels does not look at the older way.
  const bool is_of_pod = !call.url.name.empty();
  const std::string ns = call.ns();
  if (is_of_pod) {
    const WriteRequest bind{*pods, WriteVerb::kCreate, ns, call.url.name, "binding", nullptr};
    if (ApiFailure failure = parts.admission.admit(bind, binding)) return *failure;
  }
  const std::string asked = name_now();
  if (ApiFailure failure =
          admit_part(is_of_pod ? *pods : *call.resource, asked, options->dry_run, binding, call)) {
    return *failure;
  }
  // Admission may have changed it.
  const std::string name = name_now();
  if (ApiFailure failure = check_binding(binding, name)) return *failure;
  Call pod_call{call.request, call.url, Verb::kUpdate, pods, call.form, call.user_agent, {}};
  WriteTarget target = target_of(parts, pod_call, *options);
  target.name = name;
  target.subresource = "binding";
  target.rules = RuleSet::kNone;
  const ApiResult<Written> written = rewrite_object(
      parts, target, Missing::kNotFound,
      [&](const Json& old) { return bound(old, binding, time_text(parts.clock)); }, call.warnings);
  if (!written) return written.error();
  return object_response(parts, call, 201, created_status());
}

void set_condition(Json& object, Json condition, std::string_view now) {
  Json& conditions = object["status"]["conditions"];
  conditions.make_array();
  const std::string type = condition.get("type").text();
  condition.set("lastProbeTime", Json());
  condition.set("lastTransitionTime", now);
  for (Json& each : conditions.make_array()) {
    if (each.get("type").text() != type) continue;
    if (each.get("status").text() == condition.get("status").text()) {
      condition.set("lastTransitionTime", each.get("lastTransitionTime"));
    }
    each = std::move(condition);
    return;
  }
  conditions.push_back(std::move(condition));
}

}  // namespace davit::sandbox
