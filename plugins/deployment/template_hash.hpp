/// The value of the label pod-template-hash, and the names made from it.
#pragma once

#include <cstdint>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit::deployment {

/// The identifier of a template: up to 10 characters, valid in labels and names. Equal for equal
/// templates (see equal_templates()) that spell their quantities alike, in every process and at any
/// time, so that a create against a stale cache ends in AlreadyExists. It differs for every
/// `collision_count`, none included. Not upstream's number: see the decision note on the hash.
[[nodiscard]] std::string template_hash(const Value& pod_template,
                                        std::optional<std::int64_t> collision_count);

/// A number as upstream spells it in names: its decimal digits in an alphabet without vowels.
[[nodiscard]] std::string encode_hash(std::uint32_t hash);

/// "<deployment>-<hash>", the deployment's name cut so that the whole is a valid object name.
[[nodiscard]] std::string replica_set_name(std::string_view deployment, std::string_view hash);

}  // namespace davit::deployment
