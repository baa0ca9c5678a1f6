#include "plugins/pools/address_runs.hpp"

#include <algorithm>
#include <iterator>

namespace davit::pools {

AddressRuns::Runs::const_iterator AddressRuns::run_before(const Address& address) const {
  const auto after = runs_.upper_bound(address);
  return after == runs_.begin() ? runs_.end() : std::prev(after);
}

std::optional<Address> AddressRuns::last_of_run(const Address& address) const {
  const auto run = run_before(address);
  const bool is_inside = run != runs_.end() && Range{run->first, run->second}.contains(address);
  return is_inside ? std::optional(run->second) : std::nullopt;
}

void AddressRuns::insert(const Address& address) {
  if (contains(address)) return;
  Address first = address;
  Address last = address;
  if (const auto before = run_before(address);
      before != runs_.end() && next_of(before->second) == address) {
    first = before->first;
    runs_.erase(before);
  }
  const std::optional<Address> next = next_of(address);
  if (const auto after = next ? runs_.find(*next) : runs_.end(); after != runs_.end()) {
    last = after->second;
    runs_.erase(after);
  }
  runs_.emplace(first, last);
}

void AddressRuns::erase(const Address& address) {
  const auto run = run_before(address);
  if (run == runs_.end()) return;
  const Range whole{run->first, run->second};
  if (!whole.contains(address)) return;
  runs_.erase(run);
  if (address != whole.first) runs_.emplace(whole.first, *previous_of(address));
  if (address != whole.last) runs_.emplace(*next_of(address), whole.last);
}

std::uint64_t AddressRuns::count(const Range& range) const {
  const AddressOrder is_before;
  auto run = run_before(range.first);
  if (run == runs_.end()) run = runs_.begin();
  std::uint64_t out = 0;
  for (; run != runs_.end() && !is_before(range.last, run->first); ++run) {
    if (is_before(run->second, range.first)) continue;
    out += size_of({std::max(run->first, range.first, is_before),
                    std::min(run->second, range.last, is_before)});
  }
  return out;
}

}  // namespace davit::pools
