#include "plugins/pools/ledger.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <optional>
#include <utility>

namespace davit::pools {
namespace {

bool has(const std::vector<Address>& all, const Address& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Whether both have the same addresses, in any order.
bool are_equal(const std::vector<Address>& a, const std::vector<Address>& b) {
  const auto is_in_b = [&b](const Address& each) { return has(b, each); };
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), is_in_b);
}

std::optional<Address> of_family(const std::vector<Address>& all, Family family) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [family](const Address& each) { return each.family == family; });
  return found == all.end() ? std::nullopt : std::optional<Address>(*found);
}

Status unavailable(std::string text) { return {Code::kUnavailable, std::move(text)}; }

std::string names_of(const std::vector<const Pool*>& pools) {
  std::string out;
  for (const Pool* each : pools) out += (out.empty() ? "" : ", ") + each->name;
  return out;
}

}  // namespace

// ---- What is known

const Holder* Ledger::find(std::string_view uid) const {
  const auto found = holders_.find(uid);
  return found == holders_.end() ? nullptr : &found->second;
}

void Ledger::unlink(std::string_view uid) {
  is_quiet_ = is_quiet_ && mutant("ready-after-a-change");
  const auto found = holders_.find(uid);
  if (found == holders_.end()) return;
  for (const auto* list : {&found->second.addresses, &found->second.leaving}) {
    for (const Address& each : *list) {
      const auto users = users_.find(each);
      if (users == users_.end()) continue;
      users->second.erase(found->first);
      if (!users->second.empty()) continue;
      used_.erase(each);
      users_.erase(users);
    }
  }
  if (const auto sharers = sharers_.find(found->second.look.sharing.key);
      sharers != sharers_.end()) {
    sharers->second.erase(found->first);
    if (sharers->second.empty()) sharers_.erase(sharers);
  }
  holders_.erase(found);
}

void Ledger::put(const std::string& uid, Holder holder) {
  unlink(uid);
  if (holder.addresses.empty() && holder.leaving.empty()) return;
  for (const auto* list : {&holder.addresses, &holder.leaving}) {
    for (const Address& each : *list) {
      users_[each].insert(uid);
      used_.insert(each);
    }
  }
  if (const std::string& key = holder.look.sharing.key; !key.empty()) sharers_[key].insert(uid);
  holders_.emplace(uid, std::move(holder));
  waiting_.set_apart(uid);  // Its own addresses are free for it alone.
}

void Ledger::adopt(const Claim& claim) {
  if (claim.shown.empty() || find(claim.uid) != nullptr) return;
  Holder holder;
  holder.age = claim.age;
  holder.addresses = claim.shown;
  holder.look = claim.look;
  put(claim.uid, std::move(holder));
}

void Ledger::remove(std::string_view uid) {
  waiting_.erase(uid);
  const Holder* const held = find(uid);
  if (held == nullptr) return;
  Holder next = *held;
  for (const Address& each : held->addresses) {
    if (!has(next.leaving, each)) next.leaving.push_back(each);
  }
  next.addresses.clear();
  put(std::string(uid), std::move(next));
}

bool Ledger::confirm(std::string_view uid, const std::vector<Address>& shown, bool has_finalizer) {
  const Holder* const held = find(uid);
  if (held == nullptr || held->leaving.empty()) return false;
  Holder next = *held;
  if (held->addresses.empty()) {
    // A cache that lacks the last status shows no address, either: the finalizer goes after it.
    // Then the status is empty, or that of another controller. What was not given came from the
    // cache, which is not older now.
    if (has_finalizer && held->is_given) return false;
    std::erase_if(next.leaving, [&shown](const Address& each) { return !has(shown, each); });
    if (next.leaving.size() == held->leaving.size()) return false;
  } else {
    if (!are_equal(held->addresses, shown)) return false;
    next.leaving.clear();
  }
  put(std::string(uid), std::move(next));
  return true;
}

bool Ledger::forget(std::string_view uid) {
  const bool has_waited = waiting_.erase(uid);
  const bool has_held = find(uid) != nullptr;
  unlink(uid);
  return has_held || has_waited;
}

void Ledger::keep_only(const std::set<std::string, std::less<>>& uids) {
  std::vector<std::string> gone;
  for (const auto& each : holders_) {
    if (!uids.contains(each.first)) gone.push_back(each.first);
  }
  for (const std::string& each : gone) forget(each);
}

// ---- Who may have what

const Holder* Ledger::other_user(const Claim& claim, const Address& address) const {
  const auto users = users_.find(address);
  if (users == users_.end()) return nullptr;
  for (const std::string& uid : users->second) {
    if (uid == claim.uid) continue;
    const Holder& other = *find(uid);
    if (has(other.leaving, address) && !mutant("address-that-a-status-shows")) return &other;
    if (has(other.addresses, address) && !may_share(claim.look.sharing, other.look.sharing)) {
      return &other;
    }
  }
  return nullptr;
}

