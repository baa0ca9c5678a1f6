/// Asks the API server which rights an identity has.
#pragma once

#include <davit/result.hpp>
#include <set>
#include <stop_token>
#include <string>

#include "host/api/rest_client.hpp"
#include "host/process/needed_rights.hpp"

namespace davit::host {

/// The rate of the reviews. All rights of all controllers are about 300: half a minute.
inline constexpr TokenBucket::Rate kReviewRate{10, 20};

/// The result of reviews.
struct RightsReview {
  std::set<Right> missing;  ///< The server does not allow them.
  std::set<Right> unknown;  ///< The server did not say.
  Status failure = {};      ///< Why, for one of `unknown`.
};

/// Sends a SelfSubjectAccessReview for each right as the identity of `client`, which must not be in
/// dry run. If the first one fails, the others are not sent. Blocks; `stop` ends it.
[[nodiscard]] RightsReview review_rights(RestClient& client, const std::set<Right>& rights,
                                         const std::stop_token& stop);

/// "list pods", "get leases.coordination.k8s.io davit in the namespace kube-system", "get /api".
[[nodiscard]] std::string text_of(const Right& right);

}  // namespace davit::host
