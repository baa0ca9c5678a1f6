/// One pass of a cleaner over all objects of a resource.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/mutant.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::certificates {

/// The object that may be deleted: any version of it, or the judged one alone.
enum class Judged : std::uint8_t { kObject, kVersion };

struct CleanOptions {
  std::string_view message;  ///< Logged with each error.
  /// kVersion: the judgement is of something that may change. The cache may be older than the
  /// server, which then has a request that somebody has just approved.
  Judged judged = Judged::kObject;
  bool logs_missing = false;  ///< Whether an object that is gone already is an error.
};

/// Deletes every object that `is_done(view)` says, by name and UID, if it has not changed since. An
/// error keeps no other object; nothing is tried again before the next pass.
template <typename View, typename IsDone>
void clean_pass(const Context& cluster, const Informer<View>& objects, const CleanOptions& options,
                const IsDone& is_done) {
  for (const View& each : objects.list()) {
    if (!is_done(each)) continue;
    DeleteOptions conditions{.uid = std::string(each.uid())};
    if (options.judged == Judged::kVersion && !mutant("judged-version")) {
      conditions.resource_version = std::string(each.resource_version());
    }
    Status deleted = cluster.client().remove<View>(each.key(), std::move(conditions));
    if (options.judged == Judged::kVersion) deleted = deleted.unless(Code::kConflict);
    if (!options.logs_missing) deleted = deleted.unless(Code::kNotFound);
    if (deleted.code() == Code::kCancelled) return;
    if (deleted.ok()) continue;
    cluster.log().error(options.message,
                        {{"object", each.key().text()}, {"error", deleted.message()}});
  }
}

}  // namespace davit::certificates
