#include "sandbox/http/credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_directory.hpp"

namespace davit::sandbox {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

constexpr WallTime kNow{std::chrono::hours(500'000)};

class CredentialsTest : public testing::Test {
 protected:
  Credentials keep(std::vector<std::string> addresses, WallTime now = kNow) {
    Result<Credentials> kept = keep_credentials(file_, std::move(addresses), now);
    EXPECT_TRUE(kept) << kept.error().message();
    return std::move(*kept);
  }

  host::TempDirectory directory_;
  const std::string file_ = (directory_.path() / "state" / "credentials.json").string();
};

TEST_F(CredentialsTest, SecondStartFindsThoseOfTheFirst) {
  const Credentials first = keep({"127.0.0.1"});
  const Credentials second = keep({"127.0.0.1"}, kNow + std::chrono::hours(1));

  EXPECT_EQ(first.server.certificate, second.server.certificate);
  EXPECT_EQ(first.admin.key, second.admin.key);
  EXPECT_EQ(first.token_key, second.token_key);
}

TEST_F(CredentialsTest, AnotherAddressNeedsAnotherServerCertificateOnly) {
  const Credentials first = keep({"127.0.0.1"});
  const Credentials second = keep({"::1"});

  EXPECT_NE(first.server.certificate, second.server.certificate);
  EXPECT_EQ(first.authority.certificate, second.authority.certificate);
  EXPECT_THAT(second.addresses, IsSupersetOf({"127.0.0.1", "::1"}));
}

TEST_F(CredentialsTest, ExpiringCertificateIsRenewed) {
  const Credentials first = keep({"127.0.0.1"});
  const Credentials second = keep({"127.0.0.1"}, kNow + kCertificateTime - std::chrono::hours(24));

  EXPECT_NE(first.authority.certificate, second.authority.certificate);
  EXPECT_EQ(first.token_key, second.token_key) << "tokens stay good";
}

TEST_F(CredentialsTest, DamagedFileIsReplaced) {
  directory_.write("state/credentials.json", "{\"authority\":");

  EXPECT_THAT(keep({"127.0.0.1"}).server.certificate, HasSubstr("BEGIN CERTIFICATE"));
  EXPECT_EQ(keep({"127.0.0.1"}).server.key, keep({"127.0.0.1"}).server.key);
}

TEST_F(CredentialsTest, OnlyTheUserMayReadThem) {
  keep({"127.0.0.1"});

  using std::filesystem::perms;
  const perms granted = std::filesystem::status(file_).permissions();
  EXPECT_EQ(granted, perms::owner_read | perms::owner_write);
}

TEST_F(CredentialsTest, FileThatSomebodyMadeBeforehandDoesNotGetTheKeys) {
  const std::filesystem::path state = std::filesystem::path(file_).parent_path();
  std::filesystem::create_directories(state);
  const std::filesystem::path guessed = file_ + "." + std::to_string(::getpid()) + ".part";
  std::ofstream(guessed) << "mine";
  const std::filesystem::path kept_open = state / "kept-open";
  std::filesystem::create_hard_link(guessed, kept_open);

  (void)keep({"127.0.0.1"});

  EXPECT_EQ(std::filesystem::file_size(kept_open), 4U);
}

TEST_F(CredentialsTest, DirectoryThatCannotBeMadeIsAnError) {
  directory_.write("state", "a file");

  const Result<Credentials> kept = keep_credentials(file_, {"127.0.0.1"}, kNow);

  EXPECT_EQ(kept.error().code(), Code::kUnavailable);
  EXPECT_THAT(kept.error().message(), HasSubstr("cannot write " + file_));
}

TEST_F(CredentialsTest, InvalidAddressGetsNoCertificate) {
  EXPECT_EQ(make_credentials({"nowhere"}, kNow).error().code(), Code::kInvalid);
}

TEST_F(CredentialsTest, KubeconfigHasTheCertificateForHttpsAndTheTokenForHttp) {
  const Credentials credentials = keep({"127.0.0.1"});

  const std::string tls = admin_kubeconfig(credentials, {"https://127.0.0.1:1", "sandbox"});
  EXPECT_THAT(tls, HasSubstr("client-certificate-data: "));
  EXPECT_THAT(tls, Not(HasSubstr("token: ")));

  const std::string plain = admin_kubeconfig(credentials, {"http://127.0.0.1:1", "sandbox"});
  EXPECT_THAT(plain, HasSubstr("token: \"" + credentials.admin_token + "\""));
  EXPECT_THAT(plain, Not(HasSubstr("certificate")));
}

}  // namespace
}  // namespace davit::sandbox
