/// Checks of a plugin's work where the cluster or the host makes trouble.
#include <functional>
#include <utility>

#include "cli/validate/check_functions.hpp"
#include "cli/validate/cluster_play.hpp"
#include "cli/validate/fault_report.hpp"
#include "cli/validate/problems.hpp"

namespace davit::host {
namespace {

/// The namespaces beside the one in which all other checks have their objects.
constexpr const char* kUsual = "default";
constexpr const char* kFurther[] = {"trial-a", "trial-b"};

/// Faults of a server and its network on a bad day. Each ends after some hits, so that the plugin
/// becomes idle.
constexpr std::string_view kErrors = R"({"rules": [
  {"fault": "status", "code": 409, "count": 6, "probability": 0.5,
   "target": {"verb": ["update", "patch"]}},
  {"fault": "status", "code": 500, "count": 6, "probability": 0.4,
   "target": {"verb": ["create", "update", "patch", "delete"]}},
  {"fault": "status", "code": 429, "count": 1, "skip": 2,
   "target": {"verb": ["create", "update", "patch", "delete"]}},
  {"fault": "lost", "count": 4, "probability": 0.3,
   "target": {"verb": ["create", "update", "patch", "delete"]}},
  {"fault": "reset", "count": 4, "probability": 0.3,
   "target": {"verb": ["get", "create", "update", "patch", "delete"]}}]})";

/// Longer than an elected host needs to notice that it has lost its lease.
constexpr std::string_view kSlowWrites =
    R"({"rules": [{"fault": "delay", "delay": "3s",
        "target": {"verb": ["create", "update", "patch", "delete"], "resource": "*"}}]})";

/// Each watch falls silent, and later says everything at once.
constexpr std::string_view kLag =
    R"({"rules": [{"fault": "hold", "for": "1s", "target": {"verb": "watch"}}]})";
constexpr Duration kLagEnd = std::chrono::milliseconds(1100);

void report_violations(Problems& problems, TrialHost& host, const CheckReporter& reporter) {
  problems.take_from(host);
  report_all(problems.violations, [&](const std::string& text) { reporter.fail(text); });
}

enum class Watches { kPrompt, kLagging };

/// The number of objects of each resource after ordinary ones came and changed.
std::map<std::string, std::size_t> census_after(const Subject& subject,
                                                const CheckReporter& reporter, Watches watches) {
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return {};
  wait_until_idle(*host, reporter);
  const std::unique_ptr<Random> random = make_seeded_random(subject.seed);
  const std::unique_ptr<Clock> clock = make_system_clock();
  const auto play = [&](const char* what, const std::function<void()>& change) {
    reporter.step(what);
    if (watches == Watches::kLagging) host->add_faults(kLag);
    const Time over = clock->now() + kLagEnd;
    change();
    if (watches == Watches::kLagging) {
      host->await(over);  // The watches keep it idle until then.
      host->clear_faults();
    }
    wait_until_idle(*host, reporter);
  };
  play("ordinary objects are created", [&] { (void)add_ordinary(*host, *random); });
  play("ordinary objects change", [&] { touch_all(*host, 1); });
  std::map<std::string, std::size_t> counts = host->census();
  Problems problems;
  report_violations(problems, *host, reporter);
  end(std::move(host), reporter);
  return counts;
}

}  // namespace

void check_borrow(const Subject& subject, const CheckReporter& reporter) {
  std::unique_ptr<TrialHost> host =
      started_host(subject, reporter, {.borrowed = TrialOptions::Borrowed::kIsPoisoned});
  if (!host) return;
  const FaultReport faults(reporter, host->lent_memory());
  const std::unique_ptr<Random> random = make_seeded_random(subject.seed);
  Problems problems;
  play_ordinary(*host, reporter, *random, problems);
  report_violations(problems, *host, reporter);
  end(std::move(host), reporter);
}

void check_namespaces(const Subject& subject, const CheckReporter& reporter) {
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  const std::unique_ptr<Random> random = make_seeded_random(subject.seed);
  reporter.step("ordinary objects are created in several namespaces");
  (void)add_ordinary(*host, *random);
  for (const char* ns : kFurther) {
    (void)host->add_namespace(ns);
    for (TrialHost::Watched each : host->watched()) {
      if (!each.namespaced || each.ns != kUsual) continue;
      each.ns = ns;
      (void)add_ordinary(*host, each, *random);
    }
  }
  wait_until_idle(*host, reporter);
  const std::map<std::string, int> writes = host->writes().by_namespace;
  const auto count = [&writes](const char* ns) {
    const auto found = writes.find(ns);
    return found == writes.end() ? 0 : found->second;
  };
  for (const char* ns : kFurther) {
    if (count(kUsual) == 0 || count(ns) > 0) continue;
    reporter.warn("wrote " + std::to_string(count(kUsual)) +
                  " times in the namespace default, and never in " + ns +
                  ", which has the same objects");
  }
  reporter.step("all objects are deleted");
  remove_all(*host);
  wait_until_idle(*host, reporter);
  Problems problems;
  report_violations(problems, *host, reporter);
  end(std::move(host), reporter);
}

void check_errors(const Subject& subject, const CheckReporter& reporter) {
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  wait_until_idle(*host, reporter);
  const std::unique_ptr<Random> random = make_seeded_random(subject.seed);
  host->add_faults(kErrors);
  Problems problems;
  play_ordinary(*host, reporter, *random, problems);
  host->clear_faults();
  reporter.step("the server is well again");
  (void)add_ordinary(*host, *random);
  wait_until_idle(*host, reporter);
  report_violations(problems, *host, reporter);
  end(std::move(host), reporter);
}

void check_lag(const Subject& subject, const CheckReporter& reporter) {
  const auto without = census_after(subject, reporter, Watches::kPrompt);
  for (const auto& [resource, count] : census_after(subject, reporter, Watches::kLagging)) {
    const auto found = without.find(resource);
    const std::size_t usual = found == without.end() ? 0 : found->second;
    if (count <= usual) continue;
    reporter.warn("leaves " + std::to_string(count) + " " + resource + " where it leaves " +
                  std::to_string(usual) +
                  " if its watches do not lag: give what it creates names that follow from the "
                  "object");
  }
}

void check_leader(const Subject& subject, const CheckReporter& reporter) {
  constexpr Duration kLossLimit = std::chrono::seconds(10);
  std::unique_ptr<TrialHost> host =
      started_host(subject, reporter, {.election = TrialOptions::Election::kHeld});
  if (!host) return;
  const std::unique_ptr<Random> random = make_seeded_random(subject.seed);
  reporter.step("ordinary objects are created");
  (void)add_ordinary(*host, *random);
  wait_until_idle(*host, reporter);
  reporter.step("another host takes the lease");
  remove_all(*host);
  wait_until_idle(*host, reporter);
  host->add_faults(kSlowWrites);  // So that syncs are under way when the lease is lost.
  (void)add_ordinary(*host, *random);
  if (!host->lose_leadership(kLossLimit)) reporter.fail("the host has kept its lease");
  Problems problems;
  report_violations(problems, *host, reporter);
  end(std::move(host), reporter);
}

}  // namespace davit::host
