/// Protobuf to objects.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "host/object/object.hpp"
#include "host/object/object_space.hpp"
#include "host/object/parse.hpp"

namespace davit {
struct Message;
}

namespace davit::host {

/// The type of a message without an envelope: an item of a list.
struct ProtobufType {
  const Message* message = nullptr;
  /// Written into the object, unless empty. Items of lists are without, as in JSON, but for those
  /// of a PartialObjectMetadataList.
  std::string api_version{};
  std::string kind{};
};
/// The type of the items of a list; kUnsupported when the tables do not know it.
[[nodiscard]] Result<ProtobufType> item_type(std::string_view api_version,
                                             std::string_view list_kind);

/// Parses protobuf of built-in kinds into the same objects as Parser does with their JSON:
/// canonical text, equality and hash agree. The tables of lib/kube/schema map the numbers to
/// fields. Undeclared fields, and metadata.managedFields, are skipped by their length. Bytes that
/// are not UTF-8 become U+FFFD, as in the JSON that the server writes. Use one parser for many
/// objects. Not thread-safe; the objects are.
///
/// A field that is not in the tables, outside of what a projection leaves out, is an error with
/// ParseFault::kUnknown, because the object would lack what its JSON holds. So are fields in an
/// order that the API server does not write.
class ProtobufParser {
 public:
  /// `space` must outlive the parser and every object that it makes.
  explicit ProtobufParser(ObjectSpace& space);
  ProtobufParser(const ProtobufParser&) = delete;
  ProtobufParser& operator=(const ProtobufParser&) = delete;
  ~ProtobufParser();

  /// An object in its envelope ("k8s\0" and runtime.Unknown). Errors are kInvalid, or kUnsupported
  /// for a kind that is not in the tables.
  Result<ObjectRef> parse(std::string_view envelope, const ParseOptions& options = {});
  /// A message without one.
  Result<ObjectRef> parse(std::string_view message, const ProtobufType& type,
                          const ParseOptions& options);
  /// The mistake in the last bytes.
  [[nodiscard]] ParseFault fault() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Parses one object with a new parser: JSON, or protobuf in its envelope.
Result<ObjectRef> parse_either(ObjectSpace& space, std::string_view body,
                               const ParseOptions& options = {});

}  // namespace davit::host
