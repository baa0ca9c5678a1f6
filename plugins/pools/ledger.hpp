/// The addresses in use and the Services that hold them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugins/pools/address_runs.hpp"
#include "plugins/pools/claim.hpp"
#include "plugins/pools/options.hpp"
#include "plugins/pools/waiting_claims.hpp"

namespace davit::pools {

/// A Service that has addresses.
struct Holder {
  Age age;
  std::vector<Address> addresses;  ///< In the order of its families.
  /// Its addresses of before, which its status may still show: no other Service gets them.
  std::vector<Address> leaving;
  bool is_given = false;  ///< The Ledger gave them; else its status shows them.
  Look look;
  bool is_reported = false;  ///< That an address of it is outside the pools.
};

/// The result of Ledger::ensure().
struct Decision {
  Status status;  ///< kUnavailable: it waits for an address; kInvalid: it asks for nonsense.
  std::vector<Address> addresses;      ///< If ok.
  std::vector<std::string> exhausted;  ///< The names of the pools that have no free address.
  std::vector<Address> contested;      ///< Lost, because another Service also has it.
  std::vector<Address> outside;        ///< Kept, although no pool has it.
  bool helps_others = false;           ///< Those that wait may get what they could not before.
  /// It waits, and what it has lost has to go from its status: `addresses` are what it still has.
  bool is_taken_from = false;
};

/// All addresses that Services have, those that wait, and the rules of who gets which. An address
/// never changes because of another Service. Rule: docs/spec/cloud.md, F3 and F4.
class Ledger {
 public:
  /// Takes in the addresses that the status of a Service shows, unless the Service is known.
  void adopt(const Claim& claim);
  /// Gives the Service its addresses, or keeps everything as it is and has it wait.
  [[nodiscard]] Decision ensure(const Claim& claim, const Options& options);
  /// The Service gives everything up; others may have it after confirm().
  void remove(std::string_view uid);
  /// The status of the Service shows these addresses. If they are those that it has, the ones of
  /// before are free. After remove() those are free that it does not show, once the Service has no
  /// finalizer of the loop any more, or if the Ledger has given it none. Whether anything became
  /// free.
  bool confirm(std::string_view uid, const std::vector<Address>& shown, bool has_finalizer);
  /// The Service is gone: what it had is free. Whether it was known.
  bool forget(std::string_view uid);
  /// Forgets all Services that are not among these.
  void keep_only(const std::set<std::string, std::less<>>& uids);

  /// The waiting Services that would get an address now, the oldest first. Costs nothing if none
  /// would at the last call and nothing has changed since.
  [[nodiscard]] std::vector<Key> ready(const Options& options);
  /// The waiting ones will be ensured anyway.
  void forget_waiting();
  [[nodiscard]] const std::unordered_map<std::string, Claim>& waiting() const {
    return waiting_.all();
  }

  /// Null: it is not known.
  [[nodiscard]] const Holder* find(std::string_view uid) const;
  [[nodiscard]] const std::map<std::string, Holder, std::less<>>& holders() const {
    return holders_;
  }
  /// Each address that is not free, with the UIDs of those that have it.
  [[nodiscard]] const std::map<Address, std::set<std::string>, AddressOrder>& users() const {
    return users_;
  }
  /// The number of addresses of a range that are not free.
  [[nodiscard]] std::uint64_t used_in(const Range& range) const { return used_.count(range); }
  /// Replaces what is known of a Service.
  void put(const std::string& uid, Holder holder);

 private:
  /// Whether a Service may keep an address that it has.
  enum class Verdict { kStays, kStaysOutside, kMoves, kIsContested };
  [[nodiscard]] Verdict judge(const Claim& claim, const Holder& held, const Address& address,
                              const Options& options) const;
  [[nodiscard]] Decision plan(const Claim& claim, const Options& options,
                              const AddressRuns& reserved) const;
  /// Takes the contested addresses of `out` from a Service that waits for others.
  void take_contested(const Claim& claim, Decision& out);

  /// An address that is new for the Service.
  [[nodiscard]] Result<Address> choose(const Claim& claim, Family family, const Options& options,
                                       const AddressRuns& reserved, Decision& out) const;
  [[nodiscard]] Result<Address> take_asked(const Claim& claim, const Address& asked,
                                           const Options& options,
                                           const AddressRuns& reserved) const;
  [[nodiscard]] std::optional<Address> shared(const Claim& claim, Family family,
                                              const std::vector<const Pool*>& pools,
                                              const AddressRuns& reserved) const;
  [[nodiscard]] std::optional<Address> first_free(const Claim& claim, Family family,
                                                  const Pool& pool,
                                                  const AddressRuns& reserved) const;

  /// Another Service because of which this one cannot get the address; null: none.
  [[nodiscard]] const Holder* other_user(const Claim& claim, const Address& address) const;
  /// The same for a Service that has the address.
  [[nodiscard]] bool is_disputed(const Claim& claim, const Holder& held, const Address& address,
                                 bool against_all) const;
  void unlink(std::string_view uid);

  std::map<std::string, Holder, std::less<>> holders_;  // The key is a UID.
  std::map<Address, std::set<std::string>, AddressOrder> users_;
  AddressRuns used_;                                                // The keys of users_.
  std::unordered_map<std::string, std::set<std::string>> sharers_;  // UIDs by the sharing key.
  WaitingClaims waiting_;
  // Since the last ready(), which found none, no holder has changed. One that joins those that wait
  // has just got nothing.
  bool is_quiet_ = false;
};

}  // namespace davit::pools
