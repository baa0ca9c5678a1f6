/// One response of an API server without what differs by chance or by version.
#pragma once

#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "tests/support/api_checks/api_checks.hpp"

namespace davit::live {

/// The response as text that two servers must agree on: status code and body, up to uids, times,
/// resourceVersions, continue tokens, managedFields, and the fields and texts listed in
/// comparison.cpp.
[[nodiscard]] std::string comparable(const checks::Reply& reply);

/// `comparable` for the response to a DELETE. Whether it already shows which finalizers of the
/// garbage collector the request has set or taken away depends on whether the real server's watch
/// cache had caught up; later reads and watches show them for certain.
[[nodiscard]] std::string comparable_deletion(const checks::Reply& reply);

/// A watch's events in the same form, one a line. Modifications that show nothing new are left out:
/// which of them are writes at all differs with what a version records in managedFields. `before`
/// is the list from which the watch started.
[[nodiscard]] std::string comparable_events(const std::string& before, const std::string& events);

}  // namespace davit::live
