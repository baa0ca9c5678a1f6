#include "sandbox/rest/list.hpp"

#include <algorithm>
#include <davit/base64.hpp>
#include <tuple>

#include "sandbox/crd/custom_resource.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/response.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kTokenVersion = "meta.k8s.io/v1";

/// The state that a list shows.
struct Moment {
  Revision revision = 0;  ///< 0: the latest.
  std::string ns;         ///< After this object only.
  std::string name;
  bool limited = true;  ///< False: `limit` does not count.
};

ApiResult<Moment> continued(const ListOptions& options) {
  if (!options.revision.empty() && options.revision != "0") {
    return bad_request("specifying resource version is not allowed when using continue");
  }
  Result<ContinueToken> token = ContinueToken::parse(options.continue_token);
  if (!token) return bad_request("invalid continue token: " + token.error().message());
  return Moment{token->revision, token->ns, token->name, true};
}

ApiResult<Moment> moment_of(const ListOptions& options, Revision current) {
  if (!options.continue_token.empty()) return continued(options);
  Moment out;
  if (options.revision.empty()) return out;
  const Result<Revision> asked = parse_revision(options.revision);
  if (!asked) return bad_request("invalid resource version: " + asked.error().message());
  if (*asked > current) return future_revision(*asked, current);
  if (*asked == 0) {
    out.limited = false;
    return out;
  }
  const bool exact = options.match == RevisionMatch::kExact ||
                     (options.match == RevisionMatch::kUnset && options.limit > 0);
  if (exact) out.revision = *asked;
  return out;
}

/// The 410 of a page whose state is gone; its token continues from the latest one.
ApiError expired_page(const Moment& at) {
  if (at.name.empty()) {
    return expired("The resourceVersion for the provided list is too old.");
  }
  ApiError error = expired(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this response "
      "to retrieve the remainder of the results. Continuing with the provided token results in an "
      "inconsistent list - objects that were created, modified, or deleted between the time the "
      "first chunk was returned and now may show up in the list.");
  error.continue_token = ContinueToken{0, at.ns, at.name}.text();
  return error;
}

/// Objects up to and including the one that `at` names are left out.
auto first_after(const std::vector<VersionPtr>& objects, const Moment& at) {
  return std::ranges::upper_bound(
      objects, std::tie(at.ns, at.name), {},
      [](const VersionPtr& each) { return std::tie(each->ns, each->name); });
}

/// Objects whose forms are compared with a selector at a time: a webhook gets them in one request.
constexpr std::size_t kFormsMax = 100;

/// Takes the objects that match, up to `limit` of them (0: all). Returns how many it has seen.
std::size_t take_matches(std::vector<VersionPtr>& objects, const Selection& selection,
                         std::size_t limit, Page& page) {
  std::size_t seen = 0;
  while (seen < objects.size() && (limit == 0 || page.objects.size() < limit)) {
    VersionPtr& each = objects[seen++];
    if (!selection.has_selector() || selection.matches(*each)) {
      page.objects.push_back(std::move(each));
    }
  }
  return seen;
}

/// The same by the forms that the resource shows.
ApiResult<std::size_t> take_matching_forms(const RestParts& parts, const Resource& resource,
                                           const std::vector<VersionPtr>& objects,
                                           const Selection& selection, std::size_t limit,
                                           Page& page) {
  const ApiResult<std::shared_ptr<void>> memory = reserve_forms(parts, objects, resource);
  if (!memory) return memory.error();
  const Time end = parts.clock.now() + kRequestTime;
  std::size_t begun = 0;
  while (begun < objects.size()) {
    if (parts.clock.now() >= end) return conversion_timeout();
    const std::size_t count = std::min(kFormsMax, objects.size() - begun);
    ApiResult<std::vector<Json>> forms =
        load(parts, {objects.data() + begun, count}, resource, FormMemory::kHeld);
    if (!forms) return forms.error();
    for (std::size_t i = 0; i < count; ++i) {
      if (!selection.matches((*forms)[i], resource)) continue;
      page.objects.push_back(objects[begun + i]);
      page.shown.push_back(std::move((*forms)[i]));
      if (page.objects.size() == limit) return begun + i + 1;
    }
    begun += count;
  }
  return begun;
}

/// The first `limit` objects that match. A full page names the place where the next one begins as
/// long as there is any object behind it, matching or not: the server does not look ahead
/// (k8s.io/apiserver/pkg/storage/cacher).
ApiResult<Page> cut_page(const RestParts& parts, const Resource& resource,
                         std::vector<VersionPtr> objects, const Selection& selection,
                         const ListOptions& options, Revision revision) {
  Page page;
  page.metadata = Json::object({{"resourceVersion", std::to_string(revision)}});
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(options.limit, 0));
  ApiResult<std::size_t> seen =
      selection.reads_form(resource)
          ? take_matching_forms(parts, resource, objects, selection, limit, page)
          : ApiResult<std::size_t>(take_matches(objects, selection, limit, page));
  if (!seen) return seen.error();
  if (*seen == objects.size() || selection.single) return page;
  const Version& last = *page.objects.back();
  page.metadata.set("continue", ContinueToken{revision, last.ns, last.name}.text());
  if (!selection.has_selector()) {
    page.metadata.set("remainingItemCount", static_cast<std::int64_t>(objects.size() - *seen));
  }
  return page;
}

}  // namespace

