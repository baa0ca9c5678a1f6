/// EventRecorder: Kubernetes Events about objects.
#pragma once

#include <davit/api.hpp>
#include <davit/kube/metadata.hpp>
#include <string>
#include <string_view>

namespace davit {

/// The subject of an event without an object, for example after a failed create.
struct EventSubject {
  std::string_view ns = {};  ///< Empty: the event is written into "default".
  std::string_view name = {};
  std::string_view uid = {};
  std::string_view resource_version = {};
};

/// Events appear in `kubectl describe`. The host correlates, limits and writes them later, with the
/// controller's client name as their source; recording never waits and never fails the caller.
class EventRecorder {
 public:
  /// `api` must outlive the recorder.
  explicit EventRecorder(const Api& api) : api_(&api) {}

  template <typename View>
  void normal(const View& about, std::string_view reason, std::string_view message) const {
    record(View::kResource, about, "Normal", reason, message);
  }
  template <typename View>
  void warning(const View& about, std::string_view reason, std::string_view message) const {
    record(View::kResource, about, "Warning", reason, message);
  }

  /// For objects whose kind is only known at run time.
  void record(const Resource& resource, const ObjectView& about, std::string_view type,
              std::string_view reason, std::string_view message) const;
  void record(const Resource& resource, const EventSubject& about, std::string_view type,
              std::string_view reason, std::string_view message) const;

 private:
  const Api* api_;
};

}  // namespace davit
