/// JSON text to objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <memory>
#include <string_view>

#include "host/object/object.hpp"
#include "host/object/object_space.hpp"

namespace davit::host {

/// The longest JSON text of one object. API servers accept bodies of 3 MiB and etcd values of 1.5
/// MiB by default; etcd warns of limits above 10 MiB. Go writes each `<`, `>` and `&` as six bytes,
/// which makes 60 MiB of the latter.
inline constexpr std::size_t kObjectBytesMax = std::size_t{64} << 20;

/// The mistake in a text that gave no object.
enum class ParseFault : std::uint8_t {
  kNone,
  kTooLarge,
  kTooDeep,
  kEncoding,
  kMalformed,
  kUnknown,  ///< Protobuf that our tables cannot read in full; the object's JSON can be read.
};

struct ParseOptions {
  /// The paths to keep, from ObjectSpace::add_keep_projection(); undeclared subtrees are skipped
  /// unread.
  Mask keep_mask = kFullMask;
  /// Deeper nesting is an error.
  std::size_t depth_max = 128;
  /// Set to the place of a mistake, in bytes from 1; may be null.
  std::uint64_t* mistake_at = nullptr;
};

/// Turns JSON text into objects; reuses its buffers, so keep one where many objects are parsed. It
/// frees the buffers of a huge object at once. Not thread-safe; the objects are.
///
/// RapidJSON's reader (iterative, validating UTF-8) reads the parts that are kept. Other subtrees,
/// and metadata.managedFields always, are skipped by a scanner of our own (json_scan.hpp) before
/// the reader sees them; it checks only their nesting and the ends of strings.
///
/// The root must be an object (but see parse_value()). The last of duplicate keys wins, as in Go's
/// encoding/json: raw JSON inside an object (a ControllerRevision's data) may hold them, and
/// refusing it would let one such object stop a whole informer. Numbers keep their text; one beyond
/// the range of a double is refused, as the API server refuses it. Errors are kInvalid and give the
/// byte offset.
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
  /// The mistake in the last text.
  [[nodiscard]] ParseFault fault() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Parses one object with a parser of its own.
Result<ObjectRef> parse_object(ObjectSpace& space, std::string_view json,
                               const ParseOptions& options = {});
/// The same for any JSON value: an array, string, number, boolean or null, too.
Result<ObjectRef> parse_value(ObjectSpace& space, std::string_view json,
                              const ParseOptions& options = {});

}  // namespace davit::host
