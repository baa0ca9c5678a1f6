/// Drafts: the desired content of objects, as plain structs that `davit codegen` makes. A draft is
/// written as JSON (json_of) and compared with the live object (follows).
///
///     const WebAppDraft wanted{.metadata = {.name = "shop"}, .spec = {.image = "shop:2"}};
///     if (!follows(live, wanted)) …
///
/// Members that are not set are neither written nor compared.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <davit/json_writer.hpp>
#include <davit/kube/condition.hpp>
#include <davit/kube/json_equal.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/kube/typed.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace davit {
namespace draft {

/// A string that may be unset. Owns its text.
class Text {
 public:
  Text() = default;
  Text(std::string_view text) : text_(text) {}        // NOLINT(google-explicit-constructor)
  Text(const char* text) : text_(text) {}             // NOLINT(google-explicit-constructor)
  Text(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_set() const { return text_.has_value(); }
  /// "" when it is not set.
  [[nodiscard]] std::string_view view() const {
    return text_ ? std::string_view(*text_) : std::string_view();
  }
  friend bool operator==(const Text&, const Text&) = default;

 private:
  std::optional<std::string> text_;
};

/// A quantity in its text form: "500m", "1Gi". Compared by value.
class QuantityText : public Text {
 public:
  using Text::Text;
};

/// A duration as Go writes it: "1m30s". Compared by value.
class DurationText : public Text {
 public:
  using Text::Text;
};

/// An integer or a string.
class IntOrString {
 public:
  IntOrString() = default;
  IntOrString(std::int64_t number) : number_(number) {}  // NOLINT(google-explicit-constructor)
  IntOrString(int number) : number_(number) {}           // NOLINT(google-explicit-constructor)
  IntOrString(std::string_view text) : text_(text) {}    // NOLINT(google-explicit-constructor)
  IntOrString(const char* text) : text_(text) {}         // NOLINT(google-explicit-constructor)

  [[nodiscard]] const std::optional<std::int64_t>& number() const { return number_; }
  [[nodiscard]] const Text& text() const { return text_; }

 private:
  std::optional<std::int64_t> number_;
  Text text_;
};

/// Any JSON value, as text.
class Raw {
 public:
  Raw() = default;
  /// `json` is written as it is.
  explicit Raw(std::string json) : json_(std::move(json)) {}
  /// A copy of a value, unset when it is absent.
  Raw(Value value) : json_(value.json()) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const std::string& json() const { return json_; }

 private:
  std::string json_;
};

/// A part that may be unset. T may be incomplete where an Optional<T> is declared, so that a type
/// can contain itself.
template <typename T>
class Optional {
 public:
  Optional() = default;
  Optional(T value) { items_.push_back(std::move(value)); }  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_set() const { return !items_.empty(); }
  /// Sets it first if necessary.
  [[nodiscard]] T& get() {
    if (items_.empty()) items_.emplace_back();
    return items_.front();
  }
  [[nodiscard]] const T& get() const { return items_.front(); }

 private:
  std::vector<T> items_;
};

/// A list that may be unset; `{}` is unset, List::of_none() is the empty list.
template <typename T>
class List {
 public:
  List() = default;
  List(std::initializer_list<T> items) : items_(items), set_(true) {}
  List(std::vector<T> items)  // NOLINT(google-explicit-constructor)
      : items_(std::move(items)), set_(true) {}
  [[nodiscard]] static List of_none() { return List(std::vector<T>()); }

  void add(T item) {
    set_ = true;
    items_.push_back(std::move(item));
  }
  [[nodiscard]] bool is_set() const { return set_; }
  [[nodiscard]] const std::vector<T>& items() const { return items_; }
  [[nodiscard]] std::vector<T>& items() { return items_; }

 private:
  std::vector<T> items_;
  bool set_ = false;
};

/// A map from strings that may be unset.
template <typename T>
class Map {
 public:
  using Entry = std::pair<Text, T>;

  Map() = default;
  Map(std::initializer_list<Entry> entries) : entries_(entries) {}

  /// Replaces an entry with this key.
  void set(std::string_view key, T value) {
    for (Entry& each : entries_) {
      if (each.first.view() != key) continue;
      each.second = std::move(value);
      return;
    }
    entries_.emplace_back(Text(key), std::move(value));
  }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// One entry of metadata.ownerReferences.
struct Owner {
  Text api_version = {};
  Text kind = {};
  Text name = {};
  Text uid = {};
  std::optional<bool> controller = {};
  std::optional<bool> block_owner_deletion = {};

