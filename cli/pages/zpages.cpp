#include "cli/pages/zpages.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <davit/kube/time.hpp>
#include <map>
#include <optional>
#include <utility>

#include "lib/base/lower_case.hpp"
#include "lib/base/version.hpp"
#include "sandbox/output/yaml_text.hpp"

namespace davit::host {
namespace {

/// The release of Kubernetes that davit behaves as.
constexpr std::string_view kEmulated = "1.36";
constexpr std::string_view kWarning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
    "guarantees and is for debugging purposes only.\n";
/// Browsers send about ten; more are not looked at.
constexpr std::size_t kClausesMax = 32;

struct Form {
  enum class Format { kText, kJson, kYaml } format = Format::kText;
  std::string version = {};
};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> parts_of(std::string_view text, char at, std::size_t most) {
  std::vector<std::string_view> out;
  while (!text.empty() && out.size() < most) {
    const std::string_view part = text.substr(0, text.find(at));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (!trimmed(part).empty()) out.push_back(trimmed(part));
  }
  return out;
}

/// The form that one clause of Accept asks for, or nothing if there is none of that kind.
std::optional<Form> form_of(std::string_view clause, std::string_view kind) {
  const std::vector<std::string_view> parts = parts_of(clause, ';', kClausesMax);
  if (parts.empty()) return std::nullopt;
  const std::string type = lower_case(std::string(parts.front()));
  std::map<std::string, std::string, std::less<>> parameters;
  for (const std::string_view part : parts) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    parameters.insert_or_assign(std::string(trimmed(part.substr(0, equals))),
                                std::string(trimmed(part.substr(equals + 1))));
  }
  if (parameters["q"] == "0") return std::nullopt;
  if (type == "text/plain" || type == "*/*" || type == "text/*") return Form{};
  const std::string& version = parameters["v"];
  const bool is_known = parameters["g"] == "config.k8s.io" && parameters["as"] == kind &&
                        (version == "v1beta1" || version == "v1alpha1");
  if (!is_known) return std::nullopt;
  if (type == "application/json") return Form{Form::Format::kJson, version};
  if (type == "application/yaml") return Form{Form::Format::kYaml, version};
  return std::nullopt;
}

std::optional<Form> choose_form(std::string_view accept, std::string_view kind) {
  const std::vector<std::string_view> clauses = parts_of(accept, ',', kClausesMax);
  if (clauses.empty()) return Form{};
  for (const std::string_view clause : clauses) {
    if (std::optional<Form> form = form_of(clause, kind)) return form;
  }
  return std::nullopt;
}

HttpServerResponse made(int status, std::string content_type, std::string body) {
  HttpServerResponse response;
  response.status = status;
  response.content_type = std::move(content_type);
  response.headers = {{"Cache-Control", "no-cache, private"}};
  response.body = std::move(body);
  return response;
}

HttpServerResponse not_acceptable() {
  const Json status = Json::object(
      {{"kind", "Status"},
       {"apiVersion", "v1"},
       {"metadata", Json::object()},
       {"status", "Failure"},
       {"message",
        "only the following media types are accepted: application/json, application/yaml, "
        "text/plain"},
       {"reason", "NotAcceptable"},
       {"code", 406}});
  return made(406, kJsonText, to_pretty_text(status));
}

/// `document` gets kind, apiVersion and name.
HttpServerResponse structured(const Form& form, std::string_view kind, Json document) {
  Json whole = Json::object({{"kind", kind},
                             {"apiVersion", "config.k8s.io/" + form.version},
                             {"metadata", Json::object({{"name", kComponentName}})}});
  for (const Json::Member& each : document.members()) whole.set(each.key, each.value);
  const bool is_json = form.format == Form::Format::kJson;
  const std::string type = std::string(is_json ? "application/json" : "application/yaml") +
                           ";g=config.k8s.io;v=" + form.version + ";as=" + std::string(kind);
  HttpServerResponse response =
      made(200, type, is_json ? to_pretty_text(whole) : sandbox::to_yaml_text(whole));
  if (form.version == "v1alpha1") {
    response.headers.emplace_back("Warning", "299 - \"This version of the " +
                                                 lower_case(std::string(kind)) +
                                                 " endpoint is deprecated. Please use a newer "
                                                 "version.\"");
  }
  return response;
}

std::string head_of(std::string_view page) {
  return "\n" + std::string(kComponentName) + " " + std::string(page) + "\n" +
         std::string(kWarning);
}

/// As date(1) prints it: "Thu Nov 26 17:06:12 UTC 2026".
std::string date_text(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S UTC %Y", &parts);
  return {text.data(), size};
}

std::string up_text(std::chrono::seconds up) {
  std::array<char, 64> text{};
  const long long all = up.count();
  std::snprintf(text.data(), text.size(), "%lld hr %02lld min %02lld sec", all / 3600,
                all / 60 % 60, all % 60);
  return text.data();
}

}  // namespace

HttpServerResponse statusz_response(std::string_view accept, const StatuszFacts& facts) {
  constexpr std::string_view kKind = "Statusz";
  const std::optional<Form> form = choose_form(accept, kKind);
  if (!form) return not_acceptable();
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(facts.up);
  if (form->format != Form::Format::kText) {
    Json paths = Json::array();
    for (const std::string& each : facts.paths) paths.push_back(each);
    return structured(*form, kKind,
                      Json::object({{"startTime", format_time(facts.started)},
                                    {"uptimeSeconds", static_cast<std::int64_t>(up.count())},
                                    {"goVersion", kCompiler},
                                    {"binaryVersion", kVersion},
                                    {"emulationVersion", kEmulated},
                                    {"paths", paths}}));
  }
  std::string paths;
  for (const std::string& each : facts.paths) paths += (paths.empty() ? "" : " ") + each;
  return made(200, kPlainText,
              head_of("statusz") + "\nStarted: " + date_text(facts.started) + "\nUp: " +
                  up_text(up) + "\nGo version: " + kCompiler + "\nBinary version: " + kVersion +
                  "\nEmulation version: " + std::string(kEmulated) + "\nPaths: " + paths + "\n");
}

HttpServerResponse flagz_response(std::string_view accept, const FlagValues& flags) {
  constexpr std::string_view kKind = "Flagz";
  const std::optional<Form> form = choose_form(accept, kKind);
  if (!form) return not_acceptable();
  if (form->format != Form::Format::kText) {
    Json values = Json::object();
    for (const auto& [name, value] : flags) values.set(name, flag_text(value));
    return structured(*form, kKind, Json::object({{"flags", values}}));
  }
  std::string text = head_of("flagz");
  for (const auto& [name, value] : flags) text += name + ": " + flag_text(value) + "\n";
  return made(200, kPlainText, std::move(text));
}

}  // namespace davit::host
