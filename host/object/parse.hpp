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

/// The longest JSON text of one object. An API server takes bodies of 3 MiB and etcd values of
/// 1.5 MiB unless told otherwise; etcd warns of limits above 10 MiB. Go writes each `<`, `>` and
/// `&` as six bytes, which makes 60 MiB of the latter.
inline constexpr std::size_t kObjectBytesMax = std::size_t{64} << 20;

/// What is wrong with a text that gave no object.
enum class ParseFault : std::uint8_t { kNone, kTooLarge, kTooDeep, kEncoding, kMalformed };

struct ParseOptions {
  /// What to keep, from ObjectSpace::add_keep_projection(); undeclared subtrees are skipped unread.
  Mask keep_mask = kFullMask;
  /// Deeper nesting is an error.
  std::size_t depth_max = 128;
};

/// Turns JSON text into objects; reuses its buffers, so keep one where many objects are parsed.
/// What one huge object took is given back at once. Not thread-safe; the objects are.
///
/// RapidJSON's reader (iterative, validating UTF-8) reads what is kept. Subtrees that are not kept,
/// and metadata.managedFields always, are passed over by a scanner of our own (json_scan.hpp)
/// before the reader sees them; of those only the nesting and the ends of strings are checked.
///
/// The root must be an object. Of duplicate keys the last wins, as in Go's encoding/json: raw JSON
/// inside an object (a ControllerRevision's data) may hold them, and refusing it would let one such
/// object stop a whole informer. Numbers keep their text; one beyond the range of a double is
/// refused, as the API server refuses it. Errors are kInvalid and give the byte offset.
class Parser {
 public:
  /// `space` must outlive the parser and every object that it makes.
  explicit Parser(ObjectSpace& space);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser();

  Result<ObjectRef> parse(std::string_view json, const ParseOptions& options = {});
  /// What was wrong with the last text.
  [[nodiscard]] ParseFault fault() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Parses one object with a parser of its own.
Result<ObjectRef> parse_object(ObjectSpace& space, std::string_view json,
                               const ParseOptions& options = {});

}  // namespace davit::host
