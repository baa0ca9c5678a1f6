#include "host/process/pages/zpages.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <davit/kube/time.hpp>
#include <optional>
#include <utility>

#include "lib/base/lower_case.hpp"
#include "lib/base/version.hpp"
#include "lib/kube/yaml_text.hpp"
#include "lib/net/accept.hpp"

namespace davit::host {
namespace {

/// The release of Kubernetes that davit behaves as.
constexpr std::string_view kEmulated = "1.36";
constexpr std::string_view kWarning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
    "guarantees and is for debugging purposes only.\n";

struct Form {
  enum class Format { kText, kJson, kYaml } format = Format::kText;
  std::string version = {};
};

/// The form that one entry of Accept asks for, or nothing if there is none of that kind.
std::optional<Form> form_of(const sandbox::AcceptEntry& entry, std::string_view kind) {
  const std::string type = lower_case(std::string(entry.type));
  if (type == "text/plain" || type == "*/*" || type == "text/*") return Form{};
  const bool is_known = entry.group == "config.k8s.io" && entry.as == kind &&
                        (entry.version == "v1beta1" || entry.version == "v1alpha1");
  if (!is_known) return std::nullopt;
  if (type == "application/json") return Form{Form::Format::kJson, std::string(entry.version)};
  if (type == "application/yaml") return Form{Form::Format::kYaml, std::string(entry.version)};
  return std::nullopt;
}

std::optional<Form> choose_form(std::string_view accept, std::string_view kind) {
  if (accept.find_first_not_of(" \t,") == accept.npos) return Form{};
  for (const sandbox::AcceptEntry& entry : sandbox::parse_accept(accept)) {
    if (std::optional<Form> form = form_of(entry, kind)) return form;
  }
  return std::nullopt;
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
  return page_response(406, kJsonText, to_pretty_text(status));
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
      page_response(200, type, is_json ? to_pretty_text(whole) : sandbox::to_yaml_text(whole));
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
  return page_response(
      200, kPlainText,
      head_of("statusz") + "\nStarted: " + date_text(facts.started) + "\nUp: " + up_text(up) +
          "\nGo version: " + kCompiler + "\nBinary version: " + kVersion +
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
  return page_response(200, kPlainText, std::move(text));
}

}  // namespace davit::host
