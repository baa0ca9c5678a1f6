/// The variable `request` of expressions.
#pragma once

#include "lib/kube/json.hpp"
#include "lib/kube/user_info.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// The options of the request, as the server has read them: CreateOptions, UpdateOptions or
/// DeleteOptions of meta.k8s.io/v1.
[[nodiscard]] Json request_options(const Call& call, JudgedWrite::Operation operation);

/// The AdmissionRequest of a write whose object `matched` shows.
/// k8s: CreateAdmissionRequest of k8s.io/apiserver/pkg/admission/plugin/cel.
[[nodiscard]] Json admission_request(const JudgedWrite& write, const Resource& matched,
                                     const UserInfo& who, Json options);

}  // namespace davit::sandbox
