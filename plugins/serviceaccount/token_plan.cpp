#include "plugins/serviceaccount/token_plan.hpp"

#include <davit/json_writer.hpp>
#include <utility>

namespace davit::serviceaccount {
namespace {

constexpr std::string_view kCa = "ca.crt";
constexpr std::string_view kNamespace = "namespace";
constexpr std::string_view kToken = "token";

}  // namespace

NeededParts needed_parts(const TokenSecret& secret, std::string_view root_ca) {
  const Value data = secret.data();
  return {.ca = !root_ca.empty() && data[kCa].string() != root_ca,
          .ns = data[kNamespace].string().empty(),
          .token = data[kToken].string().empty()};
}

std::string fill_patch(const TokenSecret& live, const ServiceAccount& account,
                       const TokenParts& parts) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object();
  out.member("resourceVersion", live.resource_version());
  out.key("annotations").begin_object().member(kNameAnnotation, account.name());
  out.member(kUidAnnotation, account.uid()).end_object().end_object();
  out.key("data").begin_object();
  if (!parts.ca.empty()) out.member(kCa, parts.ca);
  if (!parts.ns.empty()) out.member(kNamespace, parts.ns);
  if (!parts.token.empty()) out.member(kToken, parts.token);
  out.end_object().end_object();
  return std::move(out).text();
}

std::string reference_patch(const ServiceAccount& live, std::string_view secret) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object();
  out.member("resourceVersion", live.resource_version()).end_object();
  out.key("secrets").begin_array();
  for (const Value each : live.secrets().elements()) {
    if (each[&Names::name].string() != secret) out.value(each);
  }
  out.end_array().end_object();
  return std::move(out).text();
}

}  // namespace davit::serviceaccount
