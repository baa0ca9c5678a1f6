/// Functions that the checks share. Internal to cli/validate.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/validate/checks.hpp"
#include "cli/validate/trial_host.hpp"

namespace davit::host {

/// The time in which a plugin must become idle after a few objects have changed. Far more than any
/// honest one needs, even on a slow machine.
inline constexpr Duration kIdleLimit = std::chrono::seconds(8);

/// The host's message for an exception that reaches it.
inline constexpr std::string_view kThrew = "the plugin threw an exception";

/// A running host of the plugin, on a cluster without objects of its kinds. Null: it does not
/// start, which has been reported as a failure.
[[nodiscard]] std::unique_ptr<TrialHost> started_host(const Subject& subject,
                                                      const CheckReporter& reporter,
                                                      TrialOptions options = {});
/// Stops the host. If it does not stop, reports a failure and exits the child.
void end(std::unique_ptr<TrialHost> host, const CheckReporter& reporter);
/// Waits until the controllers are idle. If they do not become idle, reports a failure and exits
/// the child.
void wait_until_idle(TrialHost& host, const CheckReporter& reporter);

/// The threads of this process without the calling one: their names by their numbers.
using ThreadNames = std::map<std::string, std::string>;
[[nodiscard]] ThreadNames other_threads();
/// Reports the threads that exist now and are not among `known`. The hosts have ended.
void report_threads(const CheckReporter& reporter, const ThreadNames& known);

// Lifecycle checks.
void check_load(const Subject& subject, const CheckReporter& reporter);
void check_init(const Subject& subject, const CheckReporter& reporter);
void check_threads(const Subject& subject, const CheckReporter& reporter);
void check_traces(const Subject& subject, const CheckReporter& reporter);
void check_unload(const Subject& subject, const CheckReporter& reporter);
void check_swap(const Subject& subject, const CheckReporter& reporter);
void check_state(const Subject& subject, const CheckReporter& reporter);
// Checks of its work in a cluster with troubles.
void check_borrow(const Subject& subject, const CheckReporter& reporter);
void check_namespaces(const Subject& subject, const CheckReporter& reporter);
void check_errors(const Subject& subject, const CheckReporter& reporter);
void check_lag(const Subject& subject, const CheckReporter& reporter);
void check_leader(const Subject& subject, const CheckReporter& reporter);
// Checks of its work.
void check_work(const Subject& subject, const CheckReporter& reporter);
void check_rights(const Subject& subject, const CheckReporter& reporter);
void check_hostile(const Subject& subject, const CheckReporter& reporter);
void check_leaks(const Subject& subject, const CheckReporter& reporter);
/// The functions of a provider of a cloud.
void check_provider(const Subject& subject, const CheckReporter& reporter);
/// Its work under single faults, one by one.
void check_explore(const Subject& subject, const CheckReporter& reporter);

}  // namespace davit::host
