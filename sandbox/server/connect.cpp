#include "sandbox/server/connect.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace davit::sandbox {

namespace {

constexpr std::array<std::string_view, 4> kConnections = {"attach", "exec", "portforward", "proxy"};

/// The streams of an exec or attach.
void add_streams(const Query& query, Json& out) {
  for (const std::string_view stream : {"stdin", "stdout", "stderr", "tty"}) {
    if (query.flag(stream)) out.set(stream, true);
  }
  if (!query.get("container").empty()) out.set("container", query.get("container"));
}

Json command_of(const Query& query) {
  Json out;
  for (const std::string& each : query.all("command")) out.push_back(each);
  return out;
}

/// Adds the ports of "80,443". k8s: Convert_Slice_string_To_Slice_int32.
ApiFailure add_ports(std::string_view list, Json& out) {
  for (;;) {
    const std::size_t comma = list.find(',');
    const std::string_view text = list.substr(0, comma);
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool is_large = error == std::errc::result_out_of_range;
    if (error != std::errc() || end != text.data() + text.size()) {
      return bad_request("cannot convert to []int32: strconv.ParseUint: parsing " +
                         to_text(Json(text)) + ": " +
                         (is_large ? "value out of range" : "invalid syntax"));
    }
    out.push_back(int{port});
    if (comma == list.npos) return std::nullopt;
    list.remove_prefix(comma + 1);
  }
}

/// The part of the path that belongs to the program behind a proxy.
std::string proxied_path(const Url& url) {
  const std::string own = '/' + url.resource + '/' + url.name + "/proxy";
  const std::size_t at = url.path.find(own);
  return at == std::string::npos ? "" : url.path.substr(at + own.size());
}

ApiResult<Json> options_of(const Call& call, const Subresource& part) {
  const Query& query = call.url.query;
  Json out = Json::object({{"kind", part.kind}, {"apiVersion", "v1"}});
  if (part.name == "proxy") {
    std::string path = proxied_path(call.url);
    if (!path.empty()) out.set("path", std::move(path));
    return out;
  }
  if (part.name != "portforward") {
    add_streams(query, out);
    if (part.name == "exec") out.set("command", command_of(query));
    return out;
  }
  for (const std::string& each : query.all("ports")) {
    if (ApiFailure failure = add_ports(each, out["ports"])) return *failure;
  }
  return out;
}

}  // namespace

bool is_connection(std::string_view subresource) {
  return std::ranges::find(kConnections, subresource) != kConnections.end();
}

ApiFailure admit_connection(const Call& call) {
  const Subresource* const part = call.resource->subresource(call.url.subresource);
  if (part == nullptr) return std::nullopt;
  if (!call.url.query.get("dryRun").empty()) return bad_request("dryRun is not supported");
  ApiResult<Json> options = options_of(call, *part);
  if (!options) return options.error();
  const std::string ns = call.ns();
  const JudgedWrite write{.operation = JudgedWrite::Operation::kConnect,
                          .resource = *call.resource,
                          .subresource = call.url.subresource,
                          .ns = ns,
                          .name = call.url.name,
                          .object = &*options};
  if (call.mutate != nullptr) {
    if (ApiFailure failure = call.mutate(write, *options, nullptr)) return failure;
  }
  return call.judge == nullptr ? std::nullopt : call.judge(write);
}

}  // namespace davit::sandbox
