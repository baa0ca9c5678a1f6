#include "sandbox/nodes/device_selector.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lib/cel/checker.hpp"
#include "lib/cel/evaluate.hpp"
#include "lib/cel/functions.hpp"
#include "lib/cel/maps.hpp"
#include "lib/cel/parser.hpp"
#include "lib/cel/planning.hpp"
#include "lib/cel/source.hpp"

namespace davit::sandbox {
namespace {

constexpr char kCompileError[] = "CEL compile error: ";
constexpr char kRuntimeError[] = "CEL runtime error: ";

/// The variable `device`.
std::vector<cel::Variable> device_variable() {
  const cel::TypePtr text = cel::simple_type(cel::TypeKind::kString);
  const auto by_domain = [&text](cel::TypePtr value) {
    return cel::map_type(text, cel::map_type(text, std::move(value)));
  };
  auto fields = std::make_shared<cel::FieldTypes>();
  fields->emplace("driver", text);
  fields->emplace("allowMultipleAllocations", cel::simple_type(cel::TypeKind::kBool));
  fields->emplace("attributes", by_domain(cel::simple_type(cel::TypeKind::kDyn)));
  fields->emplace("capacity", by_domain(cel::type_literal("Quantity")));
  return {{"device", cel::object_type("kubernetes.DRADevice", std::move(fields))}};
}

/// The tree, or why there is none.
std::string compile_selector(const std::string& expression, cel::ExprPtr& tree) {
  cel::Parsed parsed = cel::parse(expression);
  if (!parsed.issues.empty()) {
    return "compilation failed: " + cel::display(expression, std::move(parsed.issues));
  }
  cel::Checked checked = cel::check(*parsed.root, device_variable());
  if (!checked.issues.empty()) {
    return "compilation failed: " + cel::display(expression, std::move(checked.issues));
  }
  const cel::TypeKind result = checked.result->kind;
  if (result != cel::TypeKind::kBool && result != cel::TypeKind::kDyn) {
    return "must evaluate to bool or the unknown type, not " + cel::to_text(*checked.result);
  }
  if (const std::string failed = cel::planning_error(*parsed.root); !failed.empty()) {
    return "program instantiation failed: " + failed;
  }
  tree = std::move(parsed.root);
  return "";
}

/// The maps of domains: a domain that no name has is an empty map.
class Domains final : public cel::MapValue {
 public:
  void add(const std::string& domain, const std::string& id, cel::Value value) {
    const auto [found, is_new] = maps_.try_emplace(domain, nullptr);
    if (is_new) found->second = std::make_shared<cel::BuiltMap>();
    (void)found->second->insert(cel::borrowed_text(id), std::move(value));
  }

  [[nodiscard]] std::size_t size() const override { return maps_.size(); }
  [[nodiscard]] std::optional<cel::Value> find(const cel::Value& key) const override {
    const auto found = maps_.find(std::string(key.text()));
    if (found == maps_.end()) return cel::Value(cel::MapRef(std::make_shared<cel::BuiltMap>()));
    return cel::Value(cel::MapRef(found->second));
  }
  [[nodiscard]] cel::Value key_at(std::size_t index) const override {
    return cel::borrowed_text(std::next(maps_.begin(), static_cast<std::ptrdiff_t>(index))->first);
  }
  [[nodiscard]] cel::Value value_at(std::size_t index) const override {
    return cel::MapRef(std::next(maps_.begin(), static_cast<std::ptrdiff_t>(index))->second);
  }

 private:
  std::map<std::string, std::shared_ptr<cel::BuiltMap>> maps_;
};

cel::Value call_library(std::string_view function, std::string_view text) {
  cel::FunctionContext context;
  const cel::Value argument = cel::borrowed_text(text);
  return cel::find_function(function, cel::CallStyle::kGlobal)(context, {&argument, 1});
}

/// The one value of an attribute; an error if it has none.
cel::Value attribute_value(const Json& attribute) {
  if (const Json* value = attribute.find("int")) return value->integer_or(0);
  if (const Json* value = attribute.find("bool")) return value->boolean();
  if (const Json* value = attribute.find("string")) return cel::borrowed_text(value->text());
  if (const Json* value = attribute.find("version")) {
    cel::Value version = call_library("semver", value->text());
    if (!version.is_error()) return version;
    return cel::error_value("parse semantic version: " + std::string(version.error()));
  }
  return cel::error_value("unsupported attribute value");
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
    cel::Value value = value_of(each.value);
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

std::string selector_error(const std::string& expression) {
  cel::ExprPtr tree;
  return compile_selector(expression, tree);
}

const DeviceSelectors::Compiled& DeviceSelectors::compile(const std::string& expression) {
  const auto found = compiled_.find(expression);
  if (found != compiled_.end()) return found->second;
  if (compiled_.size() >= kCompiledMax) compiled_.clear();
  Compiled compiled;
  compiled.error = compile_selector(expression, compiled.tree);
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
  const auto object = std::make_shared<cel::BuiltMap>("kubernetes.DRADevice");
  const std::pair<const char*, cel::Value> members[] = {
      {"driver", cel::borrowed_text(driver)},
      {"allowMultipleAllocations", device.get("allowMultipleAllocations").boolean()},
      {"attributes", cel::MapRef(attributes.domains)},
      {"capacity", cel::MapRef(capacity.domains)}};
  for (const auto& [name, value] : members) {
    (void)object->insert(cel::borrowed_text(name), value);
  }
  const cel::VariableList variables({{"device", cel::MapRef(object)}});
  const cel::Evaluation run = cel::evaluate(*compiled.tree, variables, kSelectorCostMax);
  if (run.cost_exceeded) {
    return Status(Code::kInvalid, kRuntimeError + std::string(cel::Evaluation::kCostExceeded));
  }
  if (run.value.is_error()) {
    return Status(Code::kInvalid, kRuntimeError + std::string(run.value.error()));
  }
  if (const bool* matches = run.value.get<bool>()) return *matches;
  return Status(Code::kInvalid, std::string(kRuntimeError) + "CEL result of type " +
                                    cel::type_name(run.value) + " could not be converted to bool");
}

}  // namespace davit::sandbox
