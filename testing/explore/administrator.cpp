#include "testing/explore/administrator.hpp"

#include <algorithm>
#include <utility>

#include "host/cache/resource_id.hpp"
#include "lib/base/take_until.hpp"

namespace davit::explore {
namespace {

using Action = Step::Action;
constexpr int kSuccess = 2;  // The hundreds of a status of success.

std::string path_of(const sandbox::Resource& resource, const std::string& ns) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/" + resource.group + "/";
  path += resource.version + "/";
  if (resource.namespaced) path += "namespaces/" + ns + "/";
  return path + resource.name;
}

std::string patch_content(host::PatchType type) {
  switch (type) {
    case host::PatchType::kJson:
      return "application/json-patch+json";
    case host::PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    default:
      return "application/merge-patch+json";
  }
}

std::string deletion_body(const host::DeleteOptions& options) {
  using host::Propagation;
  Json body = Json::object({{"kind", "DeleteOptions"}, {"apiVersion", "v1"}});
  body.set("propagationPolicy", options.propagation == Propagation::kOrphan       ? "Orphan"
                                : options.propagation == Propagation::kForeground ? "Foreground"
                                                                                  : "Background");
  if (options.grace_seconds) body.set("gracePeriodSeconds", *options.grace_seconds);
  return to_text(body);
}

/// A failure with the place and text of its step.
Status refused(const Status& status, const Step& step) {
  if (status.ok()) return status;
  return Status(Code::kInvalid, step.place + ": " + step.text() + ": " + status.message());
}

bool has_labels(const Json& object, const std::vector<std::string>& labels) {
  return std::ranges::all_of(labels, [&](const std::string& each) {
    std::string_view value = each;
    const std::string_view key = take_until(value, "=");
    return object.text_at({"metadata", "labels", key}) == value;
  });
}

}  // namespace

Result<std::vector<Administrator::Found>> Administrator::find(const Step& step) const {
  const Target& target = step.target;
  const sandbox::ResourcePtr resource = world_.server().find(target.resource);
  if (resource == nullptr) {
    return Status(Code::kInvalid, step.place + ": the server has no " + target.resource);
  }
  const std::string ns = !resource->namespaced ? ""
                         : target.ns.empty()   ? scenario_.name
                                               : target.ns;
  std::vector<std::string> texts;
  if (target.name.empty()) {
    texts = world_.server().texts(resource->qualified_name());
  } else if (auto one = world_.server().text(resource->qualified_name(), {ns, target.name})) {
    texts.push_back(std::move(*one));
  }
  std::vector<Found> out;
  for (const std::string& text : texts) {
    const Json object = json_literal(text);
    const std::string& name = object.text_at({"metadata", "name"});
    if (object.text_at({"metadata", "namespace"}) != ns) continue;
    if (!target.name.empty() && name != target.name) continue;
    if (!has_labels(object, target.labels)) continue;
    out.push_back({ns, name, world_.content().born(object.text_at({"metadata", "uid"}))});
  }
  std::ranges::sort(out, {}, &Found::born);
  if (step.first && out.size() > *step.first) out.resize(*step.first);
  return out;
}

Result<std::size_t> Administrator::count(const Step& step) const {
  const Result<std::vector<Found>> found = find(step);
  if (!found) return found.error();
  return found->size();
}

Status Administrator::send(const std::string& method, const sandbox::Resource& resource,
                           const Found& object, const Step& step, std::string body) const {
  HttpServerRequest request;
  request.method = method;
  request.target = path_of(resource, object.ns);
  if (method != "POST") request.target += "/" + object.name;
  if (!step.subresource.empty()) request.target += "/" + step.subresource;
  request.headers = {
      {"Content-Type", method == "PATCH" ? patch_content(step.patch_type) : kJsonText}};
  request.body = std::move(body);
  const HttpServerResponse response = world_.server().handle(request);
  if (response.status / 100 == kSuccess) return {};
  const std::string why = json_literal(response.body).get("message").text();
  return refused(Status(Code::kInvalid, why), step);
}

Status Administrator::collect(const Step& step) const {
  // An object that goes at once may be the owner of others.
  for (auto found = world_.content().left_over(); !found.empty();
       found = world_.content().left_over()) {
    for (const auto& [collection, place] : found) {
      const host::ResourceId id{collection.group, {}, collection.resource};
      const sandbox::ResourcePtr resource = world_.server().find(id.text());
      if (resource == nullptr) {
        return Status(Code::kInvalid, step.place + ": the server has no " + id.text());
      }
      const Found object{place.first, place.second};
      if (Status s = send("DELETE", *resource, object, step, deletion_body({})); !s.ok()) return s;
    }
  }
  return {};
}

Status Administrator::act(const Step& step) {
  world_.log("= " + step.text());
  if (step.action == Action::kCollect) return collect(step);
  const sandbox::ResourcePtr resource = world_.server().find(step.target.resource);
  if (step.action == Action::kAdd) {
    return refused(world_.server().put(completed(step)), step);
  }
  if (resource == nullptr) {
    return Status(Code::kInvalid, step.place + ": the server has no " + step.target.resource);
  }
  if (step.action == Action::kCreate) {
    const Json body = completed(step);
    return send("POST", *resource, {body.text_at({"metadata", "namespace"}), step.target.name},
                step, to_text(body));
  }
  const Result<std::vector<Found>> found = find(step);
  if (!found) return found.error();
  if (found->empty()) return Status(Code::kNotFound, step.place + ": nothing is there");
  for (const Found& each : *found) {
    Status done;
    if (step.action == Action::kErase) {
      const Result<bool> erased =
          world_.server().erase(resource->qualified_name(), {each.ns, each.name});
      if (!erased) done = refused(erased.error(), step);
    } else if (step.action == Action::kDelete) {
      done = send("DELETE", *resource, each, step, deletion_body(step.deletion));
    } else {
      done = send("PATCH", *resource, each, step, to_text(step.body));
    }
    if (!done.ok()) return done;
  }
  return {};
}

Json Administrator::completed(const Step& step) const {
  Json body = step.body;
  const sandbox::ResourcePtr resource = world_.server().find(step.target.resource);
  if (resource != nullptr && body.get("apiVersion").text().empty()) {
    body.set("apiVersion", resource->api_version());
  }
  const bool is_placed = !body.text_at({"metadata", "namespace"}).empty();
  const bool is_namespaced = resource == nullptr || resource->namespaced;
  if (is_namespaced && !is_placed) body["metadata"].set("namespace", scenario_.name);
  insert_uids(body);
  return body;
}

void Administrator::insert_uids(Json& value) const {
  if (value.is_array()) {
    for (Json& each : value.make_array()) insert_uids(each);
  } else if (value.is_object()) {
    for (Json::Member& each : value.make_object()) insert_uids(each.value);
  }
  constexpr std::string_view kUid = "$uid:";
  if (!value.is_string() || !value.text().starts_with(kUid)) return;
  const std::string place = value.text().substr(kUid.size());
  std::string_view name = place;
  const std::string_view kind = take_until(name, "/");
  const sandbox::ResourcePtr resource = world_.server().find(kind);
  if (resource == nullptr) return;
  const std::string ns = resource->namespaced ? scenario_.name : "";
  const std::optional<std::string> object =
      world_.server().text(resource->qualified_name(), {ns, std::string(name)});
  if (object) value = json_literal(*object).text_at({"metadata", "uid"});
}

}  // namespace davit::explore
