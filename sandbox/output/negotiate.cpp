#include <optional>

#include "lib/net/accept.hpp"
#include "sandbox/output/output.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kYamlType = "application/yaml";
constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kMetaGroup = "meta.k8s.io";
constexpr std::string_view kAcceptedTypes =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr std::string_view kWatchTypes =
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/// Empty: no such transformation.
std::optional<Form> form_of(const AcceptEntry& entry) {
  if (entry.as.empty()) return Form::kWhole;
  if (entry.group != kMetaGroup || (entry.version != "v1" && entry.version != "v1beta1")) {
    return std::nullopt;
  }
  if (entry.as == "Table") return Form::kTable;
  if (entry.as == "PartialObjectMetadata") return Form::kMetadata;
  if (entry.as == "PartialObjectMetadataList") return Form::kMetadataList;
  return std::nullopt;
}

/// Empty: not one that can be served.
std::optional<Media> media_of(const AcceptEntry& entry, std::optional<Form> form,
                              ResponseShape shape, HasProtobuf protobuf) {
  if (entry.takes(kJsonType)) return Media::kJson;
  if (shape != ResponseShape::kWatch && entry.takes(kYamlType)) return Media::kYaml;
  if (entry.type != kProtobufType || form == Form::kTable) return std::nullopt;
  if (protobuf == HasProtobuf::kNo && form == Form::kWhole) return std::nullopt;
  return Media::kProtobuf;
}

/// Metadata forms must fit the response. In a watch each event holds one object.
std::optional<ApiError> form_error(Form form, ResponseShape shape, std::string_view kind) {
  const std::string type = "*core." + std::string(kind);
  if (form == Form::kMetadata && shape == ResponseShape::kList) {
    return not_acceptable(
        "you requested PartialObjectMetadata, but the requested object is a list (" + type + ')');
  }
  if (form == Form::kMetadataList && shape == ResponseShape::kObject) {
    return not_acceptable(
        "you requested PartialObjectMetadataList, but the requested object is not a list (" + type +
        ')');
  }
  return std::nullopt;
}

}  // namespace

ApiResult<OutputForm> negotiate(std::string_view accept, ResponseShape shape, std::string_view kind,
                                HasProtobuf protobuf, HasTable table) {
  const std::vector<AcceptEntry> entries = parse_accept(accept);
  bool known_type = false;  // Some entry failed for its transformation only.
  for (const AcceptEntry& entry : entries) {
    const std::optional<Form> form = form_of(entry);
    const std::optional<Media> media = media_of(entry, form, shape, protobuf);
    known_type = known_type || media || entry.type == kProtobufType || entry.type == kYamlType;
    const bool streams =
        entry.stream.empty() || (entry.stream == "watch" && shape == ResponseShape::kWatch);
    if (!media || !form || !streams) continue;
    if (form == Form::kTable && table == HasTable::kNo) continue;
    if (auto error = form_error(*form, shape, kind)) return *std::move(error);
    OutputForm out;
    out.media = *media;
    out.form = *form;
    if (out.form == Form::kMetadataList && shape != ResponseShape::kList)
      out.form = Form::kMetadata;
    if (out.form != Form::kWhole) out.meta_version = entry.version;
    out.pretty = entry.pretty;
    return out;
  }
  if (known_type) {
    const bool watch = shape == ResponseShape::kWatch;
    return not_acceptable("only the following media types are accepted: " +
                          std::string(watch ? kWatchTypes : kAcceptedTypes));
  }
  return not_acceptable("406: Not Acceptable\n\nAvailable representations: " +
                        std::string(kAcceptedTypes));
}

ApiResult<IncludeObject> parse_include_object(std::string_view value) {
  if (value.empty() || value == "Metadata") return IncludeObject::kMetadata;
  if (value == "None") return IncludeObject::kNone;
  if (value == "Object") return IncludeObject::kWhole;
  return bad_request("Unable to convert to Table as requested: includeObject: Invalid value: \"" +
                     std::string(value) + "\": must be 'Metadata', 'Object', 'None', or empty");
}

}  // namespace davit::sandbox
