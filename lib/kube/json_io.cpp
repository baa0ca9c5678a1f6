// JSON text: RapidJSON's iterative reader into a Json, and the writer.
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <unordered_map>

#include "lib/base/assert.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/utf8.hpp"
#include "lib/kube/json.hpp"

namespace davit {

namespace {

/// Functions that the reader requires and never calls, because numbers come as text.
struct NumbersAsText {
  static bool Int(int) { return false; }
  static bool Uint(unsigned) { return false; }
  static bool Int64(std::int64_t) { return false; }
  static bool Uint64(std::uint64_t) { return false; }
  static bool Double(double) { return false; }
};

/// Builds the tree from the reader's events. What is read waits on one stack until its array or
/// object is complete, so that each of those is allocated once and in its size.
class TreeBuilder : public NumbersAsText {
 public:
  explicit TreeBuilder(JsonFindings* findings) : findings_(findings) {}

  [[nodiscard]] Json take() { return std::move(waiting_.back().value); }
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
  bool StartObject() { return open(Json::Kind::kObject); }
  bool StartArray() { return open(Json::Kind::kArray); }
  bool EndObject(rapidjson::SizeType) {
    drop_duplicates();
    const auto first = first_of(open_.back());
    Json::Members members(std::make_move_iterator(first), std::make_move_iterator(waiting_.end()));
    return close(Json(std::move(members)));
  }
  bool EndArray(rapidjson::SizeType) {
    Json::Items items;
    items.reserve(waiting_.size() - open_.back().first);
    for (auto each = first_of(open_.back()); each != waiting_.end(); ++each) {
      items.push_back(std::move(each->value));
    }
    return close(Json(std::move(items)));
  }

 private:
  /// An array or object whose end was not read yet.
  struct Level {
    Json::Kind kind;
    std::size_t first;  ///< Index of its first element in waiting_.
    std::string key;    ///< Its own place in the parent, when that is an object.
  };

  Json::Members::iterator first_of(const Level& level) {
    return waiting_.begin() + static_cast<std::ptrdiff_t>(level.first);
  }
  bool open(Json::Kind kind) {
    open_.push_back({kind, waiting_.size(), std::move(key_)});
    key_.clear();
    return !too_deep();
  }
  bool close(Json value) {
    waiting_.erase(first_of(open_.back()), waiting_.end());
    key_ = std::move(open_.back().key);
    open_.pop_back();
    return place(std::move(value));
  }
  bool place(Json value) {
    waiting_.push_back({std::move(key_), std::move(value)});
    key_.clear();
    return true;
  }
  /// If several members have one key, the last value stays, at the first one's place.
  void drop_duplicates() {
    // Comparing each with each is faster than a table while there are few.
    constexpr std::size_t kFewMembers = 24;
    const std::size_t begin = open_.back().first;
    const std::size_t end = waiting_.size();
    std::size_t kept = begin;
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = begin; i < end; ++i) {
      Json::Member& each = waiting_[i];
      std::size_t first = kept;
      if (end - begin > kFewMembers) {
        first = places.emplace(each.key, kept).first->second;
      } else {
        for (first = begin; first < kept && waiting_[first].key != each.key;) ++first;
      }
      if (first < kept) {
        if (findings_ != nullptr) findings_->duplicates.push_back(path(each.key));
        waiting_[first].value = std::move(each.value);
        continue;
      }
      if (kept != i) waiting_[kept] = std::move(each);
      ++kept;
    }
    waiting_.resize(kept);
  }
  /// A member of the innermost open object.
  [[nodiscard]] std::string path(const std::string& last_key) const {
    std::string out;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const bool last = i + 1 == open_.size();
      if (open_[i].kind == Json::Kind::kArray) {  // Never the last one.
        out += '[' + std::to_string(open_[i + 1].first - open_[i].first) + ']';
        continue;
      }
      if (!out.empty()) out += '.';
      out += last ? last_key : open_[i + 1].key;
    }
    return out;
  }

