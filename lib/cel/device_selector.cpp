#include "lib/cel/device_selector.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lib/cel/checker.hpp"
#include "lib/cel/estimate.hpp"
#include "lib/cel/evaluate.hpp"
#include "lib/cel/functions.hpp"
#include "lib/cel/maps.hpp"
#include "lib/cel/parser.hpp"
#include "lib/cel/planning.hpp"
#include "lib/cel/source.hpp"

namespace davit::cel {
namespace {

constexpr char kCompileError[] = "CEL compile error: ";
constexpr char kRuntimeError[] = "CEL runtime error: ";

/// The variable `device`.
std::vector<Variable> device_variable() {
  const TypePtr text = simple_type(TypeKind::kString);
  const auto by_domain = [&text](TypePtr value) {
    return map_type(text, map_type(text, std::move(value)));
  };
  auto fields = std::make_shared<FieldTypes>();
  fields->emplace("driver", text);
  fields->emplace("allowMultipleAllocations", simple_type(TypeKind::kBool));
  fields->emplace("attributes", by_domain(simple_type(TypeKind::kDyn)));
  fields->emplace("capacity", by_domain(type_literal("Quantity")));
  return {{"device", object_type("kubernetes.DRADevice", std::move(fields))}};
}

SchemaType sized(std::uint64_t elements_max) {
  SchemaType out;
  out.elements_max = elements_max;
  return out;
}

SchemaTypePtr sized_map(std::uint64_t key_max, SchemaTypePtr element) {
  constexpr std::uint64_t kNamesMax = 32;  // ResourceSliceMaxAttributesAndCapacitiesPerDevice
  SchemaType out = sized(kNamesMax);
  out.key = std::make_shared<SchemaType>(sized(key_max));
  out.element = std::move(element);
  return std::make_shared<SchemaType>(std::move(out));
}

/// The sizes of what `device` consists of.
SchemaType device_sizes() {
  constexpr std::uint64_t kDomainMax = 63;
  constexpr std::uint64_t kIdMax = 32;
  constexpr std::uint64_t kDriverMax = 63;
  constexpr std::uint64_t kValueMax = 64;  // The text of an attribute.
  auto attributes = std::make_shared<SchemaType>(
      *sized_map(kIdMax, std::make_shared<SchemaType>(sized(kValueMax))));
  attributes->has_members = true;
  const SchemaTypePtr capacity = sized_map(kIdMax, std::make_shared<SchemaType>(sized(0)));
  SchemaType out = sized(0);
  out.fields.emplace("driver", std::make_shared<SchemaType>(sized(kDriverMax)));
  out.fields.emplace("allowMultipleAllocations", std::make_shared<SchemaType>(sized(1)));
  out.fields.emplace("attributes", sized_map(kDomainMax, std::move(attributes)));
  out.fields.emplace("capacity", sized_map(kDomainMax, capacity));
  return out;
}

/// Compiles into `tree`. Returns the error, or "". `cost`: receives the greatest cost; may be null.
std::string compile_selector(const std::string& expression, ExprPtr& tree, std::uint64_t* cost) {
  Parsed parsed = parse(expression, Bindings::kYes);
  if (!parsed.issues.empty()) {
    return "compilation failed: " + display(expression, std::move(parsed.issues));
  }
  Checked checked = check(*parsed.root, device_variable());
  if (!checked.issues.empty()) {
    return "compilation failed: " + display(expression, std::move(checked.issues));
  }
  const TypeKind result = checked.result->kind;
  if (result != TypeKind::kBool && result != TypeKind::kDyn) {
    return "must evaluate to bool or the unknown type, not " + to_text(*checked.result);
  }
  if (const std::string failed = planning_error(*parsed.root); !failed.empty()) {
    return "program instantiation failed: " + failed;
  }
  if (cost != nullptr) {
    *cost = estimate_cost(*parsed.root, checked, device_sizes(), "device").max;
  }
  tree = std::move(parsed.root);
  return "";
}

/// The maps of domains: a domain that no name has is an empty map.
class Domains final : public MapValue {
 public:
  void add(const std::string& domain, const std::string& id, Value value) {
    const auto [found, is_new] = maps_.try_emplace(domain, nullptr);
    if (is_new) found->second = std::make_shared<BuiltMap>();
    (void)found->second->insert(borrowed_text(id), std::move(value));
  }

