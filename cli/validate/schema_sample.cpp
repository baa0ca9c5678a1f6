#include "cli/validate/schema_sample.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace davit::host {
namespace {

constexpr int kDepthMax = 12;  // A schema may lead back to itself.

struct Format {
  std::string_view name;
  std::string_view text;
};
constexpr Format kFormats[] = {{"date-time", "2026-01-01T00:00:00Z"},
                               {"date", "2026-01-01"},
                               {"duration", "1m0s"},
                               {"ipv4", "192.0.2.1"},
                               {"ipv6", "2001:db8::1"},
                               {"cidr", "192.0.2.0/24"},
                               {"uri", "https://example.com/"},
                               {"email", "me@example.com"},
                               {"hostname", "example.com"},
                               {"uuid", "00000000-0000-4000-8000-000000000001"},
                               {"byte", "c2FtcGxl"}};

/// The first step of a path and what follows it.
struct Step {
  std::string_view member;  ///< Empty: every element.
  std::string_view rest;
};

Step first_step(std::string_view path) {
  if (path.starts_with("[]")) {
    path.remove_prefix(2);
    if (path.starts_with('.')) path.remove_prefix(1);
    return {{}, path};
  }
  if (path.starts_with("['")) {
    const std::size_t end = std::min(path.find("']"), path.size());
    std::string_view rest = path.substr(std::min(path.size(), end + 2));
    if (rest.starts_with('.')) rest.remove_prefix(1);
    return {path.substr(2, end - 2), rest};
  }
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  std::string_view rest = path.substr(end);
  if (rest.starts_with('.')) rest.remove_prefix(1);
  return {path.substr(0, end), rest};
}

/// The rests of those paths that begin with `member`.
std::vector<std::string> below(const std::vector<std::string>& paths, std::string_view member) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    const Step step = first_step(path);
    if (!path.empty() && step.member == member) out.emplace_back(step.rest);
  }
  return out;
}

bool leads_to(const std::vector<std::string>& paths, std::string_view member) {
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return !path.empty() && first_step(path).member == member;
  });
}

/// Whether a path ends here, so that everything below is read.
bool ends_here(const std::vector<std::string>& paths) {
  return std::find(paths.begin(), paths.end(), "") != paths.end();
}

/// Makes a text of a regular expression.
class PatternText {
 public:
  PatternText(std::string_view pattern, std::size_t more) : pattern_(pattern), more_(more) {}

  /// Nothing: the pattern has something else.
  std::optional<std::string> make() {
    std::string out = alternatives();
    if (failed_ || at_ != pattern_.size()) return std::nullopt;
    return out;
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= pattern_.size(); }
  [[nodiscard]] char next() const { return pattern_[at_]; }
  bool take(char wanted) {
    if (at_end() || next() != wanted) return false;
    ++at_;
    return true;
  }

  /// The first of several.
  std::string alternatives() {
    std::string out = sequence();
    while (take('|')) static_cast<void>(sequence());
    return out;
  }

  std::string sequence() {
    std::string out;
    while (!failed_ && !at_end() && next() != '|' && next() != ')') {
      const std::string piece = atom();
      for (std::size_t i = repetitions(); i > 0; --i) out += piece;
    }
    return out;
  }

  std::string atom() {
    const char c = next();
    ++at_;
    switch (c) {
      case '^':
      case '$':
        return "";
      case '(': {
        if (take('?') && !take(':')) failed_ = true;  // Looks around, or has a name.
        std::string out = alternatives();
        if (!take(')')) failed_ = true;
        return out;
      }
      case '[':
        return {one_of_class()};
      case '.':
        return "a";
      case '\\':
        return escaped();
      case '*':
      case '+':
      case '?':
        failed_ = true;
        return "";
      default:
        return {c};
    }
  }

  std::string escaped() {
    if (at_end()) {
      failed_ = true;
      return "";
    }
    const char c = next();
    ++at_;
    switch (c) {
      case 'd':
        return "1";
      case 'w':
      case 'D':
      case 'S':
        return "a";
      case 's':
      case 'W':
        return " ";
      case 'b':
      case 'B':
      case 'A':
      case 'z':
        return "";
      default:
        return {c};
    }
  }