ApiResult<Selection> parse_selection(const Call& call, const ListOptions& options) {
  Selection out;
  out.ns = call.ns();
  Result<LabelSelector> labels = LabelSelector::parse(options.label_selector);
  if (!labels) return bad_request(labels.error().message());
  out.labels = std::move(*labels);
  Result<FieldSelector> fields = FieldSelector::parse(options.field_selector, *call.resource);
  if (!fields) return bad_request(fields.error().message());
  out.fields = std::move(*fields);
  if (!call.url.name.empty()) out.fields = FieldSelector::of_name(call.url.name);
  out.single = out.fields.selects_one() && (!call.resource->namespaced || !out.ns.empty());
  return out;
}

bool Selection::reads_form(const Resource& resource) const {
  if (!resource.custom) return false;
  return fields.reads_content() || (!labels.empty() && conversion_hook(resource) != nullptr);
}

bool Selection::matches(const Json& object, const Resource& resource) const {
  const std::string& object_ns = object.text_at({"metadata", "namespace"});
  const bool knows_fields = fields.reads_content() && resource.rules != nullptr;
  return (ns.empty() || object_ns == ns) && labels.matches(labels_of(object)) &&
         fields.matches(object_ns, object.text_at({"metadata", "name"}),
                        knows_fields ? resource.rules->fields(object) : Pairs());
}

std::string ContinueToken::text() const {
  return encode_base64_url(to_text(Json::object(
      {{"v", kTokenVersion}, {"rv", std::to_string(revision)}, {"ns", ns}, {"name", name}})));
}

Result<ContinueToken> ContinueToken::parse(std::string_view text) {
  const std::optional<std::string> bytes = decode_base64_url(text);
  if (!bytes) return Status(Code::kInvalid, "illegal base64 data");
  const Result<Json> json = parse_json(*bytes);
  if (!json) return Status(Code::kInvalid, json.error().message());
  if (json->get("v").text() != kTokenVersion) {
    return Status(Code::kInvalid, "server does not recognize this encoded version");
  }
  const Result<Revision> revision = parse_revision(json->get("rv").text());
  if (!revision) return revision.error();
  ContinueToken out{*revision, json->get("ns").text(), json->get("name").text()};
  if (out.name.empty()) return Status(Code::kInvalid, "no start key");
  return out;
}

ApiResult<Page> find_page(const RestParts& parts, const Call& call, const ListOptions& options) {
  ApiResult<Selection> selection = parse_selection(call, options);
  if (!selection) return selection.error();
  ApiResult<Moment> at = moment_of(options, parts.store.revision());
  if (!at) return at.error();
  const Collection& collection = call.resource->collection;
  Snapshot snapshot;
  if (at->revision == 0) {
    snapshot = parts.store.list(collection, selection->ns);
  } else {
    Result<Snapshot> past = parts.store.list_at(collection, selection->ns, at->revision);
    if (!past) return expired_page(*at);
    snapshot = std::move(*past);
  }
  if (!at->name.empty()) {
    snapshot.objects.erase(snapshot.objects.begin(), first_after(snapshot.objects, *at));
  }
  ListOptions effective = options;
  if (!at->limited) effective.limit = 0;
  const Revision shown = at->revision == 0 ? snapshot.revision : at->revision;
  return cut_page(parts, *call.resource, std::move(snapshot.objects), *selection, effective, shown);
}

ApiResult<HttpServerResponse> get_object(const RestParts& parts, const Call& call) {
  const std::string_view asked = call.url.query.get("resourceVersion");
  if (!asked.empty()) {
    const Result<Revision> revision = parse_revision(asked);
    if (!revision) return internal_error("invalid resource version: " + revision.error().message());
    const Revision current = parts.store.revision();
    if (*revision > current) return future_revision(*revision, current);
  }
  const std::string ns = call.ns();
  const VersionPtr version = parts.store.get(call.resource->collection, ns, call.url.name);
  if (version == nullptr) return not_found(Subject::resource(*call.resource, call.url.name));
  return version_response(parts, call, 200, *version);
}

ApiResult<HttpServerResponse> list_objects(const RestParts& parts, const Call& call) {
  const ApiResult<ListOptions> options = parse_list_options(call.url.query, ListKind::kList);
  if (!options) return options.error();
  ApiResult<Page> page = find_page(parts, call, *options);
  if (!page) return page.error();
  return list_response(parts, call, *std::move(page));
}

}  // namespace davit::sandbox
