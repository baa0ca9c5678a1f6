/// Sets of addresses in which the next address outside is found fast. Pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>

#include "plugins/pools/addresses.hpp"

namespace davit::pools {

/// A set of addresses, as the longest ranges that it fills. Every operation takes the logarithm of
/// their number.
class AddressRuns {
 public:
  void insert(const Address& address);
  void erase(const Address& address);

  [[nodiscard]] bool contains(const Address& address) const {
    return last_of_run(address).has_value();
  }
  /// The last address of the filled range that has the address; nothing if it is not in the set.
  [[nodiscard]] std::optional<Address> last_of_run(const Address& address) const;
  /// The number of its addresses in the range; takes a step for each filled range there.
  [[nodiscard]] std::uint64_t count(const Range& range) const;

 private:
  using Runs = std::map<Address, Address, AddressOrder>;  // First and last.

  /// The run that begins at the address or before it; runs_.end() if there is no such run.
  [[nodiscard]] Runs::const_iterator run_before(const Address& address) const;

  Runs runs_;  // No two of them touch.
};

/// The first address of the range that is in none of the sets, and that `accepts` takes. Asks only
/// for addresses outside the sets: a filled range is one step.
template <typename Accepts>
[[nodiscard]] std::optional<Address> first_outside(std::initializer_list<const AddressRuns*> sets,
                                                   const Range& range, const Accepts& accepts) {
  std::optional<Address> at = range.first;
  while (at && range.contains(*at)) {
    std::optional<Address> filled;
    for (const AddressRuns* each : sets) {
      if (!filled) filled = each->last_of_run(*at);
    }
    if (!filled && accepts(*at)) return at;
    at = next_of(filled.value_or(*at));
  }
  return std::nullopt;
}

}  // namespace davit::pools
