// JSON text: RapidJSON's iterative reader into a Json, and the writer.
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <davit/json_writer.hpp>
#include <unordered_map>

#include "host/base/assert.hpp"
#include "host/base/utf8.hpp"
#include "sandbox/json/json.hpp"

namespace davit::sandbox {

namespace {

/// `text` with U+FFFD for every byte that is no UTF-8.
std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = host::utf8_length(text);
    if (length == 0) host::append_utf8(0xfffd, out);
    out.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

/// Builds the tree from the reader's events.
class TreeBuilder {
 public:
  explicit TreeBuilder(JsonFindings* findings) : findings_(findings) {}

  [[nodiscard]] Json take() { return std::move(root_); }
  [[nodiscard]] bool too_deep() const { return open_.size() > kJsonDepthMax; }

  bool Null() { return place(Json()); }
  bool Bool(bool value) { return place(Json(value)); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return place(Json::number({text, size}));
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return place(Json(valid_utf8({text, size})));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    key_ = valid_utf8({text, size});
    return true;
  }
  bool StartObject() { return open(Json(Json::Members())); }
  bool StartArray() { return open(Json(Json::Items())); }
  bool EndObject(rapidjson::SizeType) {
    drop_duplicates();
    return close();
  }
  bool EndArray(rapidjson::SizeType) { return close(); }
  // Never called: numbers come as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  struct Level {
    Json value;
    std::string key;  ///< Its own place in the parent, when that is an object.
  };

  bool open(Json value) {
    open_.push_back({std::move(value), std::move(key_)});
    key_.clear();
    return !too_deep();
  }
  bool close() {
    Level level = std::move(open_.back());
    open_.pop_back();
    key_ = std::move(level.key);
    return place(std::move(level.value));
  }
  bool place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Json& parent = open_.back().value; parent.is_array()) {
      parent.push_back(std::move(value));
    } else {
      parent.make_object().push_back({std::move(key_), std::move(value)});
    }
    key_.clear();
    return true;
  }
  /// Of several members with one key the last one's value stays, at the first one's place.
  void drop_duplicates() {
    Json::Members& members = open_.back().value.make_object();
    std::unordered_map<std::string_view, std::size_t> places;
    std::vector<bool> dropped(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto [place, fresh] = places.emplace(members[i].key, i);
      if (fresh) continue;
      if (findings_ != nullptr) findings_->duplicates.push_back(path(members[i].key));
      members[place->second].value = std::move(members[i].value);
      dropped[i] = true;
    }
    if (places.size() == members.size()) return;
    Json::Members kept;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!dropped[i]) kept.push_back(std::move(members[i]));
    }
    members = std::move(kept);
  }
  /// Of a member of the innermost open object.
  [[nodiscard]] std::string path(const std::string& last_key) const {
    std::string out;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const Json& parent = open_[i].value;
      if (parent.is_array()) {
        out += '[' + std::to_string(parent.size()) + ']';
        continue;
      }
      if (!out.empty()) out += '.';
      out += i + 1 < open_.size() ? open_[i + 1].key : last_key;
    }
    return out;
  }

  JsonFindings* findings_;
  Json root_;
  std::vector<Level> open_;
  std::string key_;
};

constexpr unsigned kReaderFlags =
    rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;

enum class Order { kDocument, kSorted };

class Writer {
 public:
  Writer(std::string& out, Order order, int indent) : out_(out), order_(order), indent_(indent) {}

  void write(const Json& json) {
    switch (json.kind()) {
      case Json::Kind::kNull:
        out_ += "null";
        return;
      case Json::Kind::kBoolean:
        out_ += json.boolean() ? "true" : "false";
        return;
      case Json::Kind::kNumber:
        out_ += json.text();
        return;
      case Json::Kind::kString:
        append_json_string(out_, json.text());
        return;
      case Json::Kind::kArray:
        return items(json.items());
      case Json::Kind::kObject:
        return members(json.members());
    }
  }

 private:
  void line() {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(depth_ * static_cast<std::size_t>(indent_), ' ');
  }
  void items(const Json::Items& items) {
    out_ += '[';
    ++depth_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i != 0) out_ += ',';
      line();
      write(items[i]);
    }
    --depth_;
    if (!items.empty()) line();
    out_ += ']';
  }
  void members(const Json::Members& members) {
    std::vector<const Json::Member*> sorted;
    if (order_ == Order::kSorted) {
      for (const Json::Member& each : members) sorted.push_back(&each);
      std::sort(sorted.begin(), sorted.end(),
                [](const auto* a, const auto* b) { return a->key < b->key; });
    }
    out_ += '{';
    ++depth_;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Json::Member& each = sorted.empty() ? members[i] : *sorted[i];
      if (i != 0) out_ += ',';
      line();
      append_json_string(out_, each.key);
      out_ += indent_ == 0 ? ":" : ": ";
      write(each.value);
    }
    --depth_;
    if (!members.empty()) line();
    out_ += '}';
  }

  std::string& out_;
  Order order_;
  int indent_;
  std::size_t depth_ = 0;
};

std::string written(const Json& json, Order order, int indent) {
  std::string out;
  Writer(out, order, indent).write(json);
  return out;
}

}  // namespace

Result<Json> parse_json(std::string_view text, JsonFindings* findings) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>> reader;
  TreeBuilder builder(findings);
  const rapidjson::ParseResult parsed = reader.Parse<kReaderFlags>(stream, builder);
  if (parsed) return builder.take();
  if (builder.too_deep()) return Status(Code::kInvalid, "exceeded max depth");
  return Status(Code::kInvalid, std::string(rapidjson::GetParseError_En(parsed.Code())) +
                                    " at byte " + std::to_string(parsed.Offset()));
}

Json json_literal(std::string_view text) {
  Result<Json> parsed = parse_json(text);
  DAVIT_ASSERT(parsed.has_value());
  return std::move(*parsed);
}

void append_text(std::string& out, const Json& json) {
  Writer(out, Order::kDocument, 0).write(json);
}
std::string to_text(const Json& json) { return written(json, Order::kDocument, 0); }
std::string to_pretty_text(const Json& json) { return written(json, Order::kDocument, 2); }
std::string to_canonical_text(const Json& json) { return written(json, Order::kSorted, 0); }

}  // namespace davit::sandbox
