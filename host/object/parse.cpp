#include "host/object/parse.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <cstring>
#include <optional>
#include <string>

#include "host/object/object_reader.hpp"
#include "host/object/splice_stream.hpp"
#include "host/object/tape.hpp"
#include "host/object/tape_writer.hpp"

namespace davit::host {

namespace {
/// Offsets in a tape, which is never more than twice as long as the text, have 32 bits.
static_assert(kObjectBytesMax * 2 <= UINT32_MAX);
/// The buffers of the reader and the tape grow with the text; those of a longer one are not kept.
constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;

using tape::Byte;
using tape::Tag;

/// UTF-8 for RapidJSON, which reads one character of a string at a time, though nearly all strings
/// are plain ASCII: takes all plain characters at once.
struct Utf8 : rapidjson::UTF8<char> {
  template <typename Out>
  static bool Validate(SpliceStream& in, Out& out) {  // NOLINT(readability-identifier-naming)
    // RapidJSON also compiles its way of parsing in place, which is never taken and has no Push().
    if constexpr (requires { out.Push(1U); }) {
      const std::string_view plain = in.take_plain();
      if (!plain.empty()) {
        void* room = out.Push(static_cast<rapidjson::SizeType>(plain.size()));
        std::memcpy(room, plain.data(), plain.size());
        return true;
      }
    }
    return rapidjson::UTF8<char>::Validate(in, out);
  }
};
}  // namespace

class Parser::Impl {
 public:
  explicit Impl(ObjectSpace& space)
      : space_(space),
        tape_(space),
        handler_(space, tape_),
        metadata_(space.intern("metadata")),
        ns_(space.intern("namespace")),
        name_(space.intern("name")),
        uid_(space.intern("uid")),
        resource_version_(space.intern("resourceVersion")),
        owner_references_(space.intern("ownerReferences")),
        controller_(space.intern("controller")) {}

  Result<ObjectRef> parse(std::string_view json, const ParseOptions& options) {
    fault_ = ParseFault::kNone;
    if (json.size() > kObjectBytesMax) {
      fault_ = ParseFault::kTooLarge;
      return Status(Code::kInvalid, "JSON is larger than 64 MiB");
    }
    Result<ObjectRef> parsed = read(json, options);
    if (json.size() > kKeptBytesMax) {
      tape_.release();
      reader_.emplace();
    }
    return parsed;
  }

  [[nodiscard]] ParseFault fault() const { return fault_; }

 private:
  using Reader = rapidjson::GenericReader<Utf8, Utf8>;

  Result<ObjectRef> read(std::string_view json, const ParseOptions& options) {
    mistake_at_ = options.mistake_at;
    tape_.begin(json.size());
    SpliceStream stream(json);
    handler_.begin(stream, options);
    constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                                rapidjson::kParseValidateEncodingFlag |
                                rapidjson::kParseNumbersAsStringsFlag;
    const rapidjson::ParseResult result = reader_->Parse<kFlags>(stream, handler_);
    if (result.IsError()) return error(result);
    // RapidJSON takes a NUL byte for the end.
    if (!stream.at_end()) {
      fault_ = ParseFault::kMalformed;
      return error_at("has a NUL byte", stream.Tell());
    }
    return ObjectRef::adopt(Object::make(space_, tape_.bytes(), find_places()));
  }

  [[nodiscard]] Status error(const rapidjson::ParseResult& result) {
    fault_ = ParseFault::kMalformed;
    if (result.Code() == rapidjson::kParseErrorStringInvalidEncoding) {
      fault_ = ParseFault::kEncoding;
    }
    if (result.Code() == rapidjson::kParseErrorTermination && handler_.error_text() != nullptr) {
      if (handler_.is_too_deep()) fault_ = ParseFault::kTooDeep;
      return error_at(handler_.error_text(), result.Offset());
    }
    return error_at(std::string("is malformed: ") + rapidjson::GetParseError_En(result.Code()),
                    result.Offset());
  }

  [[nodiscard]] Status error_at(const std::string& what, std::size_t offset) {
    if (mistake_at_ != nullptr) *mistake_at_ = offset + 1;
    return Status(Code::kInvalid, "JSON " + what + " (offset " + std::to_string(offset) + ")");
  }

  [[nodiscard]] const Byte* member(const Byte* object, davit_name name) const {
    if (object == nullptr || tape::tag_of(*object) != Tag::kObject) return nullptr;
    return tape::find(object, name, space_.text(name));
  }

  [[nodiscard]] std::uint16_t place_of(const Byte* string) const {
    if (string == nullptr) return Object::Places::kNone;
    const Tag tag = tape::tag_of(*string);
    if (tag != Tag::kString && tag != Tag::kReference) return Object::Places::kNone;
    const auto offset = static_cast<std::size_t>(string - tape_.base());
    return offset < Object::Places::kFar ? static_cast<std::uint16_t>(offset)
                                         : Object::Places::kFar;
  }

  [[nodiscard]] Object::Places find_places() const {
    Object::Places places;
    const Byte* metadata = member(tape_.base(), metadata_);
    if (metadata == nullptr || tape::tag_of(*metadata) != Tag::kObject) return places;
    places.ns = place_of(member(metadata, ns_));
    places.name = place_of(member(metadata, name_));
    places.uid = place_of(member(metadata, uid_));
    places.resource_version = place_of(member(metadata, resource_version_));
    const Byte* owners = member(metadata, owner_references_);
    if (owners == nullptr || tape::tag_of(*owners) != Tag::kArray) return places;
    const tape::Entries range = tape::entries(owners);
    for (const Byte* owner = range.begin; owner < range.end; owner = tape::skip(owner)) {
      const Byte* controls = member(owner, controller_);
      if (controls == nullptr || tape::tag_of(*controls) != Tag::kTrue) continue;
      places.controller_uid = place_of(member(owner, uid_));
      break;
    }
    return places;
  }

  ObjectSpace& space_;
  TapeWriter tape_;
  ObjectReader handler_;
  std::optional<Reader> reader_{std::in_place};  // Keeps its stack between documents.
  std::uint64_t* mistake_at_ = nullptr;          // The caller's; of the text that is read.
  ParseFault fault_ = ParseFault::kNone;
  davit_name metadata_, ns_, name_, uid_, resource_version_, owner_references_, controller_;
};

Parser::Parser(ObjectSpace& space) : impl_(std::make_unique<Impl>(space)) {}

Parser::~Parser() = default;

Result<ObjectRef> Parser::parse(std::string_view json, const ParseOptions& options) {
  return impl_->parse(json, options);
}

ParseFault Parser::fault() const { return impl_->fault(); }

Result<ObjectRef> parse_object(ObjectSpace& space, std::string_view json,
                               const ParseOptions& options) {
  return Parser(space).parse(json, options);
}

}  // namespace davit::host
