#include "sandbox/auth/bootstrap_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/base64.hpp>
#include <davit/kube/time.hpp>
#include <utility>
#include <vector>

#include "tests/sandbox/auth/accounts.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using Data = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kToken = "abcdef.0123456789abcdef";

Data good_data() {
  return {{"token-id", "abcdef"},
          {"token-secret", "0123456789abcdef"},
          {"usage-bootstrap-authentication", "true"}};
}

class BootstrapTokensTest : public testing::Test {
 protected:
  /// Replaces the Secret of the token.
  void store_secret(const Data& data, const std::string& type = "bootstrap.kubernetes.io/token",
                    const std::string& ns = "kube-system") {
    if (store_.get({"", "secrets"}, ns, kName) != nullptr)
      remove(store_, {"", "secrets"}, ns, kName);
    Json encoded = Json::object();
    for (const auto& [key, value] : data) encoded.set(key, encode_base64(value));
    put(store_, {"", "secrets"}, ns, kName, Json::object({{"type", type}, {"data", encoded}}));
  }
  [[nodiscard]] bool is_accepted(std::string_view token = kToken) const {
    return tokens_.verify(token).has_value();
  }
  /// good_data() with another value for `key`.
  static Data with(const std::string& key, const std::string& value) {
    Data out = good_data();
    std::erase_if(out, [&key](const auto& each) { return each.first == key; });
    out.emplace_back(key, value);
    return out;
  }

  const std::string kName = "bootstrap-token-abcdef";
  test::FakeClock clock_;
  Store store_{clock_};
  const BootstrapTokens tokens_{store_, clock_};
};

TEST_F(BootstrapTokensTest, ATokenIsTheUserOfItsIdAndInTheGroupsOfItsSecret) {
  store_secret(with("auth-extra-groups", "system:bootstrappers:b:x,system:bootstrappers:a"));

  const std::optional<UserInfo> who = tokens_.verify(kToken);

  ASSERT_TRUE(who);
  EXPECT_EQ(who->name, "system:bootstrap:abcdef");
  EXPECT_THAT(who->groups, ElementsAre("system:bootstrappers", "system:bootstrappers:a",
                                       "system:bootstrappers:b:x"));
}

TEST_F(BootstrapTokensTest, AMalformedOrUnknownTokenIsRefused) {
  store_secret(good_data());
  ASSERT_TRUE(is_accepted());
  for (const char* each :
       {"", ".", "abcdef", "abcdef.", "abcdef.0123456789abcde", "abcdef.0123456789abcdef0",
        "abcde.0123456789abcdef", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcdeF",
        "abcdef.0123456789abcdee", "bbcdef.0123456789abcdef", "abcdef.0123456789abcde\0",
        "abcdef/0123456789abcdef", "abcdef.0123456.89abcdef"}) {
    EXPECT_FALSE(is_accepted(each)) << each;
  }
}

TEST_F(BootstrapTokensTest, ASecretThatIsNotWhollyOneOfThisTokenIsRefused) {
  for (const Data& each :
       {with("token-id", "bbcdef"), with("token-secret", ""),
        with("usage-bootstrap-authentication", "True"), with("usage-bootstrap-authentication", ""),
        with("auth-extra-groups", "system:masters"),
        with("auth-extra-groups", "system:bootstrappers:"),
        with("auth-extra-groups", "system:bootstrappers:A"),
        with("auth-extra-groups", "system:bootstrappers:a,"),
        with("auth-extra-groups", "system:bootstrappers:a-")}) {
    store_secret(each);
    EXPECT_FALSE(is_accepted()) << each.back().first << "=" << each.back().second;
  }
  store_secret(good_data(), "Opaque");
  EXPECT_FALSE(is_accepted());
}

TEST_F(BootstrapTokensTest, ASecretOfAnotherNamespaceDoesNotCount) {
  store_secret(good_data(), "bootstrap.kubernetes.io/token", "default");
  EXPECT_FALSE(is_accepted());
}

TEST_F(BootstrapTokensTest, ATokenEndsAtItsExpirationAndWithOneThatIsNotATime) {
  const WireTime now = wire_time(clock_.wall_now());
  store_secret(with("expiration", time_text(WireTime{now.seconds + 1, 0})));
  EXPECT_TRUE(is_accepted());
  clock_.advance(std::chrono::seconds(1));
  EXPECT_FALSE(is_accepted());

  store_secret(with("expiration", "tomorrow"));
  EXPECT_FALSE(is_accepted());
}

}  // namespace
}  // namespace davit::sandbox
