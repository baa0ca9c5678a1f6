#include "lib/net/http_message.hpp"

#include <algorithm>

#include "lib/base/lower_case.hpp"

namespace davit {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower_case(x) == lower_case(y); });
}

}  // namespace

std::string_view HttpServerRequest::header(std::string_view name) const {
  const auto found =
      std::ranges::find_if(headers, [&](const auto& each) { return same_name(each.first, name); });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view HttpServerRequest::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpServerRequest::query() const {
  const std::size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

HttpServerResponse page_response(int status, std::string content_type, std::string body) {
  HttpServerResponse response;
  response.status = status;
  response.content_type = std::move(content_type);
  response.headers = {{"X-Content-Type-Options", "nosniff"},
                      {"Cache-Control", "no-cache, private"}};
  response.body = std::move(body);
  return response;
}

HttpServerResponse json_response(int status, std::string json) {
  HttpServerResponse response;
  response.status = status;
  response.content_type = kJsonText;
  response.body = std::move(json);
  response.body += '\n';
  return response;
}

HttpServerResponse aborted_response() {
  HttpServerResponse response;
  response.aborted = true;
  return response;
}

}  // namespace davit
