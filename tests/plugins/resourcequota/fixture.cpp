#include "tests/plugins/resourcequota/fixture.hpp"

#include <map>

namespace davit::resourcequota {

QuotaTest::QuotaTest() {
  cluster_.add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"t"}})");
}

void QuotaTest::start(std::string_view config, const std::function<Status(Offer&)>& change) {
  change_ = change;
  const auto open = [this](Context& context) {
    return QuotaController::open_with(
        context, [this, &context](Freshness freshness) -> Result<Offer> {
          Result<Offer> offer = find_offer(context.discovery(), freshness, context.now());
          if (!offer) return offer;
          if (Status failed = change_(*offer); !failed.ok()) return failed;
          return offer;
        });
  };
  const Status started = cluster_.start(kController, open, config);
  ASSERT_TRUE(started.ok()) << started.message();
  run();
}

void QuotaTest::quota(std::string_view hard, std::string_view more, const std::string& name) {
  std::string spec = R"({"hard":)" + std::string(hard);
  if (!more.empty()) spec.append(",").append(more);
  const Json wanted = Json::must(spec + "}");
  if (cluster_.find<ResourceQuota>({"t", name})) {
    cluster_.modify<ResourceQuota>({"t", name},
                                   [&wanted](Json& object) { object["spec"] = wanted; });
  } else {
    add("v1", "ResourceQuota", name, R"("spec":)" + wanted.dump());
  }
  run();
}

PodBuilder QuotaTest::pod_with(std::string_view name, std::string_view requests) {
  return pod(name).spec("containers", R"([{"name":"c","image":"i","resources":{"requests":{)" +
                                          std::string(requests) + "}}}]");
}

void QuotaTest::add(std::string_view api_version, std::string_view kind, std::string_view name,
                    std::string_view members, std::string_view metadata) {
  std::string text = R"({"apiVersion":")" + std::string(api_version) + R"(","kind":")" +
                     std::string(kind) + R"(","metadata":{"namespace":"t","name":")" +
                     std::string(name) + '"';
  if (!metadata.empty()) text.append(",").append(metadata);
  text += '}';
  if (!members.empty()) text.append(",").append(members);
  cluster_.add(text + "}");
}

void QuotaTest::define_widgets() {
  const testing::RawReply reply =
      send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
           R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
               "metadata":{"name":"widgets.example.com"},
               "spec":{"group":"example.com","scope":"Namespaced",
                       "names":{"plural":"widgets","kind":"Widget"},
                       "versions":[{"name":"v1","served":true,"storage":true,
                                    "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  ASSERT_EQ(reply.http_status, 201) << reply.body;
}

void QuotaTest::erase(const std::string& path) {
  const testing::RawReply reply = send("DELETE", path);
  ASSERT_EQ(reply.http_status / 100, 2) << reply.body;
}

testing::RawReply QuotaTest::send(const std::string& method, const std::string& target,
                                  const std::string& body, const std::string& type) const {
  return cluster_.exchange({method, target, {{"Content-Type", type}}, body});
}

std::string QuotaTest::used(const std::string& name) const { return status_list(name, "used"); }
std::string QuotaTest::hard(const std::string& name) const { return status_list(name, "hard"); }

std::string QuotaTest::status_list(const std::string& name, std::string_view list) const {
  const Json object = read(name);
  const Json* found = object.at({"status", list});
  if (found == nullptr) return "none";
  std::map<std::string, std::string> sorted;
  for (const std::string& each : found->keys()) sorted[each] = found->text_at({each});
  std::string out;
  for (const auto& [key, value] : sorted) {
    out.append(out.empty() ? "" : " ").append(key).append("=").append(value);
  }
  return out;
}

std::vector<std::string> QuotaTest::writes() const {
  std::vector<std::string> out;
  for (const testing::RequestRecord& each : cluster_.writes()) out.push_back(each.text());
  return out;
}

}  // namespace davit::resourcequota
