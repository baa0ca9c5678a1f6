/// The parts that the verbs use. Internal to sandbox/rest and sandbox/server.
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

/// Receives every write that the verbs made, once it is in the store, on the writer's thread.
class WriteObserver {
 public:
  WriteObserver() = default;
  WriteObserver(const WriteObserver&) = delete;
  WriteObserver& operator=(const WriteObserver&) = delete;
  virtual ~WriteObserver() = default;

  virtual void stored(const Resource& resource, const VersionPtr& version) = 0;
  virtual void removed(const Resource& resource, const VersionPtr& version) = 0;
};

/// The dependencies of the verbs; borrowed, each thread-safe.
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

/// Whether the caller may write `next` in the place of `old`, which is null when there is nothing.
/// Called again when another writer was faster.
using WritePermit = std::function<ApiFailure(const Json& next, const Json& old)>;

/// Fills in what only the server knows, such as the requester, once the kind's rules have prepared
/// `next`. `old` is null when there is nothing.
using WriteStamp = std::function<void(Json& next, const Json& old)>;

/// A write on its way into the store, as validating admission judges it: valid by the rules of its
/// kind. All that it points to must outlive the call.
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
  std::string_view name;         ///< With what generateName made; "" if a collection is deleted.
  const Json* object = nullptr;  ///< Null: it is deleted.
  const Json* old = nullptr;     ///< Null: it is created.
  bool dry_run = false;
};
/// Refuses a write, or lets it pass. Called again when another writer was faster.
using WriteJudge = std::function<ApiFailure(const JudgedWrite& write)>;

/// Applies built-in admission to an object that webhooks have changed.
using Readmit = std::function<ApiFailure(Json& object)>;
/// Lets webhooks change the object of a write, or refuse it, before the rules of its kind see it.
/// Called again when another writer was faster. May block.
using WriteMutate =
    std::function<ApiFailure(const JudgedWrite& write, Json& object, const Readmit& again)>;

/// One request for a resource on its way through the verbs.
struct Call {
  const HttpServerRequest& request;
  const Url& url;
  Verb verb = Verb::kOther;
  ResourcePtr resource;
  OutputForm form;
  std::string user_agent;                  ///< Names the field manager where none is given.
  std::vector<std::string> warnings = {};  ///< Become Warning headers.
  WritePermit permit = nullptr;            ///< Null: the verb's right is enough.
  WriteStamp stamp = nullptr;              ///< Null: nothing to fill in.
  WriteJudge judge = nullptr;              ///< Null: every valid write is fine.
  WriteMutate mutate = nullptr;            ///< Null: nothing changes an object.
  std::stop_token stop = {};               ///< Ends what the request waits for.
  Time begun = {};                         ///< The arrival of the request.

  /// The namespace of the object. The URL of a Namespace names one too, but is cluster-scoped.
  [[nodiscard]] std::string ns() const { return resource->namespaced ? url.ns : std::string(); }
};

}  // namespace davit::sandbox
