/// The Ledger by itself: random lives of Services, after each step of which nothing is given twice.
#include "plugins/pools/ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "plugins/pools/ledger_state.hpp"
#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

/// A few Services, whose loop makes and ends load balancers and writes statuses, of which the cache
/// learns later.
class Life {
 public:
  explicit Life(Options options, std::uint32_t seed) : options_(std::move(options)), seed_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      const std::vector<Key> before = ledger_.ready(options_);
      wakes_ = false;
      step();
      check(i);
      if (!wakes_) check_ready(before, i);
      check_oldest(i);
    }
  }

 private:
  struct Present {
    Claim claim;                   // As the cache has it.
    std::vector<Address> written;  // The status in the server.
    std::vector<Address> given;    // The loop writes them next.
    bool has_finalizer = true;
  };

  std::size_t below(std::size_t most) { return random_() % most; }

  void step() {
    const std::string uid = "u" + std::to_string(below(8));
    switch (below(11)) {
      case 0:
        return end(uid);
      case 1:
        return restart();
      case 2:
        return change(uid);
      case 3:
      case 4:
        return show(uid);
      case 5:
        return remove(uid);
      case 6:
        return wake();
      default:
        return ensure(uid);
    }
  }
  void end(const std::string& uid) {
    wakes_ = ledger_.forget(uid);
    services_.erase(uid);
  }
  /// Another process, which has the statuses alone.
  void restart() {
    wakes_ = true;
    ledger_ = Ledger();
    for (auto& each : services_) {
      Present& at = each.second;
      at.claim.shown = at.given = at.written;
      ledger_.adopt(at.claim);
    }
  }
  void change(const std::string& uid) {
    const auto found = services_.find(uid);
    if (found == services_.end()) return;
    Sharing& sharing = found->second.claim.look.sharing;
    sharing.key = below(3) == 0 ? "" : "k" + std::to_string(below(2));
    sharing.ports = {std::to_string(below(4)) + "/TCP"};
    found->second.claim.asked = {};
    if (below(4) == 0) found->second.claim.asked[0] = *Address::parse("10.0.0." + digit());
  }
  std::string digit() { return std::to_string(1 + below(5)); }
  /// The cache catches up.
  void show(const std::string& uid) {
    const auto found = services_.find(uid);
    if (found == services_.end()) return;
    Present& at = found->second;
    at.claim.shown = at.written;
    wakes_ = ledger_.confirm(uid, at.claim.shown, at.has_finalizer);
  }
  /// Ends the load balancer, as far as the loop gets.
  void remove(const std::string& uid) {
    const auto found = services_.find(uid);
    if (found == services_.end()) return;
    Present& at = found->second;
    show(uid);
    ledger_.remove(uid);
    wakes_ = true;
    at.given.clear();
    if (below(3) == 0) return;
    at.has_finalizer = false;
    if (below(2) == 0) show(uid);
    if (below(2) == 0) at.written = foreign();
    if (below(2) == 0) show(uid);
    wakes_ = true;
  }
  /// Nothing, or what another controller writes for the Service.
  std::vector<Address> foreign() {
    if (below(2) == 0) return {};
    return {*Address::parse("172.16.0.1")};
  }
  /// Those that would get an address get it.
  void wake() {
    wakes_ = true;
    for (const Key& each : ledger_.ready(options_)) {
      const std::string& uid = each.name;
      const std::vector<Address> before = addresses_of(uid);
      ensure(uid, ledger_.waiting().at(uid));
      EXPECT_NE(addresses_of(uid), before) << uid << " was woken for nothing; seed " << seed_;
    }
  }
  [[nodiscard]] std::vector<Address> addresses_of(const std::string& uid) const {
    const Holder* const held = ledger_.find(uid);
    return held == nullptr ? std::vector<Address>() : held->addresses;
  }
  void ensure(const std::string& uid) {
    Present& at = services_[uid];
    if (at.claim.uid.empty()) {
      at.claim.uid = uid;
      at.claim.age = {static_cast<std::int64_t>(below(4)), {"default", uid}};
      at.claim.families = {Family::kIPv4};
      at.claim.fitting = {0, 1};
      at.claim.look.sharing.ports = {"80/TCP"};
    }
    at.has_finalizer = true;
    ensure(uid, at.claim);
  }
  void ensure(const std::string& uid, Claim claim) {
    Present& at = services_[uid];
    // The cache has what the loop wrote for the Service before.
    claim.shown = at.claim.shown = at.written;
    const std::map<std::string, std::vector<Address>> before = all();
    const bool has_waited = ledger_.waiting().contains(uid);
    const bool is_new = ledger_.find(uid) == nullptr && claim.shown.empty() && !claim.asked[0] &&
                        claim.look.sharing.key.empty();
    const std::vector<Address> first_free = first_free_address();
    const Decision decision = ledger_.ensure(claim, options_);
    if (is_new) {
      EXPECT_EQ(decision.addresses, first_free) << uid << "; seed " << seed_;
    }
    wakes_ = wakes_ || has_waited || decision.helps_others;
    if (decision.status.ok() || decision.is_taken_from) at.given = decision.addresses;
    if (below(2) == 0) at.written = at.given;
    for (const auto& each : before) {
      if (each.first == uid) continue;
      EXPECT_EQ(ledger_.find(each.first)->addresses, each.second)
          << each.first << " changes because of " << uid;
    }
  }
  /// Found by asking for each address; nothing if all are used.
  [[nodiscard]] std::vector<Address> first_free_address() const {
    for (const Pool& pool : options_.pools) {
      const Range range = pool.blocks.front().range;
      for (std::optional<Address> at = range.first; at && range.contains(*at); at = next_of(*at)) {
        if (!ledger_.users().contains(*at)) return {*at};
      }
    }
    return {};
  }
  [[nodiscard]] std::map<std::string, std::vector<Address>> all() const {
    std::map<std::string, std::vector<Address>> out;
    for (const auto& each : ledger_.holders()) out[each.first] = each.second.addresses;
    return out;
  }

  /// All that is given or shown is given once, and counted.
  void check(int step) {
    const Range pools = {*Address::parse("10.0.0.0"), *Address::parse("10.0.0.255")};
    const auto used = std::ranges::count_if(
        ledger_.users(), [&pools](const auto& each) { return pools.contains(each.first); });
    EXPECT_EQ(ledger_.used_in(pools), static_cast<std::uint64_t>(used))
        << "seed " << seed_ << ", step " << step;
    for (const auto& [address, uids] : ledger_.users()) {
      for (const std::string& a : uids) {
        for (const std::string& b : uids) {
          if (a < b) check_pair(a, b, address, step);
        }
      }
    }
    for (const auto& each : services_) {
      for (const Address& address : each.second.written) {
        if (pool_of(options_.pools, address) == nullptr) continue;  // Another controller's.
        const auto users = ledger_.users().find(address);
        EXPECT_TRUE(users != ledger_.users().end() && users->second.contains(each.first))
            << address.text() << " is free although " << each.first << " shows it; seed " << seed_
            << ", step " << step;
      }
    }
  }
  /// Without a wake-up no Service that waits can have an address that it could not have before.
  void check_ready(const std::vector<Key>& before, int step) {
    for (const Key& each : ledger_.ready(options_)) {
      EXPECT_THAT(before, ::testing::Contains(each))
          << "is not woken; seed " << seed_ << ", step " << step;
    }
  }
  /// The oldest of those that would get an address by themselves is the first.
  void check_oldest(int step) {
    std::vector<Claim> waiting;
    for (const auto& each : ledger_.waiting()) waiting.push_back(each.second);
    std::ranges::sort(waiting, {}, &Claim::age);
    std::vector<Key> first;
    for (Claim& each : waiting) {
      Ledger copy = ledger_;
      // The status of the time when it began to wait is not adopted again.
      if (copy.find(each.uid) == nullptr) each.shown.clear();
      const std::vector<Address> before = addresses_of(each.uid);
      if (!copy.ensure(each, options_).status.ok()) continue;
      if (copy.find(each.uid)->addresses == before) continue;
      first = {each.age.key};
      break;
    }
    std::vector<Key> ready = ledger_.ready(options_);
    ready.resize(std::min<std::size_t>(ready.size(), 1));
    EXPECT_EQ(ready, first) << "seed " << seed_ << ", step " << step;
  }
  void check_pair(const std::string& a, const std::string& b, const Address& address, int step) {
    const Holder& one = *ledger_.find(a);
    const Holder& other = *ledger_.find(b);
    // One that was adopted may have changed since it was given its address.
    if (!one.is_given || !other.is_given) return;
    const bool both_have = has(one.addresses, address) && has(other.addresses, address);
    EXPECT_TRUE(!both_have || may_share(one.look.sharing, other.look.sharing))
        << address.text() << " is given to " << a << " and " << b << "; seed " << seed_ << ", step "
        << step;
  }
  static bool has(const std::vector<Address>& all, const Address& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }

  const Options options_;
  const std::uint32_t seed_;
  std::mt19937 random_{seed_};
  Ledger ledger_;
  std::map<std::string, Present> services_;
  bool wakes_ = false;  // The step has the provider look for those that can have an address now.
};

