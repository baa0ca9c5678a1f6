/// Objects from lists and watches, in either form.
#pragma once

#include <davit/result.hpp>
#include <optional>
#include <string_view>

#include "host/object/identity_scan.hpp"
#include "host/object/parse.hpp"
#include "host/object/protobuf_envelope.hpp"
#include "host/object/protobuf_parser.hpp"

namespace davit::host {

/// Reads JSON, protobuf in its envelope and, once their type is known, messages without one. Keep
/// one where many objects are read. Not thread-safe; the objects are.
class ObjectDecoder {
 public:
  /// `space` must outlive the decoder and every object that it makes.
  explicit ObjectDecoder(ObjectSpace& space) : json_(space), protobuf_(space) {}

  /// The next objects are JSON or have an envelope, as those of watches.
  void expect_envelopes() { item_.reset(); }
  /// The next objects are the items of a list in protobuf. kUnsupported when the tables do not know
  /// their type.
  Status expect_items(std::string_view api_version, std::string_view list_kind) {
    Result<ProtobufType> type = item_type(api_version, list_kind);
    if (!type) return type.error();
    item_ = *std::move(type);
    return {};
  }
  [[nodiscard]] bool expects_items() const { return item_.has_value(); }

  Result<ObjectRef> parse(std::string_view bytes, const ParseOptions& options) {
    is_json_ = !item_ && !is_protobuf_object(bytes);
    if (is_json_) return json_.parse(bytes, options);
    return item_ ? protobuf_.parse(bytes, *item_, options) : protobuf_.parse(bytes, options);
  }
  /// The mistake in the last object.
  [[nodiscard]] ParseFault fault() const { return is_json_ ? json_.fault() : protobuf_.fault(); }
  /// The readable part of the last object's identity.
  [[nodiscard]] ObjectIdentity identity(std::string_view bytes) const {
    return is_json_ ? read_identity(bytes) : read_protobuf_identity(bytes);
  }

 private:
  Parser json_;
  ProtobufParser protobuf_;
  std::optional<ProtobufType> item_;
  bool is_json_ = true;
};

}  // namespace davit::host
