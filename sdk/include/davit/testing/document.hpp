/// Documents: the in-memory cluster's object snapshots, and davit_object_v1 over them.
#pragma once

#include <davit/abi.h>

#include <algorithm>
#include <cstdint>
#include <davit/api.hpp>
#include <davit/testing/json.hpp>
#include <davit/testing/projection.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::testing {

/// What the snapshots of one cluster share: interned names and projections.
struct ObjectSpace {
  std::map<std::string, davit_name, std::less<>> ids;
  std::vector<std::string> names{""};  // 0 is never a name.
  Projections projections;
  /// Reads that a projection did not allow: the mask of the value, and the member that was asked
  /// for, or "" for the value as a whole.
  struct Refused {
    std::uint32_t mask;
    std::string member;
  };
  mutable std::vector<Refused> refused;

  [[nodiscard]] davit_name intern(std::string_view text) {
    const auto found = ids.find(text);
    if (found != ids.end()) return found->second;
    names.emplace_back(text);
    const auto id = static_cast<davit_name>(names.size() - 1);
    ids.emplace(text, id);
    return id;
  }
};

/// One immutable snapshot: a tree whose places are numbered, siblings in a row.
class Document : public std::enable_shared_from_this<Document> {
 public:
  /// `space` must outlive the document.
  Document(const ObjectSpace& space, Json root) : space_(space), root_(std::move(root)) {
    places_.push_back({&root_, 0});
    for (std::size_t i = 0; i < places_.size(); ++i) {
      places_[i].first_child = static_cast<std::uint32_t>(places_.size());
      for (const Json& child : places_[i].json->items()) places_.push_back({&child, 0});
    }
  }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  [[nodiscard]] const Json& json() const { return root_; }
  [[nodiscard]] const ObjectSpace& space() const { return space_; }
  [[nodiscard]] davit_value value(std::uint32_t mask) const { return {this, 0, mask}; }

  [[nodiscard]] static const Document& of(davit_value value) {
    return *static_cast<const Document*>(value.object);
  }
  [[nodiscard]] static const Json& json(davit_value value) {
    return *of(value).places_[value.node].json;
  }
  /// The `index`-th child with this mask.
  [[nodiscard]] static davit_value child(davit_value value, std::size_t index, std::uint32_t mask) {
    const std::uint32_t first = of(value).places_[value.node].first_child;
    return {value.object, first + static_cast<std::uint32_t>(index), mask};
  }

 private:
  struct Place {
    const Json* json;
    std::uint32_t first_child;
  };

  const ObjectSpace& space_;
  Json root_;
  std::vector<Place> places_;
};

using DocumentPtr = std::shared_ptr<const Document>;

namespace detail {

/// The read functions of davit_object_v1.
struct ObjectReads {
  static bool absent(davit_value value) { return value.object == nullptr; }

  static std::int32_t kind(davit_value value) {
    return absent(value) ? DAVIT_KIND_ABSENT
                         : static_cast<std::int32_t>(Document::json(value).kind());
  }

  static davit_code lookup(davit_value value, davit_str key, davit_value* out) {
    *out = davit_value{};
    if (absent(value)) return DAVIT_NOT_FOUND;
    const Json& json = Document::json(value);
    const std::string_view text = from_c(key);
    const std::uint32_t mask = Document::of(value).space().projections.member(value.mask, text);
    if (mask == Projections::kNothing) return refuse(value, text);
    if (!json.is_object()) return DAVIT_WRONG_TYPE;
    const auto found = std::find(json.keys().begin(), json.keys().end(), text);
    if (found == json.keys().end()) return DAVIT_NOT_FOUND;
    *out = Document::child(value, static_cast<std::size_t>(found - json.keys().begin()), mask);
    return DAVIT_OK;
  }
  static davit_code member(davit_value value, davit_name name, davit_value* out) {
    *out = davit_value{};
    if (absent(value)) return DAVIT_NOT_FOUND;
    const auto& names = Document::of(value).space().names;
    if (name == 0 || name >= names.size()) return DAVIT_NOT_FOUND;
    return lookup(value, to_c(names[name]), out);
  }
  static davit_code path(davit_value value, const davit_name* names, std::size_t count,
                         davit_value* out) {
    *out = value;
    davit_code code = absent(value) ? DAVIT_NOT_FOUND : DAVIT_OK;
    for (std::size_t i = 0; i < count && code == DAVIT_OK; ++i) code = member(*out, names[i], out);
    return code;
  }

