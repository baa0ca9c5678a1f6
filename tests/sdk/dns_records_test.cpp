/// The example with an HTTP service outside the cluster, loaded from its file and run on the
/// in-memory cluster.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/service.hpp>
#include <davit/testing/cluster.hpp>
#include <map>

namespace davit {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpRecord;
using testing::HttpReply;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kToken = "t0p-s3cret";
constexpr std::string_view kRecords = "https://dns.example.com/zone/records/";

class DnsRecordsTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "dns-records-controller";
  static constexpr const char* kConfig =
      R"({"server":"https://dns.example.com/zone/","token":"t0p-s3cret"})";

  DnsRecordsTest() : library_(dlopen(DAVIT_DNS_RECORDS, RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(library_, nullptr) << dlerror();
    entry_ = reinterpret_cast<davit_plugin_v1_fn>(dlsym(library_, DAVIT_PLUGIN_SYMBOL));
    cluster_ = std::make_unique<testing::Cluster>(
        testing::ClusterOptions{.note = testing::note_of(entry_)});
    cluster_->on_http([this](const HttpRecord& request) { return serve(request); });
    const Status started = cluster_->start(kController, entry_()->rows[0].init, kConfig);
    EXPECT_TRUE(started.ok()) << started.message();
  }
  ~DnsRecordsTest() override {
    EXPECT_THAT(cluster_->violations(), IsEmpty());
    expect_no_secret();
    cluster_->stop(kController);
    cluster_.reset();
    dlclose(library_);
  }

  /// The DNS service, unless `failure_` says otherwise.
  HttpReply serve(const HttpRecord& request) {
    EXPECT_THAT(request.headers, Contains(Pair("Authorization", std::string("Bearer ") + kToken)));
    if (failure_) return *failure_;
    EXPECT_TRUE(request.url.starts_with(kRecords)) << request.url;
    const std::string name = request.url.substr(kRecords.size());
    if (request.method == "DELETE") {
      return {.http_status = records_.erase(name) == 0 ? 404 : 204};
    }
    EXPECT_EQ(request.method, "PUT");
    records_[name] = request.body;
    return {.http_status = 201};
  }
  void expect_no_secret() {
    for (const testing::LogRecord& each : cluster_->log()) {
      EXPECT_THAT(each.message, Not(HasSubstr(kToken)));
      for (const auto& [key, value] : each.fields) EXPECT_THAT(value, Not(HasSubstr(kToken)));
    }
    for (const testing::SyncRecord& each : cluster_->syncs()) {
      EXPECT_THAT(each.error, Not(HasSubstr(kToken)));
    }
    for (const Service& each : cluster_->all<Service>()) {
      EXPECT_THAT(each.value().json(), Not(HasSubstr(kToken)));
    }
  }

  void add(const std::string& name, const std::string& record, const std::string& address,
           const std::string& created = "2024-05-01T11:00:00Z") {
    cluster_->add(R"({"apiVersion":"v1","kind":"Service","metadata":{"namespace":"default",
      "name":")" + name +
                  R"(","creationTimestamp":")" + created +
                  R"(","annotations":{"dns.davit.dev/name":")" + record +
                  R"("}},"spec":{"type":"LoadBalancer","ports":[{"port":80}],"externalIPs":[)" +
                  (address.empty() ? "" : "\"" + address + "\"") + "]}}");
    cluster_->run_until_idle();
  }
  void merge(const std::string& name, std::string_view patch) {
    cluster_->merge<Service>({"default", name}, patch);
    cluster_->run_until_idle();
  }
  /// Null removes the annotation.
  void rename(const std::string& name, const std::string& json) {
    merge(name, R"({"metadata":{"annotations":{"dns.davit.dev/name":)" + json + "}}}");
  }
  void remove(const std::string& name) {
    cluster_->remove<Service>({"default", name});
    cluster_->run_until_idle();
  }
  std::optional<Service> service(const std::string& name) {
    return cluster_->find<Service>({"default", name});
  }
  /// "False NoName the annotation …"; empty: no condition.
  std::string published(const std::string& name) {
    const std::optional<Service> found = service(name);
    if (!found) return "gone";
    const auto condition = find_condition(found->status()["conditions"], "dns.davit.dev/Published");
    if (!condition) return "";
    return std::string(condition->status()) + " " + std::string(condition->reason()) + " " +
           std::string(condition->message());
  }
  std::vector<std::string> sent() {
    std::vector<std::string> out;
    for (const HttpRecord& each : cluster_->http_requests()) {
      out.push_back(each.method + " " + each.url.substr(kRecords.size()));
    }
    cluster_->clear_records();
    return out;
  }
  static std::string body(const std::string& owner, const std::string& address) {
    return R"({"owner":"default/)" + owner + R"(","addresses":[")" + address + R"("]})";
  }

  void* library_;
  davit_plugin_v1_fn entry_ = nullptr;
  std::unique_ptr<testing::Cluster> cluster_;
  std::map<std::string, std::string> records_;
  std::optional<HttpReply> failure_;
};

TEST_F(DnsRecordsTest, RecordIsPublishedAndTheServiceIsHeldBefore) {
  std::vector<bool> held;
  cluster_->on_http([&](const HttpRecord& request) {
    held.push_back(service("web")->has_finalizer("dns.davit.dev/record"));
    return serve(request);
  });

  add("web", "web.example.com", "192.0.2.1");

  EXPECT_THAT(records_, ElementsAre(Pair("web.example.com", body("web", "192.0.2.1"))));
  EXPECT_THAT(held, ElementsAre(true));
  EXPECT_EQ(service("web")->annotation("dns.davit.dev/record"), "web.example.com");
  EXPECT_EQ(published("web"), "True Published web.example.com: 192.0.2.1");
  EXPECT_THAT(sent(), SizeIs(1)) << "its own writes cause no further request";
}

TEST_F(DnsRecordsTest, AddressesFollowTheService) {
  add("web", "web.example.com", "");
  EXPECT_THAT(sent(), IsEmpty());
  EXPECT_THAT(published("web"), HasSubstr("False NoAddress"));

  merge("web",
        R"({"status":{"loadBalancer":{"ingress":[{"ip":"198.51.100.7"},{"hostname":"x"}]}}})");
  EXPECT_EQ(records_["web.example.com"], body("web", "198.51.100.7"));

  merge("web", R"({"spec":{"externalIPs":["192.0.2.1"]}})");
  EXPECT_EQ(records_["web.example.com"], body("web", "192.0.2.1"));

  merge("web", R"({"spec":{"externalIPs":null},"status":{"loadBalancer":null}})");
  EXPECT_THAT(records_, IsEmpty());
  EXPECT_THAT(published("web"), HasSubstr("False NoAddress"));
  EXPECT_FALSE(service("web")->has_finalizer("dns.davit.dev/record"));
  EXPECT_THAT(sent(), SizeIs(3));
}

TEST_F(DnsRecordsTest, ChangesOfOtherFieldsSendNothing) {
  add("web", "web.example.com", "192.0.2.1");
  sent();
  merge("web", R"({"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}}})");
  cluster_->resync("services");
  cluster_->run_until_idle();
  EXPECT_THAT(sent(), IsEmpty());
}

