#include "host/why/why_request.hpp"

#include <utility>

#include "lib/net/query.hpp"

namespace davit::host {

WhyRequest why_request(std::string object, const std::string& ns, std::string_view output) {
  WhyRequest made;
  made.object = std::move(object);
  if (!ns.empty()) made.ns = ns;
  if (output == "json") made.output = WhyRequest::Output::kJson;
  if (output == "timeline") made.output = WhyRequest::Output::kTimeline;
  return made;
}

WhyRequest why_request_of_query(std::string_view query) {
  std::string object;
  std::string ns;
  std::string output;
  for (auto& [name, value] : parse_query(query)) {
    if (name == "object") object = std::move(value);
    if (name == "namespace") ns = std::move(value);
    if (name == "output") output = std::move(value);
  }
  return why_request(std::move(object), ns, output);
}

}  // namespace davit::host
