#include "tests/live/differential/cases.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"
#include "tests/live/differential/comparison.hpp"
#include "tests/live/support/process.hpp"

namespace davit::live {
namespace {

constexpr std::string_view kDryRun = "?dryRun=All";
/// The member of a case that is no path.
constexpr std::string_view kDiffers = "differs";

[[noreturn]] void bad_case(const std::string& file, int line, const std::string& what) {
  give_up(file + ':' + std::to_string(line) + ": " + what);
}

/// Replaces {$text: [one, [two, 1000]]} by the text "one" and a thousand times "two".
void expand_texts(Json& value) {
  if (value.is_array()) {
    for (Json& each : value.make_array()) expand_texts(each);
  }
  if (!value.is_object()) return;
  if (const Json* parts = value.find("$text")) {
    std::string text;
    for (const Json& each : parts->items()) {
      const bool repeats = each.is_array();
      const std::int64_t times = repeats ? each.items().at(1).integer_or(0) : 1;
      for (std::int64_t i = 0; i < times; ++i) {
        text += (repeats ? each.items().front() : each).text();
      }
    }
    value = Json(std::move(text));
    return;
  }
  for (Json::Member& each : value.make_object()) expand_texts(each.value);
}

Json json_of(const std::string& file, const YamlNode& node) {
  const Result<std::string> text = to_json(node);
  if (!text) bad_case(file, node.line, text.error().message());
  Json out = *parse_json(*text);
  expand_texts(out);
  return out;
}

/// A part of a path: the name of a member, or the index of an element.
struct Segment {
  std::string name;
  std::size_t index = 0;
  bool is_index = false;
};

/// "spec.containers[0].image", "metadata.labels['a.b/c']"
std::vector<Segment> segments_of(std::string_view path) {
  std::vector<Segment> out;
  while (!path.empty()) {
    if (path.starts_with("['")) {
      const std::size_t end = path.find("']");
      out.push_back({std::string(path.substr(2, end - 2))});
      path.remove_prefix(end + 2);
    } else if (path.starts_with('[')) {
      const std::size_t end = path.find(']');
      out.push_back({"", std::strtoul(path.data() + 1, nullptr, 10), true});
      path.remove_prefix(end + 1);
    } else {
      if (path.starts_with('.')) path.remove_prefix(1);
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      out.push_back({std::string(path.substr(0, end))});
      path.remove_prefix(end);
    }
  }
  return out;
}

/// The place of a segment, made where it is missing.
Json& descend(Json& at, const Segment& segment) {
  if (!segment.is_index) return at[segment.name];
  Json::Items& items = at.make_array();
  if (items.size() <= segment.index) items.resize(segment.index + 1);
  return items[segment.index];
}

/// "-spec.selector" removes a member, every other path sets a value.
void change(Json& object, std::string_view path, Json value) {
  const bool removes = path.starts_with('-');
  const std::vector<Segment> segments = segments_of(path.substr(removes ? 1 : 0));
  Json* at = &object;
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) at = &descend(*at, segments[i]);
  if (removes) {
    at->erase(segments.back().name);
  } else {
    descend(*at, segments.back()) = std::move(value);
  }
}

Operation request(const char* method, std::string target, const Json& body) {
  return {method, std::move(target), "application/json", to_text(body), ""};
}

void read_kind(const std::string& file, const YamlNode& kind, CasePage& out) {
  const YamlNode* path = kind.find("path");
  const YamlNode* base = kind.find("base");
  if (path == nullptr || base == nullptr) bad_case(file, kind.line, "a kind has path and base");
  const Json object = json_of(file, *base);
  const auto each = [&](const YamlNode* list, const Json& from, const auto& request_of) {
    if (list == nullptr) return;
    for (const YamlNode& item : list->items) {
      Json changed = from;
      std::string differs;
      for (const YamlMember& one : item.members) {
        if (one.key == kDiffers) {
          differs = one.value.text;
        } else {
          change(changed, one.key, json_of(file, one.value));
        }
      }
      out.cases.push_back({request_of(changed), item.line, std::move(differs)});
    }
  };
  // Another name than the one that updates are about, unless the name has a meaning.
  Json unnamed = object;
  if (object.text_at({"metadata", "name"}) == "base") unnamed["metadata"].set("name", "case");
  each(kind.find("creates"), unnamed, [&](const Json& changed) {
    return request("POST", path->text + std::string(kDryRun), changed);
  });
  if (kind.find("updates") == nullptr && kind.find("statuses") == nullptr) return;
  out.setup.push_back(request("POST", path->text, object));
  const std::string target = path->text + '/' + object.text_at({"metadata", "name"});
  each(kind.find("updates"), object,
       [&](const Json& changed) { return request("PUT", target + std::string(kDryRun), changed); });
  if (kind.find("statuses") == nullptr) return;
  const std::string status = target + "/status";
  if (object.find("status") != nullptr) out.setup.push_back(request("PUT", status, object));
  each(kind.find("statuses"), object,
       [&](const Json& changed) { return request("PUT", status + std::string(kDryRun), changed); });
}

bool is_warning(const std::string& header) {
  constexpr std::string_view kName = "warning";
  return std::ranges::equal(header, kName, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

YamlDocument document_of(const std::string& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) give_up(text.error().message());
  YamlDocument out = parse_yaml(*text, file);
  if (!out.mistakes.empty()) give_up(out.mistakes.front().str());
  return out;
}

}  // namespace

Json read_page(const std::string& file) { return json_of(file, document_of(file).root); }

CasePage read_cases(const std::string& file) {
  const YamlDocument document = document_of(file);
  const YamlNode* kinds = document.root.find("kinds");
  if (kinds == nullptr) bad_case(file, 1, "there are no kinds");
  CasePage out;
  for (const YamlNode& each : kinds->items) read_kind(file, each, out);
  return out;
}

std::string answer_of(checks::Server& server, const Operation& operation, Refusals refusals,
                      const std::string& token) {
  const checks::Reply reply = server.send(
      operation.method, operation.target,
      {{"Authorization", "Bearer " + token}, {"Content-Type", operation.type}}, operation.body);
  const bool whole = refusals == Refusals::kWhole && reply.status >= 400;
  std::string out =
      whole ? std::to_string(reply.status) + ' ' + to_canonical_text(*parse_json(reply.body))
            : comparable(reply);
  // A Job's labels and selector have its uid.
  const Result<Json> body = parse_json(reply.body);
  const std::string uid = body ? body->text_at({"metadata", "uid"}) : "";
  for (std::size_t at = 0; !uid.empty() && (at = out.find(uid, at)) != std::string::npos;) {
    out.replace(at, uid.size(), "uid");
  }
  for (const auto& [name, value] : reply.headers) {
    if (is_warning(name)) out += "\nwarning: " + value;
  }
  return out;
}

}  // namespace davit::live
