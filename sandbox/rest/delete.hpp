/// DELETE: preconditions, finalizers, propagation, graceful pods, namespaces.
#pragma once

#include <string>

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/rest/options.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// The finalizer that keeps a CustomResourceDefinition until its objects are gone.
inline constexpr std::string_view kCustomResourceCleanup =
    "customresourcecleanup.apiextensions.k8s.io";

struct Deleted {
  Json object;           ///< The present state, or the last one.
  bool removed = false;  ///< It has left the store.
};

/// Deletes one object, or marks it, if `judge` agrees or is null. 404 if there is none.
[[nodiscard]] ApiResult<Deleted> delete_one(const RestParts& parts, const Resource& resource,
                                            const std::string& ns, const std::string& name,
                                            const DeleteOptions& options,
                                            const WriteJudge& judge = nullptr);

/// Options from the body if there is one, else from the query.
[[nodiscard]] ApiResult<DeleteOptions> read_delete_options(const Call& call);

[[nodiscard]] ApiResult<HttpServerResponse> delete_object(const RestParts& parts, const Call& call);
[[nodiscard]] ApiResult<HttpServerResponse> delete_collection(const RestParts& parts,
                                                              const Call& call);

}  // namespace davit::sandbox
