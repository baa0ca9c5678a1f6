#include "cli/codegen/field_paths.hpp"

#include <algorithm>

namespace davit::host::codegen {
namespace {

/// A Deployment has 1,100 fields.
constexpr std::size_t kPathsMax = 10'000;

class Walk {
 public:
  explicit Walk(const Module& module) : module_(module) {}

  void object(std::size_t index, const std::string& path) {
    above_.push_back(index);
    for (const Property& each : module_.objects[index].properties) {
      value(each.type, path.empty() ? each.json : path + "." + each.json);
    }
    above_.pop_back();
  }
  std::vector<std::string> take() { return std::move(paths_); }
  [[nodiscard]] bool complete() const { return paths_.size() <= kPathsMax; }

 private:
  void value(const Type& type, const std::string& path) {
    if (!complete()) return;
    if (type.kind == TypeKind::kObject && std::ranges::find(above_, type.target) == above_.end()) {
      object(type.target, path);
    } else if (type.kind == TypeKind::kList && type.element.front().kind == TypeKind::kObject) {
      value(type.element.front(), path + "[]");
    } else {
      paths_.push_back(path);
    }
  }

  const Module& module_;
  std::vector<std::size_t> above_;  // The objects around the present one.
  std::vector<std::string> paths_;
};

}  // namespace

Result<std::vector<std::string>> field_paths(const Module& module, std::size_t root) {
  Walk walk(module);
  walk.object(root, "");
  if (walk.complete()) return walk.take();
  return Status(Code::kInvalid, "more than " + std::to_string(kPathsMax) + " fields, the last is " +
                                    walk.take().back() +
                                    "; leave a part untyped with --opaque PATH");
}

}  // namespace davit::host::codegen
