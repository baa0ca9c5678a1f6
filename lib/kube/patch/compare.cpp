#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lib/kube/patch/member_lookup.hpp"
#include "lib/kube/patch/typed_walk.hpp"

namespace davit {

namespace {

using Form = ValueType::Form;

bool nothing(const Json* value) { return value == nullptr || value->size() == 0; }

/// Compares two values of one type. A null pointer means an absent value; at most one is null.
class Comparer {
 public:
  explicit Comparer(const ResetFields& reset) : reset_(reset) {}

  Comparison compare(const Json* before, const Json* after, const ValueType& type, Level level) {
    const ValueType seen = type.resolved(after == nullptr ? before : after);
    const bool leaf = seen.form == Form::kLeaf || (nothing(before) && nothing(after)) ||
                      (before != nullptr && after != nullptr && other_kind(*before, *after));
    Comparison out;
    if (!leaf) {
      if (seen.form == Form::kStruct || seen.form == Form::kMap) {
        members(before, after, seen, level, out);
      } else {
        elements(before, after, seen, out);
      }
    } else if (before != nullptr && after != nullptr && *before != *after) {
      out.changed.member = true;
    }
    if (before == nullptr) out.changed.member = true;
    if (after == nullptr) out.removed.member = true;
    return out;
  }

 private:
  /// Whether the object around a member is there on both sides.
  enum class Parents : bool { kOne, kBoth };

  /// Null fits every type.
  static bool other_kind(const Json& a, const Json& b) {
    return a.kind() != b.kind() && !a.is_null() && !b.is_null();
  }

  [[nodiscard]] bool skipped(std::string_view name, Level level) const {
    if (level == Level::kInner) return false;
    if (never_tracked(name, level)) return true;
    return level == Level::kObject && std::find(reset_.begin(), reset_.end(), name) != reset_.end();
  }

  static void add(std::string key, Comparison part, Comparison& out) {
    if (part.same()) return;
    out.changed.append(key, std::move(part.changed));
    out.removed.append(std::move(key), std::move(part.removed));
  }

  void member(const std::string& name, const Json* before, const Json* after,
              const ValueType& parent, Level level, Parents parents, Comparison& out) {
    if (skipped(name, level)) return;
    const MemberType known = member_type(parent, name, level);
    if (known.always && parents == Parents::kBoth && (before == nullptr || after == nullptr)) {
      // A field that is always written was present before it had a value.
      const Json* present = before == nullptr ? after : before;
      if (present->empty()) return;
      (before == nullptr ? before : after) = &null_;
    }
    Comparison part = compare(before, after, known.type, level_below(name, level));
    if (!part.same()) add("f:" + name, std::move(part), out);
  }

  void members(const Json* before, const Json* after, const ValueType& type, Level level,
               Comparison& out) {
    const Parents parents = before != nullptr && after != nullptr ? Parents::kBoth : Parents::kOne;
    MemberLookup old_members(before);
    std::size_t known = 0;
    if (after != nullptr) {
      for (const auto& [name, value] : after->members()) {
        const Json* old = old_members.find(name);
        if (old != nullptr) ++known;
        if (old == nullptr || needs_walk(*old, value)) {
          member(name, old, &value, type, level, parents, out);
        }
      }
    }
    if (before != nullptr && known != before->members().size()) {
      MemberLookup new_members(after);
      for (const auto& [name, value] : before->members()) {
        if (new_members.find(name) == nullptr)
          member(name, &value, nullptr, type, level, parents, out);
      }
    }
    out.changed.sort();
    out.removed.sort();
  }

  /// A scalar that stayed needs no look at its type.
  static bool needs_walk(const Json& before, const Json& after) {
    return after.is_object() || after.is_array() || before != after;
  }

  void elements(const Json* before, const Json* after, const ValueType& type, Comparison& out) {
    const bool paired = before != nullptr && after != nullptr && in_step(*before, *after, type);
    if (paired) {
      for (std::size_t i = 0; i < after->size(); ++i) {
        Comparison part =
            compare(&before->items()[i], &after->items()[i], type.element(), Level::kInner);
        if (!part.same()) add(key_of(type, *after, i), std::move(part), out);
      }
    } else {
      elements_by_key(before, after, type, out);
    }
    out.changed.sort();
    out.removed.sort();
  }

  static std::string key_of(const ValueType& type, const Json& list, std::size_t place) {
    return element_key(type, list.items()[place]).value_or("i:" + std::to_string(place));
  }

  /// Both lists have the same elements in the same order: the common case, without any names.
  static bool in_step(const Json& before, const Json& after, const ValueType& type) {
    return before.is_array() && after.is_array() &&
           std::equal(before.items().begin(), before.items().end(), after.items().begin(),
                      after.items().end(),
                      [&](const Json& a, const Json& b) { return same_element(type, a, b); });
  }

  void elements_by_key(const Json* before, const Json* after, const ValueType& type,
                       Comparison& out) {
    // An element's name may occur twice in a stored list; the first one counts.
    std::unordered_map<std::string, std::pair<const Json*, const Json*>> pairs;
    std::vector<std::string> order;
    const auto note = [&](const Json* list, auto which) {
      if (list == nullptr) return;
      std::vector<std::string> keys = element_keys(type, *list);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto [found, fresh] = pairs.try_emplace(keys[i]);
        const Json*& place = which(found->second);
        if (place == nullptr) place = &list->items()[i];
        if (fresh) order.push_back(std::move(keys[i]));
      }
    };
    note(before, [](auto& pair) -> const Json*& { return pair.first; });
    note(after, [](auto& pair) -> const Json*& { return pair.second; });
    for (std::string& key : order) {
      const auto [old, current] = pairs.at(key);
      add(std::move(key), compare(old, current, type.element(), Level::kInner), out);
    }
  }

  const ResetFields& reset_;
  const Json null_;
};

}  // namespace

Comparison compare_objects(const Json& before, const Json& after, const Message* schema,
                           const ResetFields& reset) {
  Comparison out =
      Comparer(reset).compare(&before, &after, ValueType::of_object(schema), Level::kObject);
  out.changed.member = false;
  out.removed.member = false;
  return out;
}

}  // namespace davit
