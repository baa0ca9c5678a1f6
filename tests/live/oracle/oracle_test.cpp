/// The same scenarios with kube-controller-manager, as recorded and today, and with davit: the same
/// states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"
#include "tests/live/oracle/side.hpp"
#include "tests/live/oracle/verdict.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/process.hpp"

namespace davit::oracle {

/// Prints the name, where googletest would print bytes.
void PrintTo(const ListedScenario& scenario, std::ostream* out) { *out << scenario.name; }

namespace {

/// The number of further plays by the original when another side's play differs.
constexpr int kMorePlays = 4;
/// A recording shows so many plays of the original at least, so that its races are seen.
constexpr std::size_t kRecordedPlays = 5;
/// Plays of the original at the same time, each on servers of its own. They wait most of the time.
constexpr std::size_t kRecordedAtOnce = 3;
/// A play in which a step did not come to pass shows nothing; so many rounds may have such plays.
constexpr int kSpareRounds = 3;

/// DAVIT_ORACLE_ONLY=part,part: only scenarios whose names contain one of them.
bool is_wanted(const std::string& scenario) {
  const char* only = std::getenv("DAVIT_ORACLE_ONLY");
  if (only == nullptr) return true;
  std::string parts(only);
  for (std::size_t begin = 0; begin < parts.size();) {
    const std::size_t end = std::min(parts.find(',', begin), parts.size());
    if (scenario.find(parts.substr(begin, end - begin)) != std::string::npos) return true;
    begin = end + 1;
  }
  return false;
}

/// Playing takes minutes and is done for all at once; ctest runs each test in a process of its
/// own, so verdicts go through files.
std::filesystem::path verdict_folder() {
  return std::filesystem::path(DAVIT_ORACLE_VERDICTS) /
         (live::is_oldest_server() ? "oldest" : "first");
}
std::filesystem::path verdict_file(const std::string& scenario) {
  return verdict_folder() / (scenario + ".txt");
}

std::vector<ListedScenario> all_scenarios() { return list_scenarios(DAVIT_ORACLE "/scenarios"); }

std::vector<ListedScenario> scenarios_for_oldest() {
  std::vector<ListedScenario> out = all_scenarios();
  std::erase_if(out, [](const ListedScenario& each) { return !each.plays_on_oldest; });
  return out;
}

/// The release that recordings are of.
constexpr char kRecordedRelease[] = "v1.36";

/// Whether the real server at hand is of that release. Recordings stand for it where there is none.
bool is_recorded_release() {
  return live::assets().empty() || live::server_release() == kRecordedRelease;
}

/// The number of plays that DAVIT_ORACLE_RECORD asks to record; 0: none.
std::size_t plays_to_record() {
  const char* text = std::getenv("DAVIT_ORACLE_RECORD");
  if (text == nullptr) return 0;
  const auto number = static_cast<std::size_t>(std::strtoull(text, nullptr, 10));
  if (number < kRecordedPlays) live::give_up("DAVIT_ORACLE_RECORD is a number from 5 on");
  return number;
}

/// Without servers there are only recordings of it.
bool plays_original() { return !live::assets().empty(); }

/// The sandbox is compared with the first server only.
std::vector<Cast> casts() {
  if (live::is_oldest_server()) return {Cast::kOriginal, Cast::kDavit};
  if (!plays_original()) return {Cast::kSandbox};
  return {Cast::kOriginal, Cast::kOriginalOnSandbox, Cast::kDavit, Cast::kSandbox};
}

Courses courses_of(const std::vector<Scenario>& scenarios, const Transcripts& transcripts,
                   const KnownDifferences& known) {
  Courses out;
  for (const Scenario& each : scenarios) {
    const auto found = transcripts.find(each.name);
    if (found == transcripts.end()) continue;
    out[each.name] = {play_of(each, found->second, known), found->second.failures};
  }
  return out;
}

/// Plays its scenarios on any side.
class Theatre {
 public:
  explicit Theatre(std::vector<Scenario> scenarios) : scenarios_(std::move(scenarios)) {}

