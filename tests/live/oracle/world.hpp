/// The current and past states of a server's objects, from watches of our own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/api/rest_client.hpp"
#include "lib/base/mutex.hpp"
#include "tests/live/oracle/scenario.hpp"

namespace davit::oracle {

using Version = std::shared_ptr<const Json>;

/// One object from its creation on. managedFields are left out.
struct Life {
  const KindInfo* kind = nullptr;
  std::string name;
  std::vector<Version> versions;  ///< As they came; never empty.
  bool gone = false;

  [[nodiscard]] const Json& now() const { return *versions.back(); }
};

/// Whether a server has EndpointSlices in version v1, which is the one that davit writes.
enum class Slices { kNone, kServed };

/// Follows all kinds that scenarios compare. An object without a namespace belongs to the
/// scenario that its label `scenario` names, a VolumeAttachment to that of its node. One thread a
/// kind; what they find is read under a lock.
class World {
 public:
  /// `client` must outlive it. `slices`: whether the server has EndpointSlices.
  World(host::RestClient& client, Slices slices);
  ~World();

  /// Every object that the namespace has or had, in order of appearance.
  [[nodiscard]] std::vector<Life> lives(const std::string& ns) const;
  /// Those of all namespaces.
  [[nodiscard]] std::vector<Life> all_lives() const;
  /// Grows with every change in the namespace.
  [[nodiscard]] std::uint64_t changes(const std::string& ns) const;
  /// Whether this version of an object, or its end, has come.
  [[nodiscard]] bool has_seen(const Json& object) const;
  /// For all namespaces.
  [[nodiscard]] std::uint64_t changes() const;
  [[nodiscard]] Slices slices() const { return slices_; }
  /// Watches that could not continue where they were, so that changes are missing.
  [[nodiscard]] std::vector<std::string> losses() const;

 private:
  struct Space {
    std::vector<Life> lives;
    std::map<std::string, std::size_t> by_uid;  // Index into `lives`.
    std::uint64_t changes = 0;
  };

  void watch(const std::stop_token& stop, const KindInfo& kind);
  void note(const KindInfo& kind, Json object, bool gone);

  host::RestClient& client_;
  const Slices slices_;
  mutable Mutex mutex_;
  std::map<std::string, Space> spaces_ GUARDED_BY(mutex_);
  std::uint64_t changes_ GUARDED_BY(mutex_) = 0;
  std::vector<std::string> losses_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;
};

}  // namespace davit::oracle
