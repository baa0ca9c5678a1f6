/// Checks of a plugin's work on ordinary and on hostile objects.
#include <algorithm>
#include <map>
#include <utility>

#include "cli/validate/check_functions.hpp"
#include "cli/validate/cluster_play.hpp"
#include "cli/validate/fault_report.hpp"
#include "cli/validate/holdings.hpp"
#include "cli/validate/problems.hpp"
#include "cli/validate/sample_objects.hpp"

namespace davit::host {
namespace {

/// The number for all resources together: some seconds' worth.
constexpr std::size_t kHostileObjects = 64;
constexpr std::size_t kCorruptedAgain = 1;
/// The time for which a hostile object may keep its controllers busy before it is removed.
constexpr Duration kWorkLimit = std::chrono::seconds(1);

/// The part of an object that a message shows.
std::string shown(const Json& object) {
  constexpr std::size_t kShown = 300;
  return to_text(object).substr(0, kShown);
}

/// An object comes as it should not be, changes for the worse, and goes.
void play_hostile_object(TrialHost& host, const CheckReporter& reporter,
                         const TrialHost::Watched& resource, const std::string& name,
                         Random& random) {
  Json object = ordinary_object(host, resource, name);
  complete_metadata(object, resource, random);
  sandbox::VersionPtr present;
  bool idle = true;
  for (std::size_t change = 0; change <= kCorruptedAgain && idle; ++change) {
    corrupt(object, resource.watch.projection, random);
    reporter.step(resource.watch.resource + " " + name + ": " + shown(object));
    const auto written =
        present == nullptr ? host.store().create(resource.collection, host.draft(resource, object))
                           : host.store().update(resource.collection, host.draft(resource, object),
                                                 present->revision);
    if (!written) break;
    present = *written;
    idle = host.wait_until_idle(kWorkLimit, TrialHost::Quiet::kShort);
  }
  // Work without end may be what the object asks for: a ReplicaSet may want 10^18 pods. It ends
  // with the object, and so do the retries that would be taken for work on the next one.
  remove_each(host, resource);
  remove_all(host);
  if (host.wait_until_idle(kIdleLimit, idle ? TrialHost::Quiet::kShort : TrialHost::Quiet::kLong))
    return;
  const std::string running = host.stuck(kIdleLimit);
  reporter.fail((running.empty() ? "does not become idle" : "a call has not returned: " + running) +
                " after " + resource.watch.resource + " " + name + ": " + shown(object));
  reporter.leave();
}

/// Objects as they should not be come, change and go, one by one.
void play_hostile(TrialHost& host, const CheckReporter& reporter, std::uint64_t seed,
                  Problems& problems) {
  const std::unique_ptr<Random> random = make_seeded_random(seed);
  const std::size_t each_count = kHostileObjects / std::max<std::size_t>(1, host.watched().size());
  const std::size_t all = each_count * host.watched().size();
  std::size_t played = 0;
  for (const TrialHost::Watched& each : host.watched()) {
    for (std::size_t i = 0; i < each_count; ++i) {
      reporter.progress(std::to_string(++played) + " of " + std::to_string(all) + " objects");
      const std::string usual = "hostile-" + std::to_string(seed) + "-" + std::to_string(i);
      play_hostile_object(host, reporter, each, each.name_of(i, usual), *random);
    }
  }
  problems.take_from(host);
}

/// The growth with each start and stop, as text; empty if there is none.
std::string described_growth(const std::vector<Holdings>& rounds, Grade predicted) {
  constexpr std::size_t kResidentNoise = 64 * 1024;
  struct Measure {
    std::size_t Holdings::*what;
    std::size_t noise;
    const char* text;
    bool of_swappable_builds;  // Others stay in memory, and map themselves each time.
  };
  constexpr Measure kMeasures[] = {
      {&Holdings::descriptors, 0, "open descriptors grow", false},
      {&Holdings::heap, kHeapNoise, "bytes on the heap grow", false},
      {&Holdings::mappings, 0, "memory mappings grow", true},
      {&Holdings::resident, kResidentNoise, "resident bytes grow", true},
  };
  for (const Measure& each : kMeasures) {
    if (each.of_swappable_builds && predicted != Grade::kSwappable) continue;
    const std::size_t least = steady_growth(rounds, each.what);
    if (least <= each.noise) continue;
    return std::string(each.text) + " by " + std::to_string(least) +
           " or more with each start and end";
  }
  return "";
}

/// Whether each change of the same objects makes the controllers keep more of them.
void check_retained(TrialHost& host, const CheckReporter& reporter) {
  std::vector<std::size_t> counts;
  for (int i = 0; i < kTouches + 1; ++i) {
    reporter.step("ordinary objects change");
    touch_all(host, i);
    wait_until_idle(host, reporter);
    counts.push_back(host.retained());
  }
  const bool rising = std::adjacent_find(counts.begin(), counts.end(),
                                         [](auto a, auto b) { return b <= a; }) == counts.end();
  if (rising) {
    reporter.fail("retains more objects with each change, " + std::to_string(counts.back()) +
                  " in the end: release() what retain() gave");
  }
}

/// Whether the objects that a plugin keeps are counted.
enum class Retained { kCounted, kIgnored };

/// The plugin starts, works on ordinary objects and ends. False if it would not start.
bool play_once(const Subject& subject, const CheckReporter& reporter, Retained retained) {
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return false;
  const std::unique_ptr<Random> random = make_seeded_random(subject.seed);
  Problems ignored;
  play_ordinary(*host, reporter, *random, ignored);
  if (retained == Retained::kCounted) {
    add_ordinary(*host, *random);
    check_retained(*host, reporter);
  }
  end(std::move(host), reporter);
  return true;
}

}  // namespace

void check_work(const Subject& subject, const CheckReporter& reporter) {
  const FaultReport faults(reporter, nullptr);
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  const std::unique_ptr<Random> random = make_seeded_random(subject.seed);
  Problems problems;
  // Those of the host end with it; the check "threads" has judged those of an InitFunc.
  const ThreadNames known = other_threads();
  play_ordinary(*host, reporter, *random, problems);
  report_all(problems.violations, [&](const std::string& text) { reporter.fail(text); });
  report_all(problems.failures,
             [&](const std::string& text) { reporter.warn("a sync failed: " + text); });
  report_all(problems.stale,
             [&](const std::string& text) { reporter.note("a handle had ended: " + text); });
  for (const std::string& each : problems.samples) reporter.note(each);
  end(std::move(host), reporter);
  report_threads(reporter, known);
}

void check_rights(const Subject& subject, const CheckReporter& reporter) {
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  const std::unique_ptr<Random> random = make_seeded_random(subject.seed);
  Problems problems;
  play_ordinary(*host, reporter, *random, problems);
  const std::vector<std::string> unused = host->unused();
  report_all(problems.undeclared, [&](const std::string& text) { reporter.fail(text); });
  for (const std::string& each : unused) reporter.note(each);
  end(std::move(host), reporter);
}

void check_hostile(const Subject& subject, const CheckReporter& reporter) {
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  Problems problems;
  play_hostile(*host, reporter, subject.seed, problems);
  report_all(problems.violations, [&](const std::string& text) { reporter.fail(text); });
  std::size_t failed = 0;
  for (const auto& each : problems.failures) failed += each.second.times;
  if (failed == 0) return;
  reporter.note(std::to_string(failed) + " syncs failed with an error:");
  report_all(problems.failures, [&](const std::string& text) { reporter.note("  " + text); });
}

void check_leaks(const Subject& subject, const CheckReporter& reporter) {
  constexpr std::size_t kFewestRounds = 4;
  constexpr std::size_t kMostRounds = 24;
  std::vector<Holdings> rounds;
  std::string growth;
  // The first rounds warm up.
  if (!play_once(subject, reporter, Retained::kCounted)) return;
  if (!play_once(subject, reporter, Retained::kIgnored)) return;
  // Memory of allocators and stacks may look like growth for some rounds before it levels off: only
  // a leak never ends.
  while (rounds.size() < kFewestRounds || (!growth.empty() && rounds.size() < kMostRounds)) {
    reporter.progress("round " + std::to_string(rounds.size() + 1));
    if (!play_once(subject, reporter, Retained::kIgnored)) return;
    rounds.push_back(Holdings::now());
    growth = described_growth(rounds, subject.predicted);
  }
  if (!growth.empty()) reporter.fail(growth);
}

}  // namespace davit::host
