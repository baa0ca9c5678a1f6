#include "lib/kube/strict_json.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <unordered_set>
#include <utility>

#include "lib/base/json_text.hpp"
#include "lib/base/utf8.hpp"

namespace davit {
namespace {

constexpr std::size_t kStrictDepthMax = 32;

/// Builds the tree from the reader's events. An event does not say where its value begins: that is
/// where the one before it ended, after space and separators.
class StrictReader {
 public:
  StrictReader(std::string_view text, const rapidjson::MemoryStream& stream,
               const std::string& file, int first_line, std::size_t values_max, YamlDocument& out)
      : text_(text),
        stream_(stream),
        file_(file),
        out_(out),
        values_max_(values_max),
        line_(first_line) {}

  /// Reports why the reader stopped.
  void stopped(const rapidjson::ParseResult& result);
  void fail(std::size_t at, std::string what) {
    move_to(at);
    out_.mistakes.push_back({file_, line_, column(), std::move(what)});
  }

  bool Null() { return add({}) != nullptr; }
  bool Bool(bool value) { return scalar(YamlNode::Kind::kBoolean, value ? "true" : "false"); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view number(text, size);
    if ((number == "0" || number == "-0") && is_digit_at(stream_.Tell())) {
      fail(next_token(), "expected a value");
      return false;
    }
    const bool integer = number.find_first_of(".eE") == std::string_view::npos;
    return scalar(integer ? YamlNode::Kind::kInteger : YamlNode::Kind::kFloat, number);
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return check_text({text, size}) && scalar(YamlNode::Kind::kString, {text, size});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool);
  bool StartObject() { return open(YamlNode::Kind::kMapping); }
  bool StartArray() { return open(YamlNode::Kind::kSequence); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

  // Numbers come as text.
  static bool Int(int) { return false; }
  static bool Uint(unsigned) { return false; }
  static bool Int64(std::int64_t) { return false; }
  static bool Uint64(std::uint64_t) { return false; }
  static bool Double(double) { return false; }

 private:
  /// An array or object whose end was not read yet.
  struct Level {
    YamlNode* node;
    std::unordered_set<std::string> keys;  // A search of the members would take the square of them.
  };

  /// The start of the value or key that the reader is reading or has read last.
  [[nodiscard]] std::size_t next_token() const {
    return std::min(text_.find_first_not_of(" \t\r\n,:", read_), text_.size());
  }
  [[nodiscard]] bool is_digit_at(std::size_t at) const {
    return at < text_.size() && text_[at] >= '0' && text_[at] <= '9';
  }
  /// The start of the word or number that is wrong at `at`: "tru", "-".
  [[nodiscard]] std::size_t begin_of_word(std::size_t at) const {
    while (at > 0 && (text_[at - 1] == '-' || (text_[at - 1] >= 'a' && text_[at - 1] <= 'z'))) --at;
    return at;
  }
  /// Places are asked for in their order only.
  void move_to(std::size_t at) {
    for (; at_ < at; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_begin_ = at_ + 1;
    }
  }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - line_begin_) + 1; }

  /// RapidJSON takes the second half of a surrogate pair alone.
  bool check_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = utf8_length(text.substr(at));
      if (length == 0) {
        fail(next_token(), "unpaired surrogate");
        return false;
      }
      at += length;
    }
    return true;
  }

  YamlNode* add(YamlNode node);
  bool scalar(YamlNode::Kind kind, std::string_view text) {
    YamlNode node;
    node.kind = kind;
    node.quoted = kind == YamlNode::Kind::kString;
    node.text = text;
    return add(std::move(node)) != nullptr;
  }
  bool open(YamlNode::Kind kind) {
    YamlNode node;
    node.kind = kind;
    YamlNode* const added = add(std::move(node));
    if (added != nullptr) open_.push_back({added, {}});
    return added != nullptr;
  }
  bool close() {
    open_.pop_back();
    read_ = stream_.Tell();
    return true;
  }

  std::string_view text_;
  const rapidjson::MemoryStream& stream_;
  const std::string& file_;
  YamlDocument& out_;
  const std::size_t values_max_;
  std::vector<Level> open_;  // Each is the last element of the one before, so none of them moves.
  std::size_t nodes_ = 0;
  std::size_t read_ = 0;  // The end of the last event.
  std::size_t at_ = 0;    // The offset that line_ and line_begin_ belong to.
  std::size_t line_begin_ = 0;
  int line_;
};

