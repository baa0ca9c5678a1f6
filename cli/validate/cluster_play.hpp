/// Changes in the cluster while a plugin is checked.
#pragma once

#include "cli/validate/trial_host.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// Puts ordinary objects of every resource into the cluster: as a user, or where the server does
/// not take them so, as they are.
void add_ordinary(TrialHost& host, Random& random);
/// Changes every object, as another client would; `number` is another one each time.
void touch_all(TrialHost& host, int number);
/// Removes all objects of a resource.
void remove_each(TrialHost& host, const TrialHost::Watched& resource);
void remove_all(TrialHost& host);

}  // namespace davit::host