TEST_F(DnsRecordsTest, RenamedServiceLosesItsFormerRecordFirst) {
  add("web", "web.example.com", "192.0.2.1");
  sent();

  rename("web", R"("www.example.com")");

  EXPECT_THAT(sent(), ElementsAre("DELETE web.example.com", "PUT www.example.com"));
  EXPECT_EQ(service("web")->annotation("dns.davit.dev/record"), "www.example.com");
  EXPECT_EQ(published("web"), "True Published www.example.com: 192.0.2.1");
}

TEST_F(DnsRecordsTest, ServicesMayExchangeTheirNames) {
  add("a", "a.example.com", "192.0.2.1");
  add("b", "b.example.com", "192.0.2.2");

  cluster_->hold("services");
  rename("a", R"("b.example.com")");
  rename("b", R"("a.example.com")");
  cluster_->release("services");
  cluster_->advance(10s);

  EXPECT_THAT(records_, ElementsAre(Pair("a.example.com", body("b", "192.0.2.2")),
                                    Pair("b.example.com", body("a", "192.0.2.1"))));
}

TEST_F(DnsRecordsTest, DeletedServiceGoesAfterItsRecord) {
  add("web", "web.example.com", "192.0.2.1");
  failure_ = HttpReply{.http_status = 500};
  remove("web");
  EXPECT_EQ(published("web"),
            "False Failed https://dns.example.com/zone/records/web.example.com responds with 500");
  EXPECT_THAT(records_, SizeIs(1));

  failure_.reset();
  cluster_->advance(10s);

  EXPECT_EQ(published("web"), "gone");
  EXPECT_THAT(records_, IsEmpty());
}

