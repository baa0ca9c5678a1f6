/// The kubelets' part in dynamic resource allocation: devices are prepared before pods start.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "nodes/api_calls.hpp"
#include "nodes/device_view.hpp"
#include "nodes/timetable.hpp"

namespace davit::sandbox {

namespace annotation {
inline constexpr char kPrepare[] = "sandbox.davit.dev/prepare";  ///< "fail", "never"; on a pod
inline constexpr char kPrepareSeconds[] = "sandbox.davit.dev/prepare-seconds";
}  // namespace annotation

/// Lets a pod start when all its claims are allocated and reserved for it, and the driver has
/// reported their devices as ready (kubernetes: pkg/kubelet/cm/dra). The devices of a pod that has
/// ended are released; the API's part of that is the resource claim controller's. Belongs to one
/// thread.
///
///   Waiting ──reserved──▶ Reporting ──200──▶ Prepared ──pod ended──▶ (forgotten)
class DevicePreparer {
 public:
  /// A pod has something to do, by its key.
  using WakePod = std::function<void(const std::string& pod)>;
  /// Takes the object of a response in.
  using Take = std::function<bool(Json object)>;

  struct Seams {
    ApiCalls& api;
    Clock& clock;
  };

  /// All must outlive it.
  DevicePreparer(Seams seams, const DeviceView& view, Take take, WakePod wake);

  /// From when on the devices of a pod that its node is to start are prepared, which may be in the
  /// future; nothing: not before something changes.
  [[nodiscard]] std::optional<Time> prepare(const Json& pod);
  /// The pod's containers have ended, or it is gone.
  void release(const std::string& uid);

  /// A claim has changed, by its name in the view.
  void claim_changed(const std::string& name);
  /// Does what is due; returns when it wants to be called next.
  Time step();

 private:
  struct Preparation {
    std::string pod;  // Its key.
    Json object;      // The pod, for reports.
    Time since{};
    std::set<std::string> claims;   // Those that it waits for.
    std::set<std::string> writing;  // Those whose status is being written.
    std::optional<Time> ready;
    std::string problem;   // The reason why it waits.
    std::string reported;  // The last problem that was reported.
  };

  /// The reason why the pod waits, in a kubelet's words; empty: nothing. Finds its claims.
  [[nodiscard]] std::string find_claims(const Json& pod, std::set<std::string>& names) const;
  /// Has the status of the claim say that its devices are ready; says whether it does.
  [[nodiscard]] bool report_devices(const std::string& uid, const std::string& claim);
  void reported(const std::string& uid, const std::string& claim, const ApiResponse& response);
  void wait(const std::string& uid, Preparation& preparation, std::string problem);
  void post_event(Preparation& preparation);

  Seams seams_;
  const DeviceView& view_;
  const Take take_;
  const WakePod wake_;
  std::unordered_map<std::string, Preparation> pods_;  // Keys are UIDs.
  Timetable due_;                                      // UIDs.
};

}  // namespace davit::sandbox
