/// A host with one plugin on a cluster in memory, as `davit plugin validate` runs it.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/validate/trial_content.hpp"
#include "host/loading/staging.hpp"
#include "host/object/lent_memory.hpp"
#include "host/plugin/controller_host.hpp"
#include "host/swap/plugin_set.hpp"
#include "lib/base/mutex.hpp"
#include "sandbox/store/store.hpp"

namespace davit::host {

/// A log line of weight.
struct LoggedProblem {
  std::string message;
  std::string text;  ///< With all fields, for people.
  std::string error;
  std::string code;
  std::string key;  ///< The sync's; empty: no sync failed.
};

/// The watches of all controllers, with what the note leaves to their configuration.
[[nodiscard]] std::vector<DeclaredWatch> watches_of(const PluginDeclaration& declaration,
                                                    const TrialContent* content);

/// The kind of host that a check needs.
struct TrialOptions {
  const TrialContent* content = nullptr;  ///< Borrowed; null: none.
  /// Whether what a call borrowed becomes unreadable when it returns.
  enum class Borrowed { kStays, kIsPoisoned } borrowed = Borrowed::kStays;
  /// Whether the controllers write as a leader that was elected.
  enum class Election { kNone, kHeld } election = Election::kNone;
};

/// The number of writes of controllers.
struct TrialWrites {
  std::map<std::string, int> by_namespace;  ///< Empty: cluster-scoped.
  std::map<std::string, int> by_client;     ///< The key is the client name of the controller.
};

/// Mistakes of controllers, with the number of times.
struct TrialBreaches {
  std::map<std::string, int> refusals;  ///< Requests and reads outside the note.
  std::map<std::string, int> misuses;   ///< Uses of functions against the rules of abi.h.
  std::map<std::string, int> stale;     ///< Uses of handles that have ended.
};

/// Life:  open() → load() → start() → (wait_until_idle(), swap(), …) → stop() → destructor.
/// One thread, which is the caller's. Nothing but the plugin changes the cluster: no nodes, no
/// garbage collector.
class TrialHost {
 public:
  explicit TrialHost(const TrialOptions& options = {});
  TrialHost(const TrialHost&) = delete;
  TrialHost& operator=(const TrialHost&) = delete;
  /// stop() was called before, if start() was.
  ~TrialHost();

  /// The cluster, with what its server has from the start.
  [[nodiscard]] Status open();
  /// Stages, judges and opens the plugin, in a copy below `staging`, and calls define() for its
  /// watches.
  [[nodiscard]] Status load(const std::filesystem::path& file,
                            const std::filesystem::path& staging);
  /// Applies the content's definitions, and defines resources of `watches` that the server lacks.
  [[nodiscard]] Status define(const std::vector<DeclaredWatch>& watches);
  /// Calls every InitFunc and begins to sync. The error is that of an InitFunc that failed.
  [[nodiscard]] Status start();
  /// The time without activity after which the controllers count as idle.
  enum class Quiet {
    kLong,   ///< Surely idle.
    kShort,  ///< Most probably, for use between many objects.
  };
  /// Waits until the caches have seen all changes and the controllers are idle. False: they were
  /// not when `limit` had passed.
  [[nodiscard]] bool wait_until_idle(Duration limit, Quiet quiet = Quiet::kLong);
  /// Puts the same file in the plugin's place.
  [[nodiscard]] SwapReport swap();
  /// The controllers that serve, until the next swap().
  [[nodiscard]] std::vector<ControllerHost*> serving() const;
  /// Another build of a controller that serves, of the same file. Its handlers have seen what the
  /// caches hold, and it does not serve. It is retired before it is destroyed, and before stop().
  [[nodiscard]] Result<std::unique_ptr<ControllerHost>> successor(const ControllerHost& of);
  /// False when a call into the plugin does not end.
  [[nodiscard]] bool stop();

  [[nodiscard]] const PluginDeclaration& declaration() const;
  /// The path under which the library was opened.
  [[nodiscard]] const std::filesystem::path& opened() const;
  [[nodiscard]] sandbox::Store& store();
  /// Every resource that a controller watches, as the server serves it, each once.
  struct Watched {
    DeclaredWatch watch;
    sandbox::Collection collection;
    std::string api_version;
    std::string kind;
    bool namespaced = true;
    /// The names that field selectors ask for; the empty one stands for any name. Not empty.
    std::vector<std::string> names;
    std::string ns;  ///< The namespace that a field selector asks for, else "default".

    /// The name of the object with this number, which is `usual` where any name will do.
    [[nodiscard]] std::string name_of(std::size_t number, const std::string& usual) const {
      const std::string& asked = names[number % names.size()];
      return asked.empty() ? usual : asked;
    }
  };
  [[nodiscard]] const std::vector<Watched>& watched() const;
  /// An object as the store takes it, with what selectors look at.
  [[nodiscard]] sandbox::Draft draft(const Watched& resource, Json object) const;
  /// Sends an object to the server.
  Status create(const Watched& resource, const std::string& json);
  /// Creates a namespace.
  Status add_namespace(const std::string& name);
  /// Applies the content's objects. The error has a line for each that the server refuses.
  [[nodiscard]] Status put_objects();
  /// The user's object of that resource, to make further ones from; null: there is none.
  [[nodiscard]] const Json* example_of(const Watched& resource) const;
  /// The OpenAPI schema that the user gave for it; null: there is none.
  [[nodiscard]] const Json* schema_of(const Watched& resource) const;

  /// Whether the object is the lease that the host itself holds.
  [[nodiscard]] bool is_own_lease(const Watched& resource, std::string_view ns,
                                  std::string_view name) const;

  /// Injects faults into the requests and watches of the host; see docs/sandbox-faults.md.
  void add_faults(std::string_view script);
  void clear_faults();
  /// Waits until `due` has come.
  void await(Time due);
  /// Gives the Lease of an elected host to another one, and waits until the host has noticed it.
  /// False: that took longer than `limit`.
  [[nodiscard]] bool lose_leadership(Duration limit);

  /// Warnings and errors of the log since the last call.
  [[nodiscard]] std::vector<LoggedProblem> take_problems();
  /// Controllers whose InitFunc said SKIPPED, with the reason.
  [[nodiscard]] const std::vector<std::string>& skipped() const;
  /// Objects that the controllers retain at the moment.
  [[nodiscard]] std::size_t retained() const;
  /// Keys of syncs that have been running for this time and the like; empty: none.
  [[nodiscard]] std::string running(Duration at_least = Duration::zero()) const;
  /// The calls that run now and still do after `limit`; empty as soon as each has returned, even if
  /// others run then.
  [[nodiscard]] std::string stuck(Duration limit);
  /// Their mistakes since the last call.
  [[nodiscard]] TrialBreaches take_breaches();
  /// Declarations that nothing has used so far, and controllers that have written nothing; a line
  /// each.
  [[nodiscard]] std::vector<std::string> unused() const;
  [[nodiscard]] TrialWrites writes() const;
  /// The number of objects in each collection that is not empty, by its resource.
  [[nodiscard]] std::map<std::string, std::size_t> census() const;
  /// The memory of borrowed values where it is poisoned, else null.
  [[nodiscard]] const LentMemory* lent_memory() const;
  /// Requests of the controllers so far, lists and watches left out.
  [[nodiscard]] std::size_t requests() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace davit::host
