#include "sandbox/rest/decode.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/kube/yaml.hpp"
#include "sandbox/crd/custom_resource.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kJsonMedia = "application/json";
constexpr std::string_view kYamlMedia = "application/yaml";
constexpr std::string_view kProtobufMedia = "application/vnd.kubernetes.protobuf";

/// The booleans of YAML 1.1 that 1.2 does not have; Go's YAML reader follows 1.1.
std::optional<bool> yaml11_boolean(std::string_view text) {
  constexpr std::array<std::string_view, 10> kTrue = {"y",  "Y",  "yes", "Yes",  "YES",
                                                      "on", "On", "ON",  "True", "TRUE"};
  constexpr std::array<std::string_view, 10> kFalse = {"n",   "N",   "no",  "No",    "NO",
                                                       "off", "Off", "OFF", "False", "FALSE"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

Result<Json> from_scalar(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kString && !node.quoted) {
    if (const std::optional<bool> boolean = yaml11_boolean(node.text)) return Json(*boolean);
  }
  if (node.kind == YamlNode::Kind::kString) return Json(node.text);
  const Result<std::string> text = to_json(node);
  if (!text) return text.error();
  return parse_json(*text);
}

/// Bounded by the YAML reader's own limit of nesting.
Result<Json> from_yaml(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kSequence) {
    Json::Items items;
    for (const YamlNode& each : node.items) {
      Result<Json> item = from_yaml(each);
      if (!item) return item.error();
      items.push_back(std::move(*item));
    }
    return Json(std::move(items));
  }
  if (node.kind != YamlNode::Kind::kMapping) return from_scalar(node);
  Json::Members members;
  for (const YamlMember& each : node.members) {
    Result<Json> value = from_yaml(each.value);
    if (!value) return value.error();
    members.push_back({each.key, std::move(*value)});
  }
  return Json(std::move(members));
}

Result<Json> parse_yaml_text(std::string_view text, BodyFindings* findings) {
  const YamlDocument document = parse_yaml(text, "yaml");
  const Mistake* mistake = document.other_mistake();
  if (mistake == nullptr && findings == nullptr && !document.mistakes.empty()) {
    mistake = &document.mistakes.front();
  }
  if (mistake != nullptr) {
    return Status(Code::kInvalid,
                  "yaml: line " + std::to_string(mistake->line) + ": " + mistake->text);
  }
  for (const RepeatedKey& each : document.repeated) {
    findings->repeated.push_back("line " + std::to_string(each.line) + ": key " +
                                 to_text(Json(each.key)) + " already set in map");
  }
  return from_yaml(document.root);
}

std::string accepted_types(const BodyType& type) {
  std::string out =
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json, application/yaml";
  if (type.custom == nullptr) out += ", application/vnd.kubernetes.protobuf";
  return out;
}

ApiError unrecognized(const BodyType& type, std::string_view why) {
  return bad_request("the object provided is unrecognized (must be of type " + type.kind +
                     "): " + std::string(why));
}

/// `<found> in version "v1" cannot be handled as a <kind>: <why>`
ApiError not_handled(const BodyType& type, std::string_view found_kind,
                     std::string_view found_version, std::string_view why) {
  const std::string_view version = found_version.substr(found_version.find('/') + 1);
  return bad_request(std::string(found_kind) + " in version \"" + std::string(version) +
                     "\" cannot be handled as a " + type.kind + ": " + std::string(why));
}

ApiError not_handled(const BodyType& type, std::string_view why) {
  return not_handled(type, type.kind, type.version, why);
}

