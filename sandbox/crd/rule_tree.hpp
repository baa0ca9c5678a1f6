/// RuleTree: the rules of x-kubernetes-validations of a schema, and their judgement of objects.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/schema_node.hpp"
#include "sandbox/crd/compiled_rule.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The rules of a schema and of its parts, compiled. Immutable and thread-safe.
///
/// Follows k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
class RuleTree {
 public:
  RuleTree(const RuleTree&) = delete;
  RuleTree& operator=(const RuleTree&) = delete;
  virtual ~RuleTree() = default;

  /// Null if the schema has no rules. `schema` is the compiled form of `json` and must outlive the
  /// tree.
  [[nodiscard]] static std::unique_ptr<const RuleTree> compile(const Json& json,
                                                               const SchemaNode& schema);

  /// Adds an error for each rule that `object` breaks. `old`: what it replaces; null: nothing.
  /// Rules without oldSelf do not judge unchanged parts. The rules of one object share a cost
  /// budget; when it is exceeded, the remaining rules are not evaluated, and an error is added.
  void validate(const Json& object, const Json* old, FieldErrors& errors) const;

 protected:
  RuleTree() = default;

 private:
  friend class RuleRun;

  static std::unique_ptr<RuleTree> build(const Json& json, const SchemaNode& schema,
                                         cel::ResourceRoot root);
  void add_parts(const Json& json);

  const SchemaNode* schema_ = nullptr;
  cel::ResourceRoot root_ = cel::ResourceRoot::kNo;
  std::vector<CompiledRule> rules_;
  std::vector<std::unique_ptr<RuleTree>> conditions_;  // allOf
  std::map<std::string, std::unique_ptr<RuleTree>, std::less<>> properties_;
  std::unique_ptr<RuleTree> additional_;
  std::unique_ptr<RuleTree> items_;
};

/// Adds the errors of the rules unless the schema's own errors make them meaningless; then it adds
/// a note that they were not checked. `errors`: those of the schema.
void check_rules_of(const RuleTree* rules, const Json& object, const Json* old,
                    FieldErrors& errors);

}  // namespace davit::sandbox