  /// A member of the class that begins here.
  char one_of_class() {
    if (take('^')) {
      while (!at_end() && next() != ']') ++at_;
      failed_ = failed_ || !take(']');
      return 'a';
    }
    char first = '\0';
    for (bool begin = true; !at_end() && (begin || next() != ']'); begin = false) {
      std::string one(1, next());
      ++at_;
      if (one == "\\") one = escaped();
      if (first == '\0' && !one.empty()) first = one.front();
    }
    failed_ = failed_ || !take(']') || first == '\0';
    return first;
  }

  std::size_t repetitions() {
    if (at_end()) return 1;
    std::size_t least = 1;
    if (take('*')) {
      least = more_;
    } else if (take('+')) {
      least = std::max<std::size_t>(1, more_);
    } else if (take('?')) {
      least = more_ > 0 ? 1 : 0;
    } else if (take('{')) {
      least = bounds();
    }
    static_cast<void>(take('?'));  // Lazy ones match the same.
    return least;
  }

  /// The number of a "{2,5}".
  std::size_t bounds() {
    const std::size_t least = number();
    std::size_t most = least;
    if (take(',')) most = !at_end() && next() != '}' ? number() : least + more_;
    failed_ = failed_ || !take('}');
    return std::min(std::max(least, more_), std::max(least, most));
  }
  std::size_t number() {
    constexpr std::size_t kMost = 10'000;
    std::size_t out = 0;
    while (!at_end() && next() >= '0' && next() <= '9') {
      out = std::min(kMost, out * 10 + static_cast<std::size_t>(next() - '0'));
      ++at_;
    }
    return out;
  }

  const std::string_view pattern_;
  const std::size_t more_;  // The repetitions of what may be repeated without end.
  std::size_t at_ = 0;
  bool failed_ = false;
};

class Sampler {
 public:
  Json make(const Json& schema, const std::vector<std::string>& paths, std::string_view name,
            int depth) const {
    if (const Json* const given = schema.find("default"))
      return with_required(schema, *given, paths, depth);
    if (const Json* const given = schema.find("example")) return *given;
    if (const Json::Items& allowed = schema.get("enum").items(); !allowed.empty()) {
      return allowed.front();
    }
    if (schema.get("x-kubernetes-int-or-string").boolean()) return 1;
    const std::string& type = schema.get("type").text();
    if (type == "string") return text(schema, name);
    if (type == "boolean") return true;
    if (type == "integer" || type == "number") return number(schema);
    if (type == "array") return list(schema, paths, name, depth);
    return object(schema, paths, depth);
  }

 private:
  /// A default of an object may lack what is read.
  Json with_required(const Json& schema, Json given, const std::vector<std::string>& paths,
                     int depth) const {
    if (!given.is_object()) return given;
    Json made = object(schema, paths, depth);
    for (const Json::Member& each : given.members()) made.set(each.key, each.value);
    return made;
  }