  [[nodiscard]] const std::vector<Scenario>& scenarios() const { return scenarios_; }
  [[nodiscard]] std::vector<Scenario>& scenarios() { return scenarios_; }
  [[nodiscard]] Courses play(Cast cast) const {
    return courses_of(scenarios_, play_all(cast, scenarios_, known_), known_);
  }
  /// Each scenario as kube-controller-manager plays it, on whichever server that is.
  [[nodiscard]] Courses play_original() const {
    Courses out = play(Cast::kOriginal);
    out.merge(play(Cast::kOriginalOnSandbox));
    return out;
  }

 private:
  std::vector<Scenario> scenarios_;
  KnownDifferences known_{DAVIT_ORACLE "/known_differences.yaml",
                          live::assets().empty() ? kRecordedRelease : live::server_release()};
};

std::vector<Scenario> wanted_scenarios() {
  std::vector<Scenario> out = load_scenarios(DAVIT_ORACLE "/scenarios");
  std::erase_if(out, [](const Scenario& each) {
    return !is_wanted(each.name) || (live::is_oldest_server() && !each.plays_on_oldest);
  });
  return out;
}

/// Plays of the original, each time of all of these scenarios, several at once.
std::vector<Courses> plays_at_once(const Theatre& theatre, std::size_t count) {
  std::vector<Courses> out(count);
  std::vector<std::jthread> players;
  for (Courses& each : out) {
    players.emplace_back([&theatre, &each] { each = theatre.play_original(); });
  }
  players.clear();
  return out;
}

/// Writes down what kube-controller-manager does.
class Recorder {
 public:
  /// `wanted`: plays of each scenario.
  Recorder(std::vector<Scenario> scenarios, std::size_t wanted)
      : open_(std::move(scenarios)), wanted_(wanted) {}

  void record() {
    for (int spare = kSpareRounds; !open_.scenarios().empty() && spare > 0;) {
      const auto missing = [this](const Scenario& each) { return missing_of(each.name); };
      const std::size_t most = missing(*std::ranges::max_element(open_.scenarios(), {}, missing));
      const std::size_t failed = collect(plays_at_once(open_, std::min(most, kRecordedAtOnce)));
      std::erase_if(open_.scenarios(), [this](const Scenario& each) {
        const bool is_done = missing_of(each.name) == 0;
        if (is_done) write(each);
        return is_done;
      });
      std::cout << open_.scenarios().size() << " scenarios to go, " << failed << " plays failed\n";
      if (failed != 0) --spare;
    }
    for (const Scenario& each : open_.scenarios()) {
      for (const std::string& why : failures_[each.name]) ADD_FAILURE() << each.name << ": " << why;
      ADD_FAILURE() << each.name << " is not recorded: " << plays_[each.name].size() << " plays";
    }
  }

 private:
  [[nodiscard]] std::size_t missing_of(const std::string& scenario) {
    return wanted_ - std::min(wanted_, plays_[scenario].size());
  }

  /// The number of plays that failed.
  std::size_t collect(std::vector<Courses> plays) {
    std::size_t failed = 0;
    for (Courses& courses : plays) {
      for (auto& [name, course] : courses) {
        if (course.failures.empty()) {
          plays_[name].push_back(std::move(course.play));
        } else {
          failures_[name] = std::move(course.failures);
          ++failed;
        }
      }
    }
    return failed;
  }

  void write(const Scenario& scenario) {
    const Recording recording = recording_of(scenario, std::move(plays_[scenario.name]));
    const std::filesystem::path file =
        recording_file(DAVIT_ORACLE_RECORDINGS, kRecordedRelease, scenario.name);
    std::filesystem::create_directories(file.parent_path());
    live::write_file(file, text_of(recording, scenario.name, kRecordedRelease));
    if (recording.plays.size() == 1) return;
    std::cout << scenario.name << ": " << recording.plays.size() << " plays that differ\n";
  }