  JsonFindings* findings_;
  std::vector<Level> open_;
  Json::Members waiting_;  // Elements of all open levels, in order; at the end the root alone.
  std::string key_;        // The key of the value that comes next.
};

/// Fills in the places of the paths that it is given.
class OffsetFinder : public NumbersAsText {
 public:
  explicit OffsetFinder(std::unordered_map<std::string, MemberOffsets>& places) : places_(places) {}

  bool Null() { return end_value(); }
  bool Bool(bool) { return end_value(); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return end_value(); }
  bool String(const char*, rapidjson::SizeType, bool) { return end_value(); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    path_.resize(open_.back().path_bytes);
    if (!path_.empty()) path_ += '.';
    path_ += valid_utf8({text, size});
    ++members_;
    if (const auto found = places_.find(path_); found != places_.end()) {
      MemberOffsets& place = found->second;
      if (place.first == 0) {
        place.first = members_;
      } else if (place.second == 0) {
        place.second = members_;
      }
    }
    return true;
  }
  bool StartObject() { return open(Json::Kind::kObject); }
  bool StartArray() { return open(Json::Kind::kArray); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

 private:
  struct Level {
    Json::Kind kind;
    std::size_t path_bytes;  ///< Length of the path to this array or object.
    std::size_t index = 0;   ///< The next element's.
  };

  bool open(Json::Kind kind) {
    begin_element();
    open_.push_back({kind, path_.size()});
    return true;
  }
  bool close() {
    open_.pop_back();
    return end_value();
  }
  void begin_element() {
    if (open_.empty() || open_.back().kind != Json::Kind::kArray) return;
    path_.resize(open_.back().path_bytes);
    path_ += '[' + std::to_string(open_.back().index) + ']';
  }
  bool end_value() {
    if (!open_.empty()) ++open_.back().index;
    return true;
  }

  std::unordered_map<std::string, MemberOffsets>& places_;
  std::vector<Level> open_;
  std::string path_;         // To the member or element that is being read.
  std::size_t members_ = 0;  // So far.
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
        append_quoted(out_, json.text());
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
      append_quoted(out_, each.key);
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

std::string valid_utf8(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<signed char>(c) >= 0; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) append_utf8(0xfffd, out);
    out.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::unordered_map<std::string, MemberOffsets> member_offsets(
    std::string_view text, const std::vector<std::string>& paths) {
  std::unordered_map<std::string, MemberOffsets> places;
  for (const std::string& path : paths) places.emplace(path, MemberOffsets());
  OffsetFinder finder(places);
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>> reader;
  reader.Parse<kReaderFlags>(stream, finder);
  std::erase_if(places, [](const auto& each) { return each.second.first == 0; });
  return places;
}

namespace {

/// Found where objects end, so that inner ones come first, and once for each further member.
void order_duplicates(std::string_view text, std::vector<std::string>& duplicates) {
  if (duplicates.size() < 2) return;
  std::ranges::sort(duplicates);
  duplicates.erase(std::unique(duplicates.begin(), duplicates.end()), duplicates.end());
  const auto places = member_offsets(text, duplicates);
  std::ranges::sort(duplicates, {},
                    [&](const std::string& path) { return places.at(path).second; });
}

}  // namespace

Result<Json> parse_json(std::string_view text, JsonFindings* findings) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>> reader;
  TreeBuilder builder(findings);
  const rapidjson::ParseResult parsed = reader.Parse<kReaderFlags>(stream, builder);
  if (parsed) {
    if (findings != nullptr) order_duplicates(text, findings->duplicates);
    return builder.take();
  }
  if (builder.too_deep()) return Status(Code::kInvalid, "exceeded max depth");
  // The words of Go's encoding/json.
  if (parsed.Offset() >= text.size()) return Status(Code::kInvalid, "unexpected end of JSON input");
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

}  // namespace davit