class LedgerTest : public PoolsFixture {
 protected:
  [[nodiscard]] Options options() {
    return *read_options(
        cluster_.value(R"({"pools":[{"name":"a","addresses":["10.0.0.1-10.0.0.3"]},)"
                       R"({"name":"b","addresses":["10.0.0.4-10.0.0.5"]}]})"));
  }
};

TEST_F(LedgerTest, NoAddressIsGivenTwiceInRandomLives) {
  constexpr std::uint32_t kLives = 300;
  constexpr int kSteps = 200;
  for (std::uint32_t seed = 1; seed <= kLives && !HasFailure(); ++seed) {
    Life(options(), seed).run(kSteps);
  }
}

/// One look at each of those that wait, for each address, would be forty million.
TEST_F(LedgerTest, AFullPoolCostsOneLookHoweverManyWaitForIt) {
  constexpr std::size_t kHolders = 2000;
  constexpr std::size_t kWaiting = 20000;
  Ledger ledger;
  const Options of = *read_options(
      cluster_.value(R"({"pools":[{"name":"a","addresses":["10.0.0.0-10.0.7.207"]}]})"));
  const auto claim = [](std::size_t number) {
    Claim out;
    out.uid = "u" + std::to_string(number);
    out.age = {static_cast<std::int64_t>(number), {"default", out.uid}};
    out.families = {Family::kIPv4};
    out.fitting = {0};
    return out;
  };
  for (std::size_t i = 0; i < kHolders + kWaiting; ++i) {
    EXPECT_EQ(ledger.ensure(claim(i), of).status.ok(), i < kHolders);
  }
  for (std::size_t i = 0; i < kHolders; ++i) {
    EXPECT_TRUE(ledger.ready(of).empty());
    EXPECT_TRUE(ledger.forget("u" + std::to_string(i)));
    const std::size_t oldest = kHolders + i;
    ASSERT_EQ(ledger.ready(of), std::vector<Key>{claim(oldest).age.key});
    EXPECT_TRUE(ledger.ensure(claim(oldest), of).status.ok());
  }
}

