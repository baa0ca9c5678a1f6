#include "host/object/field_path.hpp"

namespace davit::host {

namespace {

/// Reads one path from left to right.
class PathReader {
 public:
  explicit PathReader(std::string_view path) : path_(path) {}

  Result<std::vector<PathStep>> read() {
    std::vector<PathStep> steps;
    if (path_.empty()) return error("is empty");
    while (at_ < path_.size()) {
      if (path_[at_] == '[') {
        Status s = read_bracket(steps);
        if (!s.ok()) return s;
        continue;
      }
      if (!steps.empty()) {
        if (path_[at_] != '.') return error("needs '.' or '['");
        ++at_;
      }
      const std::size_t end = std::min(path_.find_first_of(".[]'", at_), path_.size());
      if (end == at_) return error("needs a member name");
      steps.push_back({std::string(path_.substr(at_, end - at_)), false});
      at_ = end;
    }
    return steps;
  }

 private:
  Status read_bracket(std::vector<PathStep>& steps) {
    const std::string_view rest = path_.substr(at_);
    if (rest.starts_with("[]")) {
      if (steps.empty()) return error("cannot begin with '[]', because the root is not an array");
      steps.push_back({"", true});
      at_ += 2;
      return Status();
    }
    if (!rest.starts_with("['")) return error("needs '[]' or \"['key']\"");
    const std::size_t close = rest.find("']");
    if (close == std::string_view::npos) return error("has no \"']\" for its \"['\"");
    if (close == 2) return error("has an empty key");
    steps.push_back({std::string(rest.substr(2, close - 2)), false});
    at_ += close + 2;
    return Status();
  }

  [[nodiscard]] Status error(std::string_view what) const {
    return Status(Code::kInvalid, "path \"" + std::string(path_) + "\" " + std::string(what) +
                                      " at character " + std::to_string(at_ + 1));
  }

  std::string_view path_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<PathStep>> parse_path(std::string_view path) { return PathReader(path).read(); }

void add_member(std::string& path, std::string_view member) {
  if (member.find_first_of(".[]'") != std::string_view::npos) {
    path.append("['").append(member).append("']");
  } else {
    path.append(path.empty() ? "" : ".").append(member);
  }
}

Result<FieldPath> FieldPath::parse(ObjectSpace& space, std::string_view path) {
  Result<std::vector<PathStep>> parsed = parse_path(path);
  if (!parsed) return parsed.error();
  std::vector<Step> steps;
  steps.reserve(parsed->size());
  for (PathStep& step : *parsed) {
    const davit_name name = step.every ? 0 : space.intern(step.member);
    steps.push_back({name, std::move(step.member)});
  }
  return FieldPath(std::move(steps));
}

void FieldPath::each(Value root, const std::function<void(Value)>& use) const {
  follow(root, 0, use);
}

void FieldPath::follow(Value value, std::size_t step, const std::function<void(Value)>& use) const {
  for (; step < steps_.size() && !steps_[step].text.empty(); ++step) {
    const Step& here = steps_[step];
    value = here.name != 0 ? value.member(here.name) : value[here.text];
    if (!value) return;
  }
  if (step == steps_.size()) {
    if (value) use(value);
    return;
  }
  value.each([&](Value element) { follow(element, step + 1, use); });
}

}  // namespace davit::host
