#include "plugins/volumebinder/options.hpp"

#include <algorithm>
#include <chrono>
#include <davit/kube/signed_duration.hpp>
#include <davit/options.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace davit::volumebinder {
namespace {

constexpr std::string_view kPeriod = "pvClaimBinderSyncPeriod";
constexpr std::string_view kDynamic = "enableDynamicProvisioning";
constexpr std::string_view kNfsMinimum = "recyclerMinimumTimeoutNFS";
constexpr std::string_view kNfsIncrement = "recyclerIncrementTimeoutNFS";
constexpr std::string_view kHostPathMinimum = "recyclerMinimumTimeoutHostPath";
constexpr std::string_view kHostPathIncrement = "recyclerTimeoutIncrementHostPath";

Status wrong_option(std::string_view name, std::string_view what) {
  return {Code::kInvalid, std::string(name) + " must be " + std::string(what)};
}

/// As upstream, any duration; one below a second counts as a second, not as a loop without a pause.
Status read_period(Value config, Duration& out) {
  const Value value = config[kPeriod];
  if (value.is_absent()) return {};
  const std::optional<Duration> read = parse_signed_duration(value.string());
  if (!read) return wrong_option(kPeriod, "a duration such as 15s");
  out = std::max<Duration>(*read, std::chrono::seconds(1));
  return {};
}

Status read_dynamic(Value config, bool& out) {
  const Value value = config[kDynamic];
  if (value.is_absent()) return {};
  if (!value.boolean()) return wrong_option(kDynamic, "true or false");
  out = value.is_true();
  return {};
}

/// As upstream, negative numbers too.
Status read_seconds(Value config, std::string_view name, std::int64_t& out) {
  const Value value = config[name];
  if (value.is_absent()) return {};
  const std::optional<std::int64_t> read = value.integer();
  using Limits = std::numeric_limits<std::int32_t>;
  if (!read || *read < Limits::min() || *read > Limits::max()) {
    return wrong_option(name, "a number of seconds");
  }
  out = *read;
  return {};
}

/// Rule: docs/spec/volumes.md, B9.
Status check_template(Value config, std::string_view name) {
  const Value pod = config[name];
  if (pod.is_absent()) return {};
  if (pod.kind() != Kind::kObject) return wrong_option(name, "a pod");
  const Value volumes = pod[&Names::spec]["volumes"];
  if (volumes.elements().begin() == volumes.elements().end()) {
    return {Code::kInvalid,
            "pod specification (" + std::string(name) + "): does not contain any volume(s)"};
  }
  const std::string_view ns = pod[&Names::metadata][&Names::ns].string();
  if (!ns.empty() && ns != "default") {
    return wrong_option(name, "a pod of the namespace default");
  }
  return {};
}

}  // namespace

Result<Options> read_options(Value config) {
  Options out;
  for (const Status& each :
       {check_options(config, {kPeriod, kDynamic, kNfsMinimum, kNfsIncrement, kHostPathMinimum,
                               kHostPathIncrement, kNfsTemplate, kHostPathTemplate}),
        check_template(config, kNfsTemplate), check_template(config, kHostPathTemplate),
        read_period(config, out.sync_period), read_dynamic(config, out.dynamic_provisioning),
        read_seconds(config, kNfsMinimum, out.nfs.minimum),
        read_seconds(config, kNfsIncrement, out.nfs.per_gibibyte),
        read_seconds(config, kHostPathMinimum, out.host_path.minimum),
        read_seconds(config, kHostPathIncrement, out.host_path.per_gibibyte)}) {
    if (!each.ok()) return each;
  }
  return out;
}

}  // namespace davit::volumebinder
