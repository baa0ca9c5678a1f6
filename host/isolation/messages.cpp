#include "host/isolation/messages.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "lib/base/assert.hpp"
#include "lib/base/utf8.hpp"

namespace davit::host {
namespace {

// A token of the API server: some KiB, with many audiences and names.
constexpr std::size_t kTokenBytesMax = 16 * 1024;

// Each message lists its fields once, for both directions: `fields` writes or reads them.
template <typename Fields>
void describe(Fields& fields, Locked& m) {
  fields.number(m.protocol);
  fields.number(m.landlock_version);
  fields.boolean(m.memory_is_write_or_execute);
}
template <typename Fields>
void describe(Fields&, Ready&) {}
template <typename Fields>
void describe(Fields& fields, LogLine& m) {
  fields.choice(m.severity, ChildSeverity::kError);
  fields.text(m.text, kLogLineBytesMax);
}
template <typename Fields>
void describe(Fields& fields, ControllerReport& m) {
  fields.text(m.controller, kNameBytesMax);
  fields.text(m.state, kStateBytesMax);
  fields.number(m.waiting);
  fields.boolean(m.is_healthy);
  fields.text(m.reason, kReasonBytesMax);
  fields.require(m.is_healthy == m.reason.empty());
}
template <typename Fields>
void describe(Fields& fields, Connect& m) {
  fields.number(m.id);
  fields.text(m.server, kNameBytesMax);
  fields.number(m.port);
  const bool is_name = std::all_of(m.server.begin(), m.server.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == ':';
  });
  fields.require(!m.server.empty() && is_name && m.port != 0);
}
template <typename Fields>
void describe(Fields&, Drained&) {}
template <typename Fields>
void describe(Fields& fields, Failed& m) {
  fields.text(m.reason, kReasonBytesMax);
}
template <typename Fields>
void describe(Fields& fields, AnswerPart& m) {
  fields.number(m.id);
  fields.bytes(m.bytes, kPartBytesMax);
  fields.require(!m.bytes.empty());
}
template <typename Fields>
void describe(Fields& fields, Answer& m) {
  constexpr std::uint16_t kStatusMin = 100;
  constexpr std::uint16_t kStatusMax = 599;
  fields.number(m.id);
  fields.number(m.status);
  fields.number(m.form);
  fields.text(m.content_type, kContentTypeBytesMax);
  fields.require(m.status >= kStatusMin && m.status <= kStatusMax);
}
template <typename Fields>
void describe(Fields& fields, Token& m) {
  fields.text(m.token, kTokenBytesMax);
  fields.require(!m.token.empty());
}
template <typename Fields>
void describe(Fields& fields, MayWrite& m) {
  fields.number(m.until_ns);
}
template <typename Fields>
void describe(Fields& fields, Connected& m) {
  fields.number(m.id);
  fields.text(m.failure, kReasonBytesMax);
}
template <typename Fields>
void describe(Fields& fields, AskPart& m) {
  fields.number(m.id);
  fields.bytes(m.bytes, kPartBytesMax);
  fields.require(!m.bytes.empty());
}
template <typename Fields>
void describe(Fields& fields, Ask& m) {
  fields.number(m.id);
  fields.choice(m.kind, AskKind::kResume);
  fields.text(m.text, kTargetBytesMax);
  fields.number(m.form);
}
template <typename Fields>
void describe(Fields&, Drain&) {}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <typename Number>
  void number(const Number& value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      out_.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
    }
  }
  void boolean(const bool& value) { out_.push_back(value ? 1 : 0); }
  template <typename Choice>
  void choice(const Choice& value, Choice last) {
    DAVIT_ASSERT(value <= last);
    out_.push_back(static_cast<char>(value));
  }
  void text(const std::string& value, std::size_t bytes_max) {
    DAVIT_ASSERT(is_utf8(value));
    bytes(value, bytes_max);
  }
  void bytes(const std::string& value, std::size_t bytes_max) {
    DAVIT_ASSERT(value.size() <= bytes_max);
    number(static_cast<std::uint32_t>(value.size()));
    out_ += value;
  }
  void require(bool holds) { DAVIT_ASSERT(holds); }

 private:
  std::string& out_;
};

