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
  class Elements;
  class MemberList;

  /// Absent.
  JsonView() = default;
  explicit JsonView(const Json* json) : json_(json) {}
  explicit JsonView(const Json& json) : json_(&json) {}

  explicit operator bool() const { return json_ != nullptr; }
  [[nodiscard]] bool is_absent() const { return json_ == nullptr; }
  /// kNull for an absent one, too.
  [[nodiscard]] Json::Kind kind() const { return is_absent() ? Json::Kind::kNull : json_->kind(); }

  [[nodiscard]] JsonView operator[](std::string_view key) const {
    return is_absent() ? JsonView() : JsonView(json_->find(key));
  }
  [[nodiscard]] JsonView operator[](Name Names::*name) const { return (*this)[text_of(name)]; }
  JsonView operator[](int) const = delete;
  [[nodiscard]] Elements elements() const;
  [[nodiscard]] MemberList members() const;

  [[nodiscard]] std::optional<std::string_view> text() const {
    if (is_absent() || !json_->is_string()) return std::nullopt;
    return json_->text();
  }
  [[nodiscard]] std::string_view string() const { return text().value_or(std::string_view()); }
  [[nodiscard]] std::string_view number() const {
    return is_absent() || !json_->is_number() ? std::string_view() : json_->text();
  }
  [[nodiscard]] std::optional<std::int64_t> integer() const {
    return is_absent() ? std::nullopt : json_->integer();
  }
  [[nodiscard]] bool is_true() const { return !is_absent() && json_->boolean(); }

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
  std::string_view key;
  JsonView value;
};

/// The elements of an array; empty for everything else.
class JsonView::Elements {
 public:
  class Iterator {
   public:
    explicit Iterator(Json::Items::const_iterator at) : at_(at) {}
    JsonView operator*() const { return JsonView(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    Json::Items::const_iterator at_;
  };

  explicit Elements(const Json::Items& items) : items_(items) {}
  [[nodiscard]] Iterator begin() const { return Iterator(items_.begin()); }
  [[nodiscard]] Iterator end() const { return Iterator(items_.end()); }

 private:
  const Json::Items& items_;
};

/// The members of an object in their order; empty for everything else.
class JsonView::MemberList {
 public:
  class Iterator {
   public:
    explicit Iterator(Json::Members::const_iterator at) : at_(at) {}
    Member operator*() const { return {at_->key, JsonView(at_->value)}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    Json::Members::const_iterator at_;
  };

  explicit MemberList(const Json::Members& members) : members_(members) {}
  [[nodiscard]] Iterator begin() const { return Iterator(members_.begin()); }
  [[nodiscard]] Iterator end() const { return Iterator(members_.end()); }

 private:
  const Json::Members& members_;
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
