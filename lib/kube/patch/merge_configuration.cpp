#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/patch/apply.hpp"
#include "lib/kube/patch/typed_walk.hpp"

namespace davit {

namespace {

/// Further ones of a kind do not help.
constexpr std::size_t kFindingsMax = 10;

/// Finds the atomic lists, maps and structs of a value, also those inside of others, and its nulls.
/// k8s: findAtomics of pkg/admission/plugin/policy/mutating/patch.
class AtomicWalk {
 public:
  void visit(const Json& value, const Message& message, ApplyType type) {
    if (!value.is_object()) return;
    const ApplyType own = type == ApplyType::kDefault ? message.apply : type;
    if (own == ApplyType::kAtomic) add();
    for (const auto& [name, each] : value.members()) {
      // The keys of a map are not looked into.
      const Field* field = find_field(message, name);
      if (field == nullptr) continue;
      const std::size_t before = path_.size();
      path_ += '.' + name;
      visit(each, *field);
      path_.resize(before);
    }
  }

  [[nodiscard]] const std::string& found() const { return found_; }
  /// The null of an expression is a value of its own, which fits no type.
  [[nodiscard]] const std::vector<std::string>& nulls() const { return nulls_; }

 private:
  void visit(const Json& value, const Field& field) {
    if (value.is_null() && nulls_.size() < kFindingsMax) {
      nulls_.push_back(path_ + ": " + null_problem(field));
    }
    switch (field.shape) {
      case FieldShape::kOne:
        return visit_one(value, field, field.apply);
      case FieldShape::kMap:
        if (value.is_object() && field.apply == ApplyType::kAtomic) add();
        return;
      case FieldShape::kList:
        break;
    }
    if (!value.is_array()) return;
    if (field.apply != ApplyType::kSet && field.apply != ApplyType::kMap) add();
    if (field.type == FieldType::kRaw) return;  // The types of elements are not known.
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      const std::size_t before = path_.size();
      path_ += '[' + std::to_string(i) + ']';
      visit_one(value.items()[i], field, ApplyType::kDefault);
      path_.resize(before);
    }
  }

  void visit_one(const Json& value, const Field& field, ApplyType type) {
    if (field.message != nullptr) return visit(value, *field.message, type);
    if (field.type != FieldType::kRaw) return;
    // A list of unknown type is atomic, a map is not.
    const bool open = type == ApplyType::kGranular;
    if (value.is_array() || (value.is_object() && !open)) add();
  }

  static std::string null_problem(const Field& field) {
    constexpr std::string_view kNull = "&{NULL_VALUE}";
    const auto expected = [kNull](const char* what) {
      return "expected " + std::string(what) + ", got " + std::string(kNull);
    };
    if (field.shape == FieldShape::kList) return expected("list");
    if (field.shape == FieldShape::kMap || field.message != nullptr) return expected("map");
    if (field.type == FieldType::kBoolean) return expected("boolean");
    const bool number = field.type == FieldType::kInt32 || field.type == FieldType::kInt64;
    return number ? "expected numeric (int or float), got structpb.NullValue"
                  : "expected string, got &value.valueUnstructured{Value:0}";
  }

  void add() {
    if (++count_ > kFindingsMax) return;
    if (!found_.empty()) found_ += ", ";
    found_ += path_;
  }

  std::string path_;
  std::size_t count_ = 0;
  std::string found_;
  std::vector<std::string> nulls_;
};

}  // namespace

std::string merge_configuration(Json& live, const Json& applied, const Message* schema) {
  std::vector<std::string> problems;
  (void)fields_of(applied, schema, {}, &problems);
  AtomicWalk walk;
  if (schema != nullptr) walk.visit(applied, *schema, ApplyType::kDefault);
  problems.insert(problems.end(), walk.nulls().begin(), walk.nulls().end());
  if (!problems.empty()) {
    return "failed to convert patch object to typed object: " + joined_problems(problems);
  }
  if (!walk.found().empty()) {
    return "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: " +
           walk.found();
  }
  live = merged_object(live, applied, schema);
  return "";
}

}  // namespace davit
