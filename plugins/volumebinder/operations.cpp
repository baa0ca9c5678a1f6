#include "plugins/volumebinder/operations.hpp"

#include <algorithm>
#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/state_fields.hpp>
#include <utility>

namespace davit::volumebinder {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(500);
constexpr Duration kLongestPause = std::chrono::seconds(122);

}  // namespace

std::string Operations::name(std::string_view what, std::string_view key, std::string_view uid) {
  std::string out(what);
  return out.append("-").append(key).append("[").append(uid).append("]");
}

bool Operations::try_now(const std::string& name, std::string_view plugin, Time now) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = operations_.try_emplace(name);
  Operation& operation = found->second;
  if (is_new) operation = {now, std::string(plugin), now};
  // A pause of a state that another build handed over may have any length.
  return operation.next <= now || operation.next - now > kLongestPause;
}

void Operations::failed(const std::string& name, Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = operations_.find(name);
  if (found == operations_.end()) return;
  Operation& operation = found->second;
  operation.pause = std::clamp(operation.pause * 2, kFirstPause, kLongestPause);
  operation.next = now + operation.pause;
}

void Operations::succeeded(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = operations_.find(name);
  if (found == operations_.end()) return;
  found->second.pause = Duration::zero();
  found->second.next = found->second.begin;
}

std::optional<Operations::Ended> Operations::end(const std::string& name, Time now) {
  const std::lock_guard lock(mutex_);
  const auto found = operations_.find(name);
  if (found == operations_.end()) return std::nullopt;
  Ended out{now - found->second.begin, std::move(found->second.plugin)};
  operations_.erase(found);
  return out;
}

std::optional<std::string> Operations::plugin_of(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = operations_.find(name);
  return found == operations_.end() ? std::nullopt : std::optional(found->second.plugin);
}

void Operations::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.begin_object().key("operations").begin_array();
  for (const auto& [name, operation] : operations_) {
    out.begin_object().member("name", name).member("plugin", operation.plugin);
    out.member("begin", state_time(operation.begin)).member("next", state_time(operation.next));
    out.member("pause", static_cast<std::int64_t>(operation.pause.count())).end_object();
  }
  out.end_array().end_object();
}

Status Operations::read(std::uint32_t /*version*/, Value state) {
  Status status;
  const StateFields fields(state, status);
  std::map<std::string, Operation> read;
  for (const Value each : fields.array("operations").elements()) {
    const StateFields one = fields.element(each);
    Operation& operation = read[one.text("name")];
    operation.plugin = one.text("plugin");
    operation.begin = one.time("begin");
    operation.next = one.time("next");
    operation.pause = Duration(one.integer("pause", {0, kLongestPause.count()}));
  }
  if (!status.ok()) return status;
  const std::lock_guard lock(mutex_);
  operations_ = std::move(read);
  return {};
}

}  // namespace davit::volumebinder
