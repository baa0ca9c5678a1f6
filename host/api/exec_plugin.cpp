#include "host/api/exec_plugin.hpp"

#include <rapidjson/document.h>

#include <charconv>
#include <cstdio>
#include <utility>

#include "host/base/base64.hpp"
#include "host/base/json_text.hpp"

namespace davit::host {
namespace {

std::string text(const rapidjson::Value& object, const char* member) {
  const auto found = object.FindMember(member);
  if (found == object.MemberEnd() || !found->value.IsString()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

// Days from 1970-01-01 (Howard Hinnant's days_from_civil).
std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  return std::chrono::sys_days(std::chrono::year(static_cast<int>(year)) /
                               std::chrono::month(month) / std::chrono::day(day))
      .time_since_epoch()
      .count();
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  const char* const begin = text.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + count, value);
  if (error != std::errc() || end != begin + count || *begin == '-') return std::nullopt;
  return value;
}

}  // namespace

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't')) return std::nullopt;
  if (text[13] != ':' || text[16] != ':') return std::nullopt;
  if (*month < 1 || *month > 12 || *day < 1 || *day > 31) return std::nullopt;
  std::size_t at = 19;
  if (at < text.size() && text[at] == '.') {
    ++at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;  // Whole seconds suffice.
  }
  std::int64_t offset_minutes = 0;
  const std::string_view zone = text.substr(std::min(at, text.size()));
  if (zone != "Z" && zone != "z") {
    const auto h = digits(zone, 1, 2), m = digits(zone, 4, 2);
    if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':' || !h || !m) {
      return std::nullopt;
    }
    offset_minutes = (*h * 60 + *m) * (zone[0] == '-' ? -1 : 1);
  }
  const std::int64_t days =
      days_from_civil(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day));
  const std::int64_t seconds =
      days * 86400 + *hour * 3600 + (*minute - offset_minutes) * 60 + *second;
  return WallTime(std::chrono::seconds(seconds));
}

std::string exec_info(const ConnectionConfig& config) {
  const ExecConfig& exec = *config.exec;
  std::string out = R"({"kind":"ExecCredential","apiVersion":)" + json_string(exec.api_version);
  out += R"(,"spec":{"interactive":false)";
  if (exec.provide_cluster_info) {
    out += ",\"cluster\":{\"server\":" + json_string(config.server);
    if (!config.tls_server_name.empty()) {
      out += ",\"tls-server-name\":" + json_string(config.tls_server_name);
    }
    if (config.insecure) out += ",\"insecure-skip-tls-verify\":true";
    if (!config.ca_data.empty()) {
      out += ",\"certificate-authority-data\":" + json_string(encode_base64(config.ca_data));
    }
    if (!config.proxy_url.empty()) out += ",\"proxy-url\":" + json_string(config.proxy_url);
    if (config.disable_compression) out += ",\"disable-compression\":true";
    if (!exec.cluster_extension.empty()) out += ",\"config\":" + exec.cluster_extension;
    out += '}';
  }
  return out + "}}";
}

Result<ExecCredential> parse_exec_credential(std::string_view output,
                                             std::string_view api_version) {
  const auto bad = [](std::string_view why) {
    return Status(Code::kInvalid, "exec plugin: " + std::string(why));
  };
  rapidjson::Document json;
  json.Parse<rapidjson::kParseIterativeFlag>(output.data(), output.size());
  if (json.HasParseError() || !json.IsObject()) return bad("its output is no JSON object");
  if (text(json, "kind") != "ExecCredential") return bad("its output is no ExecCredential");
  if (const std::string got = text(json, "apiVersion"); got != api_version) {
    return bad("API version mismatch: plugin returned version \"" + got + "\", configured is \"" +
               std::string(api_version) + "\"");
  }
  const rapidjson::Value& root = json;  // clang takes only constant iterators for comparable.
  const auto status = root.FindMember("status");
  if (status == root.MemberEnd() || !status->value.IsObject()) {
    return bad("plugin didn't return a status field");
  }
  ExecCredential out;
  out.token = text(status->value, "token");
  out.cert = text(status->value, "clientCertificateData");
  out.key = text(status->value, "clientKeyData");
  if (out.cert.empty() != out.key.empty()) {
    return bad("plugin returned only one of certificate and key, but not both");
  }
  if (out.token.empty() && out.cert.empty()) {
    return bad("plugin didn't return a token or cert/key pair");
  }
  if (const std::string when = text(status->value, "expirationTimestamp"); !when.empty()) {
    out.expires = parse_rfc3339(when);
    if (!out.expires) return bad("its expirationTimestamp is no RFC 3339 time");
  }
  return out;
}

}  // namespace davit::host