TEST_F(DnsRecordsTest, RecordThatIsGoneAlreadyDoesNotHoldItsService) {
  add("web", "web.example.com", "192.0.2.1");
  records_.clear();
  sent();

  remove("web");

  EXPECT_THAT(sent(), ElementsAre("DELETE web.example.com"));
  EXPECT_EQ(published("web"), "gone");
}

TEST_F(DnsRecordsTest, ServiceWhoseFinalizerWasRemovedByHandLeavesNoRecord) {
  add("web", "web.example.com", "192.0.2.1");
  ASSERT_TRUE(cluster_->erase<Service>({"default", "web"}));
  cluster_->run_until_idle();
  EXPECT_THAT(records_, IsEmpty());
}

TEST_F(DnsRecordsTest, OutageIsReportedAndEndsByItself) {
  failure_ = HttpReply{.failure = HttpReply::Failure::kHang};
  const Time before = cluster_->now();
  add("web", "web.example.com", "192.0.2.1");
  EXPECT_EQ(cluster_->now() - before, 10s) << "the time limit of a request";
  EXPECT_THAT(published("web"), HasSubstr("False Failed"));
  EXPECT_TRUE(service("web")->has_finalizer("dns.davit.dev/record"))
      << "the service may have the record";
  EXPECT_FALSE(cluster_->syncs().back().ok());
  EXPECT_THAT(cluster_->next_due_in(), 1s);

  failure_->failure = HttpReply::Failure::kRefused;
  cluster_->advance(2s);
  EXPECT_THAT(cluster_->next_due_in(), ::testing::Gt(1s))
      << "a new reason does not end the back-off";

  failure_.reset();
  cluster_->advance(1min);
  EXPECT_EQ(published("web"), "True Published web.example.com: 192.0.2.1");
}

TEST_F(DnsRecordsTest, ServiceDecidesHowLongToWait) {
  failure_ = HttpReply{.http_status = 429, .headers = {{"Retry-After", "300"}}};
  add("web", "web.example.com", "192.0.2.1");
  EXPECT_THAT(published("web"), HasSubstr("responds with 429"));
  EXPECT_EQ(cluster_->next_due_in(), 300s);

  failure_->headers.front().second = "99999999";
  cluster_->advance(300s);
  EXPECT_EQ(cluster_->next_due_in(), 1h);
}

TEST_F(DnsRecordsTest, RefusalNamesTheStatusButNotTheBody) {
  failure_ = HttpReply{.http_status = 401, .body = std::string("unknown token ") + kToken};
  add("web", "web.example.com", "192.0.2.1");
  EXPECT_THAT(published("web"), HasSubstr("responds with 401"));
  EXPECT_FALSE(cluster_->syncs().back().ok());
}

