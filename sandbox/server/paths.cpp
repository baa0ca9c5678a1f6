// Paths that name no resource.
#include <algorithm>

#include "sandbox/server/dispatch.hpp"

namespace davit::sandbox {

namespace {

Response text(std::string body) {
  Response response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(body);
  return response;
}

Response version_answer(const ServerVersion& version) {
  Response response;
  response.body = to_text(Json::object({{"major", version.major},
                                        {"minor", version.minor},
                                        {"gitVersion", version.git_version},
                                        {"gitCommit", ""},
                                        {"gitTreeState", "clean"},
                                        {"buildDate", "2026-01-01T00:00:00Z"},
                                        {"goVersion", "go1.25"},
                                        {"compiler", "gc"},
                                        {"platform", "linux/amd64"}})) +
                  '\n';
  return response;
}

bool is_health(const std::vector<std::string>& segments) {
  return !segments.empty() &&
         (segments[0] == "healthz" || segments[0] == "livez" || segments[0] == "readyz");
}

/// The server is ready as soon as it answers; its one check says so.
ApiResult<Response> health(const Url& url) {
  constexpr std::string_view kCheck = "ping";
  if (url.segments.size() > 2 || (url.segments.size() == 2 && url.segments[1] != kCheck)) {
    return page_not_found();
  }
  if (url.segments.size() == 2 || !url.query.find("verbose")) return text("ok");
  return text("[+]" + std::string(kCheck) + " ok\n" + url.segments[0] + " check passed\n");
}

}  // namespace

ApiResult<Response> serve_path(const Serving& serving, const Request& request, const Url& url) {
  if (request.method != "GET" && request.method != "HEAD") {
    return url.segments.empty() ? ApiResult<Response>(page_not_found())
                                : ApiResult<Response>(method_not_allowed());
  }
  if (url.segments.size() == 1 && url.segments[0] == "version") {
    return version_answer(serving.options.version);
  }
  if (is_health(url.segments)) return health(url);
  if (Documents::has(url)) {
    return serving.documents.answer(request, url, serving.rest.resources.now());
  }
  return page_not_found();
}

}  // namespace davit::sandbox
