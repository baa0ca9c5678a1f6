/// RequestMetrics: GET /metrics, with the families of kube-apiserver that dashboards of an API
/// server begin with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lib/base/mutex.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/server/api_server.hpp"

namespace davit::sandbox {

/// Thread-safe. The number of series has a bound: only resources that are served have labels, and
/// once definitions have come and gone often enough, further resources share one.
class RequestMetrics {
 public:
  /// The labels of a request, but for its code.
  struct Labels {
    std::string all;
    std::string shared;  ///< The same without the resource.
  };
  [[nodiscard]] static Labels labels_of(const Call& call);

  /// Counts a request that was responded to with `code`.
  void note(const Labels& labels, int code) EXCLUDES(mutex_);

  /// The part of the page about requests.
  [[nodiscard]] std::string requests() const EXCLUDES(mutex_);
  /// The page, in Prometheus' text format.
  [[nodiscard]] std::string page(const RestParts& parts, const ServerVersion& version) const
      EXCLUDES(mutex_);

 private:
  /// Many times what the resources that are built in have.
  static constexpr std::size_t kSeriesMax = 8192;

  mutable Mutex mutex_;
  std::map<std::string, std::uint64_t> requests_ GUARDED_BY(mutex_);  ///< The key is the labels.
};

}  // namespace davit::sandbox
