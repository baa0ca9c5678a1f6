/// What the checks are made of. Internal to host/cli/validate.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/validate/checks.hpp"
#include "host/cli/validate/trial_host.hpp"

namespace davit::host {

/// So long a plugin may take to come to rest after a few objects have changed. Far more than any
/// honest one needs, even on a slow machine.
inline constexpr Duration kIdleLimit = std::chrono::seconds(8);

/// What the host says when an exception reaches it.
inline constexpr std::string_view kThrew = "the plugin threw an exception";

/// A host of the plugin that runs, on a cluster without objects of its kinds. Null: it does not
/// start, which has been told as a failure.
[[nodiscard]] std::unique_ptr<TrialHost> started_host(const Subject& subject,
                                                      const CheckReporter& reporter);
/// Ends it. When it does not end, that is told, and the child with it.
void end(std::unique_ptr<TrialHost> host, const CheckReporter& reporter);
/// Waits for rest. When there is none, that is told, and the child ends.
void wait_until_idle(TrialHost& host, const CheckReporter& reporter);

// How it lives.
void check_load(const Subject& subject, const CheckReporter& reporter);
void check_init(const Subject& subject, const CheckReporter& reporter);
void check_threads(const Subject& subject, const CheckReporter& reporter);
void check_traces(const Subject& subject, const CheckReporter& reporter);
void check_unload(const Subject& subject, const CheckReporter& reporter);
void check_swap(const Subject& subject, const CheckReporter& reporter);
void check_state(const Subject& subject, const CheckReporter& reporter);
// How it works.
void check_work(const Subject& subject, const CheckReporter& reporter);
void check_rights(const Subject& subject, const CheckReporter& reporter);
void check_hostile(const Subject& subject, const CheckReporter& reporter);
void check_leaks(const Subject& subject, const CheckReporter& reporter);

}  // namespace davit::host
