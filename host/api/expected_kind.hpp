/// The kinds that responses about a resource may have. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace davit::host {

struct ApiCatalog;

/// Whether `group` belongs to Kubernetes itself. Its kinds have their regular plurals as resources,
/// its objects are persistent, and no custom resource or aggregated server can take its place.
[[nodiscard]] bool is_built_in_group(std::string_view group);

/// The kind of a resource, as far as it is known before a response arrives: in built-in groups from
/// the name of the resource, in others from discovery. The group and version are always known.
class ExpectedKind {
 public:
  /// The form that the request accepts.
  enum class Form {
    kWhole,
    kMetadata,  ///< PartialObjectMetadata; whole objects from servers that lack it.
  };
  struct Resource {
    std::string_view group;  ///< Empty: core.
    std::string_view version;
    std::string_view resource;
  };

  /// `catalog`: what the server offers; null: unknown.
  ExpectedKind(const Resource& of, Form form, std::shared_ptr<const ApiCatalog> catalog);

  /// Whether an object of this kind is one of the resource.
  [[nodiscard]] bool is_object(std::string_view api_version, std::string_view kind) const;
  /// Whether a list of this kind may be one of the resource. Custom resources may have any name for
  /// it that is not the one of another kind's list.
  [[nodiscard]] bool is_list(std::string_view api_version, std::string_view kind) const;
  /// Whether the server keeps the objects, which therefore have a UID and a version. Objects that
  /// an aggregated server computes may lack both.
  [[nodiscard]] bool is_stored() const { return is_stored_; }
  /// "ConfigMap of v1", or "configmaps of v1" if the kind is not known.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] bool is_metadata(std::string_view api_version, std::string_view kind,
                                 std::string_view wanted) const;
  [[nodiscard]] bool is_kind(std::string_view kind) const;
  [[nodiscard]] bool is_other_kind(std::string_view kind) const;

  const std::string group_;
  const std::string api_version_;
  const std::string resource_;
  const Form form_;
  const bool is_built_in_;
  const std::shared_ptr<const ApiCatalog> catalog_;
  std::string kind_;  // From discovery.
  bool is_stored_ = false;
};

}  // namespace davit::host
