/// The bodies of the controller's requests. Pure.
#pragma once

#include <davit/object.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/resourceclaim/views.hpp"

namespace davit::resourceclaim {

/// Claims by the name of the entry of spec.resourceClaims that they were made for.
using MadeClaims = std::map<std::string, std::string, std::less<>>;

/// metadata.generateName of the claim of an entry: "<consumer>-<entry>-", with both shortened alike
/// if that is too long for a name of 63 bytes. Rule: docs/spec/dra.md, A6.5.
[[nodiscard]] std::string generate_name(std::string_view consumer, std::string_view entry);

/// The claim that a template makes for the entry `entry`. Rule: docs/spec/dra.md, A6.5.
[[nodiscard]] std::string claim_body(const Consumer& consumer, std::string_view entry,
                                     const Template& from);

/// The apply of status.resourceClaimStatuses: those that are there and have a claim, and `made`
/// over them. It is refused for another object of the name. Rule: docs/spec/dra.md, A5.4 and D3.
[[nodiscard]] std::string statuses_body(const Consumer& consumer, const MadeClaims& made);

/// A consumer of a claim that was not among status.reservedFor before.
struct NewConsumer {
  std::string_view api_group = {};  ///< Empty: the core group.
  std::string_view resource;
  std::string_view name;
  std::string_view uid;
};

/// Adds a consumer; refused with 409 if the claim has changed meanwhile, like all patches here.
/// Rule: docs/spec/dra.md, A5.6.
[[nodiscard]] std::string reserve_patch(const Claim& claim, const NewConsumer& added);
/// Whether status.allocation goes with the last consumer.
enum class Allocation : bool { kStays, kGoes };
/// Leaves the consumers `kept`. Rule: docs/spec/dra.md, A8.3.
[[nodiscard]] std::string release_patch(const Claim& claim, const std::vector<Value>& kept,
                                        Allocation allocation);
/// Takes the finalizer off; those of others stay.
[[nodiscard]] std::string finalizer_patch(const ObjectView& object, std::string_view finalizer);

}  // namespace davit::resourceclaim
