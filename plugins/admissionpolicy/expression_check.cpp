#include "plugins/admissionpolicy/expression_check.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <memory>
#include <string_view>

#include "lib/cel/admission.hpp"
#include "lib/cel/checker.hpp"
#include "lib/cel/parser.hpp"
#include "lib/cel/source.hpp"

namespace davit::admissionpolicy {
namespace {

/// A longer expression is not checked (X3).
constexpr std::size_t kSourceBytesMax = std::size_t{64} * 1024;
/// A warning ends after the error that crosses this size (X4).
constexpr std::size_t kWarningBytesMax = std::size_t{16} * 1024;
/// Expressions behind the warning that crosses this size get none. The server refuses a status that
/// makes the policy too large, and the policy would be checked again for ever.
constexpr std::size_t kWarningsBytesMax = std::size_t{256} * 1024;
/// Upstream shows no more of those that it finds.
constexpr std::size_t kErrorsMax = 100;

/// Whether the mistake can be this checker's: a function or variable of a newer server.
bool is_unknown(const cel::Issue& issue) {
  return issue.message.starts_with("undeclared reference to") ||
         issue.message.starts_with("the types of the expression are too large");
}

/// The issues as the status shows them; "" if there are none.
std::string text_of(std::string_view source, cel::Issues issues) {
  std::erase_if(issues, is_unknown);
  const std::size_t count = issues.size();
  if (count > kErrorsMax) issues.resize(kErrorsMax);
  std::ranges::stable_sort(issues, {}, &cel::Issue::offset);
  std::string out;
  std::size_t shown = 0;
  for (const cel::Issue& each : issues) {
    if (out.size() > kWarningBytesMax) break;
    if (!out.empty()) out += '\n';
    out += cel::display(source, {each});
    ++shown;
  }
  if (shown < count) out += '\n' + std::to_string(count - shown) + " more errors were truncated";
  return out;
}

/// The checker for one kind.
class Environment {
 public:
  Environment(const PolicyExpressions& policy, const cel::TypePtr& object,
              const cel::TypePtr& params)
      : variables_({{"object", object},
                    {"oldObject", object},
                    {"request", cel::admission_request_type()},
                    {"namespaceObject", cel::namespace_object_type()},
                    {"authorizer", cel::type_literal("Authorizer")},
                    {"variables", cel::object_type("kubernetes.variables", members_)}}) {
    if (params != nullptr) variables_.push_back({"params", params});
    for (const auto& [name, text] : policy.variables) (*members_)[name] = member_type(text);
  }

  /// The mistakes in an expression as text.
  [[nodiscard]] std::string flaws(const std::string& text) const {
    if (text.size() > kSourceBytesMax) return "";
    const cel::Parsed parsed = cel::parse(text);
    if (parsed.root == nullptr) return "";
    return text_of(text, cel::check(*parsed.root, variables_).issues);
  }

 private:
  [[nodiscard]] cel::TypePtr member_type(const std::string& text) const {
    const cel::TypePtr any = cel::simple_type(cel::TypeKind::kDyn);
    if (text.size() > kSourceBytesMax) return any;
    const cel::Parsed parsed = cel::parse(text);
    if (parsed.root == nullptr) return any;
    const cel::Checked checked = cel::check(*parsed.root, variables_);
    return checked.issues.empty() ? cel::composed_type(checked.result) : any;
  }

  const std::shared_ptr<cel::FieldTypes> members_ = std::make_shared<cel::FieldTypes>();
  std::vector<cel::Variable> variables_;
};

}  // namespace

std::vector<ExpressionWarning> check_expressions(const PolicyExpressions& policy,
                                                 const std::vector<TypedKind>& kinds,
                                                 const cel::TypePtr& params) {
  std::vector<Environment> environments;
  environments.reserve(kinds.size());
  for (const TypedKind& each : kinds) environments.emplace_back(policy, each.type, params);
  std::vector<ExpressionWarning> out;
  std::size_t bytes = 0;
  const auto check = [&](const std::string& text, std::string field) {
    if (bytes > kWarningsBytesMax && !mutant("warnings-of-a-policy")) return;
    std::string warning;
    for (std::size_t i = 0; i < kinds.size() && warning.size() <= kWarningBytesMax; ++i) {
      const std::string flaws = environments[i].flaws(text);
      if (flaws.empty()) continue;
      const GroupVersionKind& id = kinds[i].id;
      if (!warning.empty()) warning += '\n';
      warning += id.group + '/' + id.version + ", Kind=" + id.kind + ": " + flaws + '\n';
    }
    if (warning.empty()) return;
    bytes += field.size() + warning.size();
    out.push_back({std::move(field), std::move(warning)});
  };
  for (std::size_t i = 0; i < policy.validations.size(); ++i) {
    const std::string field = "spec.validations[" + std::to_string(i) + "].";
    const PolicyExpressions::Validation& each = policy.validations[i];
    check(each.expression, field + "expression");
    if (!each.message.empty()) check(each.message, field + "messageExpression");
  }
  return out;
}

}  // namespace davit::admissionpolicy
