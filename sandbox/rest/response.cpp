#include "sandbox/rest/response.hpp"

#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/rest/convert.hpp"

namespace davit::sandbox {

namespace {

bool is_plain(const OutputForm& form) {
  return form.form == Form::kWhole && form.media == Media::kJson && !form.pretty;
}

HttpServerResponse encoded(const Call& call, int code, const Json& body) {
  HttpServerResponse response;
  response.status = code;
  EncodedBody encoded = encode_body(body, call.form);
  response.content_type = std::move(encoded.content_type);
  response.body = std::move(encoded.text);
  return response;
}

/// Built-in kinds appear in lists without kind and apiVersion.
void append_item(std::string& out, const Version& version, const Resource& resource) {
  if (is_stored_as(version, resource)) {
    // The prefix is {"kind":…,"apiVersion":…, and neither value can hold a quote or a comma.
    std::size_t skip = version.text.find(',');
    skip = version.text.find(',', skip + 1) + 1;
    out += '{';
    out.append(version.text, skip);
    return;
  }
  Json object = load(version, resource);
  object.erase("kind");
  object.erase("apiVersion");
  append_text(out, object);
}

ApiResult<std::string> list_text(const RestParts& parts, const Resource& resource, Page page) {
  const std::vector<VersionPtr>& objects = page.objects;
  std::vector<Json>& converted = page.shown;
  if (converted.empty() && conversion_hook(resource) != nullptr) {
    ApiResult<std::vector<Json>> loaded = load(parts, objects, resource);
    if (!loaded) return loaded.error();
    converted = std::move(*loaded);
  }
  std::size_t bytes = 200;
  for (const VersionPtr& each : objects) bytes += each->text.size() + 1;
  std::string out;
  out.reserve(bytes);
  out += R"({"kind":")" + resource.kind + R"(List","apiVersion":")" + resource.api_version() +
         R"(","metadata":)";
  append_text(out, page.metadata);
  out += R"(,"items":[)";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (i > 0) out += ',';
    if (!converted.empty()) {
      append_text(out, converted[i]);
    } else if (resource.custom) {
      out += load_text(*objects[i], resource);
    } else {
      append_item(out, *objects[i], resource);
    }
  }
  out += "]}";
  return out;
}

Json metadata_list(const std::vector<Json>& objects, Json metadata, const OutputForm& form) {
  Json items = Json::array();
  for (const Json& each : objects) items.push_back(to_partial_metadata(each, form));
  return Json::object({{"kind", "PartialObjectMetadataList"},
                       {"apiVersion", "meta.k8s.io/" + form.meta_version},
                       {"metadata", std::move(metadata)},
                       {"items", std::move(items)}});
}

Json whole_list(const Resource& resource, std::vector<Json> objects, Json metadata) {
  for (Json& each : objects) {
    if (resource.custom) break;
    each.erase("kind");
    each.erase("apiVersion");
  }
  return Json::object({{"kind", resource.kind + "List"},
                       {"apiVersion", resource.api_version()},
                       {"metadata", std::move(metadata)},
                       {"items", Json(std::move(objects))}});
}

/// The metadata of a list of custom resources, which the original keeps as an object without types:
/// its members stand in alphabetical order, and an empty `continue` is one of them.
Json untyped_metadata(const Json& metadata) {
  Json out = Json::object({{"continue", metadata.get("continue").text()}});
  for (const std::string_view each : {"remainingItemCount", "resourceVersion"}) {
    if (const Json* value = metadata.find(each)) out.set(each, *value);
  }
  return out;
}

}  // namespace

ApiResult<HttpServerResponse> version_response(const RestParts& parts, const Call& call, int code,
                                               const Version& version) {
  if (is_plain(call.form) && conversion_hook(*call.resource) == nullptr) {
    return json_response(code, load_text(version, *call.resource));
  }
  const ApiResult<Json> object = load(parts, version, *call.resource);
  if (!object) return object.error();
  return object_response(parts, call, code, *object);
}

HttpServerResponse object_response(const RestParts& parts, const Call& call, int code,
                                   const Json& object) {
  if (is_plain(call.form)) return json_response(code, to_text(object));
  const Resource& resource = *call.resource;
  if (call.form.form == Form::kWhole || object.get("kind").text() != resource.kind) {
    return encoded(call, code, object);
  }
  if (call.form.form != Form::kTable) {
    return encoded(call, code, to_partial_metadata(object, call.form));
  }
  Json metadata =
      Json::object({{"resourceVersion", object.text_at({"metadata", "resourceVersion"})}});
  return encoded(call, code,
                 to_table(resource, {&object, 1}, std::move(metadata), call.form, ShowColumns::kYes,
                          parts.clock.wall_now()));
}

ApiResult<HttpServerResponse> written_response(const RestParts& parts, const Call& call,
                                               const Written& written) {
  return version_response(parts, call, written.effect == Written::Effect::kCreated ? 201 : 200,
                          *written.version);
}

ApiResult<HttpServerResponse> list_response(const RestParts& parts, const Call& call, Page page) {
  const Resource& resource = *call.resource;
  if (resource.custom && call.form.form == Form::kWhole) {
    page.metadata = untyped_metadata(page.metadata);
  }
  if (is_plain(call.form)) {
    ApiResult<std::string> text = list_text(parts, resource, std::move(page));
    if (!text) return text.error();
    return json_response(200, std::move(*text));
  }
  if (page.shown.empty()) {
    ApiResult<std::vector<Json>> found = load(parts, page.objects, resource);
    if (!found) return found.error();
    page.shown = std::move(*found);
  }
  switch (call.form.form) {
    case Form::kTable:
      return encoded(call, 200,
                     to_table(resource, page.shown, std::move(page.metadata), call.form,
                              ShowColumns::kYes, parts.clock.wall_now()));
    case Form::kMetadata:
    case Form::kMetadataList:
      return encoded(call, 200, metadata_list(page.shown, std::move(page.metadata), call.form));
    case Form::kWhole:
      break;
  }
  return encoded(call, 200, whole_list(resource, std::move(page.shown), std::move(page.metadata)));
}

}  // namespace davit::sandbox
