#include "host/isolation/lockdown.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "host/isolation/file_rules.hpp"
#include "host/isolation/sealed_file.hpp"
#include "lib/base/child_process.hpp"
#include "lib/base/text_file.hpp"
#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

using ::testing::HasSubstr;

/// A library in a sealed file, and a process that is locked before it opens it.
class LockdownTest : public ::testing::Test {
 protected:
  LockdownTest()
      : prisoner_(make_sealed_file("prisoner", read_text_file(DAVIT_PRISONER).value()).value()) {
    terms_.kept = {1, 2, prisoner_.get()};
  }

  /// The output of a process that runs `body`.
  [[nodiscard]] std::string in_a_child(const std::function<std::string()>& body) const {
    auto child =
        ChildProcess::start(ChildProcess::Function{.run = [&body] { (void)write_all(1, body()); },
                                                   .kept = {prisoner_.get()},
                                                   .captured = ChildProcess::Captured::kOutput});
    EXPECT_TRUE(child) << child.error().message();
    std::string out;
    const auto end = ChildProcess::Moment::clock::now() + std::chrono::seconds(60);
    EXPECT_EQ(child->read_output(out, 4096, end), ChildProcess::Read::kAll);
    const ExitStatus ended = child->reap();
    return ended.ok() ? out : out + ended.text();
  }

  /// The same, locked and with the library open.
  [[nodiscard]] std::string locked(const std::function<std::string(void* library)>& body) const {
    return in_a_child([&]() -> std::string {
      const Result<LockdownReport> report = lock_down(terms_);
      if (!report) return report.error().message();
      const std::string path = "/proc/self/fd/" + std::to_string(prisoner_.get());
      void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      return library == nullptr ? dlerror() : body(library);
    });
  }

  /// "0", or the error, as errno names it.
  [[nodiscard]] std::string attempt(const std::string& what) const {
    return locked([&what](void* library) {
      const auto call = reinterpret_cast<int (*)(const char*)>(dlsym(library, "attempt"));
      const int code = call(what.c_str());
      const char* const name = code > 0 ? strerrorname_np(code) : nullptr;
      return name != nullptr ? std::string(name) : std::to_string(code);
    });
  }

  const UniqueFd prisoner_;
  LockdownTerms terms_;
};

struct Attempt {
  const char* name;
  const char* what;
  const char* outcome;
};

class AttemptTest : public LockdownTest, public ::testing::WithParamInterface<Attempt> {};

TEST_P(AttemptTest, HasItsOutcome) {
  if (landlock_version() == 0) terms_.landlock = LandlockNeed::kOptional;
  EXPECT_EQ(attempt(GetParam().what), GetParam().outcome);
}

const auto kNameOfAttempt = [](const auto& info) { return info.param.name; };

// The filter's answers do not depend on the kernel.
INSTANTIATE_TEST_SUITE_P(
    Forbidden, AttemptTest,
    ::testing::Values(
        Attempt{"Program", "run a program", "EPERM"}, Attempt{"Fork", "fork", "EPERM"},
        Attempt{"Clone3", "clone3", "ENOSYS"}, Attempt{"Trace", "be traced", "EPERM"},
        Attempt{"ParentsMemory", "read the parent", "EPERM"},
        Attempt{"SignalToTheParent", "signal the parent", "EPERM"},
        Attempt{"SignalToAll", "signal everyone", "EPERM"},
        Attempt{"Dumpable", "be dumpable", "ENOSYS"},
        Attempt{"DumpableAlready", "see that it is dumpable", "EPERM"},
        Attempt{"Limit", "raise a limit", "ENOSYS"}, Attempt{"Inet", "INET socket", "EPERM"},
        Attempt{"Inet6", "INET6 socket", "EPERM"}, Attempt{"Unix", "UNIX socket", "EPERM"},
        Attempt{"Netlink", "netlink socket", "EPERM"}, Attempt{"Connect", "connect", "EPERM"},
        Attempt{"Bind", "bind", "EPERM"}, Attempt{"Listen", "listen", "EPERM"},
        Attempt{"FastOpen", "fast open", "EPERM"},
        Attempt{"VsockPair", "pair of VSOCK sockets", "ENOSYS"},
        Attempt{"WritableCode", "writable code", "ENOSYS"},
        Attempt{"DataToCode", "data to code", "ENOSYS"},
        Attempt{"FileInMemory", "file in memory", "EPERM"},
        Attempt{"OwnerOfSignals", "own signals", "ENOSYS"},
        Attempt{"TerminalInput", "push input", "ENOSYS"}, Attempt{"Unshare", "unshare", "EPERM"},
        Attempt{"IoUring", "io_uring", "EPERM"}, Attempt{"Bpf", "bpf", "EPERM"},
        Attempt{"Userfaultfd", "userfaultfd", "EPERM"}, Attempt{"Perf", "perf", "EPERM"},
        Attempt{"Mount", "mount", "EPERM"}, Attempt{"Keys", "keys", "EPERM"},
        Attempt{"Pidfd", "pidfd", "EPERM"}, Attempt{"FileHandles", "handles", "ENOSYS"},
        Attempt{"User", "set a user", "ENOSYS"}),
    kNameOfAttempt);

