#include "nodes/pod_settings.hpp"

#include <algorithm>
#include <charconv>
#include <functional>

namespace davit::sandbox {
namespace {

/// Beyond any use, and still far from the end of what a Duration holds.
constexpr double kSecondsMax = 1e8;

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Annotations {
 public:
  explicit Annotations(const Json& pod) : pod_(pod) {}

  [[nodiscard]] const std::string& text(std::string_view name) const {
    return pod_.text_at({"metadata", "annotations", name});
  }
  [[nodiscard]] std::optional<Duration> seconds(std::string_view name) const {
    const std::optional<double> value = number(text(name));
    if (!value || !(*value >= 0)) return std::nullopt;
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(std::min(*value, kSecondsMax)));
  }
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const {
    const std::optional<double> value = number(text(name));
    if (!value || *value < 0 || *value > kSecondsMax) return std::nullopt;
    return static_cast<std::int64_t>(*value);
  }

 private:
  const Json& pod_;
};

/// In [0, 1), the same for one pod however often it is asked.
double share_of(const Json& pod) {
  constexpr std::size_t kSteps = 1024;
  const std::size_t hash = std::hash<std::string>()(pod.text_at({"metadata", "uid"}));
  return static_cast<double>(hash % kSteps) / kSteps;
}

Duration longest_initial_delay(const Json& pod) {
  std::int64_t longest = 0;
  for (const Json& container : pod.get("spec").get("containers").items()) {
    const Json* delay = container.at({"readinessProbe", "initialDelaySeconds"});
    if (delay != nullptr) longest = std::max(longest, delay->integer_or(0));
  }
  return std::chrono::seconds(longest);
}

ImagePull image_pull(const Json& pod, const PodDefaults& defaults) {
  const auto unpullable = [&defaults](const Json& container) {
    const std::string& image = container.get("image").text();
    const auto& list = defaults.unpullable_images;
    return image.ends_with(":does-not-exist") ||
           std::find(list.begin(), list.end(), image) != list.end();
  };
  for (const char* group : {"initContainers", "containers"}) {
    const Json::Items& containers = pod.get("spec").get(group).items();
    if (std::any_of(containers.begin(), containers.end(), unpullable)) return ImagePull::kFails;
  }
  return ImagePull::kWorks;
}

}  // namespace

std::optional<Duration> annotated_seconds(const Json& object, std::string_view name) {
  return Annotations(object).seconds(name);
}

RestartPolicy restart_policy(const Json& pod) {
  const std::string& text = pod.text_at({"spec", "restartPolicy"});
  if (text == "Never") return RestartPolicy::kNever;
  return text == "OnFailure" ? RestartPolicy::kOnFailure : RestartPolicy::kAlways;
}

PodSettings pod_settings(const Json& pod, const PodDefaults& defaults) {
  const Annotations given(pod);
  const double stretch = 1 + defaults.jitter * share_of(pod);
  const auto stretched = [stretch](Duration time) {
    return std::chrono::duration_cast<Duration>(time * stretch);
  };
  PodSettings out;
  out.start = given.seconds(annotation::kStartSeconds).value_or(stretched(defaults.start));
  out.init = given.seconds(annotation::kInitSeconds).value_or(Duration{0});
  out.ready = given.seconds(annotation::kReadySeconds)
                  .value_or(std::max(stretched(defaults.ready), longest_initial_delay(pod)));
  out.stop = given.seconds(annotation::kStopSeconds).value_or(stretched(defaults.stop));
  out.run = given.seconds(annotation::kRunSeconds);
  out.restart = given.seconds(annotation::kRestartSeconds);
  const std::optional<std::int64_t> exit_code = given.integer(annotation::kExitCode);
  out.exit_code = static_cast<int>(exit_code.value_or(0));
  const std::optional<std::int64_t> stop_code = given.integer(annotation::kStopExitCode);
  out.stop_exit_code = static_cast<int>(stop_code.value_or(kEndedBySigterm));
  if (!out.run && exit_code) out.run = Duration{0};
  if (!out.run && restart_policy(pod) != RestartPolicy::kAlways) out.run = stretched(defaults.run);
  out.exits_max = given.integer(annotation::kExitsMax);
  if (given.text(annotation::kReady) == "false") out.readiness = Readiness::kNever;
  const std::string& pull = given.text(annotation::kImagePull);
  out.image_pull = pull == "fail" ? ImagePull::kFails
                   : pull == "ok" ? ImagePull::kWorks
                                  : image_pull(pod, defaults);
  return out;
}

}  // namespace davit::sandbox
