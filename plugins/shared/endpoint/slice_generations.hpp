/// Remembers the generation of each slice that this controller wrote last, to distinguish its own
/// changes from others' (endpointsliceutil.EndpointSliceTracker).
#pragma once

#include <cstdint>
#include <davit/json_writer.hpp>
#include <davit/kube/endpoint_slice.hpp>
#include <davit/state_fields.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace davit::endpoint {

/// The Service that a slice names, as a key; nothing when it names none.
[[nodiscard]] std::optional<Key> service_of(const EndpointSlice& slice);

/// Slices that were only seen are not in it. Thread-safe.
class SliceGenerations {
 public:
  enum class Deletion { kExpected, kUnexpected };

  /// Records the generation in the response to a successful POST or PUT.
  void wrote(const Key& service, std::string_view uid, std::int64_t generation);
  /// A successful DELETE: the slice is to vanish.
  void removed(const Key& service, std::string_view uid);

  /// Whether the slice has changed since this controller wrote it, or was never written by it.
  [[nodiscard]] bool should_sync(const EndpointSlice& slice) const;
  /// Whether these slices of the Service, as the cache has them, lack something of what this
  /// controller wrote.
  [[nodiscard]] bool is_stale(const Key& service, std::span<const EndpointSlice> listed) const;
  /// Forgets a slice that is gone. Expected: it was never written here, or deleted here.
  Deletion handle_deletion(const EndpointSlice& slice);
  /// Drops a slice that left the Service by a change of its labels; otherwise it would count as
  /// missing forever.
  void handle_relabeling(const EndpointSlice& before);
  void forget(const Key& service);

  /// The whole content, for a HandedState.
  using ByUid = std::map<std::string, std::int64_t, std::less<>>;
  using Content = std::map<Key, ByUid>;
  void write(JsonWriter& out) const;
  [[nodiscard]] static Content read(const StateFields& state, std::string_view name);
  void replace(Content content);

 private:
  static constexpr std::int64_t kToVanish = -1;

  void note(const Key& service, std::string_view uid, std::int64_t generation);

  mutable std::mutex mutex_;
  Content services_;  // Guarded by mutex_.
};

}  // namespace davit::endpoint
