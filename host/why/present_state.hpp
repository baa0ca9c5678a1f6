/// The present state of objects in words: what keeps them from being as they should.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::host {

/// Lines for people about an object as the server has it: conditions that are not as they should
/// be, replicas that are missing, containers that wait and why, a deletion that waits for
/// finalizers. Texts of the object are in it as they are, control characters included.
[[nodiscard]] std::vector<std::string> hindrances(const Json& object);

}  // namespace davit::host
