#include "sandbox/crd/json_path.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace davit::sandbox {

class JsonPath::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<JsonPath> run() {
    JsonPath out;
    if (text_.starts_with('{') && text_.ends_with('}')) text_ = text_.substr(1, text_.size() - 2);
    if (text_.starts_with('$')) text_.remove_prefix(1);
    while (!text_.empty()) {
      std::optional<Step> step;
      if (text_.starts_with('.')) {
        text_.remove_prefix(1);
        step = member();
      } else if (text_.starts_with('[')) {
        text_.remove_prefix(1);
        step = bracket();
      }
      if (!step) return Status(Code::kInvalid, "unrecognized text: " + std::string(text_));
      out.steps_.push_back(std::move(*step));
    }
    return out;
  }

 private:
  /// A name up to the next unescaped '.' or '['.
  std::string name() {
    std::string out;
    while (!text_.empty() && std::string_view(".[=!<> )]").find(text_[0]) == std::string::npos) {
      if (text_[0] == '\\' && text_.size() > 1) text_.remove_prefix(1);
      out += text_[0];
      text_.remove_prefix(1);
    }
    return out;
  }

  std::optional<Step> member() {
    if (text_.starts_with('*')) {
      text_.remove_prefix(1);
      return each();
    }
    Step step;
    step.name = name();
    if (step.name.empty()) return std::nullopt;
    return step;
  }

  static Step each() {
    Step step;
    step.kind = Kind::kEach;
    return step;
  }

  std::optional<std::string> quoted() {
    const char quote = text_.empty() ? '\0' : text_[0];
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string out(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return out;
  }

  bool take(std::string_view wanted) {
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }
  void spaces() {
    while (take(" ")) continue;
  }

  std::optional<Step> bracket() {
    std::optional<Step> step;
    if (take("?(")) {
      step = filter();
    } else if (take("*")) {
      step = each();
    } else if (std::optional<std::string> key = quoted()) {
      step.emplace();
      step->name = std::move(*key);
    } else {
      step.emplace();
      step->kind = Kind::kIndex;
      const char* first = text_.data();
      const auto [end, error] = std::from_chars(first, first + text_.size(), step->index);
      if (error != std::errc()) return std::nullopt;
      text_.remove_prefix(static_cast<std::size_t>(end - first));
    }
    if (!step || !take("]")) return std::nullopt;
    return step;
  }

  std::optional<Step> filter() {
    Step step;
    step.kind = Kind::kFilter;
    spaces();
    if (!take("@")) return std::nullopt;
    while (take(".")) step.filter.push_back(name());
    spaces();
    if (!take("==")) return std::nullopt;
    spaces();
    if (std::optional<std::string> text = quoted()) {
      step.wanted = Json(std::move(*text));
    } else {
      const Result<Json> value = parse_json(name());
      if (!value) return std::nullopt;
      step.wanted = *value;
    }
    spaces();
    if (!take(")")) return std::nullopt;
    return step;
  }

  std::string_view text_;
};

Result<JsonPath> JsonPath::parse(std::string_view text) { return Parser(text).run(); }

std::vector<const Json*> JsonPath::find(const Json& json) const {
  std::vector<const Json*> found = {&json};
  for (const Step& step : steps_) {
    std::vector<const Json*> next;
    for (const Json* each : found) {
      switch (step.kind) {
        case Kind::kMember:
          if (const Json* member = each->find(step.name)) next.push_back(member);
          break;
        case Kind::kIndex: {
          const auto size = static_cast<std::int64_t>(each->items().size());
          const std::int64_t index = step.index < 0 ? step.index + size : step.index;
          if (index >= 0 && index < size) {
            next.push_back(&each->items()[static_cast<std::size_t>(index)]);
          }
          break;
        }
        case Kind::kEach:
          for (const Json& item : each->items()) next.push_back(&item);
          for (const Json::Member& member : each->members()) next.push_back(&member.value);
          break;
        case Kind::kFilter:
          for (const Json& item : each->items()) {
            const Json* value = &item;
            for (const std::string& name : step.filter) {
              if (value != nullptr) value = value->find(name);
            }
            if (value != nullptr && *value == step.wanted) next.push_back(&item);
          }
          break;
      }
    }
    found = std::move(next);
  }
  return found;
}

const Json* JsonPath::first(const Json& json) const {
  const std::vector<const Json*> found = find(json);
  return found.empty() ? nullptr : found.front();
}

std::vector<std::string> JsonPath::names() const {
  std::vector<std::string> out;
  for (const Step& each : steps_) {
    if (each.kind != Kind::kMember) return {};
    out.push_back(each.name);
  }
  return out;
}

std::string printed(const Json& value) { return value.is_string() ? value.text() : to_text(value); }

}  // namespace davit::sandbox
