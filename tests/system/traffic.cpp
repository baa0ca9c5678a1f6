#include "tests/system/traffic.hpp"

namespace davit::test {

namespace {

bool counts(const sandbox::Request& request) {
  return request.method != "GET" && request.target.find("/events") == std::string::npos &&
         request.target.find("/leases") == std::string::npos;
}

}  // namespace

sandbox::Response Traffic::handle(const sandbox::Request& request) {
  sandbox::Response response = inner_.handle(request);
  if (!counts(request)) return response;
  host::MutexLock lock(mutex_);
  exchanges_.push_back({clock_.now(), request.method, request.target, response.status});
  return response;
}

std::vector<Exchange> Traffic::since(host::Time start, std::string_view method,
                                     std::string_view path) const {
  std::vector<Exchange> out;
  host::MutexLock lock(mutex_);
  for (const Exchange& each : exchanges_) {
    if (each.at >= start && (each.method != "GET" || method == "GET") &&
        each.method.find(method) != std::string::npos &&
        each.path.find(path) != std::string::npos) {
      out.push_back(each);
    }
  }
  return out;
}

}  // namespace davit::test
