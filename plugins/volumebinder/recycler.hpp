/// Empties volumes of the policy Recycle by a pod.
#pragma once

#include <davit/kube/pod.hpp>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"
#include "plugins/volumebinder/parts.hpp"

namespace davit::volumebinder {

/// Event, as the core group has it.
class PodEvent : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "events", "Event"};
  using ObjectView::ObjectView;
};

/// The pod that empties a volume.
[[nodiscard]] std::string recycler_pod_name(std::string_view volume);
/// Its namespace.
inline constexpr std::string_view kRecyclerNamespace = "default";
/// The volume of such a pod; empty: the pod is another one.
[[nodiscard]] std::string_view recycled_volume(const Pod& pod);
/// The pod as JSON: `pod_template` with another name, deadline and source of its first volume;
/// upstream's default pod if it is absent. Rule: docs/spec/volumes.md, B9.
[[nodiscard]] std::string recycler_pod(const volumes::Volume& volume, const RecyclerTime& time,
                                       Value pod_template = {});

/// Invariant: the pod, which erases the content of the volume, is created only after the server has
/// answered in this sync that the volume is the same, has the policy Recycle and its claimRef, and
/// that the claim in it is gone or is another one. It is deleted if the volume leaves that state.
///
/// A restart forgets the pods that it created; such a pod is deleted and the next one created.
/// Thread-safe. Rule: docs/spec/volumes.md, B9 and B13.
class Recycler {
 public:
  explicit Recycler(const Parts& parts) : parts_(parts) {}

  /// Does the next step for a volume that is Released or Failed.
  [[nodiscard]] Status recycle(const volumes::Volume& volume);
  /// Deletes the pod of a volume that is no longer to be emptied, if there is one.
  [[nodiscard]] Status stop(std::string_view volume);

 private:
  using Volume = volumes::Volume;

  /// Whether the volume may be emptied, by what the server answers. The error of a failed request.
  [[nodiscard]] Result<bool> may_empty(const Volume& volume) const;
  /// Reports cached pods that use the volume. Returns whether any does.
  [[nodiscard]] bool report_use(const Volume& volume) const;
  [[nodiscard]] Status start(const Volume& volume);
  [[nodiscard]] Status follow(const Volume& volume, const std::string& pod_uid);
  /// Says of the volume what new Events say of its pod. They are for people, so a failed list is
  /// not an error; the next sync sees the same Events.
  void copy_events(const Volume& volume, std::string_view pod_uid);
  [[nodiscard]] Status remove_pod(std::string_view volume, const std::string& pod_uid) const;
  /// Ends the attempt.
  [[nodiscard]] Status fail(const Volume& volume, std::string_view text);

  /// The UID of the pod that this process has created for the volume; empty: none.
  [[nodiscard]] std::string pod_of(std::string_view volume) const;
  void forget(std::string_view volume);

  struct Work {
    std::string pod_uid;
    std::set<std::string, std::less<>> copied;  // UIDs of the pod's Events.
  };

  const Parts& parts_;
  mutable std::mutex mutex_;
  std::map<std::string, Work, std::less<>> works_;  // The key is the name of the volume.
};

}  // namespace davit::volumebinder