  Theatre open_;  // Scenarios that lack plays.
  const std::size_t wanted_;
  std::map<std::string, std::vector<Play>> plays_;
  std::map<std::string, std::vector<std::string>> failures_;
};

/// The sides' plays, and what they are compared with.
Findings find_out(const Theatre& theatre) {
  Findings out;
  out.recordings_are_of_server = is_recorded_release();
  for (const Scenario& each : theatre.scenarios()) {
    if (live::is_oldest_server()) break;  // Its original plays each time.
    out.recordings.emplace(each.name,
                           load_recording(DAVIT_ORACLE_RECORDINGS, kRecordedRelease, each));
  }
  std::map<Cast, Courses> played;
  for (const Cast cast : casts()) played[cast];
  {
    // Waiting takes longer than working, so the sides play at the same time.
    std::vector<std::jthread> sides;
    for (auto& [cast, courses] : played) {
      sides.emplace_back([&theatre, cast, &courses] { courses = theatre.play(cast); });
    }
  }
  if (plays_original()) {
    Courses originals = std::move(played[Cast::kOriginal]);
    originals.merge(played[Cast::kOriginalOnSandbox]);
    out.originals.push_back(std::move(originals));
  }
  std::erase_if(played, [](const auto& each) { return is_original(each.first); });
  out.ours = std::move(played);
  return out;
}

TEST(OracleStageTest, EveryScenarioIsPlayedOnEverySide) {
  if (live::is_oldest_server() && live::assets().empty()) GTEST_SKIP() << live::no_assets();
  std::filesystem::remove_all(verdict_folder());
  std::filesystem::create_directories(verdict_folder());
  std::vector<Scenario> scenarios = wanted_scenarios();
  ASSERT_FALSE(scenarios.empty());
  if (const std::size_t plays = plays_to_record(); plays != 0) {
    ASSERT_TRUE(!live::assets().empty() && is_recorded_release())
        << "recordings are of " << kRecordedRelease << ": " << live::no_assets();
    return Recorder(std::move(scenarios), plays).record();
  }
  Theatre theatre(std::move(scenarios));
  const std::vector<Scenario> all = theatre.scenarios();
  Findings findings = find_out(theatre);
  Verdicts verdicts = judged(all, findings);
  // kube-controller-manager has races, so one play of it does not show all that it may do.
  for (int again = 0; again < kMorePlays && plays_original(); ++again) {
    std::erase_if(theatre.scenarios(),
                  [&](const Scenario& each) { return verdicts.at(each.name).empty(); });
    if (theatre.scenarios().empty()) break;
    std::cout << "kube-controller-manager plays again:\n";
    for (const Scenario& each : theatre.scenarios()) {
      for (const std::string& line : verdicts.at(each.name)) {
        std::cout << "  " << each.name << ": " << line << '\n';
      }
    }
    findings.originals.push_back(theatre.play_original());
    verdicts = judged(all, findings);
  }
  for (const auto& [name, verdict] : verdicts) {
    std::string text;
    for (const std::string& each : verdict) text += each + '\n';
    live::write_file(verdict_file(name), text);
  }
  std::cout << all.size() << " scenarios on " << casts().size() << " sides\n";
}

class OracleTest : public testing::TestWithParam<ListedScenario> {};

TEST_P(OracleTest, PassesTheStatesThatItPassesWithKubeControllerManager) {
  const ListedScenario& scenario = GetParam();
  if (live::is_oldest_server() && live::assets().empty()) GTEST_SKIP() << live::no_assets();
  if (!is_wanted(scenario.name)) GTEST_SKIP() << "DAVIT_ORACLE_ONLY names others";
  const Result<std::string> verdict = read_text_file(verdict_file(scenario.name));
  ASSERT_TRUE(verdict) << "was not played: " << verdict.error().message();
  EXPECT_EQ(*verdict, "") << scenario.place;
  if (live::assets().empty() && scenario.needs_real_server) GTEST_SKIP() << live::no_assets();
}

std::string test_name(const testing::TestParamInfo<ListedScenario>& each) {
  std::string name = each.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(EachScenario, OracleTest, testing::ValuesIn(all_scenarios()), test_name);
INSTANTIATE_TEST_SUITE_P(OnTheOldServer, OracleTest, testing::ValuesIn(scenarios_for_oldest()),
                         test_name);

}  // namespace
}  // namespace davit::oracle
