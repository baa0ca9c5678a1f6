/// Asks the API server who a token belongs to, and what a user may do.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "host/api/rest_client.hpp"
#include "host/serving/serving_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/random.hpp"
#include "lib/kube/user_info.hpp"

namespace davit::host {

/// An access to a path that is not a resource.
struct AccessAttributes {
  std::string path;  ///< "/metrics"
  std::string verb;  ///< "get": the HTTP method in lower case.
};

struct AccessAnswer {
  bool allowed = false;
  std::string reason = {};
  bool denied = false;  ///< Refused by a rule rather than for the lack of one.
};

/// Sends the reviews, each again up to four times if the server fails in a way that passes
/// (k8s.io/apiserver/pkg/util/webhook). Thread-safe; blocks.
class AccessReviews {
 public:
  struct Seams {
    Clock& clock;
    Random& random;
    ServingMetrics& metrics;
  };

  /// Both clients and all seams must outlive it.
  AccessReviews(RestClient& authentication, RestClient& authorization, Seams seams)
      : authentication_(authentication), authorization_(authorization), seams_(seams) {}

  /// TokenReview: the token's user, or nothing if the server does not accept the token. The error
  /// is that of the request.
  [[nodiscard]] Result<std::optional<UserInfo>> review_token(const std::string& token,
                                                             const std::stop_token& stop);
  /// SubjectAccessReview of spec_of().
  [[nodiscard]] Result<AccessAnswer> review_access(const std::string& spec,
                                                   const std::stop_token& stop);
  /// The spec of a SubjectAccessReview, as JSON; equal questions have equal texts.
  [[nodiscard]] static std::string spec_of(const UserInfo& user, const AccessAttributes& what);

 private:
  [[nodiscard]] Result<std::string> send(RestClient& client, const ApiRequest& request,
                                         ServingMetrics::Delegated kind,
                                         const std::stop_token& stop);

  RestClient& authentication_;
  RestClient& authorization_;
  const Seams seams_;
};

}  // namespace davit::host
