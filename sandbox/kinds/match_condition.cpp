#include "sandbox/kinds/match_condition.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/cel/checker.hpp"
#include "lib/cel/parser.hpp"
#include "lib/cel/source.hpp"
#include "lib/cel/types.hpp"

namespace davit::sandbox {

namespace {

using cel::TypePtr;

TypePtr object_of(std::string name,
                  std::initializer_list<std::pair<const std::string, TypePtr>> fields) {
  return cel::object_type(std::move(name), std::make_shared<const cel::FieldTypes>(fields));
}

/// The type of `request`.
TypePtr request_type() {
  const TypePtr text = cel::simple_type(cel::TypeKind::kString);
  const TypePtr flag = cel::simple_type(cel::TypeKind::kBool);
  const TypePtr texts = cel::list_type(text);
  const TypePtr kind = object_of("kubernetes.GroupVersionKind",
                                 {{"group", text}, {"version", text}, {"kind", text}});
  const TypePtr resource = object_of("kubernetes.GroupVersionResource",
                                     {{"group", text}, {"version", text}, {"resource", text}});
  const TypePtr user = object_of("kubernetes.UserInfo", {{"username", text},
                                                         {"uid", text},
                                                         {"groups", texts},
                                                         {"extra", cel::map_type(text, texts)}});
  return object_of("kubernetes.AdmissionRequest",
                   {{"kind", kind},
                    {"resource", resource},
                    {"subResource", text},
                    {"requestKind", kind},
                    {"requestResource", resource},
                    {"requestSubResource", text},
                    {"name", text},
                    {"namespace", text},
                    {"operation", text},
                    {"userInfo", user},
                    {"dryRun", flag},
                    {"options", cel::simple_type(cel::TypeKind::kDyn)}});
}

/// The flaw of an expression; "" if there is none.
std::string expression_flaw(std::string_view text) {
  constexpr std::string_view kFailed = "compilation failed: ";
  cel::Parsed parsed = cel::parse(text);
  if (!parsed.issues.empty()) {
    return std::string(kFailed) + cel::display(text, std::move(parsed.issues));
  }
  const TypePtr any = cel::simple_type(cel::TypeKind::kDyn);
  const std::vector<cel::Variable> variables = {
      {"object", any}, {"oldObject", any}, {"request", request_type()}, {"authorizer", any}};
  cel::Checked checked = cel::check(*parsed.root, variables);
  if (checked.variables.contains("authorizer")) return "";
  if (!checked.issues.empty()) {
    return std::string(kFailed) + cel::display(text, std::move(checked.issues));
  }
  if (checked.result->kind == cel::TypeKind::kBool) return "";
  return "must evaluate to bool but got " + cel::to_text(*checked.result);
}

}  // namespace

void check_match_expression(const Json& expression, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  std::string_view text = expression.text();
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kSpace)));
  text = text.substr(0, text.find_last_not_of(kSpace) + 1);
  if (text.empty()) {
    errors.push_back(field_required(path.text()));
    return;
  }
  const std::string flaw = expression_flaw(text);
  if (!flaw.empty()) errors.push_back(field_invalid(path.text(), text, flaw));
}

}  // namespace davit::sandbox
