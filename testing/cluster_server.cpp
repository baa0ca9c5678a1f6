#include "testing/cluster_server.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "lib/base/uuid.hpp"
#include "sandbox/crd/open_definition.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/decode.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/url.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::testing {
namespace {

using sandbox::ResourcePtr;

/// "WebApp" → "webapps".
std::string plural_of(std::string_view kind) {
  std::string plural;
  for (const char c : kind) {
    plural.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  if (plural.ends_with("s")) return plural + "es";
  if (plural.ends_with("y")) return plural.substr(0, plural.size() - 1) + "ies";
  return plural + "s";
}

/// A definition of the kind of `object`.
Result<std::string> definition_of(const Tree& object) {
  const std::string& api_version = object.get("apiVersion").text();
  const std::size_t slash = api_version.find('/');
  const std::string& kind = object.get("kind").text();
  if (slash == std::string::npos || kind.empty()) {
    return Status(Code::kInvalid,
                  "no such kind: apiVersion \"" + api_version + "\", kind \"" + kind + "\"");
  }
  using Scope = sandbox::OpenDefinition::Scope;
  const bool is_namespaced = !object.text_at({"metadata", "namespace"}).empty();
  return sandbox::definition_text({.group = api_version.substr(0, slash),
                                   .version = api_version.substr(slash + 1),
                                   .plural = plural_of(kind),
                                   .kind = kind,
                                   .scope = is_namespaced ? Scope::kNamespaced : Scope::kCluster});
}

/// `object` in the API's form with its defaults; as it is when it does not fit the schema.
Tree in_form(const sandbox::Resource& resource, Tree object) {
  Tree formed = object;
  std::vector<std::string> warnings;
  if (sandbox::conform_body(formed, sandbox::BodyType::of(resource),
                            sandbox::FieldValidation::kIgnore, {}, warnings)) {
    return object;
  }
  if (resource.rules != nullptr) resource.rules->set_defaults(formed);
  return formed;
}

/// Keeps what the test did not see of the object that it replaces.
void keep_unseen(Tree& object, const Tree& old) {
  for (const std::string_view member : {"resourceVersion", "managedFields"}) {
    if (const Tree* kept = old.at({"metadata", member})) object["metadata"].set(member, *kept);
  }
}

/// Takes the entries of a resource out of a discovery document, in either of its two forms.
void hide_in(Tree& document, std::string_view resource) {
  for (const std::string_view list : {"items", "versions", "resources"}) {
    Tree* entries = document.find(list);
    if (entries == nullptr) continue;
    Tree kept = Tree::array();
    for (const Tree& each : entries->items()) {
      const std::string& name =
          each.contains("resource") ? each.get("resource").text() : each.get("name").text();
      if (list == "resources" && name.substr(0, name.find('/')) == resource) continue;
      Tree entry = each;
      hide_in(entry, resource);
      kept.push_back(std::move(entry));
    }
    *entries = std::move(kept);
  }
}

}  // namespace

void fail(std::string_view why) {
  throw std::runtime_error("testing::Cluster: " + std::string(why));
}

ClusterServer::ClusterServer(Clock& clock, Random& random) : clock_(clock), random_(random) {
  open();
}

void ClusterServer::open() {
  sandbox::ApiServerOptions options;
  options.bootstrap = sandbox::BootstrapObjects::kMinimal;
  auto server =
      sandbox::ApiServer::open({*store_, clock_, random_, Logger(log_)}, std::move(options));
  if (!server) fail(server.error().message());
  server_ = std::move(*server);
}

void ClusterServer::restore(sandbox::Revision to) {
  using Place = std::pair<sandbox::Collection, std::pair<std::string, std::string>>;
  std::map<Place, sandbox::VersionPtr> content;
  for (const auto& [collection, change] : changes_.go_back(to)) {
    const Place place{collection, {change.object->ns, change.object->name}};
    if (change.type == sandbox::ChangeType::kDeleted) {
      content.erase(place);
    } else {
      content[place] = change.object;
    }
  }
  server_.reset();
  store_ = std::make_unique<sandbox::Store>(clock_, sandbox::StoreLimits(), &changes_);
  for (const auto& [place, object] : content) store_->restore(place.first, object);
  store_->restore_revision(to);
  open();
}

const std::vector<ClusterServer::ChangeLog::Entry>& ClusterServer::ChangeLog::go_back(
    sandbox::Revision to) {
  std::erase_if(all_, [to](const Entry& each) { return each.second.object->revision > to; });
  for (auto& [collection, revisions] : revisions_) {
    std::erase_if(revisions, [to](sandbox::Revision each) { return each > to; });
  }
  return all_;
}

HttpServerResponse ClusterServer::handle(const HttpServerRequest& request) {
  HttpServerRequest outgoing = request;
  outgoing.body_too_large = request.body.size() > sandbox::kBodyBytesMax;
  if (outgoing.body_too_large) outgoing.body.clear();
  const auto url = sandbox::parse_url(request.target);
  if (!url) return server_->handle(outgoing);
  if (!dropped_.empty()) outgoing.body = without_dropped(outgoing, *url);
  HttpServerResponse response = server_->handle(outgoing, *url);
  if (hidden_.empty() || url->is_resource) return response;
  if (Result<Tree> document = parse_json(response.body)) {
    for (const std::string& each : hidden_) hide_in(*document, each);
    response.body = to_text(*document);
  }
  return response;
}

ResourcePtr ClusterServer::find(std::string_view resource) const {
  const std::size_t dot = resource.find('.');
  const std::string_view name = resource.substr(0, dot);
  for (const ResourcePtr& each : server_->resources()->all()) {
    const bool is_named = each->name == name || each->singular == name || each->kind == name;
    if (!is_named) continue;
    if (dot == std::string_view::npos || each->group == resource.substr(dot + 1)) return each;
  }
  return nullptr;
}

std::optional<std::string> ClusterServer::text(std::string_view resource, const Key& key) const {
  const ResourcePtr served = find(resource);
  if (served == nullptr) return std::nullopt;
  const sandbox::VersionPtr stored = store_->get(served->collection, key.ns, key.name);
  if (stored == nullptr) return std::nullopt;
  return sandbox::load_text(*stored, *served);
}

std::vector<std::string> ClusterServer::texts(std::string_view resource) const {
  std::vector<std::string> texts;
  const ResourcePtr served = find(resource);
  if (served == nullptr) return texts;
  for (const sandbox::VersionPtr& each : store_->list(served->collection, "").objects) {
    texts.push_back(sandbox::load_text(*each, *served));
  }
  return texts;
}

Status ClusterServer::put(Tree object) {
  const Result<ResourcePtr> served = resource_of(object);
  if (!served) return served.error();
  const ResourcePtr& resource = *served;
  if (resource->name == "customresourcedefinitions") return define(to_text(object));
  const std::string ns = object.text_at({"metadata", "namespace"});
  const std::string name = object.text_at({"metadata", "name"});
  if (!ns.empty()) {
    if (Status s = ensure_namespace(ns); !s.ok()) return s;
  }
  const sandbox::VersionPtr present = store_->get(resource->collection, ns, name);
  object = in_form(*resource, std::move(object));
  complete(*resource, object);
  if (present != nullptr) {
    const Tree old = sandbox::load(*present, *resource);
    keep_unseen(object, old);
    sandbox::update_generation(object, old, *resource);
    if (object == old) return {};
  }
  sandbox::Draft draft = sandbox::make_draft(std::move(object), *resource, *server_->resources());
  const auto stored = present == nullptr ? store_->create(resource->collection, std::move(draft))
                                         : store_->update(resource->collection, std::move(draft),
                                                          present->revision);
  return stored ? Status() : Status(Code::kInvalid, stored.error().message());
}

Result<bool> ClusterServer::erase(std::string_view resource, const Key& key) {
  const ResourcePtr served = find(resource);
  if (served == nullptr) return false;
  const sandbox::VersionPtr present = store_->get(served->collection, key.ns, key.name);
  if (present == nullptr) return false;
  const auto removed = store_->remove(
      served->collection,
      sandbox::make_draft(sandbox::load(*present, *served), *served, *server_->resources()),
      present->revision);
  if (!removed) return removed.error();
  return true;
}

Result<ResourcePtr> ClusterServer::resource_of(const Tree& object) {
  const std::string& version = object.get("apiVersion").text();
  const std::string& kind = object.get("kind").text();
  if (ResourcePtr served = server_->resources()->find_kind(version, kind)) return served;
  const Result<std::string> definition = definition_of(object);
  if (!definition) return definition.error();
  if (Status s = define(*definition); !s.ok()) return s;
  ResourcePtr defined = server_->resources()->find_kind(version, kind);
  if (defined == nullptr) {
    return Status(Code::kInvalid, "the server does not serve " + version + " " + kind);
  }
  return defined;
}

Status ClusterServer::define(const std::string& definition) {
  HttpServerRequest request;
  request.method = "POST";
  request.target = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  request.headers = {{"Content-Type", kJsonText}};
  request.body = definition;
  const HttpServerResponse response = server_->handle(request);
  if (response.status == 201) return {};
  return Status(Code::kInvalid, json_literal(response.body).get("message").text());
}

Status ClusterServer::ensure_namespace(const std::string& name) {
  if (store_->get({"", "namespaces"}, "", name) != nullptr) return {};
  return put(Tree::object({{"apiVersion", "v1"},
                           {"kind", "Namespace"},
                           {"metadata", Tree::object({{"name", name}})},
                           {"status", Tree::object({{"phase", "Active"}})}}));
}

/// Adds what the server sets and the object lacks.
void ClusterServer::complete(const sandbox::Resource& resource, Tree& object) const {
  Tree& metadata = object["metadata"];
  const auto set_missing = [&metadata](std::string_view member, Tree value) {
    if (!metadata.contains(member)) metadata.set(member, std::move(value));
  };
  set_missing("uid", random_uuid(random_));
  set_missing("creationTimestamp", sandbox::time_text(clock_));
  if (resource.has_generation) set_missing("generation", 1);
}

/// The body without the status fields given to drop_status_field(), unless the stored object has
/// them.
std::string ClusterServer::without_dropped(const HttpServerRequest& request,
                                           const sandbox::Url& url) const {
  if (url.subresource != "status") return request.body;
  Result<Tree> body = parse_json(request.body);
  if (!body) return request.body;
  const std::optional<std::string> present = text(url.resource, {url.ns, url.name});
  const Tree stored = present ? json_literal(*present) : Tree();
  for (const auto& [resource, field] : dropped_) {
    Tree* status = resource == url.resource ? body->find("status") : nullptr;
    if (status != nullptr && stored.at({"status", field}) == nullptr) status->erase(field);
  }
  return to_text(*body);
}

}  // namespace davit::testing
