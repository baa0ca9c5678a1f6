#include "lib/kube/patch/list_order.hpp"

#include <algorithm>
#include <unordered_map>

namespace davit {

namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// The first place of every identity in a list.
class Places {
 public:
  Places(const Json::Items& list, const ElementIdentity& identity) : identity_(identity) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (const Json* id = identity.of(list[i])) places_.emplace(to_canonical_text(*id), i);
    }
  }

  [[nodiscard]] std::size_t of(const Json& element) const {
    const Json* id = identity_.of(element);
    const auto found = id == nullptr ? places_.end() : places_.find(to_canonical_text(*id));
    return found == places_.end() ? kNowhere : found->second;
  }

 private:
  const ElementIdentity& identity_;
  std::unordered_map<std::string, std::size_t> places_;
};

struct Placed {
  Json element;
  std::size_t wanted = kNowhere;  ///< Its place in the wanted order.
  std::size_t stored = kNowhere;  ///< Its place in the stored list.
};

}  // namespace

Json::Items ordered(Json::Items merged, const Json::Items& wanted, const Json::Items& stored,
                    const ElementIdentity& identity) {
  const Places wanted_places(wanted, identity);
  const Places stored_places(stored, identity);
  std::vector<Placed> named;
  std::vector<Placed> others;
  for (Json& each : merged) {
    const std::size_t place = wanted_places.of(each);
    const std::size_t old_place = stored_places.of(each);
    auto& list = place == kNowhere ? others : named;
    list.push_back({std::move(each), place, old_place});
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const Placed& a, const Placed& b) { return a.wanted < b.wanted; });
  std::stable_sort(others.begin(), others.end(),
                   [](const Placed& a, const Placed& b) { return a.stored < b.stored; });

  Json::Items out;
  out.reserve(merged.size());
  auto next_named = named.begin();
  for (Placed& other : others) {
    while (next_named != named.end() &&
           (next_named->stored == kNowhere || next_named->stored < other.stored)) {
      out.push_back(std::move((next_named++)->element));
    }
    out.push_back(std::move(other.element));
  }
  for (; next_named != named.end(); ++next_named) out.push_back(std::move(next_named->element));
  return out;
}

}  // namespace davit