bool Ledger::is_disputed(const Claim& claim, const Holder& held, const Address& address,
                         bool against_all) const {
  const auto users = users_.find(address);
  if (users == users_.end()) return false;
  return std::any_of(users->second.begin(), users->second.end(), [&](const std::string& uid) {
    if (uid == claim.uid) return false;
    const Holder& other = *find(uid);
    // One that moves away disputes nothing.
    if (!has(other.addresses, address) || may_share(claim.look.sharing, other.look.sharing)) {
      return false;
    }
    if (!against_all) return other.is_given || other.age < held.age;
    // One whose status alone shows the address, and that did not share it before, either, is the
    // one that has to move.
    return other.is_given || may_share(held.look.sharing, other.look.sharing);
  });
}

Ledger::Verdict Ledger::judge(const Claim& claim, const Holder& held, const Address& address,
                              const Options& options) const {
  const std::optional<Address>& asked = claim.asked_of(address.family);
  if (asked && *asked != address) return Verdict::kMoves;
  const Pool* const pool = pool_of(options.pools, address);
  if (!claim.pool.empty() && (pool == nullptr || pool->name != claim.pool)) return Verdict::kMoves;
  const bool has_changed = held.is_given && held.look != claim.look;
  if (has_changed && is_disputed(claim, held, address, true)) return Verdict::kMoves;
  // Others may have changed, but this one has not: it keeps what it was given.
  if (!held.is_given && is_disputed(claim, held, address, false)) return Verdict::kIsContested;
  const auto fits = [&](std::size_t index) { return &options.pools[index] == pool; };
  if (std::any_of(claim.fitting.begin(), claim.fitting.end(), fits)) return Verdict::kStays;
  return has_changed || options.reassigns ? Verdict::kMoves : Verdict::kStaysOutside;
}

Decision Ledger::plan(const Claim& claim, const Options& options,
                      const AddressRuns& reserved) const {
  Decision out;
  out.status = claim.mistake;
  if (!out.status.ok()) return out;
  const Holder* const known = find(claim.uid);
  const Holder held = known == nullptr ? Holder() : *known;
  Status missing;
  for (const Family family : claim.families) {
    const std::optional<Address> present = of_family(held.addresses, family);
    if (present) {
      const Verdict verdict = judge(claim, held, *present, options);
      if (verdict == Verdict::kStaysOutside) out.outside.push_back(*present);
      if (verdict == Verdict::kIsContested) out.contested.push_back(*present);
      if (verdict == Verdict::kStays || verdict == Verdict::kStaysOutside) {
        out.addresses.push_back(*present);
        continue;
      }
    }
    const Result<Address> chosen = choose(claim, family, options, reserved, out);
    if (chosen) {
      out.addresses.push_back(*chosen);
    } else if (missing.ok()) {
      missing = chosen.error();
    }
    // An address is given up for a new one only.
    if (!chosen && (present || claim.needs_all)) out.status = missing;
  }
  if (out.addresses.empty() && out.status.ok()) out.status = missing;
  return out;
}

Decision Ledger::ensure(const Claim& claim, const Options& options) {
  adopt(claim);
  Decision out = plan(claim, options, {});
  if (out.status.code() == Code::kUnavailable ||
      (out.status.ok() && out.addresses.size() < claim.families.size())) {
    waiting_.put(claim);
    if (find(claim.uid) != nullptr) waiting_.set_apart(claim.uid);
  } else {
    waiting_.erase(claim.uid);
  }
  if (!out.status.ok()) {
    if (!out.contested.empty() && !mutant("shown-address-of-another")) take_contested(claim, out);
    return out;
  }
  const Holder* const known = find(claim.uid);
  Holder next;
  // Services with its key may share what it has now.
  const bool is_as_before =
      known != nullptr && known->look == claim.look && are_equal(known->addresses, out.addresses);
  out.helps_others = !is_as_before && !claim.look.sharing.key.empty();
  if (known != nullptr) {
    next.leaving = known->leaving;
    next.leaving.insert(next.leaving.end(), known->addresses.begin(), known->addresses.end());
    std::erase_if(next.leaving, [&out](const Address& each) { return has(out.addresses, each); });
    next.is_reported = known->is_reported && !out.outside.empty();
    if (next.is_reported) out.outside.clear();
  }
  next.is_reported = next.is_reported || !out.outside.empty();
  next.age = claim.age;
  next.addresses = out.addresses;
  next.is_given = true;
  next.look = claim.look;
  put(claim.uid, std::move(next));
  if (confirm(claim.uid, claim.shown, true)) out.helps_others = true;
  return out;
}

void Ledger::take_contested(const Claim& claim, Decision& out) {
  Holder next = *find(claim.uid);
  const auto stays = [&](const Address& each) {
    return !has(out.contested, each) && std::find(claim.families.begin(), claim.families.end(),
                                                  each.family) != claim.families.end();
  };
  out.addresses.clear();
  for (const Address& each : next.addresses) {
    (stays(each) ? out.addresses : next.leaving).push_back(each);
  }
  next.addresses = out.addresses;
  out.is_taken_from = true;
  put(claim.uid, std::move(next));
}

