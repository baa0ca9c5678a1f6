/// ApiServer: the API server of the in-memory cluster, with the semantics that controllers rely on.
///
/// Names, UIDs and resourceVersions are counted, so that a test sees the same ones in every run.
/// There is no defaulting and, but for owner references, no validation: what is posted is kept.
#pragma once

#include <cstdio>
#include <davit/client.hpp>
#include <davit/key.hpp>
#include <davit/kube/time.hpp>
#include <davit/testing/api_reply.hpp>
#include <davit/testing/document.hpp>
#include <davit/testing/label_query.hpp>
#include <davit/testing/patch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace davit::testing {

/// One entry of the watch log.
struct WatchChange {
  std::string resource;  ///< Plural.
  std::int32_t type = DAVIT_EVENT_ADDED;
  DocumentPtr object;
  std::int64_t version = 0;
};

class ApiServer {
 public:
  using Objects = std::map<Key, DocumentPtr>;

  /// `space` and what the functions refer to must outlive the server.
  ApiServer(const ObjectSpace& space, std::function<WallTime()> now,
            std::function<void(const WatchChange&)> watch)
      : space_(space), now_(std::move(now)), watch_(std::move(watch)) {}

  [[nodiscard]] ApiReply handle(const Request& request) {
    switch (request.verb) {
      case DAVIT_GET:
        return get(request);
      case DAVIT_LIST:
        return list(request);
      case DAVIT_CREATE:
        return create(request);
      case DAVIT_UPDATE:
        return update(request);
      case DAVIT_PATCH:
        return patch(request);
      case DAVIT_DELETE:
        return remove(request);
      default:
        return ApiReply::failure(405, "MethodNotAllowed", "unknown verb");
    }
  }

  /// Objects of a resource by key.
  [[nodiscard]] const Objects& objects(std::string_view resource) const {
    const auto found = resources_.find(resource);
    return found == resources_.end() ? none_ : found->second;
  }
  [[nodiscard]] std::int64_t version() const { return version_; }

  /// Stores an object whole, status and all, filling in what the server sets and it lacks; the
  /// generation rises when the spec of a present one changes.
  DocumentPtr put(Json object) {
    const std::string resource = plural_of(object.text_at({"kind"}));
    const Key key = key_of(object);
    Objects& objects = resources_[resource];
    const auto present = objects.find(key);
    if (present == objects.end()) {
      complete(object);
    } else {
      keep_generation(resource, object, present->second->json());
    }
    return store(resource, std::move(object));
  }

  /// Takes an object away at once, whatever its finalizers and grace. False: there was none.
  bool erase(std::string_view resource, const Key& key) {
    const auto found = resources_.find(resource);
    if (found == resources_.end()) return false;
    const auto object = found->second.find(key);
    if (object == found->second.end()) return false;
    Json last = object->second->json();
    found->second.erase(object);
    last["metadata"]["resourceVersion"] = std::to_string(++version_);
    publish(found->first, DAVIT_EVENT_DELETED, std::make_shared<Document>(space_, std::move(last)));
    return true;
  }

  /// From now on this field of a resource's status is dropped from writes, as by a server that does
  /// not know it; objects that have it keep it.
  void drop_status_field(std::string_view resource, std::string_view field) {
    dropped_.emplace(resource, field);
  }
  void keep_status_field(std::string_view resource, std::string_view field) {
    dropped_.erase({std::string(resource), std::string(field)});
  }

  [[nodiscard]] static Key key_of(const Json& object) {
    return {object.text_at({"metadata", "namespace"}), object.text_at({"metadata", "name"})};
  }

