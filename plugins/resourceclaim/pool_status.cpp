#include "plugins/resourceclaim/pool_status.hpp"

#include <algorithm>
#include <cstddef>
#include <davit/json_writer.hpp>
#include <utility>

namespace davit::resourceclaim {
namespace {

constexpr std::int64_t kDefaultLimit = 100;
constexpr std::size_t kErrorMax = 256;

std::string error_of(std::string_view driver, std::string_view name, const Pool& pool) {
  std::string out = "pool " + std::string(driver) + "/" + std::string(name) +
                    " is incomplete: observed " + std::to_string(pool.slices) + "/" +
                    std::to_string(pool.slices_wanted) + " slices at generation " +
                    std::to_string(pool.generation);
  return out.substr(0, kErrorMax);
}

void write_pool(JsonWriter& out, std::string_view driver, std::string_view name, const Pool& pool) {
  out.begin_object().member("driver", driver).member("poolName", name);
  out.member("generation", pool.generation);
  if (pool.is_of_one_node && !pool.node.empty()) out.member("nodeName", pool.node);
  if (!pool.is_complete()) {
    out.member("validationError", error_of(driver, name, pool));
  } else {
    out.member("resourceSliceCount", pool.slices).member("totalDevices", pool.devices);
    out.member("allocatedDevices", pool.allocated);
    out.member("availableDevices", std::max<std::int64_t>(0, pool.devices - pool.allocated));
    out.member("unavailableDevices", std::int64_t{0});
  }
  out.end_object();
}

}  // namespace

void Pools::add(const Slice& slice) {
  if (slice.driver() != request_.driver()) return;
  if (!request_.pool().empty() && slice.pool() != request_.pool()) return;
  const std::int64_t generation = slice.generation_of_pool();
  Pool& pool = pools_[std::string(slice.pool())];
  if (pool.slices > 0 && generation < pool.generation) return;
  if (generation > pool.generation) pool = {};
  const std::string_view node = slice.spec()[&Names::node_name].string();
  if (pool.slices == 0) {
    pool.generation = generation;
    pool.slices_wanted = slice.spec()["pool"]["resourceSliceCount"].integer_or(0);
    pool.node = node;
  } else if (pool.node != node) {
    pool.is_of_one_node = false;
  }
  ++pool.slices;
  pool.devices += static_cast<std::int64_t>(slice.spec()["devices"].count());
}

void Pools::add(const Claim& claim) {
  for (const Value each : claim.status()["allocation"]["devices"]["results"].elements()) {
    if (each["driver"].string() != request_.driver()) continue;
    const auto found = pools_.find(each["pool"].string());
    if (found != pools_.end()) ++found->second.allocated;
  }
}

std::size_t Pools::returned() const {
  const std::int64_t limit = request_.spec()["limit"].integer_or(kDefaultLimit);
  return std::min(pools_.size(), static_cast<std::size_t>(std::max<std::int64_t>(limit, 0)));
}

bool Pools::lacks_slices() const {
  std::size_t left = returned();
  for (const auto& [name, pool] : pools_) {
    if (left-- == 0) return false;
    if (!pool.is_complete()) return true;
  }
  return false;
}

std::string Pools::patch(WallTime now) const {
  const std::size_t count = returned();
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", request_.uid());
  out.member("resourceVersion", request_.resource_version()).end_object();
  out.key("status").begin_object();
  out.member("poolCount", static_cast<std::int64_t>(pools_.size())).key("pools").begin_array();
  std::size_t written = 0;
  std::size_t incomplete = 0;
  for (const auto& [name, pool] : pools_) {
    if (written == count) break;
    ++written;
    if (!pool.is_complete()) ++incomplete;
    write_pool(out, request_.driver(), name, pool);
  }
  std::string message = "Calculated status for " + std::to_string(count) + " pools";
  if (incomplete > 0) message += " (" + std::to_string(incomplete) + " incomplete)";
  out.end_array().key("conditions").begin_array().begin_object();
  out.member("type", "Complete").member("status", "True").member("reason", "CalculationComplete");
  out.member("message", message).member("lastTransitionTime", format_time(now));
  out.end_object().end_array().end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::resourceclaim
