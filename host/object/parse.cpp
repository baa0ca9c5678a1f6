#include "host/object/parse.hpp"

#include <string>

#include "host/object/json_to_tape.hpp"
#include "host/object/object_places.hpp"
#include "host/object/tape.hpp"
#include "host/object/tape_writer.hpp"
#include "lib/base/trimmed.hpp"

namespace davit::host {

namespace {
/// Offsets in a tape have 32 bits.
static_assert(kObjectBytesMax * kTapeBytesPerJsonByte <= UINT32_MAX);
}  // namespace

class Parser::Impl {
 public:
  explicit Impl(ObjectSpace& space)
      : space_(space), tape_(space), json_(space, tape_), places_(space) {}

  Result<ObjectRef> parse(std::string_view json, const ParseOptions& options, JsonRoot root) {
    fault_ = ParseFault::kNone;
    if (json.size() > kObjectBytesMax) {
      fault_ = ParseFault::kTooLarge;
      return Status(Code::kInvalid, "JSON is larger than 64 MiB");
    }
    tape_.begin(json.size() * kTapeBytesPerJsonByte);
    Result<ObjectRef> parsed = read(json, options, root);
    if (json.size() > kKeptBytesMax) {
      tape_.release();
      json_.release();
    }
    return parsed;
  }

  [[nodiscard]] ParseFault fault() const { return fault_; }

 private:
  Result<ObjectRef> read(std::string_view json, const ParseOptions& options, JsonRoot root) {
    const Status read = json_.read(json, options, root);
    fault_ = json_.fault();
    if (!read.ok()) return read;
    return ObjectRef::adopt(Object::make(space_, tape_.bytes(), places_.find(tape_.base())));
  }

  ObjectSpace& space_;
  TapeWriter tape_;
  JsonToTape json_;
  const PlaceFinder places_;
  ParseFault fault_ = ParseFault::kNone;
};

Parser::Parser(ObjectSpace& space) : impl_(std::make_unique<Impl>(space)) {}

Parser::~Parser() = default;

Result<ObjectRef> Parser::parse(std::string_view json, const ParseOptions& options) {
  return impl_->parse(json, options, JsonRoot::kObject);
}

Result<ObjectRef> Parser::parse_value(std::string_view json, const ParseOptions& options) {
  // An object may be one of the cluster.
  const bool is_object = trimmed(json, " \t\r\n").starts_with('{');
  return impl_->parse(json, options, is_object ? JsonRoot::kObject : JsonRoot::kValue);
}

ParseFault Parser::fault() const { return impl_->fault(); }

Result<ObjectRef> parse_object(ObjectSpace& space, std::string_view json,
                               const ParseOptions& options) {
  return Parser(space).parse(json, options);
}

Result<ObjectRef> parse_value(ObjectSpace& space, std::string_view json,
                              const ParseOptions& options) {
  return Parser(space).parse_value(json, options);
}

}  // namespace davit::host
