#include <davit/json_writer.hpp>
#include <davit/scale.hpp>
#include <utility>

namespace davit {
namespace {

std::string text_of(const ScaleTarget& target) { return target.kind + " " + target.key.text(); }

Resource resource_of(const ServedResource& served) {
  return {served.group(), served.version(), served.resource(), served.kind()};
}

Scale read(const ScaleTarget& target, std::string_view resource, const Value& object) {
  const Value metadata = object[&Names::metadata];
  const auto number = [](const Value& value) {
    return static_cast<std::int32_t>(value.integer_or(0));
  };
  return {.target = target,
          .resource = std::string(resource),
          .uid = std::string(metadata[&Names::uid].string()),
          .resource_version = std::string(metadata[&Names::resource_version].string()),
          .replicas = number(object[&Names::spec][&Names::replicas]),
          .current_replicas = number(object[&Names::status][&Names::replicas]),
          .selector = std::string(object[&Names::status][&Names::selector].string())};
}

std::string body_of(const Scale& present, std::int32_t replicas) {
  JsonWriter body;
  body.begin_object().member("apiVersion", "autoscaling/v1").member("kind", "Scale");
  body.key("metadata").begin_object();
  body.member("name", present.target.key.name).member("namespace", present.target.key.ns);
  body.member("uid", present.uid).member("resourceVersion", present.resource_version);
  body.end_object().key("spec").begin_object();
  body.member("replicas", std::int64_t{replicas}).end_object().end_object();
  return std::move(body).text();
}

}  // namespace

Result<Scale> Scales::get(const ScaleTarget& target) const {
  const Result<ServedResource> served = discovery_.find_kind(target.api_version, target.kind);
  if (!served) return served.error().with_context("scale of " + text_of(target));
  if (!served->has_subresource("scale")) {
    return Status(Code::kUnsupported, text_of(target) +
                                          " cannot be scaled: " + std::string(served->resource()) +
                                          " have no subresource \"scale\"");
  }
  Request request = Request::get(resource_of(*served), target.key);
  request.subresource = "scale";
  const Result<Value> object = client_.call(request);
  if (!object) return object.error().with_context("scale of " + text_of(target));
  return read(target, served->resource(), *object);
}

Result<Scale> Scales::set(const Scale& present, std::int32_t replicas) const {
  const ScaleTarget& target = present.target;
  const Result<ServedResource> served = discovery_.find_kind(target.api_version, target.kind);
  if (!served) return served.error().with_context("scale of " + text_of(target));
  const Result<Value> object = client_.call(Request::update(
      resource_of(*served), target.key, body_of(present, replicas), {.subresource = "scale"}));
  if (!object) return object.error().with_context("scale of " + text_of(target));
  return read(target, present.resource, *object);
}

}  // namespace davit