/// Puts apiVersion and kind in front; refuses those of another type.
ApiFailure check_type(Json& object, const BodyType& type) {
  const std::string kind = object.get("kind").text();
  const std::string version = object.get("apiVersion").text();
  if (type.custom != nullptr && kind.empty()) {
    return unrecognized(type, "Object 'Kind' is missing in '" + to_text(object) + '\'');
  }
  if (type.custom != nullptr && version.empty()) {
    return unrecognized(type, "Object 'apiVersion' is missing in '" + to_text(object) + '\'');
  }
  const std::string wanted = type.api_version();
  const bool other_kind = !kind.empty() && kind != type.kind;
  const bool other_version = !version.empty() && version != wanted;
  if (type.custom != nullptr && other_version) {
    return bad_request("the API version in the data (" + version +
                       ") does not match the expected API version (" + wanted + ')');
  }
  if (type.custom != nullptr && other_kind) {
    return invalid({type.group, kind, object.text_at({"metadata", "name"})},
                   {field_invalid("kind", kind, "must be " + type.kind)});
  }
  if (other_kind || other_version) {
    const std::string& shown = kind.empty() ? type.kind : kind;
    const std::string& shown_version = version.empty() ? wanted : version;
    return not_handled(type, shown, shown_version,
                       "no kind \"" + shown + "\" is registered for version \"" + shown_version +
                           "\" in scheme \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\"");
  }
  Json::Members members;
  members.push_back({"kind", type.kind});
  members.push_back({"apiVersion", wanted});
  for (Json::Member& each : object.make_object()) {
    if (each.key != "kind" && each.key != "apiVersion") members.push_back(std::move(each));
  }
  object = Json(std::move(members));
  return std::nullopt;
}

/// Whether `path` is one of `unknown` or below one.
bool is_unknown(const std::string& path, const std::vector<std::string>& unknown) {
  return std::ranges::any_of(unknown, [&](const std::string& each) {
    if (!path.starts_with(each)) return false;
    return path.size() == each.size() || path[each.size()] == '.' || path[each.size()] == '[';
  });
}

std::string duplicate_text(const std::string& path) { return "duplicate field \"" + path + '"'; }
std::string unknown_text(const std::string& path) { return "unknown field \"" + path + '"'; }

/// The findings in the order of `text`; for a duplicate, the second one counts. An unknown member
/// is not reported as duplicate, nor is anything in it: upstream's decoder of built-in kinds never
/// sees its value.
std::vector<std::string> findings_of_text(std::string_view text,
                                          const std::vector<std::string>& duplicates,
                                          const std::vector<std::string>& unknown) {
  std::vector<std::string> paths = duplicates;
  paths.insert(paths.end(), unknown.begin(), unknown.end());
  const auto places = member_offsets(text, paths);
  std::vector<std::pair<std::size_t, std::string>> placed;
  for (const std::string& each : duplicates) {
    if (!is_unknown(each, unknown))
      placed.emplace_back(places.at(each).second, duplicate_text(each));
  }
  for (const std::string& each : unknown) {
    const auto found = places.find(each);
    // A place that the text does not have is that of a member that was written otherwise.
    placed.emplace_back(found == places.end() ? 0 : found->second.first, unknown_text(each));
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> out;
  for (auto& each : placed) out.push_back(std::move(each.second));
  return out;
}

/// Names what was dropped. `text`: the body of a built-in kind when that is JSON; else doubles come
/// first, as the original reads patches and custom resources in two steps.
std::vector<std::string> named_findings(std::string_view text,
                                        const std::vector<std::string>& duplicates,
                                        const std::vector<std::string>& unknown) {
  if (!text.empty() && !duplicates.empty()) return findings_of_text(text, duplicates, unknown);
  std::vector<std::string> out;
  for (const std::string& each : duplicates) out.push_back(duplicate_text(each));
  for (const std::string& each : unknown) out.push_back(unknown_text(each));
  return out;
}

Status conform_metadata(Json& object, FieldFindings& findings) {
  Json* metadata = object.find("metadata");
  if (metadata == nullptr || metadata->is_null()) {
    object.set("metadata", Json::object());
    return {};
  }
  FieldFindings inside;
  Status status = conform(object_meta_schema(), *metadata, inside);
  for (const std::string& each : inside.unknown) findings.unknown.push_back("metadata." + each);
  return status;
}

ApiResult<Json> read_tree(const HttpServerRequest& request, const BodyType& type,
                          const std::string& media, BodyFindings& findings) {
  if (media == kProtobufMedia && type.custom == nullptr) {
    Result<Json> object = decode_protobuf(request.body, type.kind);
    if (!object) return unrecognized(type, object.error().message());
    return std::move(*object);
  }
  if (!media.empty() && media != kJsonMedia && media != kYamlMedia) {
    return unsupported_media_type(accepted_types(type));
  }
  Result<Json> object = parse_text(request.body, media, &findings);
  if (!object) {
    return unrecognized(type,
                        "couldn't get version/kind; json parse error: " + object.error().message());
  }
  if (!object->is_object()) {
    return unrecognized(type,
                        "couldn't get version/kind; json parse error: json: cannot unmarshal "
                        "value into Go value of type struct { APIVersion string; Kind string }");
  }
  return std::move(*object);
}

}  // namespace

