/// Any target is either refused or means the same when every byte of its path is escaped.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/assert.hpp"
#include "sandbox/rest/url.hpp"

namespace {
using namespace davit::sandbox;

constexpr std::string_view kMethods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "get"};
constexpr std::string_view kParameters[] = {"watch", "limit", "fieldSelector", "a"};

std::string escaped(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte / 16];
    out += kDigits[byte % 16];
  }
  return out;
}

void check_same(const Url& left, const Url& right) {
  DAVIT_ASSERT(left.path == right.path);
  DAVIT_ASSERT(left.segments == right.segments);
  DAVIT_ASSERT(left.is_resource == right.is_resource);
  DAVIT_ASSERT(left.api_version() == right.api_version());
  DAVIT_ASSERT(left.ns == right.ns);
  DAVIT_ASSERT(left.resource == right.resource);
  DAVIT_ASSERT(left.name == right.name);
  DAVIT_ASSERT(left.subresource == right.subresource);
  for (const std::string_view method : kMethods) {
    DAVIT_ASSERT(verb_of(method, left) == verb_of(method, right));
  }
  for (const std::string_view parameter : kParameters) {
    DAVIT_ASSERT(left.query.all(parameter) == right.query.all(parameter));
    DAVIT_ASSERT(left.query.flag(parameter) == right.query.flag(parameter));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view target(reinterpret_cast<const char*>(data), size);
  const ApiResult<Url> url = parse_url(target);
  if (!url) return 0;
  const std::size_t question = target.substr(0, target.find('#')).find('?');
  const std::string_view query =
      question == std::string_view::npos ? std::string_view() : target.substr(question);
  const ApiResult<Url> again = parse_url(escaped(url->path).append(query));
  DAVIT_ASSERT(again.has_value());
  check_same(*url, *again);
  return 0;
}
