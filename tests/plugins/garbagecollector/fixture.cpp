#include "tests/plugins/garbagecollector/fixture.hpp"

#include <utility>

namespace davit::garbage {
namespace {

void replace(std::string& text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
}

}  // namespace

GarbageTest::GarbageTest() : cluster_({.note = note_text<garbage::declare>()}) {
  create_namespace("ns");
  create_namespace("ns2");
}

InitResult GarbageTest::open(Context& context) {
  InitResult made =
      GarbageCollector::open_with(context, [this, &context](Freshness freshness) -> Result<Offer> {
        Result<Offer> offer = find_offer(context.discovery(), freshness, context.now());
        if (!offer) return offer;
        if (Status failed = change_(*offer); !failed.ok()) return failed;
        return offer;
      });
  if (made) collector_ = static_cast<const GarbageCollector*>(made->get());
  return made;
}

void GarbageTest::start_recording(const std::function<Status(Offer&)>& change) {
  change_ = change;
  const Status started =
      cluster_.start(kController, [this](Context& context) { return open(context); });
  ASSERT_TRUE(started.ok()) << started.message();
  run();
}

void GarbageTest::start_discovering(const std::function<Status(Offer&)>& change) {
  start_recording(change);
  cluster_.clear_records();
}

void GarbageTest::swap() {
  const Status swapped =
      cluster_.swap(kController, [this](Context& context) { return open(context); });
  ASSERT_TRUE(swapped.ok()) << swapped.message();
}

std::string GarbageTest::own(const Thing& owner, std::string_view more) {
  return R"({"apiVersion":")" + owner.api_version + R"(","kind":")" + owner.kind + R"(","name":")" +
         owner.name + R"(","uid":")" + owner.uid + '"' + std::string(more) + '}';
}

std::string GarbageTest::list(const std::vector<std::string>& references) {
  std::string out = "[";
  for (const std::string& each : references) out += (out.size() > 1 ? "," : "") + each;
  return out + "]";
}

testing::RawReply GarbageTest::send(const std::string& method, const std::string& target,
                                    const std::string& body, const std::string& type) const {
  return cluster_.exchange({method, target, {{"Content-Type", type}}, body});
}

Thing GarbageTest::create_in(const std::string& collection, std::string body,
                             const std::string& name, const Extras& extras) {
  replace(body, "NAME", name);
  replace(body, "OWNERS", extras.owners);
  replace(body, "FINALIZERS", extras.finalizers);
  const testing::RawReply reply = send("POST", collection, body);
  EXPECT_EQ(reply.http_status, 201) << reply.body;
  if (reply.http_status != 201) return {};
  const Json made = Json::must(reply.body);
  return {collection, made.text_at({"apiVersion"}), made.text_at({"kind"}), name,
          made.text_at({"metadata", "uid"})};
}

Thing GarbageTest::create(const std::string& name, const Extras& extras) {
  return create_in("/api/v1/namespaces/" + extras.ns + "/configmaps",
                   R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME",
                       "ownerReferences":OWNERS,"finalizers":FINALIZERS}})",
                   name, extras);
}

Thing GarbageTest::create_pod(const std::string& name, const Extras& extras) {
  return create_in("/api/v1/namespaces/" + extras.ns + "/pods",
                   R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME",
                       "ownerReferences":OWNERS,"finalizers":FINALIZERS},
                       "spec":{"containers":[{"name":"c","image":"i"}]}})",
                   name, extras);
}

void GarbageTest::create_namespace(const std::string& name) {
  create_in("/api/v1/namespaces",
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"NAME"}})", name);
}

void GarbageTest::define_widgets(std::string_view versions) {
  create_in("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
                "metadata":{"name":"widgets.example.com"},
                "spec":{"group":"example.com","scope":"Namespaced",
                        "names":{"plural":"widgets","kind":"Widget"},"versions":)" +
                std::string(versions) + "}}",
            "widgets.example.com");
  run();
}

Thing GarbageTest::create_widget(const std::string& name, const Extras& extras) {
  return create_in("/apis/example.com/v1/namespaces/" + extras.ns + "/widgets",
                   R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"NAME",
                       "ownerReferences":OWNERS,"finalizers":FINALIZERS}})",
                   name, extras);
}

void GarbageTest::erase(const Thing& thing, std::string_view policy) {
  const testing::RawReply reply =
      send("DELETE", thing.path(),
           R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":")" +
               std::string(policy) + R"("})");
  ASSERT_EQ(reply.http_status / 100, 2) << reply.body;
}

void GarbageTest::merge(const Thing& thing, const std::string& patch) {
  const testing::RawReply reply =
      send("PATCH", thing.path(), patch, "application/merge-patch+json");
  ASSERT_EQ(reply.http_status, 200) << reply.body;
}

Json GarbageTest::read(const Thing& thing) const {
  return Json::must(send("GET", thing.path()).body);
}

bool GarbageTest::exists(const Thing& thing) const {
  const testing::RawReply reply = send("GET", thing.path());
  return reply.http_status == 200 &&
         Json::must(reply.body).text_at({"metadata", "uid"}) == thing.uid;
}

bool GarbageTest::is_being_deleted(const Thing& thing) const {
  return exists(thing) && !read(thing).text_at({"metadata", "deletionTimestamp"}).empty();
}

std::vector<std::string> GarbageTest::owners(const Thing& thing) const {
  std::vector<std::string> out;
  const Json object = read(thing);
  const Json* const references = object.at({"metadata", "ownerReferences"});
  if (references == nullptr) return out;
  for (const Json& each : references->items()) out.push_back(each.text_at({"name"}));
  return out;
}

std::vector<std::string> GarbageTest::finalizers(const Thing& thing) const {
  std::vector<std::string> out;
  const Json object = read(thing);
  const Json* const found = object.at({"metadata", "finalizers"});
  if (found == nullptr) return out;
  for (const Json& each : found->items()) out.push_back(each.text_at({}));
  return out;
}

std::vector<std::string> GarbageTest::texts(std::string_view name) const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.requests()) {
    if (name.empty() || each.name == name) out.push_back(each.text());
  }
  return out;
}

std::vector<testing::RequestRecord> GarbageTest::requests_about(Verb verb,
                                                                std::string_view name) const {
  std::vector<testing::RequestRecord> out;
  for (const testing::RequestRecord& each : cluster_.requests()) {
    if (each.verb == verb && each.name == name) out.push_back(each);
  }
  return out;
}

std::vector<testing::RequestRecord> GarbageTest::deletions(std::string_view name) const {
  return requests_about(Verb::kDelete, name);
}

std::vector<testing::RequestRecord> GarbageTest::patches(std::string_view name) const {
  return requests_about(Verb::kPatch, name);
}

std::string GarbageTest::policy_of_deletion(std::string_view name) const {
  const std::vector<testing::RequestRecord> found = deletions(name);
  EXPECT_EQ(found.size(), 1U) << name;
  return found.empty() ? "" : found.front().json().text_at({"propagationPolicy"});
}

double GarbageTest::sync_errors() const {
  double out = 0;
  for (const testing::MetricSample& each : cluster_.metrics()) {
    if (each.name == "garbagecollector_controller_resources_sync_error_total") out += each.value;
  }
  return out;
}

void GarbageTest::fail(Verb verb, const std::string& name, int http_status, int times) {
  cluster_.fail_next({.verb = verb,
                      .name = name,
                      .http_status = http_status,
                      .reason = http_status == 409   ? "Conflict"
                                : http_status == 404 ? "NotFound"
                                : http_status == 403 ? "Forbidden"
                                                     : "InternalError",
                      .times = times});
}

}  // namespace davit::garbage