  [[nodiscard]] std::size_t size() const override { return maps_.size(); }
  [[nodiscard]] std::optional<Value> find(const Value& key) const override {
    const auto found = maps_.find(std::string(key.text()));
    if (found == maps_.end()) return Value(MapRef(std::make_shared<BuiltMap>()));
    return Value(MapRef(found->second));
  }
  [[nodiscard]] Value key_at(std::size_t index) const override {
    return borrowed_text(std::next(maps_.begin(), static_cast<std::ptrdiff_t>(index))->first);
  }
  [[nodiscard]] Value value_at(std::size_t index) const override {
    return MapRef(std::next(maps_.begin(), static_cast<std::ptrdiff_t>(index))->second);
  }

 private:
  std::map<std::string, std::shared_ptr<BuiltMap>> maps_;
};

Value call_library(std::string_view function, std::string_view text) {
  FunctionContext context;
  const Value argument = borrowed_text(text);
  return find_function(function, CallStyle::kGlobal)(context, {&argument, 1});
}

/// The one value of an attribute; an error if it has none.
Value attribute_value(const Json& attribute) {
  if (const Json* value = attribute.find("int")) return value->integer_or(0);
  if (const Json* value = attribute.find("bool")) return value->boolean();
  if (const Json* value = attribute.find("string")) return borrowed_text(value->text());
  if (const Json* value = attribute.find("version")) {
    Value version = call_library("semver", value->text());
    if (!version.is_error()) return version;
    return error_value("parse semantic version: " + std::string(version.error()));
  }
  return error_value("unsupported attribute value");
}

/// The names and values of one map of a device. An error of a value is that of the whole.
struct Named {
  std::shared_ptr<Domains> domains = std::make_shared<Domains>();
  std::vector<std::string> ids;  // The keys borrow from them.
  std::string error;
};

template <typename ValueOf>
Named named_values(const Json& members, std::string_view driver, const ValueOf& value_of) {
  Named out;
  out.ids.reserve(members.size());
  for (const Json::Member& each : members.members()) {
    Value value = value_of(each.value);
    if (value.is_error()) {
      out.error = "attribute " + each.key + ": " + std::string(value.error());
      return out;
    }
    const std::size_t slash = each.key.find('/');
    const bool qualified = slash != std::string::npos;
    out.ids.push_back(qualified ? each.key.substr(slash + 1) : each.key);
    out.domains->add(qualified ? each.key.substr(0, slash) : std::string(driver), out.ids.back(),
                     std::move(value));
  }
  return out;
}

}  // namespace

SelectorVerdict judge_selector(const std::string& expression) {
  ExprPtr tree;
  SelectorVerdict out;
  out.error = compile_selector(expression, tree, &out.cost_max);
  return out;
}

const DeviceSelectors::Compiled& DeviceSelectors::compile(const std::string& expression) {
  const auto found = compiled_.find(expression);
  if (found != compiled_.end()) return found->second;
  if (compiled_.size() >= kCompiledMax) compiled_.clear();
  Compiled compiled;
  compiled.error = compile_selector(expression, compiled.tree, nullptr);
  return compiled_.emplace(expression, std::move(compiled)).first->second;
}

Result<bool> DeviceSelectors::matches(const std::string& expression, std::string_view driver,
                                      const Json& device) {
  const Compiled& compiled = compile(expression);
  if (!compiled.error.empty()) {
    return Status(Code::kInvalid, kCompileError + compiled.error);
  }
  const Named attributes = named_values(device.get("attributes"), driver, attribute_value);
  const Named capacity = named_values(device.get("capacity"), driver, [](const Json& each) {
    return call_library("quantity", each.get("value").text());
  });
  for (const Named* each : {&attributes, &capacity}) {
    if (!each->error.empty()) return Status(Code::kInvalid, kRuntimeError + each->error);
  }
  const auto object = std::make_shared<BuiltMap>("kubernetes.DRADevice");
  const std::pair<const char*, Value> members[] = {
      {"driver", borrowed_text(driver)},
      {"allowMultipleAllocations", device.get("allowMultipleAllocations").boolean()},
      {"attributes", MapRef(attributes.domains)},
      {"capacity", MapRef(capacity.domains)}};
  for (const auto& [name, value] : members) {
    (void)object->insert(borrowed_text(name), value);
  }
  const VariableList variables({{"device", MapRef(object)}});
  const Evaluation run = evaluate(*compiled.tree, variables, kSelectorCostMax);
  if (run.cost_exceeded) {
    return Status(Code::kInvalid, kRuntimeError + std::string(Evaluation::kCostExceeded));
  }
  if (run.value.is_error()) {
    return Status(Code::kInvalid, kRuntimeError + std::string(run.value.error()));
  }
  if (const bool* matches = run.value.get<bool>()) return *matches;
  return Status(Code::kInvalid, std::string(kRuntimeError) + "CEL result of type " +
                                    type_name(run.value) + " could not be converted to bool");
}

}  // namespace davit::cel
