/// Lookup and List: results of cache reads. Absence is not an error, and an error never reads as
/// absence: using the result of a failed read throws, which fails the sync or handler.
#pragma once

#include <cstddef>
#include <davit/object.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace davit {

/// An object, its absence, or the reason why the read failed.
///
///     const Lookup<Pod> pod = pods_.get(key);
///     if (!pod) return Again::when_changed();  // Absent. An error throws here and fails the sync.
///     pod->name();
template <typename View>
class [[nodiscard]] Lookup {
 public:
  Lookup() = default;  ///< Absent.
  Lookup(View found)
      : found_(std::in_place, std::move(found)) {}  // NOLINT(google-explicit-constructor)
  Lookup(std::nullopt_t) {}                         // NOLINT(google-explicit-constructor)
  Lookup(std::optional<View> found)
      : found_(std::move(found)) {}  // NOLINT(google-explicit-constructor)
  /// Failed; absent if `error` is ok.
  Lookup(Status error) {  // NOLINT(google-explicit-constructor)
    if (!error.ok()) error_ = std::make_shared<const Status>(std::move(error));
  }

  /// Whether there is an object. Throws NoValue if the read failed.
  [[nodiscard]] bool has_value() const {
    if (error_ != nullptr) throw NoValue(*error_);
    return found_.has_value();
  }
  explicit operator bool() const { return has_value(); }

  /// Throws NoValue if the object is absent or the read failed.
  [[nodiscard]] const View& value() const& { return checked(); }
  [[nodiscard]] View value() const&& { return checked(); }
  const View& operator*() const& { return checked(); }
  View operator*() const&& { return checked(); }
  const View* operator->() const { return &checked(); }

  /// Why the read failed; ok for an object or its absence.
  [[nodiscard]] Status error() const { return error_ == nullptr ? Status() : *error_; }

 private:
  const View& checked() const {
    if (!has_value()) throw NoValue(Status(Code::kNotFound, "the object is absent"));
    return *found_;
  }

  std::optional<View> found_;
  std::shared_ptr<const Status> error_;  // Null: none.
};

/// Objects read from a cache: one consistent snapshot, in no particular order. If the read failed,
/// every use of the list except error() throws NoValue.
template <typename View>
class [[nodiscard]] List {
 public:
  /// Reads the elements in their order, once.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = View;
    using difference_type = std::ptrdiff_t;
    using pointer = const View*;
    using reference = View;

    Iterator(const Api* api, const davit_value* at) : api_(api), at_(at) {}
    View operator*() const { return View(Value(api_, *at_)); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(api_, at_++); }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const Api* api_;
    const davit_value* at_;
  };

  List() = default;  ///< Empty.
  List(const Api* api, davit_list list) : api_(api), list_(list) {}
  /// Failed. `error` must not be ok.
  explicit List(Status error) : error_(std::make_shared<const Status>(std::move(error))) {}

  [[nodiscard]] std::size_t size() const { return checked().count; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// Throws NoValue beyond the end.
  [[nodiscard]] View operator[](std::size_t index) const {
    if (index >= size())
      throw NoValue(Status(Code::kNotFound, "an element beyond the end of a list"));
    return View(Value(api_, list_.items[index]));
  }
  [[nodiscard]] Iterator begin() const { return Iterator(api_, checked().items); }
  [[nodiscard]] Iterator end() const { return Iterator(api_, checked().items + list_.count); }

  /// Why the read failed; ok if it did not.
  [[nodiscard]] Status error() const { return error_ == nullptr ? Status() : *error_; }

 private:
  const davit_list& checked() const {
    if (error_ != nullptr) throw NoValue(*error_);
    return list_;
  }

  const Api* api_ = nullptr;
  davit_list list_{};
  std::shared_ptr<const Status> error_;  // Null: none.
};

namespace detail {

/// The error of a read that the host refused, with the host's reason.
[[nodiscard]] Status refused_read(const Api& api, davit_code code, std::string_view what);

template <typename View>
[[nodiscard]] Lookup<View> looked_up(const Api& api, davit_code code, const davit_value& found) {
  if (code == DAVIT_OK) return View(Value(&api, found));
  if (code == DAVIT_NOT_FOUND) return {};
  return refused_read(api, code, "an object of a cache");
}

/// kMisuse, not kNotFound, for an index that does not exist: nothing about objects is known then.
template <typename View>
[[nodiscard]] List<View> selected(const Api& api, davit_code code, const davit_list& found,
                                  std::string_view index) {
  if (code == DAVIT_OK) return List<View>(&api, found);
  if (code == DAVIT_NOT_FOUND) {
    return List<View>(Status(Code::kMisuse, "the informer has no index " + std::string(index)));
  }
  return List<View>(refused_read(api, code, "a cache by index " + std::string(index)));
}

}  // namespace detail
}  // namespace davit
