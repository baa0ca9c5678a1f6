/// The behaviour of a simulated pod: the options of the simulation, overridden by the pod's
/// annotations. docs/sandbox-nodes.md lists the annotations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// The settings of pods without annotations.
struct PodDefaults {
  Duration start{0};  ///< From binding to the containers' start: pulling, creating.
  Duration ready{0};  ///< From a container's start to its readiness.
  Duration stop{0};   ///< From the request to delete to the containers' end.
  double jitter = 0;  ///< Up to this share is added to each, the same for one pod.
  /// A pod whose restart policy is not Always does its work in this time and exits with 0.
  Duration run = std::chrono::seconds(1);
  /// Images that no node can pull, beside those with the tag "does-not-exist".
  std::vector<std::string> unpullable_images;
};

enum class RestartPolicy { kAlways, kOnFailure, kNever };
enum class Readiness { kNormal, kNever };
enum class ImagePull { kWorks, kFails };

/// The exit code of a process that SIGTERM ends.
inline constexpr int kEndedBySigterm = 143;
/// The exit code of a process that SIGKILL ends, because its time to stop has passed.
inline constexpr int kEndedBySigkill = 137;

/// The settings of one pod. All its containers behave alike.
struct PodSettings {
  Duration start{0};
  Duration init{0};  ///< For each init container.
  Duration ready{0};
  Duration stop{0};
  std::optional<Duration> run;      ///< From start to exit; nothing: runs until stopped.
  std::optional<Duration> restart;  ///< From exit to restart; nothing: the kubelet's back-off.
  int exit_code = 0;
  /// Reported by containers that stop in time when the pod is deleted.
  int stop_exit_code = kEndedBySigterm;
  std::optional<std::int64_t> exits_max;  ///< After so many exits it runs on.
  Readiness readiness = Readiness::kNormal;
  ImagePull image_pull = ImagePull::kWorks;
};

namespace annotation {
inline constexpr char kStartSeconds[] = "sandbox.davit.dev/start-seconds";
inline constexpr char kInitSeconds[] = "sandbox.davit.dev/init-seconds";
inline constexpr char kReadySeconds[] = "sandbox.davit.dev/ready-seconds";
inline constexpr char kStopSeconds[] = "sandbox.davit.dev/stop-seconds";
inline constexpr char kRunSeconds[] = "sandbox.davit.dev/run-seconds";
inline constexpr char kRestartSeconds[] = "sandbox.davit.dev/restart-seconds";
inline constexpr char kExitCode[] = "sandbox.davit.dev/exit-code";
inline constexpr char kStopExitCode[] = "sandbox.davit.dev/stop-exit-code";
inline constexpr char kExitsMax[] = "sandbox.davit.dev/exits-max";
inline constexpr char kReady[] = "sandbox.davit.dev/ready";
inline constexpr char kImagePull[] = "sandbox.davit.dev/image-pull";
inline constexpr char kMount[] = "sandbox.davit.dev/mount";  ///< "fail", "never"
inline constexpr char kMountSeconds[] = "sandbox.davit.dev/mount-seconds";
inline constexpr char kUnmount[] = "sandbox.davit.dev/unmount";  ///< "never"
inline constexpr char kUnmountSeconds[] = "sandbox.davit.dev/unmount-seconds";
}  // namespace annotation

[[nodiscard]] RestartPolicy restart_policy(const Json& pod);

/// A number of seconds in an annotation of `object`; nothing if there is none.
[[nodiscard]] std::optional<Duration> annotated_seconds(const Json& object, std::string_view name);

/// An invalid number or unknown word counts as missing.
[[nodiscard]] PodSettings pod_settings(const Json& pod, const PodDefaults& defaults);

}  // namespace davit::sandbox
