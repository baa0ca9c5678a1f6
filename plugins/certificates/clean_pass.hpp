/// One pass of a cleaner over all objects of a resource.
#pragma once

#include <davit/context.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit::certificates {

struct CleanOptions {
  std::string_view message;  ///< Logged with each error.
  Code ignored = Code::kOk;  ///< An error that is none.
};

/// Deletes every object that `is_done(view)` says, by name and UID. An error keeps no other object;
/// nothing is tried again before the next pass.
template <typename View, typename IsDone>
void clean_pass(const Context& cluster, const Informer<View>& objects, const CleanOptions& options,
                const IsDone& is_done) {
  for (const View& each : objects.list()) {
    if (!is_done(each)) continue;
    const Status deleted = cluster.client()
                               .remove<View>(each.key(), {.uid = std::string(each.uid())})
                               .unless(options.ignored);
    if (deleted.code() == Code::kCancelled) return;
    if (deleted.ok()) continue;
    cluster.log().error(options.message,
                        {{"object", each.key().text()}, {"error", deleted.message()}});
  }
}

}  // namespace davit::certificates
