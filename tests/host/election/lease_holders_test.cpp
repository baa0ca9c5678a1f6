#include "host/election/lease_holders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kFile[] = "holders.kube-system.davit";

class LeaseHoldersTest : public testing::Test {
 protected:
  [[nodiscard]] Result<LeaseHolders> open(const std::string& boot = "boot-1") const {
    return LeaseHolders::open(directory_.path(), "kube-system.davit", boot);
  }
  /// A process that stood under `identity`, and ended.
  void live(const std::string& identity, const std::string& boot = "boot-1") const {
    Result<LeaseHolders> holders = open(boot);
    ASSERT_TRUE(holders) << holders.error().message();
    ASSERT_TRUE(holders->enter(identity).ok());
  }
  [[nodiscard]] std::vector<std::string> departed(const std::string& boot = "boot-1") const {
    const Result<LeaseHolders> holders = open(boot);
    EXPECT_TRUE(holders) << holders.error().message();
    return holders ? holders->departed() : std::vector<std::string>();
  }

  const TempDirectory directory_;
};

TEST_F(LeaseHoldersTest, ProcessesThatHaveEndedAreNamed) {
  EXPECT_THAT(departed(), IsEmpty());
  live("a_1");
  EXPECT_THAT(departed(), ElementsAre("a_1"));
  EXPECT_THAT(departed(), ElementsAre("a_1")) << "one that ends before it stands hides none";
  live("a_2");
  EXPECT_THAT(departed(), ElementsAre("a_1", "a_2"));
}

TEST_F(LeaseHoldersTest, AProcessThatLivesHasTheFileAlone) {
  std::optional<LeaseHolders> first(*open());
  ASSERT_TRUE(first->enter("a_1").ok());

  EXPECT_EQ(open().error().code(), Code::kConflict);

  first.reset();
  EXPECT_THAT(departed(), ElementsAre("a_1"));
}

TEST_F(LeaseHoldersTest, AnotherBootProvesNothing) {
  live("a_1");
  EXPECT_THAT(departed("boot-2"), IsEmpty());
  live("a_2", "boot-2");
  EXPECT_THAT(departed(), IsEmpty());
}

TEST_F(LeaseHoldersTest, ACopyOfTheFileProvesNothingWhileTheOriginalsProcessLives) {
  Result<LeaseHolders> first = open();
  ASSERT_TRUE(first && first->enter("a_1").ok());
  const std::filesystem::path file = directory_.path() / kFile;
  std::filesystem::copy_file(file, directory_.path() / "copy");
  std::filesystem::rename(directory_.path() / "copy", file);

  EXPECT_THAT(departed(), IsEmpty());
}

TEST_F(LeaseHoldersTest, ALineThatWasCutNamesNobody) {
  live("a_1");
  live("a_2");
  std::filesystem::resize_file(directory_.path() / kFile, directory_.read(kFile).size() - 1);
  EXPECT_THAT(departed(), ElementsAre("a_1"));
  (void)directory_.write(kFile, "x\n\n \nboot-1 a_3\n");
  EXPECT_THAT(departed(), IsEmpty());
}

TEST_F(LeaseHoldersTest, TheFileDoesNotGrowWithoutEnd) {
  for (int i = 0; i < 40; ++i) live("a_" + std::to_string(i));
  const std::vector<std::string> last = departed();
  ASSERT_THAT(last, SizeIs(LeaseHolders::kKeptMax - 1));
  EXPECT_EQ(last.back(), "a_39");
}

TEST_F(LeaseHoldersTest, AFileThatOthersCanWriteProvesNothing) {
  live("a_1");
  std::filesystem::permissions(directory_.path() / kFile, std::filesystem::perms::all);
  EXPECT_EQ(open().error().code(), Code::kForbidden);
  std::filesystem::remove(directory_.path() / kFile);
  std::filesystem::create_symlink("elsewhere", directory_.path() / kFile);
  EXPECT_EQ(open().error().code(), Code::kUnavailable);
}

TEST_F(LeaseHoldersTest, WithoutABootThereIsNoProof) {
  EXPECT_EQ(open("").error().code(), Code::kInvalid);
}

TEST(BootIdTest, TheServiceManagersComesFirstInEitherForm) {
  constexpr char kPlain[] = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(boot_id(kPlain), kPlain);
  EXPECT_EQ(boot_id("01234567-89ab-cdef-0123-456789abcdef\n"), kPlain);
  EXPECT_EQ(boot_id(""), boot_id("%b")) << "what is not an ID does not count";
}

}  // namespace
}  // namespace davit::host
