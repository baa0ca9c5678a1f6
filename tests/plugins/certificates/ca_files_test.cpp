/// Rows CERT052 to CERT055, and what else may become of a CA's files.
#include "plugins/certificates/ca_files.hpp"

#include <sys/stat.h>

#include "tests/plugins/certificates/signing_fixture.hpp"

namespace davit::certificates {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class CaFilesTest : public SigningTest {
 protected:
  void SetUp() override { start_with(make_ca()); }
  bool signed_by(const MadeCa& ca) {
    return issue({.subject = {{"CN", "a"}}}).is_signed_by(ca.certificate);
  }
  std::size_t failures() const {
    std::size_t out = 0;
    for (const testing::LogRecord& each : cluster_.log()) {
      if (each.message == "the CA cannot be read: the last good one stays in use") ++out;
    }
    return out;
  }
};

TEST_F(CaFilesTest, CERT052_AReplacedCaSignsWithinThreeSeconds) {
  const MadeCa next = make_ca();
  replace("ca.crt", next.certificate);
  replace("ca.key", next.key);
  cluster_.advance(3s);
  EXPECT_TRUE(signed_by(next));
}

TEST_F(CaFilesTest, CERT053_ACaOfWhichHalfIsReplacedSignsOn) {
  const MadeCa next = make_ca();
  replace("ca.crt", next.certificate);
  cluster_.advance(10s);
  EXPECT_TRUE(signed_by(ca_));
  replace("ca.key", next.key);
  cluster_.advance(3s);
  EXPECT_TRUE(signed_by(next));
}

TEST_F(CaFilesTest, CERT054_GarbageKeepsTheLastGoodCa) {
  const MadeCa next = make_ca();
  const auto expect_the_old_one = [this] {
    cluster_.clear_records();
    cluster_.advance(70s);
    EXPECT_TRUE(signed_by(ca_));
    EXPECT_GE(failures(), 2) << "it is said again";
  };
  replace("ca.crt", "garbage");
  expect_the_old_one();
  replace("ca.crt", "");
  expect_the_old_one();
  replace("ca.crt", ca_.certificate.substr(0, ca_.certificate.size() / 2));
  expect_the_old_one();
  replace("ca.crt", next.certificate);
  remove_file("ca.key");
  expect_the_old_one();
  EXPECT_THAT(log_text(), HasSubstr("no such file or directory"));
  replace("ca.key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
  expect_the_old_one();
  replace("ca.key", next.key);
  cluster_.advance(3s);
  EXPECT_TRUE(signed_by(next));
  EXPECT_THAT(log_text(), HasSubstr("the CA was read again"));
}

TEST_F(CaFilesTest, CERT055_CertificatesFromBeforeStay) {
  ASSERT_TRUE(signed_by(ca_));
  const std::string before = certificate(last_);
  const std::string name = last_;
  write_ca(make_ca());
  cluster_.advance(3s);
  cluster_.resync("certificatesigningrequests");
  settle();
  EXPECT_EQ(certificate(name), before);
}

TEST_F(CaFilesTest, APairWithTwoCertificatesSignsNothingUntilItIsRepaired) {
  const MadeCa old = ca_;
  replace("ca.crt", old.certificate + make_ca().certificate);
  cluster_.advance(3s);
  EXPECT_EQ(issue_pem({.subject = {{"CN", "a"}}}), "");
  EXPECT_THAT(last_error(), HasSubstr("expected 1 certificate, found 2"));
  replace("ca.crt", old.certificate);
  cluster_.advance(10s);
  EXPECT_TRUE(Issued(certificate(last_)).is_signed_by(old.certificate));
}

TEST_F(CaFilesTest, APipeInPlaceOfAFileKeepsNobodyWaiting) {
  remove_file("ca.key");
  ASSERT_EQ(::mkfifo(path("ca.key").c_str(), 0600), 0);
  cluster_.advance(3s);
  EXPECT_TRUE(signed_by(ca_));
  EXPECT_THAT(log_text(), HasSubstr("not a regular file"));
}

TEST_F(CaFilesTest, AFileThatIsFarTooLargeIsNotRead) {
  replace("ca.crt", std::string(2 << 20, 'x'));
  cluster_.advance(3s);
  EXPECT_TRUE(signed_by(ca_));
  EXPECT_THAT(log_text(), HasSubstr("more than 1 MiB"));
}

TEST_F(CaFilesTest, EveryMinuteTheFilesAreReadWhateverTheirStampsSay) {
  CaFiles files(path("ca.crt"), path("ca.key"));
  ASSERT_TRUE(files.open(Time{}).ok());
  const std::shared_ptr<const LoadedCa> first = files.current();
  EXPECT_EQ(files.poll(Time{59s}), CaFiles::Poll::kNothing);
  EXPECT_EQ(files.poll(Time{60s}), CaFiles::Poll::kNothing);
  EXPECT_EQ(files.current(), first) << "the same texts are not loaded again";
  write_ca(make_ca());
  EXPECT_EQ(files.poll(Time{61s}), CaFiles::Poll::kLoaded);
  EXPECT_NE(files.current(), first);
}

TEST_F(CaFilesTest, OtherBlocksOfAKeyFileAreSkipped) {
  replace("ca.key",
          "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC "
          "PARAMETERS-----\n" +
              ca_.key);
  CaFiles files(path("ca.crt"), path("ca.key"));
  EXPECT_TRUE(files.open(Time{}).ok());
}

}  // namespace
}  // namespace davit::certificates