/// Null after a mistake.
YamlNode* StrictReader::add(YamlNode node) {
  const std::size_t begin = next_token();
  if (open_.size() > kStrictDepthMax) {
    fail(begin, "nested too deeply");
    return nullptr;
  }
  if (++nodes_ > values_max_) {
    fail(begin, "too many values");
    return nullptr;
  }
  move_to(begin);
  node.line = line_;
  node.column = column();
  read_ = stream_.Tell();
  YamlNode* place = &out_.root;
  if (!open_.empty()) {
    YamlNode& parent = *open_.back().node;
    place = parent.kind == YamlNode::Kind::kMapping ? &parent.members.back().value
                                                    : &parent.items.emplace_back();
  }
  *place = std::move(node);
  return place;
}

bool StrictReader::Key(const char* text, rapidjson::SizeType size, bool) {
  YamlMember member;
  member.key.assign(text, size);
  if (!check_text(member.key)) return false;
  move_to(next_token());
  member.line = line_;
  member.column = column();
  read_ = stream_.Tell();
  if (!open_.back().keys.insert(member.key).second) {
    fail(read_, "duplicate key " + short_json_string(member.key));
    return false;
  }
  open_.back().node->members.push_back(std::move(member));
  return true;
}

void StrictReader::stopped(const rapidjson::ParseResult& result) {
  const std::size_t at = result.Offset();
  switch (result.Code()) {
    case rapidjson::kParseErrorNone:
    case rapidjson::kParseErrorTermination:  // A function above has reported why.
      return;
    case rapidjson::kParseErrorDocumentEmpty:
    case rapidjson::kParseErrorValueInvalid:
      return fail(begin_of_word(at), "expected a value");
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return fail(at, "unexpected text after the value");
    case rapidjson::kParseErrorObjectMissName:
      return fail(at, "expected a key in double quotes");
    case rapidjson::kParseErrorObjectMissColon:
      return fail(at, "expected ':'");
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return fail(at, "expected ',' or '}'");
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return fail(at, "expected ',' or ']'");
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return fail(at, "\\u needs four hex digits");
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return fail(at, "unpaired surrogate");
    case rapidjson::kParseErrorStringEscapeInvalid:
      if (text_[at] == '\\') return fail(at + 1, "unknown escape in a string");
      return fail(at, "control character in a string");
    case rapidjson::kParseErrorStringMissQuotationMark:
      return fail(at, at < text_.size() ? "control character in a string"  // Zero.
                                        : "unterminated string");
    case rapidjson::kParseErrorStringInvalidEncoding:
      return fail(at, "not valid UTF-8");
    case rapidjson::kParseErrorNumberMissFraction:
    case rapidjson::kParseErrorNumberMissExponent:
      return fail(at, "expected a digit");
    case rapidjson::kParseErrorNumberTooBig:
      return fail(at, "the number is too large");
    case rapidjson::kParseErrorUnspecificSyntaxError:
      break;
  }
  fail(at, "not JSON");
}

}  // namespace

YamlDocument parse_strict_json(std::string_view text, const std::string& file, int first_line,
                               std::size_t values_max) {
  YamlDocument document;
  rapidjson::MemoryStream stream(text.data(), text.size());
  StrictReader builder(text, stream, file, first_line, values_max, document);
  constexpr unsigned kFlags =
      rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult result = rapidjson::Reader().Parse<kFlags>(stream, builder);
  builder.stopped(result);
  // The stream ends with a zero, and the reader takes any zero for it.
  if (!result.IsError() && stream.Tell() < text.size()) {
    builder.fail(stream.Tell(), "unexpected text after the value");
  }
  return document;
}

}  // namespace davit
