/// Provisioning, deletion and recycling of volumes, which last longer than a sync.
#pragma once

#include <cstdint>
#include <davit/controller.hpp>
#include <davit/time.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace davit::volumebinder {

/// The start and the failures of each operation, by name. A restart loses them, which shortens a
/// pause and a measured time; a hot swap keeps them. Thread-safe. Rule: docs/spec/volumes.md, B8.
class Operations final : public HandedState {
 public:
  /// "provision-<key>[<uid>]" and so on.
  [[nodiscard]] static std::string name(std::string_view what, std::string_view key,
                                        std::string_view uid);

  /// Begins it unless it runs, and returns whether it may try now: its pause after the last failure
  /// is over. `plugin`: the volume plugin, for the metrics.
  [[nodiscard]] bool try_now(const std::string& name, std::string_view plugin, Time now);
  /// A try has failed. The pause doubles with each failure in a row.
  void failed(const std::string& name, Time now);
  void succeeded(const std::string& name);

  struct Ended {
    Duration took;
    std::string plugin;
  };
  /// Forgets the operation; nothing if there was none.
  std::optional<Ended> end(const std::string& name, Time now);
  /// The plugin of a running operation, or nothing if none is running.
  [[nodiscard]] std::optional<std::string> plugin_of(const std::string& name) const;

  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override;
  [[nodiscard]] Status read(std::uint32_t version, Value state) override;

 private:
  struct Operation {
    Time begin;
    std::string plugin;
    Time next;
    Duration pause{0};  // The one after the last failure.
  };

  mutable std::mutex mutex_;
  std::map<std::string, Operation> operations_;
};

}  // namespace davit::volumebinder
