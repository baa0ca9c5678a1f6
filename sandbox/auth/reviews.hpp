/// The review kinds: the server responds to these requests and stores nothing.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/auth/auth.hpp"
#include "sandbox/auth/tokens.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// `status` not ok: a response of its code, kInvalid being 400 and kNotFound 404, with its message.
/// `invalid` not empty: 422 of `body`'s kind. Else `body` is the response, 201.
struct ReviewResponse {
  Json body;
  Status status;
  FieldErrors invalid;
};

/// The parts that reviews need. All borrowed.
struct ReviewParts {
  const Authenticator& authenticator;
  const Authorizer& authorizer;
  const ServiceAccountTokens& tokens;
  const Store& store;
  const Clock& clock;
};

/// Whether `kind` of `group` is a review that review_response() knows: TokenReview,
/// SelfSubjectReview, SubjectAccessReview, LocalSubjectAccessReview, SelfSubjectAccessReview,
/// SelfSubjectRulesReview.
[[nodiscard]] bool is_review(std::string_view group, std::string_view kind);

/// `body` has its kind; `ns` is the path's, empty at cluster scope.
[[nodiscard]] ReviewResponse review_response(Json body, const UserInfo& who, std::string_view ns,
                                             const ReviewParts& parts);

/// POST serviceaccounts/{name}/token; `body` is a TokenRequest or {}.
[[nodiscard]] ReviewResponse token_request_response(Json body, std::string_view ns,
                                                    std::string_view account,
                                                    const ReviewParts& parts);

}  // namespace davit::sandbox