INSTANTIATE_TEST_SUITE_P(Allowed, AttemptTest,
                         ::testing::Values(Attempt{"Thread", "start a thread", "0"},
                                           Attempt{"SignalToItself", "signal itself", "0"},
                                           Attempt{"PairOfSockets", "pair of UNIX sockets", "0"},
                                           Attempt{"Memory", "memory", "0"},
                                           Attempt{"Allocation", "allocate", "0"},
                                           Attempt{"Time", "tell the time", "0"},
                                           Attempt{"SystemLibraries", "list libraries", "0"}),
                         kNameOfAttempt);

class FileAttemptTest : public LockdownTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(FileAttemptTest, IsRefusedByLandlock) {
  const std::string outcome = attempt(GetParam());
  if (landlock_version() == 0) {  // Such a kernel does not run the library at all.
    EXPECT_THAT(outcome, HasSubstr("landlock: optional"));
    return;
  }
  EXPECT_EQ(outcome, "EACCES");
}

INSTANTIATE_TEST_SUITE_P(All, FileAttemptTest,
                         ::testing::Values("read a system file", "list the root", "write a file",
                                           "read processes"),
                         [](const auto& info) {
                           std::string name;
                           for (const char c : std::string(info.param)) {
                             if (c != ' ') name.push_back(c);
                           }
                           return name;
                         });

TEST_F(LockdownTest, DataCannotBecomeCode) {
  terms_.landlock = LandlockNeed::kOptional;
  EXPECT_EQ(attempt("data to code"), "ENOSYS");
}

TEST_F(LockdownTest, SendingConnectsNoSocketToAnotherAddress) {
  terms_.landlock = LandlockNeed::kOptional;
  EXPECT_EQ(attempt("fast open"), "EPERM");
}

TEST_F(LockdownTest, NoDescriptorButThoseThatAreNamedStaysOpen) {
  if (landlock_version() == 0) terms_.landlock = LandlockNeed::kOptional;
  // More than one gap between those that stay, and one beyond the last.
  const std::string open = locked([](void* library) {
    return std::to_string(reinterpret_cast<int (*)()>(dlsym(library, "descriptors"))());
  });
  EXPECT_EQ(open, std::to_string(terms_.kept.size()));
}

TEST_F(LockdownTest, KernelWithoutLandlockIsRefusedWithTheRemedy) {
  terms_.landlock_version_max = 0;
  const std::string refusal = attempt("tell the time");
  EXPECT_THAT(refusal, HasSubstr("landlock: optional"));
}

TEST_F(LockdownTest, KernelWithoutLandlockIsGoodEnoughIfTheOperatorSaysSo) {
  terms_.landlock_version_max = 0;
  terms_.landlock = LandlockNeed::kOptional;
  EXPECT_EQ(attempt("tell the time"), "0");
  EXPECT_EQ(attempt("read a system file"), "0");
  EXPECT_EQ(attempt("INET socket"), "EPERM");
}

TEST_F(LockdownTest, EveryVersionOfLandlockUpToTheKernelsIsUsed) {
  for (unsigned version = 1; version <= std::min(landlock_version(), 6U); ++version) {
    terms_.landlock_version_max = version;
    EXPECT_EQ(in_a_child([this] {
                const auto report = lock_down(terms_);
                return report ? std::to_string(report->landlock_version) : report.error().message();
              }),
              std::to_string(version));
    EXPECT_EQ(attempt("read a system file"), "EACCES") << version;
  }
}

/// The lines of the kernel's report about a process.
std::string status_line(const std::string& status, const std::string& name) {
  const std::size_t begin = status.find(name + ":\t");
  if (begin == std::string::npos) return {};
  return status.substr(begin, status.find('\n', begin) - begin);
}

TEST_F(LockdownTest, KernelReportsTheProcessAsLocked) {
  if (landlock_version() == 0) terms_.landlock = LandlockNeed::kOptional;
  // It has to be read from outside: the process itself reads no files of /proc.
  const UniqueFd self(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string status = in_a_child([this]() -> std::string {
    const UniqueFd facts(open("/proc/self/status", O_RDONLY | O_CLOEXEC));
    terms_.kept.push_back(facts.get());
    const Result<LockdownReport> report = lock_down(terms_);
    if (!report) return report.error().message();
    std::string text(4096, '\0');
    const ssize_t size = read(facts.get(), text.data(), text.size());
    return text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  });
  EXPECT_EQ(status_line(status, "NoNewPrivs"), "NoNewPrivs:\t1");
  EXPECT_EQ(status_line(status, "Seccomp"), "Seccomp:\t2");
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"}) {
    EXPECT_EQ(status_line(status, set), std::string(set) + ":\t0000000000000000");
  }
}

TEST(SealedFileTest, ContentCannotChange) {
  const UniqueFd file = make_sealed_file("plugin", "content").value();
  EXPECT_TRUE(check_sealed(file.get()).ok());
  EXPECT_EQ(pwrite(file.get(), "x", 1, 0), -1);
  EXPECT_EQ(ftruncate(file.get(), 0), -1);
  EXPECT_EQ(ftruncate(file.get(), 100), -1);
  std::string read(7, '\0');
  ASSERT_EQ(pread(file.get(), read.data(), read.size(), 0), 7);
  EXPECT_EQ(read, "content");
}

TEST(SealedFileTest, FileWithoutSealsIsRefused) {
  const UniqueFd file(open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_EQ(check_sealed(file.get()).code(), Code::kInvalid);
}

}  // namespace
}  // namespace davit::host
