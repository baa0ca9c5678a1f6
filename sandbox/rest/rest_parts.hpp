/// Types that the verbs share. Internal to sandbox/rest and sandbox/server.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "lib/base/clock.hpp"
#include "lib/base/random.hpp"
#include "sandbox/admission/admission.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/output/output.hpp"
#include "sandbox/rest/object_converter.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/rest/url.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// Notified of every write of the verbs once it is in the store, on the writer's thread.
class WriteObserver {
 public:
  WriteObserver() = default;
  WriteObserver(const WriteObserver&) = delete;
  WriteObserver& operator=(const WriteObserver&) = delete;
  virtual ~WriteObserver() = default;

  virtual void stored(const Resource& resource, const VersionPtr& version) = 0;
  virtual void removed(const Resource& resource, const VersionPtr& version) = 0;
};

/// The dependencies of the verbs; borrowed and thread-safe.
struct RestParts {
  Store& store;
  Clock& clock;
  Random& random;
  Resources& resources;
  Admission& admission;
  WriteObserver& observer;
  /// Null: custom resources whose definition names a webhook stay in the version in which they are
  /// stored.
  ObjectConverter* converter = nullptr;
  std::stop_token stop = {};  ///< Ends what `converter` waits for.
};

/// Decides whether the caller may replace `old` by `next`; `old` is null on creation. Called again
/// if another write came first.
using WritePermit = std::function<ApiFailure(const Json& next, const Json& old)>;

/// Sets fields that only the server knows, such as the requester, after the kind's rules have
/// prepared `next`. `old` is null on creation.
using WriteStamp = std::function<void(Json& next, const Json& old)>;

/// A write as validating admission judges it, after its kind's rules have found it valid.
/// Everything that it points to must outlive the call.
struct JudgedWrite {
  enum class Operation : std::uint8_t {
    kCreate,
    kUpdate,
    kDelete,
    kConnect,  ///< `object` has the options of the connection.
  } operation = Operation::kCreate;
  const Resource& resource;
  std::string_view subresource;
  std::string_view ns;
  std::string_view name;         ///< Including a generated name; "" if a collection is deleted.
  const Json* object = nullptr;  ///< Null for a deletion.
  const Json* old = nullptr;     ///< Null for a creation.
  bool dry_run = false;
};
/// Refuses or allows a write. Called again if another write came first.
using WriteJudge = std::function<ApiFailure(const JudgedWrite& write)>;

/// Applies built-in admission again after webhooks have changed an object.
using Readmit = std::function<ApiFailure(Json& object)>;
/// Lets webhooks change or refuse the object of a write before its kind's rules are applied. Called
/// again if another write came first. May block.
using WriteMutate =
    std::function<ApiFailure(const JudgedWrite& write, Json& object, const Readmit& again)>;

/// One request for a resource, as the verbs handle it.
struct Call {
  const HttpServerRequest& request;
  const Url& url;
  Verb verb = Verb::kOther;
  ResourcePtr resource;
  OutputForm form;
  std::string user_agent;                  ///< Names the field manager if none is given.
  std::vector<std::string> warnings = {};  ///< Become Warning headers.
  WritePermit permit = nullptr;            ///< Null: the right to the verb is sufficient.
  WriteStamp stamp = nullptr;              ///< Null: nothing to set.
  WriteJudge judge = nullptr;              ///< Null: every valid write is allowed.
  WriteMutate mutate = nullptr;            ///< Null: there are no webhooks.
  std::stop_token stop = {};               ///< Ends the request's waiting.
  Time begun = {};                         ///< The arrival of the request.

  /// The namespace of the object. The URL of a Namespace also contains one, but the object is
  /// cluster-scoped.
  [[nodiscard]] std::string ns() const { return resource->namespaced ? url.ns : std::string(); }
};

}  // namespace davit::sandbox