ApiFailure keep_type(Json& object, const BodyType& type) {
  const std::string& kind = object.get("kind").text();
  const std::string& version = object.get("apiVersion").text();
  const std::string wanted = type.api_version();
  if ((!kind.empty() && kind != type.kind) || (!version.empty() && version != wanted)) {
    return bad_request(kind + " in version \"" + version.substr(version.find('/') + 1) +
                       "\" cannot be handled as a " + type.kind);
  }
  if (!kind.empty() && !version.empty()) return std::nullopt;
  object.erase("kind");
  object.erase("apiVersion");
  Json::Members members;
  members.push_back({"kind", type.kind});
  members.push_back({"apiVersion", wanted});
  for (Json::Member& each : object.make_object()) members.push_back(std::move(each));
  object = Json(std::move(members));
  return std::nullopt;
}

BodyType BodyType::of(const Resource& resource) {
  return {resource.group, resource.version, resource.kind, resource.schema,
          resource.custom ? &resource : nullptr};
}

BodyType BodyType::of_kind(std::string group, std::string version, std::string kind) {
  BodyType out{std::move(group), std::move(version), std::move(kind)};
  out.schema = find_schema(out.api_version(), out.kind);
  return out;
}

std::string media_type(std::string_view header) {
  std::string_view text = header.substr(0, header.find(';'));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

Result<Json> parse_text(std::string_view text, std::string_view media, BodyFindings* findings) {
  if (media != kJsonMedia && !media.empty() && !media.ends_with("+json")) {
    return parse_yaml_text(text, findings);
  }
  JsonFindings found;
  Result<Json> out = parse_json(text, &found);
  if (findings != nullptr) findings->duplicates = std::move(found.duplicates);
  return out;
}

std::string yaml_errors(const std::vector<std::string>& repeated) {
  std::string out = "yaml: unmarshal errors:";
  for (const std::string& each : repeated) out += "\n  " + each;
  return out;
}

ApiFailure conform_body(Json& object, const BodyType& type, FieldValidation validation,
                        const BodyFindings& found, std::vector<std::string>& warnings) {
  FieldFindings findings;
  const Status status = type.custom != nullptr   ? conform_custom(*type.custom, object, findings)
                        : type.schema != nullptr ? conform(*type.schema, object, findings)
                                                 : conform_metadata(object, findings);
  if (!status.ok()) return not_handled(type, status.message());
  std::vector<std::string> named = named_findings(found.text, found.duplicates, findings.unknown);
  const std::vector<std::string>& repeated = found.repeated;
  if (validation == FieldValidation::kIgnore) return std::nullopt;
  if (validation == FieldValidation::kWarn) {
    warnings.insert(warnings.end(), repeated.begin(), repeated.end());
    warnings.insert(warnings.end(), named.begin(), named.end());
    return std::nullopt;
  }
  if (named.empty() && repeated.empty()) return std::nullopt;
  std::string list = repeated.empty() ? "" : yaml_errors(repeated);
  for (const std::string& each : named) list += (list.empty() ? "" : ", ") + each;
  return not_handled(type, "strict decoding error: " + list);
}

ApiResult<Decoded> decode_body(const HttpServerRequest& request, const BodyType& type,
                               FieldValidation validation) {
  if (request.body_too_large || request.body.size() > kBodyBytesMax) {
    return body_too_large(kBodyBytesMax);
  }
  BodyFindings found;
  ApiResult<Json> object =
      read_tree(request, type, media_type(request.header("Content-Type")), found);
  if (!object) return object.error();
  Decoded out{std::move(*object), {}};
  if (ApiFailure failure = check_type(out.object, type)) return *failure;
  if (type.custom == nullptr) found.text = request.body;
  if (ApiFailure failure = conform_body(out.object, type, validation, found, out.warnings)) {
    return *failure;
  }
  return out;
}

}  // namespace davit::sandbox
