/// Request: one request to the API server, and its options.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/key.hpp>
#include <davit/kube/resource.hpp>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace davit {

/// The form of a patch; kApply is server-side apply.
enum class PatchType : std::int32_t {
  kJson = DAVIT_PATCH_JSON,
  kMerge = DAVIT_PATCH_MERGE,
  kStrategic = DAVIT_PATCH_STRATEGIC,
  kApply = DAVIT_PATCH_APPLY,
};

/// The fate of an object's dependents when it is deleted (propagationPolicy).
enum class Propagation : std::int32_t {
  kDefault = DAVIT_PROPAGATION_DEFAULT,
  kOrphan = DAVIT_PROPAGATION_ORPHAN,
  kBackground = DAVIT_PROPAGATION_BACKGROUND,
  kForeground = DAVIT_PROPAGATION_FOREGROUND,
};

/// The part of the object that the server sends. Metadata is cheaper, and enough for most writes.
enum class Answer : std::int32_t {
  kObject = DAVIT_ANSWER_OBJECT,
  kMetadata = DAVIT_ANSWER_METADATA,  ///< Also for the items of a list.
};

/// The order of a controller's requests that wait for its rate limiter. Every fourth request that
/// is sent while others wait is the one that has waited longest, so that every request is sent
/// eventually.
enum class Priority : std::int32_t {
  kNormal = DAVIT_PRIORITY_NORMAL,
  kHigh = DAVIT_PRIORITY_HIGH,
  kLow = DAVIT_PRIORITY_LOW,
};

struct WriteOptions {
  std::string_view subresource = {};  ///< Empty, or "status", "scale", ….
  Answer answer = Answer::kObject;
  std::string_view query = {};  ///< Further parameters, form-encoded: "fieldValidation=Strict".
  /// The owner of the written fields. Empty: the controller's client name for an apply, "davit" for
  /// other writes.
  std::string_view field_manager = {};
  bool force = false;  ///< For an apply: takes fields over from other field managers.
  Priority priority = Priority::kNormal;
};

struct ListOptions {
  std::string_view label_selector = {};  ///< In text form, see Selector::to_string.
  std::string_view field_selector = {};  ///< "spec.nodeName=n1,status.phase!=Failed".
  Answer answer = Answer::kObject;
  std::uint64_t limit = 0;               ///< The most items in one response; 0: all.
  std::string_view continue_token = {};  ///< metadata.continue of the previous page.
  Priority priority = Priority::kNormal;
};

struct DeleteOptions {
  Propagation propagation = Propagation::kDefault;
  std::optional<std::int64_t> grace_seconds = std::nullopt;
  std::string uid = {};               ///< Precondition; empty: none.
  std::string resource_version = {};  ///< Precondition; empty: none.
};

/// One request, for Client::call() and the functions that send several. The factories cover the
/// usual requests: with a type for a resource known at compile time, with a Resource for any other.
/// The texts of a Resource must outlive the request.
struct Request {
  std::int32_t verb = DAVIT_GET;
  Resource resource{};
  std::string subresource{};
  std::string ns{};
  std::string name{};
  std::string body{};
  PatchType patch_type = PatchType::kMerge;
  Answer answer = Answer::kObject;
  std::string query{};
  Priority priority = Priority::kNormal;
  std::string field_manager{};  ///< See WriteOptions.
  bool force = false;           ///< See WriteOptions.
  std::uint64_t limit = 0;      ///< See ListOptions.
  std::string continue_token{};
  DeleteOptions deletion{};
  std::chrono::milliseconds timeout{0};  ///< 0: the host's default.

  [[nodiscard]] static Request get(const Resource& resource, const Key& key,
                                   Answer answer = Answer::kObject);
  template <typename View>
  [[nodiscard]] static Request get(const Key& key) {
    return get(View::kResource, key);
  }

  /// Lists a namespace, or all namespaces if `ns` is empty.
  [[nodiscard]] static Request list(const Resource& resource, std::string_view ns,
                                    const ListOptions& options = {});
  template <typename View>
  [[nodiscard]] static Request list(std::string_view ns, const ListOptions& options = {}) {
    return list(View::kResource, ns, options);
  }

  [[nodiscard]] static Request create(const Resource& resource, std::string_view ns,
                                      std::string body, const WriteOptions& options = {});
  template <typename View>
  [[nodiscard]] static Request create(std::string_view ns, std::string body,
                                      const WriteOptions& options = {}) {
    return create(View::kResource, ns, std::move(body), options);
  }

  [[nodiscard]] static Request update(const Resource& resource, const Key& key, std::string body,
                                      const WriteOptions& options = {});
  template <typename View>
  [[nodiscard]] static Request update(const Key& key, std::string body,
                                      const WriteOptions& options = {}) {
    return update(View::kResource, key, std::move(body), options);
  }

  [[nodiscard]] static Request patch(const Resource& resource, const Key& key, PatchType type,
                                     std::string body, const WriteOptions& options = {});
  template <typename View>
  [[nodiscard]] static Request patch(const Key& key, PatchType type, std::string body,
                                     const WriteOptions& options = {}) {
    return patch(View::kResource, key, type, std::move(body), options);
  }

  /// Deletes an object. The response is the object's metadata, or a Status.
  [[nodiscard]] static Request remove(const Resource& resource, const Key& key,
                                      DeleteOptions options = {});
  template <typename View>
  [[nodiscard]] static Request remove(const Key& key, DeleteOptions options = {}) {
    return remove(View::kResource, key, std::move(options));
  }

  /// Deletes all objects of a resource in a namespace, or those that `query` selects.
  [[nodiscard]] static Request remove_collection(const Resource& resource, std::string_view ns,
                                                 DeleteOptions options = {},
                                                 std::string_view query = {});
};

/// One page of a list.
struct Page {
  Value list;  ///< The whole response; borrowed until the callback returns.
  /// The server dropped the version of the previous pages, which are void: this page is the whole
  /// list.
  bool restarted = false;

  [[nodiscard]] auto items() const { return list[&Names::items].elements(); }
};

}  // namespace davit
