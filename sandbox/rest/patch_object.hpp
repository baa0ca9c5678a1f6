/// A PATCH body, read and applied. The subresources that take patches share it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kube/patch/apply.hpp"
#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/options.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

enum class PatchType : std::uint8_t { kJson, kMerge, kStrategic, kApply };

struct Patch {
  PatchType type = PatchType::kMerge;
  WriteOptions options = {};
  Json body = {};
  BodyFindings found = {};  ///< Fields that stood in the body twice.
};

/// The patch in a request: 415 for a type that `type` does not take, 400 for one that cannot be
/// read.
[[nodiscard]] ApiResult<Patch> read_patch(const Call& call, const BodyType& type);

/// `old` with a patch other than an apply, in the API's form.
[[nodiscard]] ApiResult<Json> apply_patch(const Patch& patch, const Json& old, const Call& call,
                                          const BodyType& type, std::vector<std::string>& warnings);
/// `old` (null: there is none) with an applied intent merged in, its managers included.
[[nodiscard]] ApiResult<Json> apply_intent(const Patch& patch, const Json& old, const Call& call,
                                           const BodyType& type, const FieldManager& manager);

}  // namespace davit::sandbox
