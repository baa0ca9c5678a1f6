#include "plugins/servicecidr/ranges.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <optional>

namespace davit::servicecidr {

Range::Range(const ServiceCidr& object)
    : name(object.name()), is_deleting(object.is_being_deleted()) {
  for (const Value each : object.cidrs().elements()) {
    if (const std::optional<ip::Prefix> prefix = ip::Prefix::parse(each.string())) {
      prefixes.push_back(*prefix);
    }
  }
}

bool Range::assigns(const ip::Address& address) const {
  return std::ranges::any_of(prefixes,
                             [&](const ip::Prefix& each) { return each.assigns(address); });
}

std::vector<std::string> Ranges::overlapping(const Range& range) const {
  std::vector<std::string> names;
  for (const Range& other : all_) {
    const bool overlaps = std::ranges::any_of(range.prefixes, [&](const ip::Prefix& mine) {
      return std::ranges::any_of(other.prefixes,
                                 [&](const ip::Prefix& its) { return its.overlaps(mine); });
    });
    if (overlaps) names.push_back(other.name);
  }
  return names;
}

std::vector<std::string> Ranges::holding(const ip::Address& address) const {
  std::vector<std::string> names;
  for (const Range& each : all_) {
    if (each.assigns(address)) names.push_back(each.name);
  }
  return names;
}

bool Ranges::has_parents(const Range& range) const {
  return std::ranges::all_of(range.prefixes, [&](const ip::Prefix& mine) {
    return std::ranges::any_of(all_, [&](const Range& other) {
      if (other.name == range.name || other.is_deleting) return false;
      return std::ranges::any_of(other.prefixes,
                                 [&](const ip::Prefix& its) { return its.covers(mine); });
    });
  });
}

bool Ranges::keeps_alone(const Range& range, const ip::Address& address) const {
  if (!range.assigns(address)) return false;
  return std::ranges::none_of(all_, [&](const Range& other) {
    const bool goes = other.is_deleting && !mutant("last-of-equal-ranges");
    const bool outlives = goes ? other.name > range.name : other.name != range.name;
    return outlives && other.assigns(address);
  });
}

}  // namespace davit::servicecidr
