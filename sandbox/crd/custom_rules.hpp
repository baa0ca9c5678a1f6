/// CustomRules: the rules of one version of a custom resource, from its schema.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/crd/apply_schema.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/crd/json_path.hpp"
#include "sandbox/crd/rule_tree.hpp"
#include "sandbox/crd/structural_schema.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// A column of a definition and where its cells come from.
struct CustomColumn {
  Column column;
  JsonPath path;
};

/// Facts that the versions of a definition share.
struct DefinitionFacts {
  enum class Lifetime : std::uint8_t { kServed, kTerminating };

  std::shared_ptr<const ConversionHook> hook;  ///< Null: conversion changes the apiVersion only.
  Lifetime lifetime = Lifetime::kServed;       ///< kTerminating: it is being deleted.
  ResourcePtr unserved_storage;                ///< Null: the storage version is served.
};

/// One version of a definition, compiled. Immutable and thread-safe.
class CustomRules : public KindRules {
 public:
  /// `version`: an element of spec.versions of a valid definition. kInvalid when its schema or a
  /// path in it does not compile.
  [[nodiscard]] static Result<std::shared_ptr<const CustomRules>> compile(
      const Json& version, Scope scope, DefinitionFacts shared = {});

  void set_defaults(Json& object) const override;
  void prepare_create(Json& object) const override;
  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override;
  [[nodiscard]] FieldErrors validate_create(const Json& object) const override;
  [[nodiscard]] FieldErrors validate_update(const Json& object, const Json& old,
                                            UpdateTarget target) const override;
  [[nodiscard]] bool raises_generation(const Json& object, const Json& old) const override;
  [[nodiscard]] Pairs fields(const Json& object) const override;
  [[nodiscard]] bool knows_field(std::string_view field) const override;
  [[nodiscard]] std::vector<Column> columns() const override;
  [[nodiscard]] Json::Items cells(const Json& object, WallTime now) const override;

  [[nodiscard]] const SchemaNode& schema() const { return *schema_; }
  [[nodiscard]] const Message& apply_schema() const { return apply_.root(); }
  [[nodiscard]] bool has_status() const { return has_status_; }
  [[nodiscard]] const std::optional<ScalePaths>& scale() const { return scale_; }

 private:
  CustomRules(std::unique_ptr<const SchemaNode> schema, Scope scope)
      : schema_(std::move(schema)), apply_(*schema_), scope_(scope) {}
  friend const ConversionHook* conversion_hook(const Resource& resource);
  friend bool is_terminating(const Resource& resource);
  friend const Resource* unserved_storage(const Resource& resource);
  [[nodiscard]] Status read_columns(const Json& columns);
  [[nodiscard]] Status read_fields(const Json& selectable);
  [[nodiscard]] Status read_subresources(const Json& subresources);
  /// Checks the values that /scale shows.
  void check_scale(const Json& object, UpdateTarget target, FieldErrors& errors) const;
  void check_status(const Json& object, const Json& old, FieldErrors& errors) const;

  struct SelectableField {
    std::string name;  ///< "spec.color"
    JsonPath path;
  };

  const std::unique_ptr<const SchemaNode> schema_;
  const ApplySchema apply_;
  std::unique_ptr<const RuleTree> validations_;  // Null: the schema has no rules.
  const Scope scope_;
  std::vector<CustomColumn> columns_;
  std::vector<SelectableField> selectable_;
  bool has_status_ = false;
  std::optional<ScalePaths> scale_;
  DefinitionFacts shared_;
};

}  // namespace davit::sandbox
