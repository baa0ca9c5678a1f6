#include "host/control/control_request.hpp"

#include <algorithm>
#include <array>

#include "host/config/fields.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/strict_json.hpp"

namespace davit::host {
namespace {

constexpr std::array<std::string_view, 12> kCommands = {
    "status", "swap",   "load",   "unload",        "enable",      "disable",
    "pause",  "resume", "shadow", "shadow-commit", "shadow-drop", "why"};

/// A day: a time to watch a build, and no time to keep a connection open.
constexpr std::int64_t kWatchMillisecondsMax = std::int64_t{24} * 3600 * 1000;
constexpr std::int64_t kWhole = 100;

Status check(const ControlRequest& request) {
  const auto invalid = [](std::string text) { return Status(Code::kInvalid, std::move(text)); };
  const bool known =
      std::find(kCommands.begin(), kCommands.end(), request.command) != kCommands.end();
  if (!known) {
    std::string all;
    for (const std::string_view each : kCommands)
      all += (all.empty() ? "" : ", ") + std::string(each);
    return invalid("unknown command " + json_string(request.command) + " (allowed: " + all + ")");
  }
  const bool named = request.command != "status" && request.command != "load";
  if (named && request.name.empty()) return invalid(request.command + " needs a name");
  if (request.command == "load" && request.file.empty()) return invalid("load needs a file");
  if (request.command != "swap" && !request.state.empty()) {
    return invalid(request.command + " takes no state");
  }
  if (request.command != "swap" && request.watch_ms >= 0) {
    return invalid("watchMilliseconds is for swap only");
  }
  if (request.command != "why" && !(request.ns.empty() && request.output.empty())) {
    return invalid("namespace and output are for why only");
  }
  if ((request.watch_ms >= 0) != (request.max_error_percent >= 0)) {
    return invalid("watchMilliseconds and maxErrorPercent need each other");
  }
  if (!request.file.empty() && request.file.front() != '/') {
    return invalid("file must be an absolute path, not " + json_string(request.file));
  }
  return {};
}

Status first(const std::vector<Mistake>& mistakes) {
  return mistakes.empty() ? Status() : Status(Code::kInvalid, mistakes.front().text);
}

}  // namespace

std::string to_line(const ControlRequest& request) {
  std::string out = "{\"command\":" + json_string(request.command);
  if (!request.name.empty()) out += ",\"name\":" + json_string(request.name);
  if (!request.file.empty()) out += ",\"file\":" + json_string(request.file);
  if (request.watch_ms >= 0) {
    out += ",\"watchMilliseconds\":" + std::to_string(request.watch_ms);
    out += ",\"maxErrorPercent\":" + std::to_string(request.max_error_percent);
  }
  if (!request.state.empty()) out += ",\"state\":" + json_string(request.state);
  if (!request.ns.empty()) out += ",\"namespace\":" + json_string(request.ns);
  if (!request.output.empty()) out += ",\"output\":" + json_string(request.output);
  return out + "}\n";
}

Result<ControlRequest> parse_request(std::string_view line) {
  YamlDocument document = parse_strict_json(line, "");
  if (Status s = first(document.mistakes); !s.ok()) return s;
  ControlRequest request;
  const std::string file;
  Fields fields(document.root, "", file, document.mistakes);
  fields.name("command", request.command);
  fields.name("name", request.name);
  fields.name("file", request.file);
  fields.integer("watchMilliseconds", 0, kWatchMillisecondsMax, request.watch_ms);
  fields.integer("maxErrorPercent", 0, kWhole, request.max_error_percent);
  fields.choice("state", {"none"}, request.state);
  fields.name("namespace", request.ns);
  fields.choice("output", {"text", "json", "timeline"}, request.output);
  fields.finish();
  if (Status s = first(document.mistakes); !s.ok()) return s;
  if (Status s = check(request); !s.ok()) return s;
  return request;
}

std::string refusal_line(const std::string& why) {
  return R"({"ok":false,"outcome":"invalid","text":)" + json_string(why) + "}\n";
}

Result<ControlResponse> parse_response(std::string_view line) {
  const YamlDocument document = parse_strict_json(line, "");
  if (Status s = first(document.mistakes); !s.ok()) return s;
  const YamlNode* const ok = document.root.find("ok");
  const YamlNode* const text = document.root.find("text");
  if (ok == nullptr || text == nullptr)
    return Status(Code::kInvalid, "not a response of a davit host");
  using Success = ControlResponse::Success;
  return ControlResponse{ok->text == "true" ? Success::kYes : Success::kNo, text->text};
}

}  // namespace davit::host
