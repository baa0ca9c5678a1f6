/// The rules of the token controller: what a token Secret lacks, and the patches. Pure.
#pragma once

#include <string>
#include <string_view>

#include "plugins/serviceaccount/views.hpp"

namespace davit::serviceaccount {

/// The parts of a token Secret that are to be written. Rule: docs/spec/serviceaccount.md, C7.
struct NeededParts {
  bool ca = false;
  bool ns = false;
  bool token = false;

  [[nodiscard]] bool any() const { return ca || ns || token; }
};
/// `root_ca`: in base64; empty: none is known.
[[nodiscard]] NeededParts needed_parts(const TokenSecret& secret, std::string_view root_ca);

/// The data to fill a Secret with; all in base64. Empty parts are not needed.
struct TokenParts {
  std::string_view ca;
  std::string_view ns;
  std::string_view token;
};
/// The merge patch that gives a live Secret these parts and the account's annotations. Conflicts if
/// the Secret has changed.
[[nodiscard]] std::string fill_patch(const TokenSecret& live, const ServiceAccount& account,
                                     const TokenParts& parts);

/// The merge patch that removes the references to this Secret from a live ServiceAccount. Conflicts
/// if the account has changed.
[[nodiscard]] std::string reference_patch(const ServiceAccount& live, std::string_view secret);

}  // namespace davit::serviceaccount
