/// Recordings as files; needs no server.
#include "tests/live/oracle/recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/live/support/process.hpp"

namespace davit::oracle {
namespace {

constexpr char kPod[] =
    R"({"metadata":{"name":"web-#1-POD"},"spec":{"containers":[{"image":"i","name":"c"}]}})";
constexpr char kEndedPod[] =
    R"({"metadata":{"name":"web-#1-POD"},"spec":{"containers":[{"image":"i","name":"c"}]},)"
    R"("status":{"phase":"Failed"}})";
constexpr char kDeployment[] = R"({"metadata":{"name":"web"},"spec":{"replicas":2}})";

Scenario scaled() {
  Scenario out;
  out.name = "scaled";
  out.place = "10_rollouts.yaml:1";
  out.digest = "0123456789abcdef";
  return out;
}

/// Two rests; at the second one of the pods has ended, or none.
Play play(bool ends) {
  Play out;
  const std::pair<std::string, std::string> pod("pod web-#1-POD", kPod);
  out.rests.push_back({{"deployment web", kDeployment}, pod, pod});
  out.rests.push_back({{"deployment web", kDeployment}, pod, ends ? pod : pod});
  if (ends) out.rests.back().back().second = kEndedPod;
  std::sort(out.rests.back().begin(), out.rests.back().end());
  out.history = {{"deployment web: spec.replicas: 1 → 2", 1}};
  out.events = {{"event Warning Failed of Pod web: two\nlines \\n", ends ? 2 : 1}};
  return out;
}

std::string file_of(std::vector<Play> plays) {
  return text_of(recording_of(scaled(), std::move(plays)), "scaled", "v1.36");
}

TEST(RecordingTest, PlaysComeBackAsTheyWere) {
  const Result<Recording> read = read_recording(file_of({play(true), play(false)}));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->steps, "0123456789abcdef");
  EXPECT_EQ(read->plays, recording_of(scaled(), {play(false), play(true)}).plays);
}

TEST(RecordingTest, EqualPlaysGiveEqualBytesInWhateverOrderTheyCame) {
  EXPECT_EQ(file_of({play(true), play(false), play(true)}), file_of({play(false), play(true)}));
}

TEST(RecordingTest, ObjectIsWrittenInFullOnceAndThenAsAChange) {
  const std::string text = file_of({play(true)});
  EXPECT_NE(text.find("object 1 = " + std::string(kDeployment)), std::string::npos) << text;
  EXPECT_NE(text.find("object 2 = " + std::string(kPod)), std::string::npos) << text;
  EXPECT_NE(text.find(R"(object 3 = 2 + {"status":{"phase":"Failed"}})"), std::string::npos)
      << text;
  EXPECT_NE(text.find("rests 1-2\n  1 deployment web = 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("rests 1\n  2 pod web-#1-POD = 2\n"), std::string::npos) << text;
}

TEST(RecordingTest, MissingByteOrChangedByteIsFound) {
  const std::string text = file_of({play(true), play(false)});
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    EXPECT_FALSE(read_recording(changed)) << i;
    EXPECT_FALSE(read_recording(text.substr(0, i))) << i;
  }
}

std::string error_of(const std::filesystem::path& folder) {
  const Result<Recording> loaded = load_recording(folder, "v1.36", scaled());
  return loaded ? "" : loaded.error().message();
}

TEST(RecordingTest, ErrorNamesTheFileAndTheScenarioAndSaysWhatToDo) {
  const live::ScratchDir folder;
  const std::string file = recording_file(folder.path(), "v1.36", "scaled");
  const std::string advice =
      "; record it: docs/TESTING.md, \"Recordings\", with DAVIT_ORACLE_ONLY=scaled";
  EXPECT_EQ(error_of(folder.path()), "scaled: the recording " + file + " is missing" + advice);

  std::filesystem::create_directories(folder.path() / "v1.36");
  live::write_file(file, file_of({play(true)}).substr(1));
  EXPECT_EQ(error_of(folder.path()), "scaled: the recording " + file +
                                         " is damaged: its last line is not the sum of the others" +
                                         advice);

  live::write_file(file, file_of({play(true)}));
  EXPECT_EQ(error_of(folder.path()), "");
  Scenario changed = scaled();
  changed.digest = "fedcba9876543210";
  const Result<Recording> loaded = load_recording(folder.path(), "v1.36", changed);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message(), "scaled: the recording " + file +
                                          " is of other steps than the scenario has now" + advice);
}

/// The scenarios that have a recording of this release.
std::set<std::string> recorded(const char* release) {
  std::set<std::string> out;
  for (const auto& each :
       std::filesystem::directory_iterator(std::string(DAVIT_ORACLE_RECORDINGS) + '/' + release)) {
    out.insert(each.path().stem());
  }
  return out;
}

TEST(RecordingTest, EachScenarioHasItsRecordingAndNoOthersExist) {
  std::set<std::string> scenarios;
  for (const Scenario& each : load_scenarios(DAVIT_ORACLE "/scenarios")) {
    scenarios.insert(each.name);
    EXPECT_EQ(load_recording(DAVIT_ORACLE_RECORDINGS, "v1.36", each).error().message(), "");
  }
  EXPECT_EQ(recorded("v1.36"), scenarios);
}

}  // namespace
}  // namespace davit::oracle
