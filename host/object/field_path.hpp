/// A path to values inside an object, for indexes.
#pragma once

#include <davit/abi.h>

#include <davit/result.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/object/object.hpp"

namespace davit::host {

/// One step of a path: a member, or every element when `every` is set.
struct PathStep {
  std::string member;
  bool every = false;
};

/// Parses the path grammar of ObjectSpace; kInvalid says what is wrong and where.
Result<std::vector<PathStep>> parse_path(std::string_view path);

/// Appends a member to a path, as parse_path() reads it.
void add_member(std::string& path, std::string_view member);

/// A path that was parsed once and is followed in many objects. Immutable.
class FieldPath {
 public:
  static Result<FieldPath> parse(ObjectSpace& space, std::string_view path);

  /// Calls `use` for each value at the path below `root`, in document order. Missing members and
  /// steps of the wrong kind lead to no value.
  void each(Value root, const std::function<void(Value)>& use) const;

 private:
  struct Step {
    davit_name name;   // 0 for every element, and when the space is full.
    std::string text;  // Empty for every element.
  };
  explicit FieldPath(std::vector<Step> steps) : steps_(std::move(steps)) {}
  void follow(Value value, std::size_t step, const std::function<void(Value)>& use) const;

  std::vector<Step> steps_;
};

}  // namespace davit::host