 private:
  [[nodiscard]] static ApiReply not_found(const Request& r) {
    return ApiReply::failure(
        404, "NotFound",
        qualified(r.resource.group, r.resource.resource) + " \"" + r.name + "\" not found");
  }
  [[nodiscard]] static ApiReply conflict(const Request& r, const std::string& why) {
    return ApiReply::failure(409, "Conflict",
                             "Operation cannot be fulfilled on " +
                                 qualified(r.resource.group, r.resource.resource) + " \"" + r.name +
                                 "\": " + why);
  }
  [[nodiscard]] static ApiReply invalid(const Request& r, const std::string& why) {
    return ApiReply::failure(422, "Invalid",
                             qualified(r.resource.group, r.resource.resource) + " \"" + r.name +
                                 "\" is invalid: " + why);
  }
  [[nodiscard]] ApiReply success(int http_status, const DocumentPtr& object) const {
    return {.http_status = http_status, .object = object->json(), .version = version_of(*object)};
  }
  [[nodiscard]] static std::int64_t version_of(const Document& object) {
    return std::strtoll(object.json().text_at({"metadata", "resourceVersion"}).c_str(), nullptr,
                        10);
  }

  [[nodiscard]] DocumentPtr find(const Request& r) const {
    const Objects& all = objects(r.resource.resource);
    const auto found = all.find(Key{r.ns, r.name});
    return found == all.end() ? nullptr : found->second;
  }

  [[nodiscard]] ApiReply get(const Request& r) const {
    const DocumentPtr present = find(r);
    if (present == nullptr) return not_found(r);
    return {.object = present->json()};
  }
  [[nodiscard]] ApiReply list(const Request& r) const {
    const std::string selector = label_selector_of(r.query);
    Json items = Json::array();
    for (const auto& [key, object] : objects(r.resource.resource)) {
      if (!r.ns.empty() && key.ns != r.ns) continue;
      if (labels_match(object->json(), selector)) items.push_back(object->json());
    }
    Json answer = Json::object();
    answer["metadata"]["resourceVersion"] = std::to_string(version_);
    answer["items"] = std::move(items);
    return {.object = std::move(answer)};
  }

  [[nodiscard]] ApiReply create(const Request& r) {
    Result<Json> body = Json::parse(r.body);
    if (!body) return ApiReply::failure(400, "BadRequest", body.error().message());
    Json& object = *body;
    object["apiVersion"] = r.resource.api_version();
    object["kind"] = Json(kind_of(r, object));
    Json& metadata = object["metadata"];
    if (!r.ns.empty()) metadata["namespace"] = r.ns;
    if (metadata.find("name") == nullptr) {
      metadata["name"] = metadata.text_at({"generateName"}) + suffix(++generated_);
    }
    Request named = r;
    named.name = metadata.text_at({"name"});
    if (find(named) != nullptr) {
      return ApiReply::failure(409, "AlreadyExists",
                               qualified(r.resource.group, r.resource.resource) + " \"" +
                                   named.name + "\" already exists");
    }
    for (const char* set_by_server :
         {"uid", "resourceVersion", "creationTimestamp", "generation", "deletionTimestamp"}) {
      metadata.erase(set_by_server);
    }
    object["status"] = initial_status(r.resource.resource);
    complete(object);
    if (ApiReply bad = check_owners(named, object); !bad.ok()) return bad;
    return success(201, store(std::string(r.resource.resource), std::move(object)));
  }

  [[nodiscard]] ApiReply update(const Request& r) {
    const DocumentPtr present = find(r);
    if (present == nullptr) return not_found(r);
    Result<Json> body = Json::parse(r.body);
    if (!body) return ApiReply::failure(400, "BadRequest", body.error().message());
    const std::string uid = body->text_at({"metadata", "uid"});
    if (!uid.empty() && uid != present->json().text_at({"metadata", "uid"})) {
      return conflict(r,
                      "Precondition failed: UID in precondition: " + uid +
                          ", UID in object meta: " + present->json().text_at({"metadata", "uid"}));
    }
    return write(r, *present, std::move(*body));
  }
  [[nodiscard]] ApiReply patch(const Request& r) {
    const DocumentPtr present = find(r);
    if (present == nullptr) return not_found(r);
    const Result<Json> body = Json::parse(r.body);
    if (!body) return ApiReply::failure(400, "BadRequest", body.error().message());
    Json object = present->json();
    if (Status s = apply_patch(object, r.patch_type, *body); !s.ok()) {
      return ApiReply::failure(422, "Invalid", s.message());
    }
    if (object.text_at({"metadata", "uid"}) != present->json().text_at({"metadata", "uid"})) {
      return invalid(r, "metadata.uid: Invalid value: field is immutable");
    }
    return write(r, *present, std::move(object));
  }

