#include "tests/system/traffic.hpp"

namespace davit::test {

namespace {

bool counts(const sandbox::Request& request) {
  return request.target.find("/events") == std::string::npos &&
         request.target.find("/leases") == std::string::npos;
}

}  // namespace

sandbox::Response Traffic::handle(const sandbox::Request& request) {
  constexpr int kForbidden = 403;
  sandbox::Response response = inner_.handle(request);
  const RecordedRequest recorded{clock_.now(), request.method, request.target, response.status};
  host::MutexLock lock(mutex_);
  if (counts(request)) requests_.push_back(recorded);
  if (response.status == kForbidden) refused_.push_back(recorded);
  return response;
}

std::vector<RecordedRequest> Traffic::refused() const {
  host::MutexLock lock(mutex_);
  return refused_;
}

std::vector<RecordedRequest> Traffic::since(host::Time start, std::string_view method,
                                            std::string_view path) const {
  std::vector<RecordedRequest> out;
  host::MutexLock lock(mutex_);
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
