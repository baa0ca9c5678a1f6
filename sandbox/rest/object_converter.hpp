/// The seam to the webhooks that convert custom resources.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/kinds/api_error.hpp"

namespace davit::sandbox {

/// Calls conversion webhooks. Thread-safe.
class ObjectConverter {
 public:
  ObjectConverter() = default;
  ObjectConverter(const ObjectConverter&) = delete;
  ObjectConverter& operator=(const ObjectConverter&) = delete;
  virtual ~ObjectConverter() = default;

  /// `objects`, of which none is of `api_version`, in that version and in the same order. Blocks
  /// until the webhook has responded, or `stop` is requested.
  [[nodiscard]] virtual ApiResult<std::vector<Json>> convert(const ConversionHook& hook,
                                                             const std::vector<Json>& objects,
                                                             const std::string& api_version,
                                                             const std::stop_token& stop) = 0;

  /// A part of the memory that objects may take while they wait for webhooks, until the value ends;
  /// a single request may take more. Null: other requests have it.
  [[nodiscard]] virtual std::shared_ptr<void> reserve(std::size_t bytes) = 0;

  /// Work on another thread. Asks it to stop when destroyed, and does not wait for that.
  class Task {
   public:
    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual ~Task() = default;

    /// Whether the work has ended.
    [[nodiscard]] virtual bool done() = 0;
    /// When to ask again.
    [[nodiscard]] virtual Time next_poll() const = 0;
  };
  using Work = std::function<void(const std::stop_token& stop)>;
  /// For callers that must not block: runs `work`, which converts by the webhook of the definition
  /// `share`. Null: too much is under way, of all or of that one.
  [[nodiscard]] virtual std::unique_ptr<Task> start(const std::string& share, Work work) = 0;
};

}  // namespace davit::sandbox
