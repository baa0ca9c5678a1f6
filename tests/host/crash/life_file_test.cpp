#include "host/crash/life_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <utility>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr WallTime kStart{std::chrono::seconds(1'800'000'000)};
constexpr WallTime kLater = kStart + std::chrono::hours(1);

class LifeFileTest : public testing::Test {
 protected:
  LifeFile begin(WallTime now, const std::string& boot = "boot") {
    Result<LifeFile> life = LifeFile::begin(directory_.path(), boot, now);
    EXPECT_TRUE(life) << life.error().message();
    return *std::move(life);
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_.path()), {}));
  }
  /// A process with a file that is killed, or that ends by destructors.
  enum class End { kKilled, kOrderly };
  void run_process(WallTime start, End end, const std::string& boot = "boot") {
    const pid_t child = ::fork();
    if (child == 0) {
      {
        const LifeFile life = begin(start, boot);
        if (end == End::kKilled) std::raise(SIGKILL);
      }
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WIFSIGNALED(status), end == End::kKilled);
  }

  TempDirectory directory_;
};

TEST_F(LifeFileTest, AProcessThatWasKilledIsKnownToTheNextOneAndToNoFurtherOne) {
  run_process(kLater, End::kKilled);
  run_process(kStart, End::kOrderly);
  EXPECT_THAT(begin(kLater).killed(), IsEmpty()) << "the second process has reported it";

  run_process(kStart, End::kKilled);
  EXPECT_THAT(begin(kLater).killed(), ElementsAre(kStart));
  EXPECT_THAT(begin(kLater).killed(), IsEmpty());
  EXPECT_EQ(files(), 0U);
}

TEST_F(LifeFileTest, AMachineThatWentDownKilledNoProcess) {
  run_process(kStart, End::kKilled, "before");
  EXPECT_THAT(begin(kLater).killed(), IsEmpty());
  EXPECT_EQ(files(), 0U);
}

TEST_F(LifeFileTest, AProcessThatRunsIsLeftAlone) {
  const LifeFile here = begin(kStart);
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<LifeFile> life = LifeFile::begin(directory_.path(), "boot", kLater);
    ::_exit(life && life->killed().empty() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(std::filesystem::exists(here.path()));
}

TEST_F(LifeFileTest, FilesOfOthersAndDamagedOnesAreNoProcesses) {
  std::ofstream(directory_.path() / "running.12") << "boot soon\n";
  std::ofstream(directory_.path() / "running.13") << "boot";
  std::ofstream(directory_.path() / "holders.davit") << "boot 1\n";
  std::filesystem::create_symlink("/dev/null", directory_.path() / "running.14");
  EXPECT_THAT(begin(kStart).killed(), IsEmpty());
}

TEST_F(LifeFileTest, WithoutABootThereIsNone) {
  EXPECT_EQ(LifeFile::begin(directory_.path(), "", kStart).error().code(), Code::kInvalid);
}

}  // namespace
}  // namespace davit::host
