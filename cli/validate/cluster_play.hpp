/// Changes in the cluster while a plugin is checked.
#pragma once

#include <string>
#include <vector>

#include "cli/validate/trial_host.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// Puts the user's objects and, of resources without any, ordinary ones into the cluster: as a
/// user, or where the server does not take them so, as they are. Returns why it does not, a line
/// for each resource whose objects were made from a schema.
std::vector<std::string> add_ordinary(TrialHost& host, Random& random);
/// The same for the ordinary objects of one resource, in its namespace.
Status add_ordinary(TrialHost& host, const TrialHost::Watched& each, Random& random);
/// Changes every object, as another client would; `number` is another one each time.
void touch_all(TrialHost& host, int number);
/// Removes all objects of a resource.
void remove_each(TrialHost& host, const TrialHost::Watched& resource);
void remove_all(TrialHost& host);

}  // namespace davit::host
