/// Objects to try a plugin with: ordinary ones, and such as no sane client would write.
#pragma once

#include <string>
#include <vector>

#include "cli/validate/trial_host.hpp"
#include "lib/base/random.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {

/// An object of the kind as a user would write it, called `name`: a copy of the user's own example
/// (null: there is none), made from the schema of its definition (null: there is none), or a small
/// one. Custom resources without either get what the plugin reads, by guess.
[[nodiscard]] Json ordinary_object(const TrialHost::Watched& resource, const std::string& name,
                                   const Json* example, const Json* schema);
[[nodiscard]] inline Json ordinary_object(const TrialHost& host, const TrialHost::Watched& resource,
                                          const std::string& name) {
  return ordinary_object(resource, name, host.example_of(resource), host.schema_of(resource));
}

/// Adds the metadata that the server adds to a stored object.
void complete_metadata(Json& object, const TrialHost::Watched& resource, Random& random);

/// Changes an object for the worse: wrong kinds, absurd numbers and texts, missing and superfluous
/// members, above all at the paths that the plugin reads. What the server itself writes stays
/// right: apiVersion, kind, and name, namespace, uid and resourceVersion of its metadata.
void corrupt(Json& object, const std::vector<std::string>& paths, Random& random);

/// Changes any value for the worse, in the same ways.
void corrupt_value(Json& value, Random& random);

}  // namespace davit::host
