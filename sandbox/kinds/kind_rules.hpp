/// The rules of the built-in kinds: their common part, and a function for each kind.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "lib/kube/names.hpp"
#include "sandbox/kinds/columns.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The row of a kind in the table of resources. The views are of literals.
struct KindFacts {
  std::string_view group;
  std::string_view plural;
  std::string_view kind;
  NameRule names = NameRule::kSubdomain;
  bool namespaced = true;
  bool has_status = false;
  bool has_generation = false;
};

/// Rules that hold for all kinds: those of metadata, of `status` and of generation. A kind with
/// more overrides the hooks below and calls PlainRules' own where it extends them.
class PlainRules : public KindRules {
 public:
  explicit PlainRules(const KindFacts& facts);

  void set_defaults(Json& object) const override;
  /// Kinds with a status start with an empty one.
  void prepare_create(Json& object) const override;
  /// kObject keeps the old status; kStatus changes metadata and status, all else stays.
  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override;
  [[nodiscard]] FieldErrors validate_create(const Json& object) const final;
  [[nodiscard]] FieldErrors validate_update(const Json& object, const Json& old,
                                            UpdateTarget target) const final;
  /// When `spec` changed, for kinds that have a generation.
  [[nodiscard]] bool raises_generation(const Json& object, const Json& old) const override;

  [[nodiscard]] std::vector<Column> columns() const final { return columns_.columns; }
  [[nodiscard]] Json::Items cells(const Json& object, WallTime now) const final {
    return columns_.cells(object, now);
  }

 protected:
  /// The rules beyond metadata; each adds what it finds.
  virtual void check_create(const Json& object, FieldErrors& errors) const;
  /// Same as check_create() unless overridden.
  virtual void check_update(const Json& object, const Json& old, FieldErrors& errors) const;
  virtual void check_status(const Json& object, const Json& old, FieldErrors& errors) const;
  /// For the one kind that has the subresource.
  virtual void check_approval(const Json& object, const Json& old, FieldErrors& errors) const;
  /// Whether finalizers must have a domain: not of kinds that are checked by
  /// k8s.io/apimachinery's ValidateObjectMeta alone.
  [[nodiscard]] virtual bool checks_finalizer_names() const { return true; }

  [[nodiscard]] const KindFacts& facts() const { return facts_; }

 private:
  const KindFacts facts_;
  const ColumnSet columns_;
};

/// Makes the rules of one kind.
using MakeRules = std::shared_ptr<const KindRules> (*)(const KindFacts& facts);

/// For kinds without their own rules.
[[nodiscard]] std::shared_ptr<const KindRules> plain_rules(const KindFacts& facts);

}  // namespace davit::sandbox