  template <typename Visitor>
  void each_field(Visitor& visitor) const {
    visitor("apiVersion", api_version);
    visitor("kind", kind);
    visitor("name", name);
    visitor("uid", uid);
    visitor("controller", controller);
    visitor("blockOwnerDeletion", block_owner_deletion);
  }
};

/// The metadata that controllers write. Labels, annotations, owners and finalizers of others stay.
struct Metadata {
  Text name = {};
  Text generate_name = {};
  Text ns = {};
  Map<Text> labels = {};
  Map<Text> annotations = {};
  List<Owner> owners = {};
  List<Text> finalizers = {};

  template <typename Visitor>
  void each_field(Visitor& visitor) const {
    visitor("name", name);
    visitor("generateName", generate_name);
    visitor("namespace", ns);
    visitor("labels", labels);
    visitor("annotations", annotations);
    visitor.among("ownerReferences", owners);
    visitor.among("finalizers", finalizers);
  }
};

}  // namespace draft

namespace detail {

/// A struct whose members each_field() shows to a visitor.
template <typename T>
concept Draft = requires {
  &T::template each_field<int>;
};

class DraftWriter {
 public:
  explicit DraftWriter(JsonWriter& out) : out_(out) {}

  template <typename T>
  void operator()(std::string_view name, const T& field) {
    if (!is_set(field)) return;
    out_.key(name);
    write(field);
  }
  template <typename T>
  void keyed(std::string_view name, const draft::List<T>& field) {
    (*this)(name, field);
  }
  template <typename T>
  void among(std::string_view name, const draft::List<T>& field) {
    (*this)(name, field);
  }

  /// Members of an object that has no names for them.
  void others(const draft::Map<draft::Raw>& fields) {
    for (const auto& [name, field] : fields.entries()) (*this)(name.view(), field);
  }

 private:
  friend class DraftFollower;

  static bool is_set(const draft::Text& field) { return field.is_set(); }
  static bool is_set(const draft::Raw& field) { return !field.json().empty(); }
  static bool is_set(const draft::IntOrString& field) {
    return field.number().has_value() || field.text().is_set();
  }
  template <typename T>
  static bool is_set(const std::optional<T>& field) {
    return field.has_value();
  }
  template <typename T>
  static bool is_set(const draft::Optional<T>& field) {
    return field.is_set();
  }
  template <typename T>
  static bool is_set(const draft::List<T>& field) {
    return field.is_set();
  }
  template <typename T>
  static bool is_set(const draft::Map<T>& field) {
    return !field.entries().empty();
  }
  template <Draft T>
  static bool is_set(const T&) {
    return true;
  }

  void write(const draft::Text& field) { out_.string(field.view()); }
  void write(const draft::Raw& field) { out_.raw(field.json()); }
  void write(const draft::IntOrString& field) {
    if (field.number()) {
      out_.integer(*field.number());
    } else {
      out_.string(field.text().view());
    }
  }
  void write(std::int64_t field) { out_.integer(field); }
  void write(bool field) { out_.boolean(field); }
  void write(double field) {
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), field);
    static_cast<void>(error);  // 32 bytes hold the shortest form of every double.
    out_.raw(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
  }
  void write(WallTime field) { out_.string(format_time(field)); }
  void write(const ConditionList& field) { field.write(out_); }
  template <typename T>
  requires std::is_enum_v<T>
  void write(T field) { out_.string(typed::enum_text(field)); }
  template <typename T>
  void write(const std::optional<T>& field) {
    write(*field);
  }
  template <typename T>
  void write(const draft::Optional<T>& field) {
    write(field.get());
  }
  template <typename T>
  void write(const draft::List<T>& field) {
    out_.begin_array();
    for (const T& each : field.items()) write(each);
    out_.end_array();
  }
  template <typename T>
  void write(const draft::Map<T>& field) {
    out_.begin_object();
    for (const auto& [key, value] : field.entries()) {
      out_.key(key.view());
      write(value);
    }
    out_.end_object();
  }
  template <Draft T>
  void write(const T& field) {
    out_.begin_object();
    field.each_field(*this);
    out_.end_object();
  }

  JsonWriter& out_;
};

/// Compares a draft with a live value: see follows().
class DraftFollower {
 public:
  explicit DraftFollower(Value live) : live_(live) {}

  [[nodiscard]] bool follows() const { return follows_; }

  template <typename T>
  void operator()(std::string_view name, const T& field) {
    if (follows_ && DraftWriter::is_set(field)) follows_ = same(field, live_[name]);
  }
  /// A list whose elements have keys: in any order.
  template <typename T>
  void keyed(std::string_view name, const draft::List<T>& field) {
    if (!follows_ || !field.is_set()) return;
    const Value live = live_[name];
    follows_ = live.count() == field.items().size() && each_among(field, live);
  }
  /// A list that others also write.
  template <typename T>
  void among(std::string_view name, const draft::List<T>& field) {
    if (follows_ && field.is_set()) follows_ = each_among(field, live_[name]);
  }
  void others(const draft::Map<draft::Raw>& fields) {
    for (const auto& [name, field] : fields.entries()) (*this)(name.view(), field);
  }

