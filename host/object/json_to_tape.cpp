#include "host/object/json_to_tape.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <cstring>
#include <optional>
#include <string>

#include "host/object/object_reader.hpp"
#include "host/object/splice_stream.hpp"

namespace davit::host {

namespace {
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

class JsonToTape::Impl {
 public:
  Impl(ObjectSpace& space, TapeWriter& tape) : handler_(space, tape) {}

  Status read(std::string_view json, const ParseOptions& options, JsonRoot root) {
    fault_ = ParseFault::kNone;
    mistake_at_ = options.mistake_at;
    SpliceStream stream(json);
    handler_.begin(stream, options, root);
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
    return Status();
  }

  [[nodiscard]] ParseFault fault() const { return fault_; }
  void release() { reader_.emplace(); }

 private:
  using Reader = rapidjson::GenericReader<Utf8, Utf8>;

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

  ObjectReader handler_;
  std::optional<Reader> reader_{std::in_place};  // Keeps its stack between documents.
  ParseFault fault_ = ParseFault::kNone;
  std::uint64_t* mistake_at_ = nullptr;  // The caller's, while a text is read.
};

JsonToTape::JsonToTape(ObjectSpace& space, TapeWriter& tape)
    : impl_(std::make_unique<Impl>(space, tape)) {}

JsonToTape::~JsonToTape() = default;

Status JsonToTape::read(std::string_view json, const ParseOptions& options, JsonRoot root) {
  return impl_->read(json, options, root);
}

ParseFault JsonToTape::fault() const { return impl_->fault(); }

void JsonToTape::release() { impl_->release(); }

}  // namespace davit::host