  /// The common end of PUT and PATCH.
  [[nodiscard]] ApiReply write(const Request& r, const Document& present, Json object) {
    const Json& old = present.json();
    Json& metadata = object["metadata"];
    const std::string expected = metadata.text_at({"resourceVersion"});
    if (!expected.empty() && expected != old.text_at({"metadata", "resourceVersion"})) {
      return conflict(r,
                      "the object has been modified; please apply your changes to the latest "
                      "version and try again");
    }
    for (const char* immutable : {"uid", "creationTimestamp", "deletionTimestamp", "generation",
                                  "deletionGracePeriodSeconds", "name", "namespace"}) {
      copy_member(metadata, *old.find("metadata"), immutable);
    }
    metadata["resourceVersion"] = old.text_at({"metadata", "resourceVersion"});
    for (const char* identity : {"apiVersion", "kind"}) copy_member(object, old, identity);
    if (r.subresource == "status") {
      copy_member(object, old, "spec");
      for (const auto& [resource, field] : dropped_) {
        const bool has_it = old.at({"status", field}) != nullptr;
        if (resource == r.resource.resource && !has_it) object["status"].erase(field);
      }
      if (r.resource.resource == "deployments") {
        copy_member(metadata, *old.find("metadata"), "labels");
      }
    } else {
      copy_member(object, old, "status");
      keep_generation(r.resource.resource, object, old);
    }
    if (ApiReply bad = check_owners(r, object); !bad.ok()) return bad;
    if (object == old) return {.object = old};  // Nothing changed: no new version.
    const bool released = has_no_finalizers(object) && !has_no_finalizers(old) &&
                          metadata.find("deletionTimestamp") != nullptr && !is_bound_pod(object);
    DocumentPtr stored = store(std::string(r.resource.resource), std::move(object));
    if (released) erase(r.resource.resource, Key{r.ns, r.name});
    return success(200, stored);
  }

  [[nodiscard]] ApiReply remove(const Request& r) {
    const DocumentPtr present = find(r);
    if (present == nullptr) return not_found(r);
    Json object = present->json();
    const auto differs = [&](const std::string& wanted, const char* member) {
      return !wanted.empty() && wanted != object.text_at({"metadata", member});
    };
    if (differs(r.deletion.uid, "uid") || differs(r.deletion.resource_version, "resourceVersion")) {
      return conflict(r, "Precondition failed");
    }
    Json& metadata = object["metadata"];
    if (r.deletion.propagation == Propagation::kForeground) {
      metadata["finalizers"].push_back(Json("foregroundDeletion"));
    }
    if (r.deletion.propagation == Propagation::kOrphan) {
      metadata["finalizers"].push_back(Json("orphan"));
    }
    const bool graceful = is_bound_pod(object) && r.deletion.grace_seconds != 0;
    if (!graceful && has_no_finalizers(object)) {
      erase(r.resource.resource, Key{r.ns, r.name});
      return {.version = version_};
    }
    if (metadata.find("deletionTimestamp") != nullptr) return {.object = std::move(object)};
    metadata["deletionTimestamp"] = format_time(now_());
    constexpr std::int64_t kPodGraceSeconds = 30;  // The API's default.
    metadata["deletionGracePeriodSeconds"] =
        graceful ? r.deletion.grace_seconds.value_or(kPodGraceSeconds) : 0;
    if (r.resource.resource != "pods") bump_generation(metadata);
    return success(200, store(std::string(r.resource.resource), std::move(object)));
  }

  /// What the server adds to a new object.
  void complete(Json& object) {
    Json& metadata = object["metadata"];
    const auto set_missing = [&metadata](std::string_view key, Json value) {
      if (metadata.find(key) == nullptr) metadata[key] = std::move(value);
    };
    char uid[40];
    std::snprintf(uid, sizeof(uid), "00000000-0000-4000-8000-%012llu", ++uids_);
    set_missing("uid", Json(uid));
    set_missing("creationTimestamp", format_time(now_()));
    if (object.text_at({"kind"}) != "Pod") set_missing("generation", 1);
  }
  DocumentPtr store(const std::string& resource, Json object) {
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    const Key key = key_of(object);
    DocumentPtr& place = resources_[resource][key];
    const bool is_new = place == nullptr;
    place = std::make_shared<Document>(space_, std::move(object));
    const DocumentPtr stored = place;
    publish(resource, is_new ? DAVIT_EVENT_ADDED : DAVIT_EVENT_UPDATED, stored);
    return stored;
  }
  void publish(const std::string& resource, std::int32_t type, DocumentPtr object) {
    watch_({resource, type, std::move(object), version_});
  }

