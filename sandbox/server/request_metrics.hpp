/// RequestMetrics: GET /metrics, with the families of kube-apiserver that dashboards of an API
/// server begin with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lib/base/mutex.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/server/api_server.hpp"

namespace davit::sandbox {

/// Thread-safe. The number of series has a bound: only resources that are served have labels.
class RequestMetrics {
 public:
  /// Counts a request that was responded to with `code`.
  void note(const Call& call, int code) EXCLUDES(mutex_);

  /// The page, in Prometheus' text format.
  [[nodiscard]] std::string page(const RestParts& parts, const ServerVersion& version) const
      EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::uint64_t> requests_ GUARDED_BY(mutex_);  ///< The key is the labels.
};

}  // namespace davit::sandbox