class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  template <typename Number>
  void number(Number& value) {
    const std::string_view bytes = take(sizeof(Number));
    value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |=
          static_cast<Number>(static_cast<Number>(static_cast<unsigned char>(bytes[i])) << (8 * i));
    }
  }
  void boolean(bool& value) { value = byte_up_to(1) == 1; }
  template <typename Choice>
  void choice(Choice& value, Choice last) {
    value = static_cast<Choice>(byte_up_to(static_cast<std::uint8_t>(last)));
  }
  void text(std::string& value, std::size_t bytes_max) {
    bytes(value, bytes_max);
    require(is_utf8(value));
  }
  void bytes(std::string& value, std::size_t bytes_max) { value = take(length_up_to(bytes_max)); }
  void require(bool holds) { good_ = good_ && holds; }

  [[nodiscard]] bool is_complete() const { return good_ && rest_.empty(); }

 private:
  /// Exactly `size` bytes, or none and a mistake.
  std::string_view take(std::size_t size) {
    require(size <= rest_.size());
    if (!good_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::size_t length_up_to(std::size_t max) {
    std::uint32_t length = 0;
    number(length);
    require(length <= max);
    return good_ ? length : 0;
  }
  std::uint8_t byte_up_to(std::uint8_t max) {
    std::uint8_t byte = 0;
    number(byte);
    require(byte <= max);
    return good_ ? byte : 0;
  }

  std::string_view rest_;
  bool good_ = true;
};

template <typename Message>
std::string encode_any(const Message& message) {
  std::string out(1, static_cast<char>(message.index()));
  Writer fields(out);
  // A writer changes nothing, but shares the list of fields with the reader.
  std::visit(
      [&fields](const auto& each) {
        describe(fields, const_cast<std::remove_cvref_t<decltype(each)>&>(each));
      },
      message);
  DAVIT_ASSERT(out.size() <= kFrameBytesMax);
  return out;
}

Status malformed(std::size_t kind) {
  return {Code::kInvalid, "a frame of the kind " + std::to_string(kind) + " is malformed"};
}

template <typename Message, std::size_t kKind>
Result<Message> decode_as(std::string_view body) {
  std::variant_alternative_t<kKind, Message> message;
  Reader fields(body);
  describe(fields, message);
  if (!fields.is_complete()) return malformed(kKind);
  return Message(std::in_place_index<kKind>, std::move(message));
}

/// Tries the kinds one after another: with an index that is known only at run time, g++ 12 warns of
/// the variant's members.
template <typename Message, std::size_t kKind = 0>
Result<Message> decode_kind(std::size_t kind, std::string_view body) {
  if constexpr (kKind < std::variant_size_v<Message>) {
    if (kind == kKind) return decode_as<Message, kKind>(body);
    return decode_kind<Message, kKind + 1>(kind, body);
  } else {
    return Status(Code::kInvalid, "a frame has the unknown kind " + std::to_string(kind));
  }
}

template <typename Message>
Result<Message> decode_any(std::string_view frame) {
  if (frame.empty()) return Status(Code::kInvalid, "a frame is empty");
  if (frame.size() > kFrameBytesMax) return Status(Code::kInvalid, "a frame is too long");
  return decode_kind<Message>(static_cast<unsigned char>(frame[0]), frame.substr(1));
}

}  // namespace

std::string encode(const ChildMessage& message) { return encode_any(message); }
std::string encode(const HostMessage& message) { return encode_any(message); }

Result<ChildMessage> decode_child_message(std::string_view frame) {
  return decode_any<ChildMessage>(frame);
}
Result<HostMessage> decode_host_message(std::string_view frame) {
  return decode_any<HostMessage>(frame);
}

}  // namespace davit::host