  static void copy_member(Json& to, const Json& from, std::string_view key) {
    const Json* value = from.find(key);
    if (value == nullptr)
      to.erase(key);
    else
      to[key] = *value;
  }
  static void bump_generation(Json& metadata) {
    const Json* present = metadata.find("generation");
    metadata["generation"] = (present == nullptr ? 0 : present->integer().value_or(0)) + 1;
  }
  /// Raises the generation when the desired state differs: the spec, and of a Deployment the
  /// annotations.
  static void keep_generation(std::string_view resource, Json& object, const Json& old) {
    if (resource == "pods") return;
    if (resource == "endpointslices") return keep_slice_generation(object, old);
    const auto same = [&](std::initializer_list<std::string_view> path) {
      const Json* a = object.at(path);
      const Json* b = old.at(path);
      return a == nullptr || b == nullptr ? a == b : *a == *b;
    };
    const bool annotated = resource == "deployments" && !same({"metadata", "annotations"});
    if (annotated || !same({"spec"})) bump_generation(object["metadata"]);
  }
  /// Of an EndpointSlice, all but the metadata is desired state, and its labels.
  static void keep_slice_generation(Json& object, const Json& old) {
    const auto desired = [](Json json) {
      const Json* labels = json.at({"metadata", "labels"});
      json["labels"] = labels == nullptr ? Json() : *labels;
      json.erase("metadata");
      return json;
    };
    if (!(desired(object) == desired(old))) bump_generation(object["metadata"]);
  }
  [[nodiscard]] static bool has_no_finalizers(const Json& object) {
    const Json* finalizers = object.at({"metadata", "finalizers"});
    return finalizers == nullptr || finalizers->items().empty();
  }
  [[nodiscard]] static bool is_bound_pod(const Json& object) {
    return object.text_at({"kind"}) == "Pod" && !object.text_at({"spec", "nodeName"}).empty();
  }
  [[nodiscard]] static ApiReply check_owners(const Request& r, const Json& object) {
    const Json* owners = object.at({"metadata", "ownerReferences"});
    int controllers = 0;
    if (owners != nullptr) {
      for (const Json& each : owners->items())
        controllers += each.text_at({"controller"}) == "true";
    }
    if (controllers <= 1) return {};
    return invalid(r,
                   "metadata.ownerReferences: Invalid value: Only one reference can have "
                   "Controller set to true");
  }
  [[nodiscard]] static std::string kind_of(const Request& r, const Json& object) {
    const std::string kind = object.text_at({"kind"});
    return kind.empty() ? kind_of_plural(r.resource.resource) : kind;
  }
  [[nodiscard]] static Json initial_status(std::string_view resource) {
    if (resource == "pods") return Json::must(R"({"phase":"Pending"})");
    if (resource == "replicasets") return Json::must(R"({"replicas":0})");
    return Json::object();
  }
  /// Five letters, counted, from the server's alphabet for generated names.
  [[nodiscard]] static std::string suffix(std::uint64_t number) {
    constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
    std::string out(5, kAlphabet.front());
    for (std::size_t i = out.size(); i-- > 0; number /= kAlphabet.size()) {
      out[i] = kAlphabet[number % kAlphabet.size()];
    }
    return out;
  }

  const ObjectSpace& space_;
  std::function<WallTime()> now_;
  std::function<void(const WatchChange&)> watch_;
  std::map<std::string, Objects, std::less<>> resources_;
  std::set<std::pair<std::string, std::string>> dropped_;  // Resources with fields of their status.
  Objects none_;                                           // Stays empty.
  std::int64_t version_ = 1000;
  unsigned long long uids_ = 0;
  std::uint64_t generated_ = 0;
};

}  // namespace davit::testing
