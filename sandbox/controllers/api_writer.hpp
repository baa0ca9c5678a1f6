/// The writes of the built-in controllers: requests to the server in the same process.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lib/net/http_message.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// "/apis/apps/v1/namespaces/a/deployments", or of all namespaces when `ns` is empty.
[[nodiscard]] std::string collection_path(const Resource& resource, std::string_view ns);
[[nodiscard]] std::string object_path(const Resource& resource, std::string_view ns,
                                      std::string_view name);

/// Sends requests to an HttpHandler as a member of system:masters. `server` must outlive it. As
/// thread-safe as `server`.
class ApiWriter {
 public:
  /// The result of a write.
  enum class Outcome {
    kDone,
    kGone,    ///< 404: what was to be changed is not there.
    kExists,  ///< 409 of a create.
    kFailed,  ///< Worth another try later.
  };

  ApiWriter(HttpHandler& server, std::string user) : server_(server), user_(std::move(user)) {}

  Outcome create(const std::string& collection_path, const Json& object);
  Outcome update(const std::string& path, const Json& object);
  Outcome merge(const std::string& path, const Json& patch);
  /// `options`: DeleteOptions. The path may be that of a collection.
  Outcome remove(const std::string& path, const Json& options);

 private:
  Outcome call(std::string method, const std::string& path, const Json& body);

  HttpHandler& server_;
  const std::string user_;
};

/// Whether the object is now as desired, or gone.
[[nodiscard]] inline bool is_done(ApiWriter::Outcome outcome) {
  return outcome == ApiWriter::Outcome::kDone || outcome == ApiWriter::Outcome::kGone;
}

}  // namespace davit::sandbox
