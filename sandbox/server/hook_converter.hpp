/// The ObjectConverter of a server.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/rest/object_converter.hpp"
#include "sandbox/server/request_threads.hpp"
#include "sandbox/webhook/conversions.hpp"

namespace davit::sandbox {

/// Calls webhooks; those of a watch on a thread of the server. All arguments are borrowed.
class HookConverter final : public ObjectConverter {
 public:
  /// The thread that runs the work of start().
  enum class WorkThread : std::uint8_t { kOwn, kCaller };

  HookConverter(const ConversionParts& parts, RequestThreads& threads, WorkThread thread)
      : parts_(parts), threads_(threads), thread_(thread) {}

  [[nodiscard]] ApiResult<std::vector<Json>> convert(const ConversionHook& hook,
                                                     const std::vector<Json>& objects,
                                                     const std::string& api_version,
                                                     const std::stop_token& stop) override {
    return call_conversion(parts_, hook, objects, api_version, stop);
  }
  [[nodiscard]] std::shared_ptr<void> reserve(std::size_t bytes) override EXCLUDES(mutex_);
  [[nodiscard]] std::unique_ptr<Task> start(const std::string& share, Work work) override;

 private:
  /// Texts of stored objects; in memory, they take several times as much.
  static constexpr std::size_t kBytesMax = std::size_t{64} << 20U;

  const ConversionParts parts_;
  RequestThreads& threads_;
  const WorkThread thread_;
  Mutex mutex_;
  std::size_t reserved_ GUARDED_BY(mutex_) = 0;
};

}  // namespace davit::sandbox
