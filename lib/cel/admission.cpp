#include "lib/cel/admission.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "lib/cel/authorizer.hpp"
#include "lib/cel/limits.hpp"
#include "lib/cel/mutations.hpp"
#include "lib/cel/parser.hpp"
#include "lib/cel/planning.hpp"
#include "lib/cel/source.hpp"

namespace davit::cel {
namespace {

/// Members of `variables` evaluate each other on one stack, which holds trees of ten times
/// kTreeDepthMax. Their values nest as deep, also those that are known already: a deeper one would
/// end the stack when it is destroyed. Upstream has no limit, and ends at a cycle.
constexpr std::size_t kNestingMax = 5 * kTreeDepthMax;

constexpr std::string_view kVariables = "variables";

TypePtr object_of(std::string name,
                  std::initializer_list<std::pair<const std::string, TypePtr>> fields) {
  return object_type(std::move(name), std::make_shared<const FieldTypes>(fields));
}

TypePtr any() { return simple_type(TypeKind::kDyn); }

TypePtr make_request_type() {
  const TypePtr text = simple_type(TypeKind::kString);
  const TypePtr texts = list_type(text);
  const TypePtr kind = object_of("kubernetes.GroupVersionKind",
                                 {{"group", text}, {"version", text}, {"kind", text}});
  const TypePtr resource = object_of("kubernetes.GroupVersionResource",
                                     {{"group", text}, {"version", text}, {"resource", text}});
  const TypePtr user = object_of(
      "kubernetes.UserInfo",
      {{"username", text}, {"uid", text}, {"groups", texts}, {"extra", map_type(text, texts)}});
  return object_of("kubernetes.AdmissionRequest", {{"kind", kind},
                                                   {"resource", resource},
                                                   {"subResource", text},
                                                   {"requestKind", kind},
                                                   {"requestResource", resource},
                                                   {"requestSubResource", text},
                                                   {"name", text},
                                                   {"__namespace__", text},
                                                   {"operation", text},
                                                   {"userInfo", user},
                                                   {"dryRun", simple_type(TypeKind::kBool)},
                                                   {"options", any()}});
}

TypePtr make_namespace_type() {
  const TypePtr text = simple_type(TypeKind::kString);
  const TypePtr number = simple_type(TypeKind::kInt);
  const TypePtr time = simple_type(TypeKind::kTimestamp);
  const TypePtr texts = list_type(text);
  const TypePtr pairs = map_type(text, text);
  const TypePtr condition =
      object_of("kubernetes.NamespaceCondition", {{"status", text},
                                                  {"type", text},
                                                  {"lastTransitionTime", time},
                                                  {"message", text},
                                                  {"reason", text}});
  const TypePtr metadata =
      object_of("kubernetes.NamespaceMetadata", {{"name", text},
                                                 {"generateName", text},
                                                 {"__namespace__", text},
                                                 {"labels", pairs},
                                                 {"annotations", pairs},
                                                 {"UID", text},
                                                 {"creationTimestamp", time},
                                                 {"deletionGracePeriodSeconds", number},
                                                 {"deletionTimestamp", time},
                                                 {"generation", number},
                                                 {"resourceVersion", text},
                                                 {"finalizers", texts}});
  return object_of(
      "kubernetes.Namespace",
      {{"metadata", metadata},
       {"spec", object_of("kubernetes.NamespaceSpec", {{"finalizers", texts}})},
       {"status", object_of("kubernetes.NamespaceStatus",
                            {{"conditions", list_type(condition)}, {"phase", text}})}});
}

/// A type as messages about results show it, by the names that identifiers have.
std::string result_text(const Type& type) {
  switch (type.kind) {
    case TypeKind::kNull:
      return "null_type";
    case TypeKind::kTimestamp:
      return "google.protobuf.Timestamp";
    case TypeKind::kDuration:
      return "google.protobuf.Duration";
    default:
      break;
  }
  std::string out = to_text(type);
  if (type.parameters.empty()) return out;
  out.resize(out.find('(') + 1);
  for (const TypePtr& each : type.parameters) {
    out += (out.ends_with('(') ? "" : ", ") + result_text(*each);
  }
  return out + ')';
}

bool is_object(const Type& type, std::string_view name) {
  return type.kind == TypeKind::kObject && type.name == name;
}

/// Why an expression of the type is not wanted; "" if it is.
std::string wrong_result(const Type& type, Wanted wanted) {
  const std::string got = " but got " + result_text(type);
  switch (wanted) {
    case Wanted::kBool:
      return type.kind == TypeKind::kBool ? "" : "must evaluate to bool" + got;
    case Wanted::kText:
      return type.kind == TypeKind::kString ? "" : "must evaluate to string" + got;
    case Wanted::kTextOrNull:
      return type.kind == TypeKind::kString || type.kind == TypeKind::kNull
                 ? ""
                 : "must evaluate to one of [string null_type]" + got;
    case Wanted::kObject:
      return is_object(type, kObjectType) ? "" : "must evaluate to Object" + got;
    case Wanted::kPatches:
      return type.kind == TypeKind::kList && is_object(*type.parameters[0], kJsonPatchType)
                 ? ""
                 : "must evaluate to list(JSONPatch)" + got;
    case Wanted::kAny:
      break;
  }
  return "";
}

std::size_t depth_of(const Expr& expr) {
  std::size_t below = 0;
  const auto part = [&](const ExprPtr& each) {
    if (each != nullptr) below = std::max(below, depth_of(*each));
  };
  part(expr.target);
  for (const ExprPtr& each : expr.args) part(each);
  for (const Entry& each : expr.entries) {
    part(each.key);
    part(each.value);
  }
  if (expr.loop != nullptr) {
    const Comprehension& loop = *expr.loop;
    for (const ExprPtr* each : {&loop.range, &loop.init, &loop.condition, &loop.step, &loop.result})
      part(*each);
  }
  return below + 1;
}

Value value_of(const Json* json) { return json == nullptr ? Value() : json_value(*json); }

}  // namespace

TypePtr admission_request_type() {
  static const TypePtr kType = make_request_type();
  return kType;
}

TypePtr namespace_object_type() {
  static const TypePtr kType = make_namespace_type();
  return kType;
}

TypePtr composed_type(const TypePtr& type) {
  switch (type->kind) {
    case TypeKind::kList:
      return list_type(composed_type(type->parameters[0]));
    case TypeKind::kMap:
      return map_type(composed_type(type->parameters[0]), composed_type(type->parameters[1]));
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
    case TypeKind::kNull:
      return type;
    default:
      return any();
  }
}

AdmissionCompiler::AdmissionCompiler(Declares params)
    : variables_({{"object", any()},
                  {"oldObject", any()},
                  {"namespaceObject", namespace_object_type()},
                  {"request", admission_request_type()}}) {
  if (params == Declares::kYes) variables_.push_back({"params", any()});
}

void AdmissionCompiler::declare_variables() {
  if (members_ == nullptr) members_ = std::make_shared<FieldTypes>();
}

AdmissionExpression AdmissionCompiler::add_variable(const std::string& name, std::string text) {
  declare_variables();
  AdmissionExpression out = compile(std::move(text), Wanted::kAny, Declares::kYes);
  (*members_)[name] = out.type == nullptr ? any() : composed_type(out.type);
  return out;
}

AdmissionExpression AdmissionCompiler::compile(std::string text, Wanted wanted,
                                               Declares authorizer) const {
  constexpr std::string_view kFailed = "compilation failed: ";
  AdmissionExpression out;
  out.text = std::move(text);
  Parsed parsed = parse(out.text);
  if (!parsed.issues.empty()) {
    out.error = std::string(kFailed) + display(out.text, std::move(parsed.issues));
    return out;
  }
  std::vector<Variable> variables = variables_;
  if (authorizer == Declares::kYes) {
    variables.push_back({"authorizer", type_literal("Authorizer")});
    variables.push_back({std::string(kRequestResource), type_literal("ResourceCheck")});
  }
  if (members_ != nullptr) {
    variables.push_back({std::string(kVariables), object_type("kubernetes.variables", members_)});
  }
  const bool mutates = wanted == Wanted::kObject || wanted == Wanted::kPatches;
  Checked checked = check(*parsed.root, variables, mutates ? PatchTypes::kYes : PatchTypes::kNo);
  if (!checked.issues.empty()) {
    out.error = std::string(kFailed) + display(out.text, std::move(checked.issues));
    return out;
  }
  out.error = wrong_result(*checked.result, wanted);
  if (!out.error.empty()) return out;
  const std::string failed = checked.patch_type.empty()
                                 ? planning_error(*parsed.root)
                                 : "reference to undefined type: " + checked.patch_type;
  if (!failed.empty()) {
    out.error = "program instantiation failed: " + failed;
    out.internal = true;
    return out;
  }
  out.type = checked.result;
  out.depth = depth_of(*parsed.root);
  out.tree = std::move(parsed.root);
  return out;
}

/// The value of `variables`.
class AdmissionVariables::Members final : public MapValue {
 public:
  explicit Members(const AdmissionVariables& owner) : owner_(owner) {}

