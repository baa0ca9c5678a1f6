/// Writes in one line, for syncs: create or patch, server-side apply, finalizers, status, owners.
#pragma once

#include <chrono>
#include <davit/client.hpp>
#include <davit/context.hpp>
#include <davit/kube/condition.hpp>
#include <davit/kube/draft.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/merge_patch.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace davit {

/// The effect of a write.
enum class Written { kNothing, kCreated, kPatched };

// ---- Owners -------------------------------------------------------------------------------------

/// The controller reference to `owner`, for `.owners = {controller_of(app)}` in a draft.
template <typename Owner>
[[nodiscard]] draft::Owner controller_of(const Owner& owner) {
  return {.api_version = Owner::kResource.api_version(),
          .kind = Owner::kResource.kind,
          .name = owner.name(),
          .uid = owner.uid(),
          .controller = true,
          .block_owner_deletion = true};
}

/// Makes `owner` the controller of the drafted object. kInvalid if the draft has another
/// controller, or if the owner is in another namespace, because references do not cross namespaces.
template <typename Owner, typename Wanted>
[[nodiscard]] Status set_controller_reference(const Owner& owner, Wanted& wanted) {
  const std::string_view ns = wanted.metadata.ns.view();
  if (!owner.ns().empty() && ns != owner.ns()) {
    return Status(Code::kInvalid, "an object in namespace \"" + std::string(ns) +
                                      "\" cannot have an owner in \"" + std::string(owner.ns()) +
                                      "\"");
  }
  for (draft::Owner& each : wanted.metadata.owners.items()) {
    if (each.uid.view() == owner.uid()) {
      each = controller_of(owner);
      return {};
    }
    if (each.controller.value_or(false)) {
      return Status(Code::kInvalid,
                    "the object has the controller " + std::string(each.name.view()) + " already");
    }
  }
  wanted.metadata.owners.add(controller_of(owner));
  return {};
}

// ---- Whole objects ------------------------------------------------------------------------------

namespace detail {

/// Writes the members of a patch that brings a live object to a draft.
class PatchWriter {
 public:
  PatchWriter(JsonWriter& out, const ObjectView& live) : out_(out), writer_(out), live_(live) {}

  void operator()(std::string_view name, const draft::Metadata& wanted);
  template <typename T>
  void operator()(std::string_view name, const T& field) {
    writer_(name, field);
  }
  template <typename T>
  void keyed(std::string_view name, const draft::List<T>& field) {
    writer_(name, field);
  }
  template <typename T>
  void among(std::string_view name, const draft::List<T>& field) {
    writer_(name, field);
  }
  void others(const draft::Map<draft::Raw>& fields) { writer_.others(fields); }

 private:
  template <typename T>
  [[nodiscard]] bool followed(draft::List<T> draft::Metadata::*list,
                              const draft::Metadata& wanted) const {
    draft::Metadata alone;
    alone.*list = wanted.*list;
    return follows(live_.metadata(), alone);
  }
  static bool names(const draft::List<draft::Owner>& owners, std::string_view uid);

  JsonWriter& out_;
  DraftWriter writer_;
  const ObjectView& live_;
};

}  // namespace detail

/// Creates the drafted object if `live` is absent; otherwise patches the members in which the live
/// object differs from the draft, if any. `type`: kStrategic keeps entries of others in lists of
/// built-in kinds. Errors are those of Client::create() and patch(): kAlreadyExists and kConflict
/// mean that the cache lags; a sync may return them, which leads to a retry.
template <typename Wanted>
[[nodiscard]] Result<Written> create_or_patch(const Context& context,
                                              const Lookup<typename Wanted::View>& live,
                                              const Wanted& wanted,
                                              PatchType type = PatchType::kMerge) {
  using View = typename Wanted::View;
  if (!live) {
    const std::string_view ns = wanted.metadata.ns.view();
    const Status created = context.client().create<View>(ns, json_of(wanted)).error();
    if (!created.ok()) return created;
    return Written::kCreated;
  }
  if (follows(*live, wanted)) return Written::kNothing;
  JsonWriter body;
  body.begin_object();
  detail::PatchWriter writer(body, *live);
  wanted.each_field(writer);
  body.end_object();
  const Status patched = context.client().patch<View>(live->key(), type, body.text()).error();
  if (!patched.ok()) return patched;
  return Written::kPatched;
}

struct ApplyOptions {
  std::string_view field_manager = {};  ///< Empty: the controller's client name.
  bool force = true;                    ///< Takes fields over from other managers.
};

