/// Views of the objects that the plugin reads.
#pragma once

#include <davit/kube/metadata.hpp>
#include <string_view>

namespace davit::serviceaccount {

inline constexpr std::string_view kNameAnnotation = "kubernetes.io/service-account.name";
inline constexpr std::string_view kUidAnnotation = "kubernetes.io/service-account.uid";
/// The cause of a refusal to create content, which is final.
inline constexpr std::string_view kNamespaceTerminating = "NamespaceTerminating";
/// Selects token Secrets; the type of a Secret never changes.
inline constexpr std::string_view kTokenSecrets = "type=kubernetes.io/service-account-token";

class Namespace : public ObjectView {
 public:
  static constexpr Resource kResource = {"", "v1", "namespaces", "Namespace"};
  using ObjectView::ObjectView;

  [[nodiscard]] bool is_active() const { return status()[&Names::phase].string() == "Active"; }
};

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource = {"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;

  [[nodiscard]] Value data() const { return value()["data"]; }
};

class ServiceAccount : public ObjectView {
 public:
  static constexpr Resource kResource = {"", "v1", "serviceaccounts", "ServiceAccount"};
  using ObjectView::ObjectView;

  /// References to Secrets.
  [[nodiscard]] Value secrets() const { return value()["secrets"]; }
  /// Whether `secrets` has an entry with this name.
  [[nodiscard]] bool names_secret(std::string_view name) const {
    for (const Value each : secrets().elements()) {
      if (each[&Names::name].string() == name) return true;
    }
    return false;
  }
};

/// A Secret of type kubernetes.io/service-account-token.
class TokenSecret : public ObjectView {
 public:
  static constexpr Resource kResource = {"", "v1", "secrets", "Secret"};
  using ObjectView::ObjectView;

  /// The values are base64.
  [[nodiscard]] Value data() const { return value()["data"]; }
  /// The ServiceAccount's name; empty: none.
  [[nodiscard]] std::string_view account() const {
    return annotation(kNameAnnotation).value_or(std::string_view());
  }
  /// The ServiceAccount's UID; empty: that of any.
  [[nodiscard]] std::string_view account_uid() const {
    return annotation(kUidAnnotation).value_or(std::string_view());
  }
  /// Whether its annotations mean the ServiceAccount with this name and UID.
  [[nodiscard]] bool belongs_to(std::string_view name, std::string_view uid) const {
    return account() == name && (account_uid().empty() || account_uid() == uid);
  }
};

}  // namespace davit::serviceaccount
