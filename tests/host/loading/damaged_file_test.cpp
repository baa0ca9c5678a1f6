/// Files that the dynamic loader would believe, and that end a process when they are opened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "host/loading/elf_layout.hpp"
#include "host/loading/plugin_file.hpp"
#include "host/loading/trial.hpp"
#include "lib/base/child_process.hpp"
#include "tests/host/loading/damage.hpp"
#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

using testing::IsEmpty;

/// Opens the file at `path` in another process, and returns how that ended.
ExitStatus opened(const std::filesystem::path& path) {
  Result<ChildProcess> child =
      ChildProcess::start(ChildProcess::Function{.run = [&] { open_for_trial({path.string()}); }});
  EXPECT_TRUE(child) << child.error().message();
  if (!child->wait_until(std::chrono::steady_clock::now() + std::chrono::minutes(2))) {
    child->kill();
  }
  return child->reap();
}

TEST(DamagedFileTest, NoneOf300DamagedFilesThatAreAcceptedEndsTheProcessThatOpensIt) {
  const TempDirectory directory;
  const std::string sample = sample_content("good");
  std::size_t refused = 0;
  std::vector<std::string> fatal;
  for (const Damage& each : damages(sample, 300)) {
    const std::string image = each.applied_to(sample);
    const std::filesystem::path path = directory.write("p.so", image);
    if (!judge_plugin(path, image, "digest")) {
      ++refused;
    } else if (const ExitStatus status = opened(path); status.signal != 0) {
      fatal.push_back(each.text() + ": " + status.text());
    }
  }
  EXPECT_THAT(fatal, IsEmpty());
  EXPECT_GT(refused, 100U) << "the damage is noticed";
}

TEST(DamagedFileTest, LibrariesAsLinkersMakeThemAreAccepted) {
  for (const char* each : {"good", "other_plugin", "throws", "signal"}) {
    EXPECT_EQ(check_layout(sample_content(each)).message(), "") << each;
  }
}

}  // namespace
}  // namespace davit::host
