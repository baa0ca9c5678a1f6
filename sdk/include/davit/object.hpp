/// Value: a value inside an immutable object snapshot, read in place.
///
/// Reads are safe to chain: a value that is missing, of another kind or undeclared reads as absent,
/// and every read of an absent value is absent. A read outside the projection also fails the sync
/// in which it happened, because the plugin's declaration is wrong.
///
/// Lifetime: a Value, and the views read from it, are borrowed until the handler, sync, timer or
/// init call in which they were obtained returns. Retained keeps a value longer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <davit/api.hpp>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace davit {

/// The kind of a value in an object.
enum class Kind : std::int32_t {
  kAbsent = DAVIT_KIND_ABSENT,
  kNull = DAVIT_KIND_NULL,
  kBoolean = DAVIT_KIND_BOOLEAN,
  kNumber = DAVIT_KIND_NUMBER,
  kString = DAVIT_KIND_STRING,
  kArray = DAVIT_KIND_ARRAY,
  kObject = DAVIT_KIND_OBJECT,
};

class ElementRange;
class MemberRange;

/// Cheap to copy; pass it by value.
class Value {
 public:
  /// Absent.
  Value() = default;
  /// `api` must outlive every use of the value; null only for an absent value.
  Value(const Api* api, davit_value raw) : api_(api), raw_(raw) {}

  /// Whether there is a value, null included.
  explicit operator bool() const { return raw_.object != nullptr; }
  [[nodiscard]] bool is_absent() const { return raw_.object == nullptr; }
  [[nodiscard]] Kind kind() const {
    return is_absent() ? Kind::kAbsent : static_cast<Kind>(api_->object->kind(raw_));
  }

  /// The member with an interned name.
  [[nodiscard]] Value operator[](Name name) const {
    if (is_absent()) return {};
    davit_value out{};
    check(api_->object->member(raw_, name.id, &out));
    return {api_, out};
  }
  /// The member with a well-known name: `pod[&Names::metadata]`.
  [[nodiscard]] Value operator[](Name Names::*name) const {
    return is_absent() ? Value() : (*this)[api_->names.*name];
  }
  /// The member with this key. For keys that are data, such as labels.
  [[nodiscard]] Value operator[](std::string_view key) const {
    if (is_absent()) return {};
    davit_value out{};
    check(api_->object->lookup(raw_, to_c(key), &out));
    return {api_, out};
  }
  Value operator[](int) const = delete;  ///< Elements are read with at() and elements().

  /// Like that many operator[], but crosses the plugin boundary once.
  [[nodiscard]] Value path(std::initializer_list<Name> names) const;

  /// One element of an array; absent beyond its end. To visit all elements, use elements().
  [[nodiscard]] Value at(std::size_t index) const {
    davit_value out{};
    if (is_absent() || api_->object->elements(raw_, index, &out, 1) == 0) return {};
    return {api_, out};
  }
  /// Elements of an array or members of an object; 0 for everything else.
  [[nodiscard]] std::size_t count() const { return is_absent() ? 0 : api_->object->count(raw_); }
  /// The elements of an array, for range-for; empty for everything else.
  [[nodiscard]] ElementRange elements() const;
  /// The members of an object in document order, for range-for; empty for everything else.
  [[nodiscard]] MemberRange members() const;

  /// The text of a string, "" for everything else. Lives as long as the value.
  [[nodiscard]] std::string_view string() const {
    davit_str out{};
    if (is_absent() || api_->object->string(raw_, &out) != DAVIT_OK) return {};
    return from_c(out);
  }
  /// A string; nothing for other kinds. Distinguishes "" from absent.
  [[nodiscard]] std::optional<std::string_view> text() const {
    davit_str out{};
    if (is_absent() || api_->object->string(raw_, &out) != DAVIT_OK) return std::nullopt;
    return from_c(out);
  }
  /// A number that is an integer within int64; nothing for fractions, larger integers and other
  /// kinds.
  [[nodiscard]] std::optional<std::int64_t> integer() const {
    std::int64_t out = 0;
    if (is_absent() || api_->object->integer(raw_, &out) != DAVIT_OK) return std::nullopt;
    return out;
  }
  [[nodiscard]] std::int64_t integer_or(std::int64_t fallback) const {
    return integer().value_or(fallback);
  }
  /// The text of a number as the server wrote it, "" for other kinds.
  [[nodiscard]] std::string_view number() const {
    davit_str out{};
    if (is_absent() || api_->object->number(raw_, &out) != DAVIT_OK) return {};
    return from_c(out);
  }
  [[nodiscard]] std::optional<bool> boolean() const {
    std::int32_t out = 0;
    if (is_absent() || api_->object->boolean(raw_, &out) != DAVIT_OK) return std::nullopt;
    return out != 0;
  }
  /// True only for the literal true.
  [[nodiscard]] bool is_true() const { return boolean().value_or(false); }

