#include "tests/system/traffic.hpp"

namespace davit::test {

namespace {

bool counts(const HttpServerRequest& request) {
  return request.target.find("/events") == std::string::npos &&
         request.target.find("/leases") == std::string::npos;
}

}  // namespace

HttpServerResponse Traffic::handle(const HttpServerRequest& request) {
  return noted(request, inner_.handle(request));
}

HttpServerResponse Traffic::handle(const HttpServerRequest& request, const sandbox::Url& url) {
  return noted(request, inner_.handle(request, url));
}

HttpServerResponse Traffic::noted(const HttpServerRequest& request, HttpServerResponse response) {
  constexpr int kForbidden = 403;
  const RecordedRequest recorded{clock_.now(), request.method, request.target, response.status};
  MutexLock lock(mutex_);
  if (counts(request)) requests_.push_back(recorded);
  if (response.status == kForbidden) refused_.push_back(recorded);
  return response;
}

std::vector<RecordedRequest> Traffic::refused() const {
  MutexLock lock(mutex_);
  return refused_;
}

std::vector<RecordedRequest> Traffic::since(Time start, std::string_view method,
                                            std::string_view path) const {
  std::vector<RecordedRequest> out;
  MutexLock lock(mutex_);
  for (const RecordedRequest& each : requests_) {
    if (each.at >= start && (each.method != "GET" || method == "GET") &&
        each.method.find(method) != std::string::npos &&
        each.path.find(path) != std::string::npos) {
      out.push_back(each);
    }
  }
  return out;
}

}  // namespace davit::test
