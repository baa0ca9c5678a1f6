/// The forms of a response: JSON or YAML, the whole object, a Table, or metadata only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The encoding of a body.
enum class Media : std::uint8_t { kJson, kYaml, kProtobuf };
/// The part of the objects that a body shows: all, a Table for people, or their metadata, of one
/// object or of a list (PartialObjectMetadata and PartialObjectMetadataList of meta.k8s.io).
enum class Form : std::uint8_t { kWhole, kTable, kMetadata, kMetadataList };
/// rows[].object of a Table.
enum class IncludeObject : std::uint8_t { kMetadata, kNone, kWhole };
/// The shape of a response, which decides which forms are acceptable.
enum class ResponseShape : std::uint8_t { kObject, kList, kWatch };

/// The negotiated form.
struct OutputForm {
  Media media = Media::kJson;
  Form form = Form::kWhole;
  std::string meta_version = "v1";  ///< The version of meta.k8s.io, for forms other than kWhole.
  IncludeObject include = IncludeObject::kMetadata;
  bool pretty = false;
  friend bool operator==(const OutputForm&, const OutputForm&) = default;
};

/// Custom resources have no protobuf form, except their metadata.
enum class HasProtobuf : bool { kNo, kYes };
/// Kinds that are never stored (reviews, bindings, evictions, token requests) have no Table.
enum class HasTable : bool { kNo, kYes };

/// The first acceptable entry of `accept` (q-values honoured), entries that cannot be served
/// skipped; else 406. An empty `accept` takes anything. `kind` ("ConfigMap", of a list
/// "ConfigMapList") is for messages.
[[nodiscard]] ApiResult<OutputForm> negotiate(std::string_view accept, ResponseShape shape,
                                              std::string_view kind,
                                              HasProtobuf protobuf = HasProtobuf::kYes,
                                              HasTable table = HasTable::kYes);
/// The value of `includeObject`; 400 for an unknown one.
[[nodiscard]] ApiResult<IncludeObject> parse_include_object(std::string_view value);

/// A column definition list or null in its place: watches show it in the first event only.
enum class ShowColumns : bool { kNo, kYes };

/// A Table of `objects` (whole, with kind and apiVersion). `list_metadata` becomes its metadata;
/// for a single object and for the event of a watch it is {"resourceVersion": …} of the object.
[[nodiscard]] Json to_table(const Resource& resource, std::span<const Json> objects,
                            Json list_metadata, const OutputForm& form, ShowColumns show,
                            WallTime now);
/// Kind, apiVersion and metadata: of one object, or of the object of a watch's event.
[[nodiscard]] Json to_partial_metadata(const Json& object, const OutputForm& form);

/// A body as it goes out.
struct EncodedBody {
  std::string content_type;  ///< The value of the header.
  std::string text;          ///< JSON and YAML with their last newline.
};
/// The body of a response: JSON if it has no form in protobuf.
[[nodiscard]] EncodedBody encode_body(const Json& body, const OutputForm& form);
/// The Content-Type of a watch.
[[nodiscard]] std::string watch_content_type(const OutputForm& form);

}  // namespace davit::sandbox