 private:
  static bool same(const draft::Text& field, Value live) { return live.string() == field.view(); }
  static bool same(const draft::QuantityText& field, Value live) {
    const std::optional<Quantity> wanted = Quantity::parse(field.view());
    const std::optional<Quantity> present = typed::quantity(live);
    return wanted && present && *wanted == *present;
  }
  static bool same(const draft::DurationText& field, Value live) {
    const std::optional<Duration> wanted = parse_duration(field.view());
    return wanted && wanted == parse_duration(live.string());
  }
  static bool same(const draft::Raw& field, Value live) { return json_equal(field.json(), live); }
  static bool same(const draft::IntOrString& field, Value live) {
    return field.number() ? live.integer() == field.number() : live.text() == field.text().view();
  }
  static bool same(std::int64_t field, Value live) {
    return live ? live.integer() == field : field == 0;
  }
  static bool same(bool field, Value live) { return live ? live.boolean() == field : !field; }
  static bool same(double field, Value live) {
    return live ? typed::number(live) == field : field == 0;
  }
  static bool same(WallTime field, Value live) {
    const std::optional<WallTime> present = parse_time(live.string());
    return present && *present == std::chrono::floor<std::chrono::seconds>(field);
  }
  static bool same(const ConditionList& field, Value live) { return ConditionList(live) == field; }
  template <typename T>
  requires std::is_enum_v<T>
  static bool same(T field, Value live) { return live.string() == typed::enum_text(field); }
  template <typename T>
  static bool same(const std::optional<T>& field, Value live) {
    return same(*field, live);
  }
  template <typename T>
  static bool same(const draft::Optional<T>& field, Value live) {
    return live.kind() == Kind::kObject && same(field.get(), live);
  }
  template <typename T>
  static bool same(const draft::List<T>& field, Value live) {
    if (live.count() != field.items().size()) return false;
    std::size_t at = 0;
    for (const Value each : live.elements()) {
      if (!same(field.items()[at++], each)) return false;
    }
    return true;
  }
  template <typename T>
  static bool same(const draft::Map<T>& field, Value live) {
    for (const auto& [key, value] : field.entries()) {
      const Value present = live[key.view()];
      if (!present || !same(value, present)) return false;
    }
    return true;
  }
  template <Draft T>
  static bool same(const T& field, Value live) {
    DraftFollower follower(live);
    field.each_field(follower);
    return follower.follows();
  }

  /// Whether some live element follows each desired one; the comparison includes the keys.
  template <typename T>
  static bool each_among(const draft::List<T>& field, Value live) {
    for (const T& wanted : field.items()) {
      bool found = false;
      for (const Value each : live.elements()) found = found || same(wanted, each);
      if (!found) return false;
    }
    return true;
  }

  Value live_;
  bool follows_ = true;
};

}  // namespace detail

/// The JSON text of a draft: of a whole object with apiVersion and kind, of a part without.
template <detail::Draft Wanted>
[[nodiscard]] std::string json_of(const Wanted& wanted) {
  JsonWriter out;
  detail::DraftWriter writer(out);
  out.begin_object();
  if constexpr (requires { typename Wanted::View; }) {
    out.member("apiVersion", Wanted::View::kResource.api_version());
    out.member("kind", Wanted::View::kResource.kind);
  }
  wanted.each_field(writer);
  out.end_object();
  return std::move(out).text();
}

/// Whether the live value has everything that the draft sets. Lists must have the same elements,
/// with keys (x-kubernetes-list-type: map) in any order; maps, and finalizers and owners, may have
/// more. Quantities, times and durations compare by value, and false, 0 and "" equal absence, since
/// servers leave them out. Members that the draft does not set are not compared, so a member that
/// it no longer sets stays: set its empty value instead.
template <detail::Draft Wanted>
[[nodiscard]] bool follows(Value live, const Wanted& wanted) {
  detail::DraftFollower follower(live);
  wanted.each_field(follower);
  return follower.follows();
}
/// The same for a view of the whole object.
template <detail::Draft Wanted>
[[nodiscard]] bool follows(const ObjectView& live, const Wanted& wanted) {
  return follows(live.value(), wanted);
}
/// The same for a part of a generated type.
template <detail::Draft Wanted>
[[nodiscard]] bool follows(const typed::Part& live, const Wanted& wanted) {
  return follows(live.raw(), wanted);
}

}  // namespace davit