void Ledger::forget_waiting() {
  waiting_.clear();
  is_quiet_ = false;
}

std::vector<Key> Ledger::ready(const Options& options) {
  using Found = WaitingClaims::Found;
  std::vector<Key> out;
  if (is_quiet_) return out;
  AddressRuns reserved;
  waiting_.each_oldest_first([&](const Claim& claim) {
    const Decision decision = plan(claim, options, reserved);
    const Holder* const held = find(claim.uid);
    if (!decision.status.ok() ||
        (held != nullptr && are_equal(held->addresses, decision.addresses))) {
      return Found::kNone;
    }
    for (const Address& address : decision.addresses) {
      if (held == nullptr || !has(held->addresses, address)) reserved.insert(address);
    }
    out.push_back(claim.age.key);
    return Found::kAddress;
  });
  is_quiet_ = out.empty();
  return out;
}

// ---- The choice

Result<Address> Ledger::choose(const Claim& claim, Family family, const Options& options,
                               const AddressRuns& reserved, Decision& out) const {
  if (const auto& asked = claim.asked_of(family)) {
    return take_asked(claim, *asked, options, reserved);
  }
  std::vector<const Pool*> fitting;
  std::vector<const Pool*> candidates;
  for (const std::size_t index : claim.fitting) {
    const Pool& pool = options.pools[index];
    if (!claim.pool.empty() && pool.name != claim.pool) continue;
    if (!pool.has(family)) continue;
    fitting.push_back(&pool);
    if (pool.is_auto || !claim.pool.empty()) candidates.push_back(&pool);
  }
  if (const auto address = shared(claim, family, fitting, reserved)) return *address;
  for (const Pool* each : candidates) {
    if (const auto address = first_free(claim, family, *each, reserved)) return *address;
  }
  if (!claim.pool.empty() && fitting.empty()) {
    return unavailable("no pool " + claim.pool + " for this Service");
  }
  if (candidates.empty()) {
    return unavailable("no pool with addresses of " + std::string(ip::family_name(family)) +
                       " for this Service");
  }
  for (const Pool* each : candidates) out.exhausted.push_back(each->name);
  return unavailable("no free address in pools " + names_of(candidates));
}

Result<Address> Ledger::take_asked(const Claim& claim, const Address& asked, const Options& options,
                                   const AddressRuns& reserved) const {
  const Pool* const pool = pool_of(options.pools, asked);
  const auto fits = [&](std::size_t index) { return &options.pools[index] == pool; };
  if (pool == nullptr || !pool->allows_requests ||
      std::none_of(claim.fitting.begin(), claim.fitting.end(), fits) ||
      (!claim.pool.empty() && pool->name != claim.pool)) {
    return unavailable(asked.text() + " is in no pool for this Service");
  }
  if (const Holder* const other = other_user(claim, asked)) {
    return unavailable(asked.text() + " is used by " + other->age.key.text());
  }
  if (reserved.contains(asked)) return unavailable(asked.text() + " is reserved");
  return asked;
}

std::optional<Address> Ledger::shared(const Claim& claim, Family family,
                                      const std::vector<const Pool*>& pools,
                                      const AddressRuns& reserved) const {
  const auto sharers = sharers_.find(claim.look.sharing.key);
  if (sharers == sharers_.end()) return std::nullopt;
  AddressSet known;
  for (const std::string& uid : sharers->second) {
    if (uid == claim.uid) continue;
    if (const auto address = of_family(find(uid)->addresses, family)) known.insert(*address);
  }
  for (const Pool* const pool : pools) {
    for (const Address& each : known) {
      if (pool->has(each) && !reserved.contains(each) && other_user(claim, each) == nullptr) {
        return each;
      }
    }
  }
  return std::nullopt;
}

std::optional<Address> Ledger::first_free(const Claim& claim, Family family, const Pool& pool,
                                          const AddressRuns& reserved) const {
  const Holder* const held = find(claim.uid);
  for (const Block& block : pool.blocks) {
    if (block.range.first.family != family) continue;
    const auto gives = [&](const Address& each) { return pool.gives(block, each); };
    std::optional<Address> out = first_outside({&used_, &reserved}, block.range, gives);
    const auto offer_own = [&](const Address& each) {
      const bool is_earlier = !out || AddressOrder()(each, *out);
      if (is_earlier && block.range.contains(each) && gives(each) && !reserved.contains(each) &&
          other_user(claim, each) == nullptr) {
        out = each;
      }
    };
    // An address that the Service alone has is free for it.
    if (held != nullptr) {
      for (const auto* list : {&held->addresses, &held->leaving}) {
        std::for_each(list->begin(), list->end(), offer_own);
      }
    }
    if (out) return out;
  }
  return std::nullopt;
}

}  // namespace davit::pools
