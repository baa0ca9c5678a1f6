#include "host/credentials/exec_plugin.hpp"

#include <rapidjson/document.h>

#include <cstdio>
#include <davit/base64.hpp>
#include <davit/kube/time.hpp>
#include <utility>

#include "lib/base/child_process.hpp"
#include "lib/base/header_value.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

constexpr std::size_t kOutputBytesMax = std::size_t{1} << 20;

std::string member_text(const rapidjson::Value& object, const char* member) {
  const auto found = object.FindMember(member);
  if (found == object.MemberEnd() || !found->value.IsString()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

}  // namespace

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
  if (json.HasParseError() || !json.IsObject()) return bad("its output is not a JSON object");
  if (member_text(json, "kind") != "ExecCredential")
    return bad("its output is not an ExecCredential");
  if (const std::string got = member_text(json, "apiVersion"); got != api_version) {
    return bad("API version mismatch: plugin returned version \"" + got + "\", configured is \"" +
               std::string(api_version) + "\"");
  }
  const rapidjson::Value& root = json;  // clang takes only constant iterators for comparable.
  const auto status = root.FindMember("status");
  if (status == root.MemberEnd() || !status->value.IsObject()) {
    return bad("plugin didn't return a status field");
  }
  ExecCredential out;
  out.token = member_text(status->value, "token");
  if (const std::string fault = header_fault(out.token); !fault.empty()) {
    return bad("its token " + fault);
  }
  out.cert = member_text(status->value, "clientCertificateData");
  out.key = member_text(status->value, "clientKeyData");
  if (out.cert.empty() != out.key.empty()) {
    return bad("plugin returned only one of certificate and key, but not both");
  }
  if (out.token.empty() && out.cert.empty()) {
    return bad("plugin didn't return a token or cert/key pair");
  }
  if (const std::string when = member_text(status->value, "expirationTimestamp"); !when.empty()) {
    out.expires = parse_time(when);
    if (!out.expires) return bad("its expirationTimestamp is not an RFC 3339 time");
  }
  return out;
}

ProgramResult run_program(const ExecConfig& exec, const std::string& info,
                          std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  // The plugin runs in the group of this process, because it may prompt for a passphrase on the
  // terminal.
  ChildProcess::Program program{.argv = {exec.command},
                                .environment = exec.env,
                                .captured = ChildProcess::Captured::kOutput,
                                .group = ChildProcess::Group::kCallers};
  program.argv.insert(program.argv.end(), exec.args.begin(), exec.args.end());
  program.environment.emplace_back("KUBERNETES_EXEC_INFO", info);
  Result<ChildProcess> child = ChildProcess::start(program);
  if (!child) {
    const bool missing = child.error().code() == Code::kNotFound;
    return {missing ? ProgramResult::End::kNotFound : ProgramResult::End::kNotStarted, 1,
            child.error().message()};
  }
  ProgramResult result;
  const ChildProcess::Read read = child->read_output(result.output, kOutputBytesMax, end);
  if (read == ChildProcess::Read::kTooMuch) {
    result.end = ProgramResult::End::kPrintedTooMuch;
  } else if (read == ChildProcess::Read::kTimedOut || !child->wait_until(end)) {
    result.end = ProgramResult::End::kTimedOut;
  }
  if (result.end != ProgramResult::End::kExited) child->kill();
  result.exit_code = child->reap().shell_code();
  return result;
}

}  // namespace davit::host
