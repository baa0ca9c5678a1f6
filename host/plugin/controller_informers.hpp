/// The informers that one controller opened through the ABI.
#pragma once

#include <davit/abi.h>

#include <davit/result.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/cache/delta_queue.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/slot_table.hpp"

namespace davit::host {

class CallFrame;
struct ControllerAbi;

/// An informer as one controller opened it.
struct OpenedInformer {
  ResourceId resource;
  std::string label_selector;
  std::string field_selector;
  std::string ns;  // Empty: all.
  ObjectForm form = ObjectForm::kWhole;
  std::optional<std::vector<std::string>> projection;
  Mask mask = kFullMask;
  davit_handle handle = 0;
  void* self = nullptr;
  void (*on_event)(void* self, const davit_call* call, const davit_event* event) = nullptr;
  struct Index {
    std::string name;
    std::string path;
    std::string shared_name;  // In the store, whose indexes all controllers share.
  };
  std::vector<Index> indexes;
  Duration silence_max = Duration::max();
  Informer* informer = nullptr;  // Set by commit().

  [[nodiscard]] CacheNeed need() const;

  /// The objects with `key` in the index that this controller calls `name`. kNotFound: no such
  /// index.
  [[nodiscard]] Result<std::vector<ObjectRef>> select(std::string_view name,
                                                      std::string_view key) const;
};

/// The informers that a commit may open: any, or only those that run already and keep enough.
enum class Reach { kAny, kRunning };

/// Filled during the controller's init(), fixed after commit(); then all functions are thread-safe.
class ControllerInformers {
 public:
  /// The references outlive this.
  ControllerInformers(const ControllerAbi& controller, const DeclaredController& declared,
                      const HostServices& services)
      : controller_(controller), declared_(declared), services_(services) {}
  ControllerInformers(const ControllerInformers&) = delete;
  ControllerInformers& operator=(const ControllerInformers&) = delete;

  davit_code open(CallFrame& frame, const davit_informer_options& options, davit_handle& out);
  davit_code add_index(CallFrame& frame, davit_handle informer, std::string_view name,
                       std::string_view path);
  davit_code limit_silence(CallFrame& frame, davit_handle informer, Duration longest);

  /// The fields and indexes that the informers have to keep.
  [[nodiscard]] std::vector<CacheNeed> needs() const;
  /// Opens them; changes go to `deltas`, which calls `on_change`. kInvalid: a path or projection is
  /// malformed. kUnsupported: one that is not within reach; names all of those.
  Status commit(Reach reach, DeltaQueue& deltas,
                const std::function<void(const OpenedInformer&, const Change&)>& on_change);
  /// Confirms that each is at least as new as `since`; see Informer::verify().
  void verify(Time since) const;

  /// Those without a content that the server does not serve or refuses, and why; see
  /// Informer::availability(). After commit().
  [[nodiscard]] std::vector<std::pair<ResourceId, Status>> unavailable() const;

  /// Null when the handle is stale. Lives as long as this.
  [[nodiscard]] const OpenedInformer* find(davit_handle handle) const;
  /// The informers of one resource, with any selectors.
  [[nodiscard]] std::vector<const OpenedInformer*> of(std::string_view group,
                                                      std::string_view resource) const;
  /// The first read outside a projection of the call that this thread is in, and what to write into
  /// the note for it to be allowed; empty when there was none.
  [[nodiscard]] std::string undeclared_read_text() const;

 private:
  /// Nothing when it is not declared.
  [[nodiscard]] std::optional<DeclaredWatch> find_watch(
      const davit_informer_options& options) const;
  /// Why there is none, and the entry that the note lacks.
  [[nodiscard]] std::string undeclared_watch_text(const davit_informer_options& options) const;
  /// Records why the current call is refused, and returns the code.
  [[nodiscard]] davit_code refuse(CallFrame& frame, const Status& why) const;

  const ControllerAbi& controller_;
  const DeclaredController& declared_;
  const HostServices& services_;
  SlotTable<OpenedInformer*, HandleKind::kInformer> handles_;
  std::vector<std::unique_ptr<OpenedInformer>> all_;
};

}  // namespace davit::host