  /// Deep equality as davit_object_v1.equal defines it.
  friend bool operator==(const Value& a, const Value& b) {
    if (a.is_absent() || b.is_absent()) return a.is_absent() && b.is_absent();
    std::int32_t out = 0;
    a.check(a.api_->object->equal(a.raw_, b.raw_, &out));
    return out != 0;
  }
  /// The canonical hash; 0 for an absent value.
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t out = 0;
    if (!is_absent()) check(api_->object->hash(raw_, &out));
    return out;
  }
  /// Compact JSON text; "" for an absent value.
  [[nodiscard]] std::string json() const;
  void append_json(std::string& out) const;

  [[nodiscard]] davit_value raw() const { return raw_; }
  /// Null for a value made absent by default.
  [[nodiscard]] const Api* api() const { return api_; }

 private:
  static constexpr std::size_t kPathMax = 8;  // Deeper than any path that controllers read.

  void check(davit_code code) const {
    if (code == DAVIT_UNDECLARED) detail::current_call.read_undeclared = true;
  }

  const Api* api_ = nullptr;
  davit_value raw_{};
};

/// One member of an object. Key and value live as long as the value from which they were read.
struct Member {
  std::string_view key;
  Value value;
};

namespace detail {

/// The number of elements read per crossing of the plugin boundary: most lists of a pod fit, and
/// the buffer on the stack stays small.
inline constexpr std::size_t kReadBatch = 16;

/// An input iterator over the entries that `Source::read(first, buffer)` returns in batches.
template <typename Source>
class BatchIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = typename Source::value_type;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;

  explicit BatchIterator(const Source& source) : source_(&source) { fill(); }

  value_type operator*() const { return source_->wrap(buffer_[position_]); }
  BatchIterator& operator++() {
    if (++position_ < size_) return *this;
    first_ += size_;
    fill();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const BatchIterator& it, std::default_sentinel_t) { return it.size_ == 0; }

 private:
  void fill() {
    position_ = 0;
    size_ = source_->read(first_, buffer_.data(), buffer_.size());
  }

  const Source* source_;
  std::size_t first_ = 0;
  std::size_t position_ = 0;
  std::size_t size_ = 0;
  std::array<typename Source::Raw, kReadBatch> buffer_{};
};

}  // namespace detail

/// The elements of an array, read in batches.
class ElementRange {
 public:
  using value_type = Value;
  using Raw = davit_value;

  explicit ElementRange(Value array) : array_(array) {}
  [[nodiscard]] detail::BatchIterator<ElementRange> begin() const {
    return detail::BatchIterator<ElementRange>(*this);
  }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

  [[nodiscard]] std::size_t read(std::size_t first, Raw* out, std::size_t capacity) const {
    if (array_.is_absent()) return 0;
    return array_.api()->object->elements(array_.raw(), first, out, capacity);
  }
  [[nodiscard]] Value wrap(const Raw& raw) const { return {array_.api(), raw}; }

 private:
  Value array_;
};

/// The members of an object in document order, read in batches.
class MemberRange {
 public:
  using value_type = Member;
  using Raw = davit_member;

  explicit MemberRange(Value object) : object_(object) {}
  [[nodiscard]] detail::BatchIterator<MemberRange> begin() const {
    return detail::BatchIterator<MemberRange>(*this);
  }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

  [[nodiscard]] std::size_t read(std::size_t first, Raw* out, std::size_t capacity) const {
    if (object_.is_absent()) return 0;
    std::size_t written = 0;
    const Api& api = *object_.api();
    const davit_code code = api.object->members(object_.raw(), first, out, capacity, &written);
    if (code == DAVIT_UNDECLARED) detail::current_call.read_undeclared = true;
    return code == DAVIT_OK ? written : 0;
  }
  [[nodiscard]] Member wrap(const Raw& raw) const {
    return {from_c(raw.key), Value(object_.api(), raw.value)};
  }

 private:
  Value object_;
};

inline ElementRange Value::elements() const { return ElementRange(*this); }
inline MemberRange Value::members() const { return MemberRange(*this); }

/// Keeps an object alive beyond the call in which it was read. Move-only.
class Retained {
 public:
  Retained() = default;
  /// Empty if the host refuses.
  explicit Retained(Value value) : api_(value.api()) {
    if (value.is_absent()) return;
    if (api_->object->retain(api_->call(), value.raw(), &handle_) != DAVIT_OK) handle_ = 0;
  }
  Retained(Retained&& other) noexcept
      : api_(other.api_), handle_(std::exchange(other.handle_, davit_handle{0})) {}
  Retained& operator=(Retained&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Retained() {
    if (handle_ != 0) static_cast<void>(api_->object->release(api_->call(), handle_));
  }

  /// Borrowed from this; absent when empty.
  [[nodiscard]] Value get() const {
    davit_value out{};
    if (handle_ == 0 || api_->object->retained(api_->call(), handle_, &out) != DAVIT_OK) return {};
    return {api_, out};
  }

 private:
  const Api* api_ = nullptr;
  davit_handle handle_ = 0;
};

/// Parses JSON text into a new snapshot, which lives like a value read in the current call.
[[nodiscard]] Result<Value> parse_json(const Api& api, std::string_view json);

}  // namespace davit
