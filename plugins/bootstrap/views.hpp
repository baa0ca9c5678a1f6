/// Views of the objects that the plugin reads.
#pragma once

#include <davit/dynamic_informer.hpp>
#include <davit/kube/metadata.hpp>
#include <optional>
#include <string_view>
#include <utility>

namespace davit::bootstrap {

inline constexpr std::string_view kTokenNamespace = "kube-system";
inline constexpr std::string_view kTokenType = "bootstrap.kubernetes.io/token";
/// Selects token Secrets; the type of a Secret never changes.
inline constexpr std::string_view kTokenSecrets = "type=bootstrap.kubernetes.io/token";

inline constexpr std::string_view kInfoNamespace = "kube-public";
inline constexpr std::string_view kInfoName = "cluster-info";
inline constexpr std::string_view kInfoMaps = "metadata.name=cluster-info";

/// A Secret of type bootstrap.kubernetes.io/token.
class TokenSecret : public ObjectView {
 public:
  static constexpr Resource kResource = {"", "v1", "secrets", "Secret"};
  using ObjectView::ObjectView;

  /// The values are base64.
  [[nodiscard]] Value data() const { return value()["data"]; }
};

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource = {"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;

  [[nodiscard]] Value data() const { return value()["data"]; }
};

/// The part of a resource that a controller watches.
struct Watched {
  std::string_view ns;
  std::string_view field_selector;
  std::string_view field;  ///< The only field path that is read.
};
/// The options of an informer of one namespace.
template <typename View>
[[nodiscard]] DynamicInformerOptions informer_of(
    const Watched& watched, std::optional<DynamicInformerOptions::Wake> wake = std::nullopt) {
  return {.group = View::kResource.group,
          .version = View::kResource.version,
          .resource = View::kResource.resource,
          .ns = watched.ns,
          .field_selector = watched.field_selector,
          .projection = {watched.field},
          .wake = std::move(wake)};
}

}  // namespace davit::bootstrap
