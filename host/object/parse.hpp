/// Parses JSON text into objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <string_view>

#include "host/object/object.hpp"
#include "host/object/object_space.hpp"

namespace davit::host {

/// The longest JSON text of one object. By default API servers accept bodies of 3 MiB, and etcd
/// values of 1.5 MiB; etcd warns about limits above 10 MiB. Go writes each `<`, `>` and `&` as six
/// bytes, which turns 10 MiB into 60 MiB.
inline constexpr std::size_t kObjectBytesMax = std::size_t{64} << 20;

/// The reason why a text could not be parsed.
enum class ParseFault : std::uint8_t {
  kNone,
  kTooLarge,
  kTooDeep,
  kEncoding,
  kMalformed,
  kUnknown,  ///< Protobuf that the tables cannot read completely; the object's JSON can be.
};

struct ParseOptions {
  /// The paths to keep, from ObjectSpace::add_keep_projection(); other subtrees are skipped.
  Mask keep_mask = kFullMask;
  /// Deeper nesting is an error.
  std::size_t depth_max = 128;
  /// Set to the position of an error, in bytes from 1; may be null.
  std::uint64_t* mistake_at = nullptr;
};

/// Parses JSON text into objects. Reuses its buffers, so use one parser for many objects; frees the
/// buffers of a huge object at once. Not thread-safe; its objects are.
///
/// RapidJSON's reader (iterative, validates UTF-8) reads the parts that are kept. A scanner
/// (json_scan.hpp) skips all other subtrees, and always metadata.managedFields, before the reader
/// sees them; it checks only their nesting and the ends of strings.
///
/// The root must be an object (but see parse_value()). The last of duplicate keys wins, as in Go's
/// encoding/json: raw JSON inside an object (a ControllerRevision's data) may contain duplicates,
/// and refusing them would let one such object stop a whole informer. Numbers keep their text;
/// numbers beyond the range of a double are refused, as by the API server. Errors are kInvalid and
/// contain the byte offset.
class Parser {
 public:
  /// `space` must outlive the parser and every object that it makes.
  explicit Parser(ObjectSpace& space);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser();

  Result<ObjectRef> parse(std::string_view json, const ParseOptions& options = {});
  /// See parse_value().
  Result<ObjectRef> parse_value(std::string_view json, const ParseOptions& options = {});
  /// The fault of the last text.
  [[nodiscard]] ParseFault fault() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Parses one object with a new parser.
Result<ObjectRef> parse_object(ObjectSpace& space, std::string_view json,
                               const ParseOptions& options = {});
/// The same for any JSON value, including arrays, strings, numbers, booleans and null.
Result<ObjectRef> parse_value(ObjectSpace& space, std::string_view json,
                              const ParseOptions& options = {});

}  // namespace davit::host
