/// The body of a pod that a controller creates from a template.
#pragma once

#include <davit/kube/owner_reference.hpp>
#include <davit/object.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/shared/pods/json_rewrite.hpp"

namespace davit::pods {

/// The metadata of a pod beside what its template gives.
struct PodMetadata {
  std::string name = {};           ///< Empty: the API server makes one from `generate_name`.
  std::string generate_name = {};  ///< Empty: left out.
  /// These win over entries of the template with the same key.
  std::vector<std::pair<std::string, std::string>> labels = {};
  std::vector<std::pair<std::string, std::string>> annotations = {};
  std::vector<std::string> finalizers = {};  ///< Behind those of the template.
};

/// The prefix of generated pod names: "<owner's name>-", without the dash only where no valid pod
/// name could begin so.
[[nodiscard]] std::string pod_name_prefix(std::string_view owner_name);

/// The JSON text of a pod made from `pod_template`, with `owner` as its controller and `spec` as
/// changes of the template's spec. The template's metadata contributes only labels, annotations and
/// finalizers. The copied parts are the template's own text, so unknown fields arrive unchanged.
[[nodiscard]] std::string pod_body(Value pod_template, const PodMetadata& metadata,
                                   const OwnerIdentity& owner,
                                   std::span<const Replacement> spec = {});

}  // namespace davit::pods