TEST_F(DnsRecordsTest, RedirectElsewhereIsNotFollowed) {
  failure_ = HttpReply{.http_status = 302, .headers = {{"Location", "https://evil.org/"}}};
  add("web", "web.example.com", "192.0.2.1");
  EXPECT_THAT(published("web"), HasSubstr("responds with 302"));
  EXPECT_THAT(sent(), SizeIs(1));
}

TEST_F(DnsRecordsTest, RequestThatMayHaveFailedIsRepeatedThoughTheRecordIsAsBefore) {
  add("web", "web.example.com", "192.0.2.1");
  failure_ = HttpReply{.failure = HttpReply::Failure::kLost};
  merge("web", R"({"spec":{"externalIPs":["192.0.2.2"]}})");
  failure_.reset();
  sent();

  merge("web", R"({"spec":{"externalIPs":["192.0.2.1"]}})");

  EXPECT_THAT(sent(), ElementsAre("PUT web.example.com"));
}

TEST_F(DnsRecordsTest, MalformedNameIsReported) {
  for (const char* name : {"Web.example.com", "web_1", "a/b", "..", "-a.example.com", "a-", "ä",
                           "web.example.com.", " ", ""}) {
    add("web", name, "192.0.2.1");
    EXPECT_THAT(published("web"), HasSubstr("False InvalidName the annotation dns.davit.dev/name"))
        << name;
    cluster_->erase<Service>({"default", "web"});
  }
  for (const std::string& name : {std::string(64, 'a'), std::string(2000, 'a'), [] {
                                    std::string long_name = "a";
                                    while (long_name.size() < 254) long_name += ".a";
                                    return long_name;
                                  }()}) {
    add("web", name, "192.0.2.1");
    EXPECT_THAT(published("web"), HasSubstr("False InvalidName")) << name;
  }
  EXPECT_THAT(sent(), IsEmpty());

  rename("web", R"("web.example.com")");

  EXPECT_THAT(published("web"), HasSubstr("True Published"));
}

TEST_F(DnsRecordsTest, RemovedAnnotationEndsTheRecord) {
  add("web", "web.example.com", "192.0.2.1");

  rename("web", "null");

  EXPECT_THAT(records_, IsEmpty());
  EXPECT_EQ(published("web"), "False NoName the annotation dns.davit.dev/name is missing");
  EXPECT_FALSE(service("web")->has_finalizer("dns.davit.dev/record"));
  EXPECT_EQ(service("web")->annotation("dns.davit.dev/record"), std::nullopt);
}

TEST_F(DnsRecordsTest, ServiceThatNamesNoRecordIsLeftAlone) {
  cluster_->add(R"({"apiVersion":"v1","kind":"Service","metadata":{"namespace":"default",
    "name":"web"},"spec":{"ports":[{"port":80}],"externalIPs":["192.0.2.1"]}})");
  EXPECT_EQ(cluster_->run_until_idle(), 0u);
}

TEST_F(DnsRecordsTest, MissingOrForeignHoldAnnotationDoesNotKeepTheService) {
  add("web", "web.example.com", "192.0.2.1");
  cluster_->hold("services");
  merge("web", R"({"metadata":{"annotations":{"dns.davit.dev/name":null,
    "dns.davit.dev/record":"no/name"}}})");
  remove("web");

  cluster_->release("services");
  cluster_->advance(10s);

  EXPECT_EQ(published("web"), "gone");
}

