/// The credentials that may read pages, as far as they were used lately.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "lib/base/clock.hpp"

namespace davit::host {

/// Names of credentials, none of which gives access by itself: they only decide who goes first. Not
/// thread-safe.
class KnownClients {
 public:
  /// Scrapers and people of a large installation. The one that was accepted longest ago gives way.
  static constexpr std::size_t kEntriesMax = 256;
  /// Longer than scrapers wait between two requests.
  static constexpr Duration kTime = std::chrono::minutes(10);

  /// The API server has accepted the credentials and let them read a page.
  void accepted(const std::string& credentials, Time now) {
    last_[credentials] = now;
    if (last_.size() <= kEntriesMax) return;
    auto oldest = last_.begin();
    for (auto at = last_.begin(); at != last_.end(); ++at) {
      if (at->second < oldest->second) oldest = at;
    }
    last_.erase(oldest);
  }
  [[nodiscard]] bool has(const std::string& credentials, Time now) const {
    const auto found = last_.find(credentials);
    return found != last_.end() && now - found->second < kTime;
  }

 private:
  std::map<std::string, Time> last_;
};

}  // namespace davit::host