TEST_F(LedgerTest, WhatWasWrittenIsReadAsItWas) {
  Ledger ledger;
  const Options of = options();
  Claim claim;
  claim.uid = "u";
  claim.age = {7, {"default", "s"}};
  claim.families = {Family::kIPv4};
  claim.fitting = {0, 1};
  claim.look = {{"k", {"80/TCP", "81/UDP"}, true, "a=b"}, "c=d"};
  ASSERT_TRUE(ledger.ensure(claim, of).status.ok());
  claim.asked[0] = Address::parse("10.0.0.5");
  ASSERT_TRUE(ledger.ensure(claim, of).status.ok());
  JsonWriter text;
  write_ledger(ledger, text);
  const Result<LedgerState> read = read_ledger(cluster_.value(text.text()));
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->holders.size(), 1U);
  const Holder& before = *ledger.find("u");
  const Holder& after = read->holders.front().second;
  EXPECT_EQ(after.age, before.age);
  EXPECT_EQ(after.addresses, before.addresses);
  EXPECT_EQ(after.leaving, before.leaving);
  EXPECT_EQ(joined(after.leaving), "10.0.0.1");
  EXPECT_EQ(after.look, before.look);
  EXPECT_TRUE(after.is_given);
}

}  // namespace
}  // namespace davit::pools