  static std::size_t count(davit_value value) {
    return absent(value) ? 0 : Document::json(value).items().size();
  }
  static std::size_t elements(davit_value array, std::size_t first, davit_value* out,
                              std::size_t capacity) {
    if (absent(array) || !Document::json(array).is_array()) return 0;
    const std::size_t size = Document::json(array).items().size();
    const std::uint32_t mask = Document::of(array).space().projections.element(array.mask);
    std::size_t written = 0;
    for (; written < capacity && first + written < size; ++written) {
      out[written] = Document::child(array, first + written, mask);
    }
    return written;
  }
  static davit_code members(davit_value object, std::size_t first, davit_member* out,
                            std::size_t capacity, std::size_t* written) {
    *written = 0;
    if (const davit_code code = whole(object); code != DAVIT_OK) return code;
    const Json& json = Document::json(object);
    if (!json.is_object()) return DAVIT_WRONG_TYPE;
    for (; *written < capacity && first + *written < json.keys().size(); ++*written) {
      const std::size_t index = first + *written;
      out[*written] = {to_c(json.keys()[index]),
                       Document::child(object, index, Projections::kFull)};
    }
    return DAVIT_OK;
  }

  static davit_code string(davit_value value, davit_str* out) {
    return text_of(value, Kind::kString, out);
  }
  static davit_code number(davit_value value, davit_str* out) {
    return text_of(value, Kind::kNumber, out);
  }
  static davit_code integer(davit_value value, std::int64_t* out) {
    if (absent(value)) return DAVIT_NOT_FOUND;
    const std::optional<std::int64_t> number = Document::json(value).integer();
    *out = number.value_or(0);
    return number ? DAVIT_OK : DAVIT_WRONG_TYPE;
  }
  static davit_code boolean(davit_value value, std::int32_t* out) {
    *out = 0;
    if (absent(value)) return DAVIT_NOT_FOUND;
    if (Document::json(value).kind() != Kind::kBoolean) return DAVIT_WRONG_TYPE;
    *out = Document::json(value).text() == "true" ? 1 : 0;
    return DAVIT_OK;
  }

  static davit_code equal(davit_value a, davit_value b, std::int32_t* out) {
    *out = absent(a) && absent(b) ? 1 : 0;
    if (absent(a) || absent(b)) return DAVIT_OK;
    if (whole(a) != DAVIT_OK || whole(b) != DAVIT_OK) return DAVIT_UNDECLARED;
    *out = Document::json(a) == Document::json(b) ? 1 : 0;
    return DAVIT_OK;
  }
  static davit_code hash(davit_value value, std::uint64_t* out) {
    *out = 0;
    if (const davit_code code = whole(value); code != DAVIT_OK) return code;
    *out = 14695981039346656037U;  // FNV-1a, 64 bits.
    for (const char c : Document::json(value).canonical()) {
      *out = (*out ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    return DAVIT_OK;
  }
  static davit_code json(davit_value value, davit_sink sink) {
    if (const davit_code code = whole(value); code != DAVIT_OK) return code;
    sink.write(sink.self, to_c(Document::json(value).dump()));
    return DAVIT_OK;
  }

 private:
  static davit_code refuse(davit_value value, std::string_view member) {
    Document::of(value).space().refused.push_back({value.mask, std::string(member)});
    return DAVIT_UNDECLARED;
  }
  /// DAVIT_OK when there is a value and all of it was declared.
  static davit_code whole(davit_value value) {
    if (absent(value)) return DAVIT_NOT_FOUND;
    if (value.mask == Projections::kFull) return DAVIT_OK;
    // Nothing was left out of what holds nothing.
    return Document::json(value).items().empty() ? DAVIT_OK : refuse(value, "");
  }
  static davit_code text_of(davit_value value, Kind kind, davit_str* out) {
    *out = davit_str{};
    if (absent(value)) return DAVIT_NOT_FOUND;
    if (Document::json(value).kind() != kind) return DAVIT_WRONG_TYPE;
    *out = to_c(Document::json(value).text());
    return DAVIT_OK;
  }
};

}  // namespace detail
}  // namespace davit::testing
