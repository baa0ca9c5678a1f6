/// Objects to try a plugin with: ordinary ones, and such as no sane client would write.
#pragma once

#include <string>
#include <vector>

#include "cli/validate/trial_host.hpp"
#include "lib/base/random.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {

/// A small object of the kind as a user would write it; `name` becomes its name. Kinds that are not
/// known get an empty spec.
[[nodiscard]] Json ordinary_object(const TrialHost::Watched& resource, const std::string& name);

/// Adds the metadata that the server adds to a stored object.
void complete_metadata(Json& object, const TrialHost::Watched& resource, Random& random);

/// Changes an object for the worse: wrong kinds, absurd numbers and texts, missing and superfluous
/// members, above all at the paths that the plugin reads. What the server itself writes stays
/// right: apiVersion, kind, and name, namespace, uid and resourceVersion of its metadata.
void corrupt(Json& object, const std::vector<std::string>& paths, Random& random);

/// Changes any value for the worse, in the same ways.
void corrupt_value(Json& value, Random& random);

}  // namespace davit::host
