/// The record of a sync or timer in the journal.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"

namespace davit::host {

/// An object, by the name of its resource.
struct JournalObject {
  std::string group;     ///< Empty: core.
  std::string resource;  ///< Plural, lower case: "replicasets".
  std::string ns;        ///< Empty: cluster-scoped.
  std::string name;      ///< A create that failed may have a prefix only: "web-*".

  friend auto operator<=>(const JournalObject&, const JournalObject&) = default;
};

/// Why a key was added to its queue.
struct Wake {
  enum class Kind : std::uint8_t {
    kAdded,    ///< The object was added,
    kUpdated,  ///< was updated,
    kDeleted,  ///< was deleted: its handler added the key.
    kSync,     ///< The sync of another key, `object.name`, added it.
    kTimer,    ///< A timer added it.
  };
  Kind kind = Kind::kAdded;
  JournalObject object;
  std::string version;  ///< resourceVersion of the object's state.
  Time at{};
};

/// A request that was to change something, and its answer.
struct Write {
  std::string verb = {};  ///< "create", "patch", …
  JournalObject object = {};
  std::string subresource = {};  ///< "status"; may be empty.
  std::string owner_kind =
      {};  ///< That of the controlling owner reference; empty: none, or not known.
  std::string owner_name = {};
  std::int32_t http_status = 0;  ///< 0: no response.
  std::string version = {};      ///< resourceVersion that the response has; may be empty.
  std::string reason = {};       ///< A failure has the server's word for programs, or the code.
  std::string message = {};      ///< A failure has the server's text for people.
  Time began{};
  Duration took{0};
  std::uint32_t attempts = 0;  ///< 0: it was never sent.
  bool is_dry_run = false;     ///< The server was asked to keep nothing.
};

/// One run of a sync or a timer.
struct WorkRecord {
  Time began{};
  Duration took{0};
  std::uint64_t generation = 0;  ///< That of the plugin.
  std::string queue;             ///< Its name; empty for a timer, and where it has none.
  std::string key;               ///< Empty for a timer.
  bool is_timer = false;
  std::uint32_t attempt = 0;  ///< Failures in a row before.
  std::int32_t code = 0;      ///< davit_code
  std::string error;          ///< Why the code is not DAVIT_OK.
  Duration again{0};          ///< It asked to run again after this time; 0: it did not.
  bool is_retried = false;    ///< The key runs again after a back-off.
  std::vector<Wake> wakes;    ///< Oldest first; none: the first content of the caches, a back-off
                              ///< or a delay of the key.
  std::uint32_t more_wakes = 0;  ///< Beyond those.
  std::vector<Write> writes;     ///< In the order of their responses.
  std::uint32_t more_writes = 0;
};

}  // namespace davit::host
