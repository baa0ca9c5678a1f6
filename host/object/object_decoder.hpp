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
/// one where many objects are read: it keeps the buffers, and in protobuf the plan of each message,
/// until release(). Not thread-safe; the objects are.
class ObjectDecoder {
 public:
  /// `space` must outlive the decoder and every object that it makes.
  explicit ObjectDecoder(ObjectSpace& space) : space_(space) {}

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
    return is_json_ ? parse_json(bytes, options) : parse_protobuf(bytes, options);
  }
  /// Frees its buffers and plans, which the next object creates again: a watch on which nothing
  /// happens needs none of them.
  void release() {
    json_.reset();
    protobuf_.reset();
  }
  /// The mistake in the last object.
  [[nodiscard]] ParseFault fault() const { return fault_; }
  /// The readable part of the last object's identity.
  [[nodiscard]] ObjectIdentity identity(std::string_view bytes) const {
    return is_json_ ? read_identity(bytes) : read_protobuf_identity(bytes);
  }

 private:
  Result<ObjectRef> parse_json(std::string_view bytes, const ParseOptions& options) {
    if (!json_) json_.emplace(space_);
    Result<ObjectRef> parsed = json_->parse(bytes, options);
    fault_ = json_->fault();
    return parsed;
  }
  Result<ObjectRef> parse_protobuf(std::string_view bytes, const ParseOptions& options) {
    if (!protobuf_) protobuf_.emplace(space_);
    Result<ObjectRef> parsed =
        item_ ? protobuf_->parse(bytes, *item_, options) : protobuf_->parse(bytes, options);
    fault_ = protobuf_->fault();
    return parsed;
  }

  ObjectSpace& space_;
  std::optional<Parser> json_;              // Since an object needed it.
  std::optional<ProtobufParser> protobuf_;  // The same.
  std::optional<ProtobufType> item_;
  ParseFault fault_ = ParseFault::kNone;
  bool is_json_ = true;
};

}  // namespace davit::host
