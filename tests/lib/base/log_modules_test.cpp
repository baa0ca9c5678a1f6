#include "lib/base/log_modules.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "lib/base/spdlog_sink.hpp"

namespace davit {
namespace {

int verbosity_of(std::string_view logger, std::string_view modules) {
  const Result<LogModules> parsed = LogModules::parse(modules);
  EXPECT_TRUE(parsed) << parsed.error().message();
  return parsed ? parsed->of(logger) : -1;
}

TEST(LogModulesTest, FirstPatternThatFitsTheLoggerCounts) {
  EXPECT_EQ(verbosity_of("informer", "informer=4"), 4);
  EXPECT_EQ(verbosity_of("informers", "informer=4"), 0);
  EXPECT_EQ(verbosity_of("informer", "inf*=3,informer=4"), 3);
  EXPECT_EQ(verbosity_of("informer", "inform?r=2,"), 2);
  EXPECT_EQ(verbosity_of("events", "[a-f]*=5"), 5);
  EXPECT_EQ(verbosity_of("events", ""), 0);
  EXPECT_EQ(verbosity_of("", "davit=6"), 6) << "the lines without a logger have the program's name";
}

TEST(LogModulesTest, PatternsOfUpstreamsFilesFitTheControllersOfTheirName) {
  EXPECT_EQ(verbosity_of("deployment-controller", "deployment_controller=5"), 5);
  EXPECT_EQ(verbosity_of("job-controller", "pkg/controller/job/job_*=5"), 5);
}

TEST(LogModulesTest, MistakesNameThePart) {
  for (const char* text : {"informer", "=3", "informer="}) {
    const Result<LogModules> parsed = LogModules::parse(std::string("a=1,") + text);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().message(),
              "\"" + std::string(text) + "\" does not have the format pattern=N");
  }
  for (const char* text : {"a=x", "a=-1", "a=1=2", "a=99999999999"}) {
    const Result<LogModules> parsed = LogModules::parse(text);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().message(), "the verbosity in \"" + std::string(text) +
                                            "\" must be a whole number of at least 0");
  }
}

/// The text of what `write` logs at verbosity 1 with these modules.
template <typename Write>
std::string logged(std::string_view modules, Write write) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  const LogVerbosity verbosity(1, *LogModules::parse(modules));
  {
    const std::unique_ptr<LogSink> sink = make_log_sink(LogFormat::kText, verbosity, file.get());
    write(Logger(*sink));
  }
  std::rewind(file.get());
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

TEST(LogModulesTest, OneLoggerWritesMoreThanTheOthers) {
  const auto write = [](const Logger& log) {
    log.named("informer").info(4, "deep");
    log.named("informer").info(5, "deeper");
    log.named("events").info(4, "elsewhere");
    log.named("events").info(1, "shallow");
    log.named("informer").info(0, "always");
    log.named("events").warning("warned");
  };

  const std::string text = logged("informer=4", write);

  for (const char* each : {"\"deep\"", "\"shallow\"", "\"always\"", "\"warned\""}) {
    EXPECT_NE(text.find(each), std::string::npos) << each << " is missing in " << text;
  }
  for (const char* each : {"deeper", "elsewhere"}) {
    EXPECT_EQ(text.find(each), std::string::npos) << text;
  }
}

TEST(LogModulesTest, PatternsOnlyAddLines) {
  const std::string text =
      logged("informer=0", [](const Logger& log) { log.named("informer").info(1, "shallow"); });

  EXPECT_NE(text.find("shallow"), std::string::npos);
}

}  // namespace
}  // namespace davit