TEST_F(DnsRecordsTest, OldestServiceOwnsARecordAndTheNextOneFollows) {
  add("b", "web.example.com", "192.0.2.1", "2024-05-01T10:00:00Z");
  add("a", "web.example.com", "192.0.2.2", "2024-05-01T11:00:00Z");
  EXPECT_EQ(records_["web.example.com"], body("b", "192.0.2.1"));
  EXPECT_EQ(published("a"), "False NameTaken web.example.com is the record of Service default/b");
  EXPECT_FALSE(service("a")->has_finalizer("dns.davit.dev/record"));

  sent();
  remove("b");

  EXPECT_EQ(published("b"), "gone");
  EXPECT_EQ(published("a"), "True Published web.example.com: 192.0.2.2");
  EXPECT_THAT(sent(), ElementsAre("PUT web.example.com")) << "the name always has an address";

  add("c", "web.example.com", "192.0.2.3", "2024-05-01T09:00:00Z");

  EXPECT_EQ(records_["web.example.com"], body("c", "192.0.2.3"));
  EXPECT_THAT(published("a"), HasSubstr("False NameTaken"));
  EXPECT_FALSE(service("a")->has_finalizer("dns.davit.dev/record"));
}

TEST_F(DnsRecordsTest, ConditionsOfOthersAreKept) {
  add("web", "web.example.com", "");
  merge("web", R"({"status":{"conditions":[{"type":"Other","status":"True","reason":"Known",
    "lastTransitionTime":"2024-05-01T12:00:00Z","message":""}]}})");
  cluster_->hold("services");
  merge("web", R"({"spec":{"externalIPs":["192.0.2.1"]}})");
  cluster_->release("services");
  cluster_->run_until_idle();
  EXPECT_THAT(published("web"), HasSubstr("True Published"));
  EXPECT_TRUE(find_condition(service("web")->status()["conditions"], "Other"));
}

TEST_F(DnsRecordsTest, RestartSetsEachRecordOnceMoreAndASwapNone) {
  add("web", "web.example.com", "192.0.2.1");
  sent();
  const std::string state = cluster_->state_of(kController);
  EXPECT_THAT(state, Not(HasSubstr(kToken)));

  cluster_->stop(kController);
  ASSERT_TRUE(cluster_->start(kController, entry_()->rows[0].init, kConfig).ok());
  ASSERT_TRUE(cluster_->give_state(kController, 1, state).ok());
  cluster_->run_until_idle();
  EXPECT_THAT(sent(), IsEmpty());

  cluster_->stop(kController);
  ASSERT_TRUE(cluster_->start(kController, entry_()->rows[0].init, kConfig).ok());
  cluster_->run_until_idle();
  EXPECT_THAT(sent(), ElementsAre("PUT web.example.com"));
}

TEST_F(DnsRecordsTest, StateOfAnotherServerConfirmsNothing) {
  add("web", "web.example.com", "192.0.2.1");
  const std::string state = cluster_->state_of(kController);
  cluster_->stop(kController);
  ASSERT_TRUE(
      cluster_
          ->start(kController, entry_()->rows[0].init,
                  R"({"server":"https://dns.example.com/zone/records/..","token":"t0p-s3cret"})")
          .ok());
  ASSERT_TRUE(cluster_->give_state(kController, 1, state).ok());
  EXPECT_THAT(cluster_->state_of(kController), HasSubstr(R"("records":[])"));
}

TEST_F(DnsRecordsTest, DamagedStateIsRefused) {
  for (const char* text : {"", "[]", R"({"server":"x"})", R"({"server":1,"records":[]})",
                           R"({"server":"x","records":[{"name":"a"}]})",
                           R"({"server":"x","records":[{"name":"a/b","body":""}]})"}) {
    EXPECT_FALSE(cluster_->give_state(kController, 1, text).ok()) << text;
  }
}

TEST_F(DnsRecordsTest, NoteDeclaresOnlyWhatIsNeeded) {
  add("web", "web.example.com", "192.0.2.1");
  EXPECT_THAT(cluster_->unused_declarations(), IsEmpty());
}

TEST_F(DnsRecordsTest, WithoutAServerItDoesNotStart) {
  cluster_->stop(kController);
  const Status started = cluster_->start(kController, entry_()->rows[0].init, "{}");
  EXPECT_THAT(started.message(), HasSubstr("server"));
  ASSERT_TRUE(cluster_->start(kController, entry_()->rows[0].init, kConfig).ok());
}

}  // namespace
}  // namespace davit