  static Json text(const Json& schema, std::string_view name) {
    const auto least =
        static_cast<std::size_t>(std::max<std::int64_t>(0, schema.get("minLength").integer_or(0)));
    if (const std::string& pattern = schema.get("pattern").text(); !pattern.empty()) {
      return text_matching(pattern, least);
    }
    const std::string& format = schema.get("format").text();
    for (const Format& each : kFormats) {
      if (each.name == format) return each.text;
    }
    std::string out(name.empty() ? std::string_view("sample") : name);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
    });
    if (const auto most = schema.get("maxLength").integer()) {
      out.resize(std::min(out.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, *most))));
    }
    if (out.size() < least) out.append(least - out.size(), 'a');
    return out;
  }

  static Json number(const Json& schema) {
    std::int64_t value = 1;
    if (const auto least = schema.get("minimum").integer()) {
      const bool above = schema.get("exclusiveMinimum").boolean();
      value = std::max(value, *least + (above ? 1 : 0));
    }
    if (const auto most = schema.get("maximum").integer()) {
      const bool under = schema.get("exclusiveMaximum").boolean();
      value = std::min(value, *most - (under ? 1 : 0));
    }
    const std::int64_t step = schema.get("multipleOf").integer_or(1);
    if (step > 1) value = (value + step - 1) / step * step;
    return value;
  }

  Json list(const Json& schema, const std::vector<std::string>& paths, std::string_view name,
            int depth) const {
    constexpr std::int64_t kItemsMost = 50;
    const bool is_read = leads_to(paths, "") || ends_here(paths);
    const std::int64_t count =
        std::max<std::int64_t>(is_read ? 1 : 0, schema.get("minItems").integer_or(0));
    Json out = Json::array();
    for (std::int64_t i = 0; i < std::min(count, kItemsMost) && depth > 0; ++i) {
      out.push_back(make(schema.get("items"), below(paths, ""), name, depth - 1));
    }
    return out;
  }

  Json object(const Json& schema, const std::vector<std::string>& paths, int depth) const {
    Json out = Json::object();
    if (depth == 0) return out;
    const Json::Items& required = schema.get("required").items();
    for (const Json::Member& each : schema.get("properties").members()) {
      const bool is_required = std::any_of(required.begin(), required.end(), [&](const Json& name) {
        return name.text() == each.key;
      });
      if (!is_required && !each.value.contains("default") && !leads_to(paths, each.key) &&
          !ends_here(paths)) {
        continue;
      }
      std::vector<std::string> rests = below(paths, each.key);
      out.set(each.key, make(each.value, rests, each.key, depth - 1));
    }
    // A map has the keys that are read.
    const Json& values = schema.get("additionalProperties");
    if (!values.is_object()) return out;
    for (const std::string& path : paths) {
      const std::string_view key = first_step(path).member;
      if (!path.empty() && !key.empty())
        out.set(key, make(values, below(paths, key), key, depth - 1));
    }
    return out;
  }
};

void fill(Json& at, std::string_view path, std::string_view name) {
  if (path.empty()) {
    if (at.is_null()) at = guess_of(name);
    return;
  }
  const Step step = first_step(path);
  if (step.member.empty()) {
    if (!at.is_null() && !at.is_array()) return;
    if (at.size() == 0) at.make_array().emplace_back();
    return fill(at.make_array().front(), step.rest, name);
  }
  if (!at.is_null() && !at.is_object()) return;
  fill(at[step.member], step.rest, step.member);
}

}  // namespace

std::string text_matching(std::string_view pattern, std::size_t shortest) {
  constexpr std::size_t kMost = 64;
  std::string last;
  for (std::size_t more = 0; more <= std::min(shortest + 1, kMost); ++more) {
    std::optional<std::string> made = PatternText(pattern, more).make();
    if (!made) return "";
    if (!made->empty() && made->size() >= shortest) return *made;
    last = std::move(*made);
  }
  return last;
}

Json guess_of(std::string_view name) {
  const auto ends = [name](std::initializer_list<std::string_view> with) {
    return std::any_of(with.begin(), with.end(), [name](std::string_view each) {
      return name.size() >= each.size() &&
             std::equal(each.rbegin(), each.rend(), name.rbegin(), [](char a, char b) {
               return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
             });
    });
  };
  if (ends({"replicas", "count", "seconds", "minutes", "port", "number", "size", "limit",
            "generation", "priority", "parallelism"})) {
    return 1;
  }
  if (ends({"enabled", "disabled", "suspend", "paused", "force", "immutable"})) return true;
  if (ends({"selector", "labels", "template", "resources", "annotations"})) return Json::object();
  if (ends({"image"})) return "app:1";
  if (ends({"time", "timestamp"})) return "2026-01-01T00:00:00Z";
  if (ends({"schedule"})) return "* * * * *";
  return "sample";
}

Json sample_of(const Json& schema, const std::vector<std::string>& paths) {
  return Sampler().make(schema, paths, "", kDepthMax);
}

void fill_by_guess(Json& object, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const Step first = first_step(path);
    const Step second = first_step(first.rest);
    const bool is_map = second.member == "labels" || second.member == "annotations";
    if (first.member == "metadata" && is_map && !second.rest.empty()) {
      Json& value = object["metadata"][second.member][first_step(second.rest).member];
      if (value.is_null()) value = "true";
    }
    if (first.member == "spec" && !first.rest.empty()) fill(object["spec"], first.rest, "");
  }
}

}  // namespace davit::host