  [[nodiscard]] std::size_t size() const override { return owner_.places_.size(); }
  [[nodiscard]] std::optional<Value> find(const Value& key) const override {
    if (key.kind() != ValueKind::kString) return no_such_overload();
    const auto found = owner_.places_.find(key.text());
    if (found == owner_.places_.end()) return std::nullopt;
    return owner_.member(found->second);
  }
  [[nodiscard]] Value key_at(std::size_t index) const override {
    return text_value(at(index)->first);  // The value may outlive the variables.
  }
  [[nodiscard]] Value value_at(std::size_t index) const override {
    return owner_.member(at(index)->second);
  }
  [[nodiscard]] std::string_view type_name() const override { return "kubernetes.variables"; }

 private:
  [[nodiscard]] auto at(std::size_t index) const
      -> std::map<std::string, std::size_t, std::less<>>::const_iterator {
    return std::next(owner_.places_.begin(), static_cast<std::ptrdiff_t>(index));
  }

  const AdmissionVariables& owner_;
};

AdmissionVariables::AdmissionVariables(const AdmissionValues& values,
                                       const std::vector<NamedExpression>& members)
    : values_(values), members_(members) {
  for (std::size_t i = 0; i < members.size(); ++i) places_[members[i].first] = i;
}

std::optional<Value> AdmissionVariables::find(std::string_view name) const {
  if (name == "object") return value_of(values_.object);
  if (name == "oldObject") return value_of(values_.old_object);
  if (name == "request") return value_of(values_.request);
  if (name == "params") return value_of(values_.params);
  if (name == "namespaceObject") return value_of(values_.namespace_object);
  if (name == "authorizer") return values_.authorizer;
  if (name == kRequestResource) return values_.request_resource;
  if (name == kVariables) return Value(MapRef(std::make_shared<const Members>(*this)));
  return std::nullopt;
}

std::uint64_t AdmissionVariables::take_cost() const { return std::exchange(cost_, 0); }

Value AdmissionVariables::member(std::size_t index) const {
  auto known = known_.find(index);
  if (known == known_.end()) {
    Known value = evaluated(members_[index]);
    known = known_.emplace(index, std::move(value)).first;
  }
  below_ = std::max(below_, known->second.depth);
  return known->second.value;
}

AdmissionVariables::Known AdmissionVariables::evaluated(const NamedExpression& member) const {
  const auto& [name, expression] = member;
  const std::string variable = "composited variable " + to_text(Json(name));
  if (expression.tree == nullptr) {
    return {error_value(variable + " fails to compile: " + expression.error)};
  }
  const Known too_deep = {error_value(variable + " fails to evaluate: variables nest too deeply")};
  if (depth_ + expression.depth > kNestingMax) return too_deep;
  const std::size_t beside = std::exchange(below_, 0);
  depth_ += expression.depth;
  const Evaluation result = evaluate(*expression.tree, *this, kCallCostMax);
  depth_ -= expression.depth;
  const std::size_t depth = expression.depth + std::exchange(below_, beside);
  if (__builtin_add_overflow(cost_, result.cost, &cost_)) {
    cost_ = std::numeric_limits<std::uint64_t>::max();
  }
  if (result.value.is_error()) {
    return {error_value(variable + " fails to evaluate: " + std::string(result.value.error()))};
  }
  if (depth > kNestingMax) return too_deep;
  return {result.value, depth};
}

AdmissionOutcome evaluate_admission(const AdmissionExpression& expression,
                                    const AdmissionVariables& variables, std::int64_t& budget) {
  AdmissionOutcome out;
  if (expression.tree == nullptr) {
    out.error = "compilation error: " + expression.error;
    return out;
  }
  Evaluation result = evaluate(*expression.tree, variables, kCallCostMax);
  for (const std::uint64_t cost : {variables.take_cost(), result.cost}) {
    if (budget < 0 || cost > static_cast<std::uint64_t>(budget)) {
      budget = -1;
      out.exhausted = true;
      out.error = kOutOfBudget;
      return out;
    }
    budget -= static_cast<std::int64_t>(cost);
  }
  if (result.value.is_error()) {
    out.error = "expression '" + expression.text +
                "' resulted in error: " + std::string(result.value.error());
  } else {
    out.value = std::move(result.value);
  }
  return out;
}

}  // namespace davit::cel
