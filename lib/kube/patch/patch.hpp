/// The API's patch types on a Json tree: RFC 6902, RFC 7386 and strategic merge patches.
/// Server-side apply is in apply.hpp.
#pragma once

#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/schema/schema.hpp"
#include "lib/kube/status_reason.hpp"

namespace davit {

/// The reason why a patch was not applied, as the server reports it.
struct PatchError {
  StatusReason reason = reason::kInvalid;
  std::string message;
  std::string detail = {};   ///< The cause, where `message` hides it.
  bool test_failed = false;  ///< A JSON patch's `test` found another value.
};
/// No PatchError: done.
using PatchOutcome = std::optional<PatchError>;

/// `patch` is the parsed body. On failure `object` is in an unspecified state.
[[nodiscard]] PatchOutcome apply_json_patch(Json& object, const Json& patch);
[[nodiscard]] PatchOutcome apply_merge_patch(Json& object, const Json& patch);
/// `schema` gives the merge keys.
[[nodiscard]] PatchOutcome apply_strategic_patch(Json& object, const Json& patch,
                                                 const Message& schema);

/// The text of a decoded body in Go's %v, for messages that quote it: "map[spec:map[replicas:x]]".
[[nodiscard]] std::string go_text(const Json& json);

}  // namespace davit
