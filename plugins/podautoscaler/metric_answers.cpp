#include "plugins/podautoscaler/metric_answers.hpp"

#include <algorithm>
#include <davit/kube/quantity.hpp>
#include <davit/kube/signed_duration.hpp>
#include <davit/kube/time.hpp>
#include <optional>
#include <string>

#include "plugins/podautoscaler/saturate.hpp"

namespace davit::podautoscaler {
namespace {

Result<std::int64_t> quantity_of(Value value) {
  const Result<QuantityParts> parts = parse_quantity(quantity_source(value));
  if (!parts) return parts.error();
  return Quantity(*parts).milli();
}

/// timestamp and window of an item.
Result<PodValue> read_times(Value item) {
  PodValue out;
  const std::string_view stamp = item["timestamp"].string();
  const std::optional<WallTime> at = parse_time(stamp);
  if (!at && !stamp.empty()) return parse_wire_time(stamp).error();
  out.timestamp = at.value_or(kTimeMin);
  const Value window = item["window"];
  if (const std::optional<std::string_view> text = window.text()) {
    const std::optional<Duration> length = parse_signed_duration(*text);
    if (!length) {
      return Status(Code::kInvalid, "time: invalid duration \"" + std::string(*text) + "\"");
    }
    out.window = *length;
  }
  constexpr std::int64_t kLongest = 1'000'000'000;
  out.window += std::chrono::seconds(
      std::clamp<std::int64_t>(item["windowSeconds"].integer_or(0), 0, kLongest));
  return out;
}

/// The use of a resource by an item's containers; nothing if one that counts lacks it.
Result<std::optional<std::int64_t>> usage_of(Value item, std::string_view resource,
                                             std::string_view container) {
  Wide sum = 0;
  bool any = false;
  for (const Value each : item[&Names::containers].elements()) {
    if (!container.empty() && each[&Names::name].string() != container) continue;
    const Value amount = each["usage"][resource];
    if (amount.is_absent()) return std::optional<std::int64_t>();
    const Result<std::int64_t> milli = quantity_of(amount);
    if (!milli) return milli.error();
    any = true;
    if (!container.empty()) return std::optional(*milli);
    sum += *milli;
  }
  return any ? std::optional(saturated64(sum)) : std::nullopt;
}

Status check_custom(Value list) {
  const std::string_view kind = list[&Names::kind].string();
  if (kind == "MetricValueList") return {};
  return {Code::kInvalid,
          "the custom metrics API server didn't return MetricValueList, the type is *v1." +
              std::string(kind)};
}

}  // namespace

Result<PodValues> read_pod_metrics(Value list, std::string_view resource,
                                   std::string_view container) {
  PodValues out;
  for (const Value item : list[&Names::items].elements()) {
    Result<PodValue> value = read_times(item);
    if (!value) return value.error();
    const Result<std::optional<std::int64_t>> usage = usage_of(item, resource, container);
    if (!usage) return usage.error();
    const std::string name(item[&Names::metadata][&Names::name].string());
    if (*usage) {
      value->milli = **usage;
      out[name] = *value;
    }
  }
  return out;
}

Result<PodValues> read_custom_values(Value list) {
  if (Status s = check_custom(list); !s.ok()) return s;
  PodValues out;
  for (const Value item : list[&Names::items].elements()) {
    Result<PodValue> value = read_times(item);
    if (!value) return value.error();
    const Result<std::int64_t> milli = quantity_of(item[&Names::value]);
    if (!milli) return milli.error();
    value->milli = *milli;
    out[std::string(item["describedObject"][&Names::name].string())] = *value;
  }
  return out;
}

Result<std::int64_t> read_custom_value(Value list) {
  if (Status s = check_custom(list); !s.ok()) return s;
  const Value items = list[&Names::items];
  if (items.count() != 1) {
    return Status(Code::kInvalid, "the custom metrics API server returned " +
                                      std::to_string(items.count()) +
                                      " results when we asked for exactly one");
  }
  const Value item = items.at(0);
  if (const Result<PodValue> times = read_times(item); !times) return times.error();
  return quantity_of(item[&Names::value]);
}

Result<std::int64_t> read_external_sum(Value list) {
  const Value items = list[&Names::items];
  if (items.count() == 0) return Status(Code::kNotFound, "the list is empty");
  std::int64_t sum = 0;
  for (const Value item : items.elements()) {
    if (const Result<PodValue> times = read_times(item); !times) return times.error();
    const Result<std::int64_t> milli = quantity_of(item[&Names::value]);
    if (!milli) return milli.error();
    sum = saturated_sum(sum, *milli);
  }
  return sum;
}

}  // namespace davit::podautoscaler
