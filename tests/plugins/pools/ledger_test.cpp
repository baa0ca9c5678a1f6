/// The Ledger by itself: random lives of Services, after each step of which nothing is given twice.
#include "plugins/pools/ledger.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "plugins/pools/ledger_state.hpp"
#include "tests/plugins/pools/fixture.hpp"

namespace davit::pools {
namespace {

/// A few Services, whose loop writes their statuses now and then.
class Life {
 public:
  explicit Life(Options options, std::uint32_t seed) : options_(std::move(options)), seed_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      step();
      check(i);
    }
  }

 private:
  struct Present {
    Claim claim;
    std::vector<Address> given;  // Its status will show them.
  };

  std::size_t below(std::size_t most) { return random_() % most; }

  void step() {
    const std::string uid = "u" + std::to_string(below(8));
    switch (below(9)) {
      case 0:
        return end(uid);
      case 1:
        return restart();
      case 2:
        return change(uid);
      case 3:
      case 4:
        return show(uid);
      default:
        return ensure(uid);
    }
  }
  void end(const std::string& uid) {
    ledger_.forget(uid);
    services_.erase(uid);
  }
  /// Another process, which has the statuses alone.
  void restart() {
    ledger_ = Ledger();
    for (auto& each : services_) {
      ledger_.adopt(each.second.claim);
      each.second.given = each.second.claim.shown;
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
  void show(const std::string& uid) {
    const auto found = services_.find(uid);
    if (found == services_.end()) return;
    found->second.claim.shown = found->second.given;
    ledger_.confirm(uid, found->second.claim.shown, true);
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
    const std::map<std::string, std::vector<Address>> before = all();
    const Decision decision = ledger_.ensure(at.claim, options_);
    if (decision.status.ok()) at.given = decision.addresses;
    for (const auto& each : before) {
      if (each.first == uid) continue;
      EXPECT_EQ(ledger_.find(each.first)->addresses, each.second)
          << each.first << " changes because of " << uid;
    }
  }
  [[nodiscard]] std::map<std::string, std::vector<Address>> all() const {
    std::map<std::string, std::vector<Address>> out;
    for (const auto& each : ledger_.holders()) out[each.first] = each.second.addresses;
    return out;
  }

  /// All that is given or shown is given once.
  void check(int step) {
    for (const auto& [address, uids] : ledger_.users()) {
      for (const std::string& a : uids) {
        for (const std::string& b : uids) {
          if (a < b) check_pair(a, b, address, step);
        }
      }
    }
    for (const auto& each : services_) {
      for (const Address& address : each.second.claim.shown) {
        const auto users = ledger_.users().find(address);
        EXPECT_TRUE(users != ledger_.users().end() && users->second.contains(each.first))
            << address.text() << " is free although " << each.first << " shows it; seed " << seed_
            << ", step " << step;
      }
    }
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