/// Server-side apply: the object gets the fields that the draft sets, and loses those that this
/// field manager set before and the draft does not. The rule needs the verb patch, and create for
/// objects that may not exist. Without `force`: kConflict if another manager owns a field.
template <typename Wanted>
[[nodiscard]] Result<typename Wanted::View> apply(const Context& context, const Wanted& wanted,
                                                  const ApplyOptions& options = {}) {
  const Key key{std::string(wanted.metadata.ns.view()), std::string(wanted.metadata.name.view())};
  return context.client().patch<typename Wanted::View>(
      key, PatchType::kApply, json_of(wanted),
      {.field_manager = options.field_manager, .force = options.force});
}

// ---- Parts of objects ---------------------------------------------------------------------------

namespace detail {

/// The metadata of a merge patch that removes a finalizer, adds one, or both; empty: none.
[[nodiscard]] std::string finalizer_patch(const ObjectView& object, std::string_view removed,
                                          std::string_view added);

template <typename View>
Status write_finalizers(const Context& context, const View& object, std::string_view removed,
                        std::string_view added) {
  return context.client()
      .patch<View>(object.key(), PatchType::kMerge, finalizer_patch(object, removed, added))
      .error();
}

}  // namespace detail

/// Adds a finalizer to the object; sends nothing if it has it. kConflict: the cache lags.
template <typename View>
[[nodiscard]] Status add_finalizer(const Context& context, const View& object,
                                   std::string_view finalizer) {
  if (object.has_finalizer(finalizer)) return {};
  return detail::write_finalizers(context, object, {}, finalizer);
}
/// Removes a finalizer; sends nothing if the object lacks it, and succeeds if the object is gone.
template <typename View>
[[nodiscard]] Status remove_finalizer(const Context& context, const View& object,
                                      std::string_view finalizer) {
  if (!object.has_finalizer(finalizer)) return {};
  return detail::write_finalizers(context, object, finalizer, {}).unless(Code::kNotFound);
}

/// Writes the members in which the live status differs from the draft to the status subresource.
/// Sends nothing if there are none, and succeeds if the object is gone.
template <typename View, detail::Draft Wanted>
[[nodiscard]] Result<Written> patch_status(const Context& context, const View& live,
                                           const Wanted& status) {
  if (follows(live.value()[&Names::status], status)) return Written::kNothing;
  JsonWriter body;
  body.begin_object().key("status").raw(json_of(status)).end_object();
  const Status patched =
      context.client()
          .patch<View>(live.key(), PatchType::kMerge, body.text(), {.subresource = "status"})
          .error();
  if (patched.code() == Code::kNotFound) return Written::kNothing;
  if (!patched.ok()) return patched;
  return Written::kPatched;
}

/// Sets a condition like meta.SetStatusCondition of k8s.io/apimachinery: the transition time
/// becomes `now` only if the status changes; everything else is replaced. Returns whether the list
/// changed.
bool set_condition(ConditionList& conditions, Condition condition, WallTime now);

// ---- Conflicts ----------------------------------------------------------------------------------

/// Calls `attempt` until its result is not kConflict, at most `attempts_max` times. Each attempt
/// must read the object from the server (Client::get), not from the cache. Returns the result of
/// the last attempt: a Status or a Result.
template <typename Attempt>
[[nodiscard]] auto retry_on_conflict(const Attempt& attempt, int attempts_max = 5) {
  const auto code_of = [](const auto& outcome) {
    if constexpr (std::is_same_v<std::decay_t<decltype(outcome)>, Status>) {
      return outcome.code();
    } else {
      return outcome.error().code();
    }
  };
  auto outcome = attempt();
  for (int i = 1; i < attempts_max && code_of(outcome) == Code::kConflict; ++i) outcome = attempt();
  return outcome;
}

/// Calls `attempt`, which returns a Status, until its result is not kConflict. Pauses before each
/// further attempt, so the attempts may read the cache. kCancelled if the host stops.
template <typename Attempt>
[[nodiscard]] Status retry_on_conflict(const Context& context,
                                       std::span<const std::chrono::milliseconds> pauses,
                                       const Attempt& attempt) {
  Status outcome = attempt();
  for (const std::chrono::milliseconds each : pauses) {
    if (outcome.code() != Code::kConflict) break;
    if (Status paused = context.pause(each); !paused.ok()) return paused;
    outcome = attempt();
  }
  return outcome;
}

}  // namespace davit
