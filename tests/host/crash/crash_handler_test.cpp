// Each crash happens in a child of its own. Sanitizers have handlers too: there the child ends by
// theirs, after the report.
#include "host/crash/crash_handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "host/crash/crash_journal.hpp"
#include "host/run/breadcrumb.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::SizeIs;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizers = true;
#else
constexpr bool kSanitizers = false;
#endif

/// The process ended by the signal itself, as without a handler.
auto ended_by(int signal) {
  return [signal](int status) {
    return (WIFSIGNALED(status) && WTERMSIG(status) == signal) ||
           (kSanitizers && WIFEXITED(status) && WEXITSTATUS(status) != 0);
  };
}

class CrashHandlerTest : public testing::Test {
 protected:
  CrashHandlerTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static constexpr Breadcrumb kSync{.plugin = "replicaset",
                                    .build_id = "0123456789ab",
                                    .generation = 2,
                                    .controller = "replicaset-controller",
                                    .activity = "sync",
                                    .key = "default/web"};

  TempDirectory directory_;
};

/// Uses up the stack of its thread.
[[gnu::noinline]] int descend(volatile int* depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(*depth);
  *depth = *depth + 1;
  return *depth == 0 ? 0 : descend(depth) + frame[0];
}

using CrashHandlerDeathTest = CrashHandlerTest;

TEST_F(CrashHandlerDeathTest, EndsTheProcessByTheSignalAndSaysWhereItWas) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    EXPECT_EXIT(
        {
          const CrashHandler handler("");
          const BreadcrumbScope scope(kSync);
          std::raise(signal);
        },
        ended_by(signal), "in plugin replicaset, build 0123456789ab, generation 2, .*key");
  }
}

TEST_F(CrashHandlerDeathTest, AFaultIsReportedWithItsAddress) {
  EXPECT_EXIT(
      {
        const CrashHandler handler("");
        const BreadcrumbScope scope(kSync);
        // Volatile, so that the compiler does not see the fault coming.
        int* volatile nowhere = reinterpret_cast<int*>(0x40);
        *nowhere = 1;
      },
      ended_by(SIGSEGV), "SIGSEGV at address 0x40 in plugin replicaset");
}

TEST_F(CrashHandlerDeathTest, AThreadThatUsedUpItsStackIsReportedToo) {
  EXPECT_EXIT(
      {
        const CrashHandler handler("");
        const std::jthread thread([] {
          const BreadcrumbScope scope(kSync);
          volatile int depth = 0;
          descend(&depth);
        });
      },
      ended_by(SIGSEGV), "SIGSEGV at address 0x.* in plugin replicaset");
}

TEST_F(CrashHandlerDeathTest, AbortOfAThreadInNoPluginIsReportedAsThat) {
  EXPECT_EXIT(
      {
        const CrashHandler handler("");
        std::abort();
      },
      ended_by(SIGABRT), "SIGABRT, outside any call into a plugin");
}

TEST_F(CrashHandlerDeathTest, AnExitInAPluginIsReportedAndFails) {
  const std::string life = (directory_.path() / "running.1").string();
  const auto exits = [](int code) {
    return [code](int status) { return WIFEXITED(status) && WEXITSTATUS(status) == code; };
  };
  const auto journal = CrashJournal::open(directory_.path() / "state");
  const std::string path = (directory_.path() / "state" / "crashes.jsonl").string();
  GTEST_FLAG_SET(death_test_style, "fast");
  for (const int status : {0, 3}) {
    EXPECT_EXIT(
        {
          const CrashHandler handler(path, LogFormat::kText, life);
          const BreadcrumbScope scope(kSync);
          std::exit(status);
        },
        exits(status == 0 ? 1 : status),
        "exit\\([03]\\) was called in plugin replicaset, build 0123456789ab, generation 2, "
        "controller replicaset-controller, sync of key \"default/web\"\n");
  }
  const std::vector<CrashRecord> records = journal->read();
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].signal, "exit");
  EXPECT_EQ(records[0].plugin, "replicaset");
  EXPECT_EQ(records[0].key, "default/web");
}

TEST_F(CrashHandlerDeathTest, AnExitOfAForkIsNotTheHosts) {
  const std::string life = directory_.write("running.1", "boot 1\n");
  const CrashHandler handler("", LogFormat::kText, life);
  const BreadcrumbScope scope(kSync);
  const pid_t child = ::fork();
  if (child == 0) std::exit(0);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(std::filesystem::exists(life));
}

TEST_F(CrashHandlerDeathTest, AnExitOutsideOfPluginsIsTheProgramsAffair) {
  EXPECT_EXIT(
      {
        const CrashHandler handler("");
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        { const CrashHandler handler(""); }
        const BreadcrumbScope scope(kSync);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(CrashHandlerDeathTest, TheJournalGetsALineThatTheNextStartReads) {
  const auto journal = CrashJournal::open(directory_.path() / "state");
  ASSERT_TRUE(journal) << journal.error().message();
  // The child of this style runs the test from its beginning: it finds the directory by its name.
  const std::string path = (directory_.path() / "state" / "crashes.jsonl").string();
  GTEST_FLAG_SET(death_test_style, "fast");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EXIT(
        {
          const CrashHandler handler(path);
          const BreadcrumbScope scope(kSync);
          std::abort();
        },
        ended_by(SIGABRT), "replicaset");
  }
  const std::vector<CrashRecord> records = journal->read();
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[1].signal, "SIGABRT");
  EXPECT_EQ(records[1].plugin, "replicaset");
  EXPECT_EQ(records[1].key, "default/web");
}

TEST_F(CrashHandlerDeathTest, AJournalThatCannotBeWrittenDoesNotKeepItFromEnding) {
  EXPECT_EXIT(
      {
        const CrashHandler handler("/proc/no/such/place");
        std::abort();
      },
      ended_by(SIGABRT), "not recorded in /proc/no/such/place.*No such file or directory");
}

TEST_F(CrashHandlerDeathTest, CrashOnAFullDiskSaysThatItIsNotRecorded) {
  EXPECT_EXIT(
      {
        const CrashHandler handler("/dev/full");
        std::abort();
      },
      ended_by(SIGABRT), "SIGABRT.*\n.*not recorded in /dev/full.*No space left on device");
}

TEST_F(CrashHandlerDeathTest, LogInJsonHasTheReportInJson) {
  EXPECT_EXIT(
      {
        const CrashHandler handler("/dev/full", LogFormat::kJson);
        std::abort();
      },
      ended_by(SIGABRT),
      R"re("msg":"Crashed","signal":"SIGABRT".*\n.*"err":"No space left on device")re");
}

TEST_F(CrashHandlerTest, LeavesTheSignalsAsTheyWere) {
  struct sigaction before {};
  struct sigaction after {};
  ::sigaction(SIGSEGV, nullptr, &before);
  { const CrashHandler handler(""); }
  ::sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace davit::host
