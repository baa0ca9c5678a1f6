#include "lib/base/spdlog_sink.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace davit {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string content(std::FILE* file) {
  std::rewind(file);
  std::string all;
  char piece[256];
  for (std::size_t n = 0; (n = std::fread(piece, 1, sizeof piece, file)) > 0;) all.append(piece, n);
  return all;
}

TEST(SpdlogSinkTest, LinesAboveTheVerbosityAreNotWritten) {
  const File file(std::tmpfile());
  const auto sink = make_log_sink(LogFormat::kText, 2, file.get());
  const Logger log(*sink, "a");

  log.info(2, "Shown", {{"n", 1}});
  log.info(3, "Hidden");
  log.named("b").error("Broken", {{"err", "why"}});
  sink->flush();

  const std::string lines = content(file.get());
  EXPECT_NE(lines.find(" a] \"Shown\" n=1\n"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("Hidden"), std::string::npos) << lines;
  EXPECT_NE(lines.find(" a.b] \"Broken\" err=\"why\"\n"), std::string::npos) << lines;
}

TEST(SpdlogSinkTest, TheVerbosityChangesWhileTheLogIsInUse) {
  const File file(std::tmpfile());
  LogVerbosity verbosity(0);
  const auto sink = make_log_sink(LogFormat::kText, verbosity, file.get());
  const Logger log(*sink);

  log.info(3, "Before");
  verbosity.set(3);
  log.info(3, "After");

  EXPECT_EQ(sink->verbosity(), 3);
  const std::string lines = content(file.get());
  EXPECT_EQ(lines.find("Before"), std::string::npos) << lines;
  EXPECT_NE(lines.find("After"), std::string::npos) << lines;
}

TEST(SpdlogSinkTest, LinesOfSeveralThreadsStayWhole) {
  const File file(std::tmpfile());
  const auto sink = make_log_sink(LogFormat::kJson, 0, file.get());
  const Logger log(*sink);

  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 4; ++i) {
      writers.emplace_back([&log] {
        for (int n = 0; n < 50; ++n) log.info(0, "Line");
      });
    }
  }

  const std::string lines = content(file.get());
  std::size_t count = 0;
  for (std::size_t at = 0; at < lines.size(); ++count) {
    const std::size_t end = lines.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(lines.substr(at, 6), "{\"ts\":");
    EXPECT_EQ(lines[end - 1], '}');
    at = end + 1;
  }
  EXPECT_EQ(count, 200U);
}

}  // namespace
}  // namespace davit
