#include "host/object/canonical.hpp"

#include <algorithm>
#include <array>
#include <davit/fnv.hpp>
#include <davit/hex.hpp>
#include <vector>

namespace davit::host {

namespace {
using tape::Byte;
using tape::Tag;

struct Member {
  std::string_view key;
  const Byte* value;
};

std::vector<Member> sorted_members(Place object) {
  std::vector<Member> members;
  members.reserve(tape::count(object.at));
  for (tape::MemberCursor cursor(object.at); cursor.next();) {
    members.push_back({cursor.key(object.object->space()), cursor.value()});
  }
  const auto by_key = [](const Member& a, const Member& b) { return a.key < b.key; };
  if (!std::is_sorted(members.begin(), members.end(), by_key)) {
    std::sort(members.begin(), members.end(), by_key);
  }
  return members;
}

std::string_view canonical_number(std::string_view text) { return text == "-0" ? "0" : text; }

/// A reference reads like the string that it stands for.
Tag kind_of(Place value) {
  const Tag tag = tape::tag_of(*value.at);
  return tag == Tag::kReference ? Tag::kString : tag;
}

std::string_view text_of(Place value) { return tape::text(value.object->tape(), value.at); }

bool equal_arrays(Place a, Place b) {
  const tape::Entries left = tape::entries(a.at);
  const tape::Entries right = tape::entries(b.at);
  const Byte* x = left.begin;
  const Byte* y = right.begin;
  for (; x < left.end && y < right.end; x = tape::skip(x), y = tape::skip(y)) {
    if (!deep_equal({a.object, x}, {b.object, y})) return false;
  }
  return x >= left.end && y >= right.end;
}

bool equal_objects(Place a, Place b) {
  // The server writes the same kind in the same order, so walk both in step as long as keys match.
  const ObjectSpace& space = a.object->space();
  tape::MemberCursor x(a.at);
  tape::MemberCursor y(b.at);
  for (;;) {
    const bool more = x.next();
    if (more != y.next()) return false;
    if (!more) return true;
    const bool same_key = &space == &b.object->space() && x.name() != 0 && y.name() != 0
                              ? x.name() == y.name()
                              : x.key(space) == y.key(b.object->space());
    if (!same_key) break;
    if (!deep_equal({a.object, x.value()}, {b.object, y.value()})) return false;
  }
  const std::vector<Member> left = sorted_members(a);
  const std::vector<Member> right = sorted_members(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](const Member& l, const Member& r) {
                      return l.key == r.key && deep_equal({a.object, l.value}, {b.object, r.value});
                    });
}

/// The destination of a writer's text: a hash or a sink.
class HashOut {
 public:
  void put(std::string_view text) { hash_.add(text); }
  [[nodiscard]] std::uint64_t hash() const { return hash_.sum(); }

 private:
  FnvHash<std::uint64_t> hash_;
};

class SinkOut {
 public:
  explicit SinkOut(const davit_sink& sink) : sink_(sink) {}
  void put(std::string_view text) {
    if (used_ + text.size() > buffer_.size()) flush();
    if (text.size() > buffer_.size()) return write(text);
    std::copy(text.begin(), text.end(), buffer_.data() + used_);
    used_ += text.size();
  }
  void flush() {
    if (used_ > 0) write({buffer_.data(), used_});
    used_ = 0;
  }
  /// The first answer of the sink but DAVIT_OK, after which nothing is written to it.
  [[nodiscard]] davit_code code() const { return code_; }

 private:
  void write(std::string_view text) {
    if (code_ == DAVIT_OK) code_ = sink_.write(sink_.self, {text.data(), text.size()});
  }

  const davit_sink& sink_;
  davit_code code_ = DAVIT_OK;
  std::array<char, 1024> buffer_;
  std::size_t used_ = 0;
};

enum class Order { kDocument, kSorted };

template <typename Out, Order kOrder>
class Writer {
 public:
  explicit Writer(Out& out) : out_(out) {}

  void value(Place v) {
    switch (kind_of(v)) {
      case Tag::kNull:
        return out_.put("null");
      case Tag::kFalse:
        return out_.put("false");
      case Tag::kTrue:
        return out_.put("true");
      case Tag::kNumber:
        return out_.put(kOrder == Order::kSorted ? canonical_number(text_of(v)) : text_of(v));
      case Tag::kString:
      case Tag::kReference:
        return string(text_of(v));
      case Tag::kArray:
        return array(v);
      case Tag::kObject:
        return object(v);
    }
  }

 private:
  void array(Place v) {
    const tape::Entries range = tape::entries(v.at);
    out_.put("[");
    for (const Byte* at = range.begin; at < range.end; at = tape::skip(at)) {
      if (at != range.begin) out_.put(",");
      value({v.object, at});
    }
    out_.put("]");
  }

  void object(Place v) {
    out_.put("{");
    bool first = true;
    const auto member = [&](std::string_view key, const Byte* at) {
      if (!first) out_.put(",");
      first = false;
      string(key);
      out_.put(":");
      value({v.object, at});
    };
    if constexpr (kOrder == Order::kSorted) {
      for (const Member& each : sorted_members(v)) member(each.key, each.value);
    } else {
      for (tape::MemberCursor cursor(v.at); cursor.next();) {
        member(cursor.key(v.object->space()), cursor.value());
      }
    }
    out_.put("}");
  }

  void string(std::string_view text) {
    out_.put("\"");
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c >= 0x20 && c != '"' && c != '\\') continue;
      out_.put(text.substr(begin, i - begin));
      escape(c);
      begin = i + 1;
    }
    out_.put(text.substr(begin));
    out_.put("\"");
  }

  void escape(unsigned char c) {
    switch (c) {
      case '"':
        return out_.put("\\\"");
      case '\\':
        return out_.put("\\\\");
      case '\b':
        return out_.put("\\b");
      case '\f':
        return out_.put("\\f");
      case '\n':
        return out_.put("\\n");
      case '\r':
        return out_.put("\\r");
      case '\t':
        return out_.put("\\t");
      default: {
        constexpr std::string_view kDigits = hex_digits();
        const char code[] = {'\\', 'u', '0', '0', kDigits[c >> 4], kDigits[c & 15]};
        return out_.put({code, sizeof code});
      }
    }
  }

  Out& out_;
};
}  // namespace

bool deep_equal(Place a, Place b) {
  if (a.object == b.object && a.at == b.at) return true;
  const Tag tag = kind_of(a);
  if (tag != kind_of(b)) return false;
  switch (tag) {
    case Tag::kNumber:
      return canonical_number(text_of(a)) == canonical_number(text_of(b));
    case Tag::kString:
      return text_of(a) == text_of(b);
    case Tag::kArray:
      return equal_arrays(a, b);
    case Tag::kObject:
      return equal_objects(a, b);
    default:
      return true;
  }
}

std::uint64_t stable_hash(Place value) {
  HashOut out;
  Writer<HashOut, Order::kSorted>(out).value(value);
  return out.hash();
}

davit_code write_json(Place value, const davit_sink& sink) {
  SinkOut out(sink);
  Writer<SinkOut, Order::kDocument>(out).value(value);
  out.flush();
  return out.code();
}

}  // namespace davit::host
