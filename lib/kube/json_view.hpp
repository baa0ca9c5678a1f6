/// Reads a Json tree with the interface of davit::Value, so that a rule of Kubernetes that is a
/// template over its value stands once for plugins and for the sandbox.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <davit/names.hpp>
#include <optional>
#include <string_view>

#include "lib/kube/json.hpp"

namespace davit {

/// Borrowed from the tree. Reads are safe to chain, as those of Value are.
class JsonView {
 public:
  struct Member;
  template <typename Parts, typename View>
  class Range;
  using Elements = Range<Json::Items, JsonView>;
  using MemberList = Range<Json::Members, Member>;

  /// Absent.
  JsonView() = default;
  explicit JsonView(const Json* json) : json_(json) {}
  explicit JsonView(const Json& json) : json_(&json) {}

  explicit operator bool() const { return json_ != nullptr; }
  [[nodiscard]] bool is_absent() const { return json_ == nullptr; }
  /// Also kNull if it is absent.
  [[nodiscard]] Json::Kind kind() const { return is_absent() ? Json::Kind::kNull : json_->kind(); }

  [[nodiscard]] JsonView operator[](std::string_view key) const {
    return is_absent() ? JsonView() : JsonView(json_->find(key));
  }
  [[nodiscard]] JsonView operator[](Name Names::*name) const { return (*this)[text_of(name)]; }
  JsonView operator[](int) const = delete;
  /// The elements of an array; empty for everything else.
  [[nodiscard]] Elements elements() const;
  /// The members of an object in their order; empty for everything else.
  [[nodiscard]] MemberList members() const;

  [[nodiscard]] std::optional<std::string_view> text() const {
    if (is_absent() || !json_->is_string()) return std::nullopt;
    return json_->text();
  }
  /// Elements of an array or members of an object; 0 for everything else.
  [[nodiscard]] std::size_t count() const { return is_absent() ? 0 : json_->size(); }
  [[nodiscard]] std::string_view string() const { return text().value_or(std::string_view()); }
  [[nodiscard]] std::string_view number() const {
    return is_absent() || !json_->is_number() ? std::string_view() : json_->text();
  }
  [[nodiscard]] std::optional<std::int64_t> integer() const {
    return is_absent() ? std::nullopt : json_->integer();
  }
  [[nodiscard]] std::int64_t integer_or(std::int64_t fallback) const {
    return integer().value_or(fallback);
  }
  [[nodiscard]] std::optional<bool> boolean() const {
    if (is_absent() || !json_->is_boolean()) return std::nullopt;
    return json_->boolean();
  }
  [[nodiscard]] bool is_true() const { return boolean().value_or(false); }

 private:
  static std::string_view text_of(Name Names::*name) {
#define DAVIT_NAME_TEXT(member, text) std::string_view(text),
    static constexpr std::array kTexts = {DAVIT_WELL_KNOWN_NAMES(DAVIT_NAME_TEXT)};
#undef DAVIT_NAME_TEXT
    // Each name's id is its place in the list.
    static const Names kPlaces = [] {
      davit_name place = 0;
      return Names::resolve([&place](std::string_view) { return place++; });
    }();
    return kTexts.at(static_cast<std::size_t>((kPlaces.*name).id));
  }

  const Json* json_ = nullptr;
};

struct JsonView::Member {
  explicit Member(const Json::Member& member) : key(member.key), value(member.value) {}

  std::string_view key;
  JsonView value;
};

/// The parts of a tree, each as a `View`.
template <typename Parts, typename View>
class JsonView::Range {
 public:
  class Iterator {
   public:
    explicit Iterator(typename Parts::const_iterator at) : at_(at) {}
    View operator*() const { return View(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    typename Parts::const_iterator at_;
  };

  explicit Range(const Parts& parts) : parts_(parts) {}
  [[nodiscard]] Iterator begin() const { return Iterator(parts_.begin()); }
  [[nodiscard]] Iterator end() const { return Iterator(parts_.end()); }

 private:
  const Parts& parts_;
};

inline JsonView::Elements JsonView::elements() const {
  static const Json::Items kNone;
  return Elements(is_absent() ? kNone : json_->items());
}
inline JsonView::MemberList JsonView::members() const {
  static const Json::Members kNone;
  return MemberList(is_absent() ? kNone : json_->members());
}

}  // namespace davit
