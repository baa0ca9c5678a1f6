/// Syncs: their outcomes, their log lines, and that they read their own writes.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ControllerSyncTest : public ControllerHostTest {
 protected:
  static constexpr char kSuccess[] =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})";

  /// One queue, with one worker and `sync`.
  void start_queue(Sync sync) {
    start_with([&] {
      open_informer("", "pods");
      queue_ = open_queue(std::move(sync));
    });
    commit({list_json("10", {{.name = "old", .version = "5"}})});
    run();
  }
  /// Adds `key` and returns when its sync is over and done with: the queue has one worker, and its
  /// next key has been synced.
  void sync_once(const std::string& key) {
    const std::size_t before = synced_.entries().size();
    EXPECT_EQ(add(queue_, key), DAVIT_OK);
    EXPECT_EQ(add(queue_, "next"), DAVIT_OK);
    EXPECT_THAT(synced_.await(before + 2), Contains(key));
  }
  /// The failure that `key`'s only sync logged.
  std::string failure_of(Sync sync) {
    start_queue([sync = std::move(sync)](davit_str key, davit_sync_result& result) -> davit_code {
      return view(key) == "web" ? sync(key, result) : davit_code{DAVIT_OK};
    });
    sync_once("web");
    for (const std::string& line : log_.lines()) {
      if (line.find("Sync failed") != std::string::npos) return line;
    }
    return "";
  }
  davit_code send(std::int32_t verb, std::string_view name, davit_response& response,
                  std::string_view subresource = {}) {
    davit_request request = pod_request(verb);
    request.name = str(name);
    request.subresource = str(subresource);
    response.size = sizeof(response);
    return tables_.client->call(current_call, &request, &response);
  }
  /// A sync of key "web" that sends one request; other keys do nothing.
  Sync sending(std::int32_t verb, std::string name) {
    return [this, verb, name = std::move(name)](davit_str key, davit_sync_result&) -> davit_code {
      davit_response response{};
      return view(key) == "web" ? send(verb, name, response) : davit_code{DAVIT_OK};
    };
  }
  /// The same for a create of a subresource, such as an eviction.
  Sync creating(std::string subresource, std::string name) {
    return [this, subresource = std::move(subresource), name = std::move(name)](
               davit_str key, davit_sync_result&) -> davit_code {
      davit_response response{};
      if (view(key) != "web") return DAVIT_OK;
      return send(DAVIT_CREATE, name, response, subresource);
    };
  }
  void allow_creating(const char* subresource) {
    ControllerHostOptions made = options();
    made.declared.rules.push_back({"", "pods", subresource, {"create"}});
    make(std::move(made));
  }
  void respond_with(int status, std::string body) {
    transport_.set_script(
        [status, body = std::move(body)](const HttpRequest&) { return response_of(status, body); });
  }
  /// The key of a sync that sends one request, and takes whatever comes of it.
  void expect_held_back_until_verified(const Sync& sync) {
    start_queue([sync](davit_str key, davit_sync_result& result) -> davit_code {
      (void)sync(key, result);
      return DAVIT_OK;
    });
    sync_once("web");
    EXPECT_EQ(add(queue_, "web"), DAVIT_OK);
    EXPECT_EQ(add(queue_, "last"), DAVIT_OK);
    EXPECT_THAT(synced_.await(3), ElementsAre("web", "next", "last"));
    send(0, "");  // The watch is cut.
    send(0, list_json("12", {}));

    EXPECT_EQ(synced_.await(4)[3], "web");
  }
  using ControllerHostTest::send;

  davit_handle queue_ = 0;
};

TEST_F(ControllerSyncTest, ReadOutsideTheProjectionNamesTheFieldAndWhatToWrite) {
  davit_handle pods = 0;
  start_with([&] {
    pods = open_informer("", "pods");
    queue_ = open_queue([&](davit_str key, davit_sync_result&) -> davit_code {
      if (view(key) != "web") return DAVIT_OK;
      davit_value pod{};
      EXPECT_EQ(tables_.informer->get(current_call, pods, str("default"), str("old"), &pod),
                DAVIT_OK);
      const davit_name names[] = {space_.intern("metadata"), space_.intern("annotations")};
      davit_value out{};
      const davit_code code = tables_.object->path(pod, names, 2, &out);
      context_->error_text(current_call, str("no annotations"));
      return code;
    });
  });
  commit({list_json("10", {{.name = "old", .version = "5"}})});
  run();

  sync_once("web");

  EXPECT_THAT(log_.lines(), Contains(HasSubstr(
                                R"(err=no annotations: the note of sample-controller lets it read )"
                                R"(no "metadata.annotations" of pods: add it to "projection" of )"
                                R"(that watch)")));
}

TEST_F(ControllerSyncTest, RefusalIsLoggedOnceWhetherTheSyncFailsWithItOrNot) {
  start_queue([&](davit_str key, davit_sync_result&) -> davit_code {
    if (view(key) == "next") return DAVIT_OK;
    davit_response refused{};
    (void)send(DAVIT_GET, "web", refused, "log");
    (void)send(DAVIT_GET, "web", refused, "log");
    if (view(key) == "swallows") return DAVIT_OK;
    context_->error_text(current_call, refused.message);
    return DAVIT_UNDECLARED;
  });
  sync_once("fails");
  EXPECT_EQ(log_.count("refused before it was sent"), 0U) << "its failure says it";
  EXPECT_EQ(log_.count("err=the plugin declares no rule for get of pods/log"), 1U);
  sync_once("swallows");
  EXPECT_EQ(log_.count("refused before it was sent"), 1U) << "nothing else says it";
}

TEST_F(ControllerSyncTest, SyncSeesItsKeyAndAnEmptyResult) {
  start_queue([&](davit_str key, davit_sync_result& result) -> davit_code {
    EXPECT_EQ(result.size, sizeof(davit_sync_result));
    EXPECT_EQ(result.again_ms, 0u);
    EXPECT_EQ(view(current_call->key), view(key));
    return DAVIT_OK;
  });
  sync_once("default/web");
}

TEST_F(ControllerSyncTest, AgainRunsTheKeyOnceMoreAfterThatTime) {
  start_queue([&](davit_str key, davit_sync_result& result) -> davit_code {
    if (view(key) == "web" && synced_.entries().empty()) result.again_ms = 3000;
    return DAVIT_OK;
  });
  sync_once("web");
  clock_.await_deadline(clock_.now() + seconds(3));
  clock_.advance(seconds(3));
  EXPECT_THAT(synced_.await(3), ElementsAre("web", "next", "web"));
}

TEST_F(ControllerSyncTest, ErrorTextReachesTheLog) {
  const std::string line = failure_of([&](davit_str, davit_sync_result&) -> davit_code {
    context_->error_text(current_call, str("the quota is used up"));
    return DAVIT_FORBIDDEN;
  });
  EXPECT_THAT(line, HasSubstr("E sample-controller: Sync failed err=the quota is used up key=web "
                              "code="));
  EXPECT_THAT(line, HasSubstr("failures=1"));
}

TEST_F(ControllerSyncTest, UnknownCodeIsAFailureWithItsNumber) {
  EXPECT_THAT(failure_of([](davit_str, davit_sync_result&) -> davit_code { return 4711; }),
              HasSubstr("4711"));
}

TEST_F(ControllerSyncTest, ExceptionsAreFailures) {
  EXPECT_THAT(failure_of([](davit_str, davit_sync_result&) -> davit_code {
                throw std::runtime_error("bad index");
              }),
              HasSubstr("err=the plugin threw an exception: bad index"));
}

TEST_F(ControllerSyncTest, ThrownNumberIsAFailure) {
  EXPECT_THAT(failure_of([](davit_str, davit_sync_result&) -> davit_code { throw 7; }),
              HasSubstr("err=the plugin threw an exception that is not a std::exception"));
}

TEST_F(ControllerSyncTest, FailedKeyComesAgainAfterItsBackOff) {
  start_queue([&](davit_str key, davit_sync_result&) -> davit_code {
    return view(key) == "web" && synced_.entries().empty() ? DAVIT_CONFLICT : DAVIT_OK;
  });
  sync_once("web");
  inside(Phase::kHandler,
         [&] { EXPECT_EQ(tables_.queue->failures(current_call, queue_, str("web")), 1u); });
  clock_.await_deadline(clock_.now() + std::chrono::milliseconds(5));
  clock_.advance(std::chrono::milliseconds(5));
  EXPECT_EQ(synced_.await(3)[2], "web");
}

TEST_F(ControllerSyncTest, KeyIsHeldBackUntilTheCacheShowsWhatItCreated) {
  respond_with(201, json_of({.name = "new", .version = "12"}));
  start_queue(sending(DAVIT_CREATE, ""));
  sync_once("web");
  EXPECT_EQ(add(queue_, "web"), DAVIT_OK);
  EXPECT_EQ(add(queue_, "last"), DAVIT_OK);
  EXPECT_THAT(synced_.await(3), ElementsAre("web", "next", "last")) << "web has to wait";

  send(0, event_json("MODIFIED", {.name = "old", .version = "11"}));
  EXPECT_EQ(add(queue_, "other"), DAVIT_OK);
  EXPECT_EQ(synced_.await(4)[3], "other");
  send(0, event_json("ADDED", {.name = "new", .version = "12"}));

  EXPECT_EQ(synced_.await(5)[4], "web");
}

TEST_F(ControllerSyncTest, KeyIsHeldBackUntilTheCacheShowsWhatItDeleted) {
  respond_with(200, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
                    R"("details":{"name":"old","kind":"pods","uid":"uid-old"}})");
  start_queue(sending(DAVIT_DELETE, "old"));
  sync_once("web");
  EXPECT_EQ(add(queue_, "web"), DAVIT_OK);
  EXPECT_EQ(add(queue_, "last"), DAVIT_OK);
  EXPECT_THAT(synced_.await(3), ElementsAre("web", "next", "last"));

  send(0, event_json("DELETED", {.name = "old", .version = "12"}));

  EXPECT_EQ(synced_.await(4)[3], "web");
}

// A Status of success names neither version nor UID, and the pod is there until its kubelet ends.
TEST_F(ControllerSyncTest, KeyIsHeldBackUntilTheCacheShowsWhatItEvicted) {
  allow_creating("eviction");
  respond_with(201, kSuccess);
  start_queue(creating("eviction", "old"));
  sync_once("web");
  EXPECT_EQ(add(queue_, "web"), DAVIT_OK);
  EXPECT_EQ(add(queue_, "last"), DAVIT_OK);
  EXPECT_THAT(synced_.await(3), ElementsAre("web", "next", "last"));

  send(0, event_json("MODIFIED", {.name = "old", .version = "12", .deleting = true}));

  EXPECT_EQ(synced_.await(4)[3], "web");
}

TEST_F(ControllerSyncTest, KeyWhoseResponseNamesNoStateIsHeldBackUntilTheCacheIsVerified) {
  allow_creating("binding");
  respond_with(201, kSuccess);
  expect_held_back_until_verified(creating("binding", "old"));
}

TEST_F(ControllerSyncTest, GracefulDeleteIsSeenByItsVersion) {
  respond_with(200, json_of({.name = "old", .version = "12", .deleting = true}));
  start_queue(sending(DAVIT_DELETE, "old"));
  sync_once("web");
  EXPECT_EQ(add(queue_, "web"), DAVIT_OK);
  EXPECT_EQ(add(queue_, "last"), DAVIT_OK);
  EXPECT_THAT(synced_.await(3), ElementsAre("web", "next", "last"));

  send(0, event_json("MODIFIED", {.name = "old", .version = "12", .deleting = true}));

  EXPECT_EQ(synced_.await(4)[3], "web");
}

TEST_F(ControllerSyncTest, HeldBackKeyIsReleasedAfterTheListThatItRequests) {
  respond_with(201, json_of({.name = "new", .version = "12"}));
  start_queue(sending(DAVIT_CREATE, ""));
  sync_once("web");
  EXPECT_EQ(add(queue_, "web"), DAVIT_OK);
  EXPECT_EQ(add(queue_, "last"), DAVIT_OK);
  synced_.await(3);

  clock_.advance(seconds(31));
  host_->runner().report();
  EXPECT_EQ(add(queue_, "mark"), DAVIT_OK);
  EXPECT_EQ(synced_.await(4)[3], "mark") << "past its deadline the key is still held back";
  send(0, "");  // A watch that ends as soon as it begins.
  send(0, list_json("12", {}));

  EXPECT_EQ(synced_.await(5)[4], "web");
}

// The next sync would have made the pod a second time.
TEST_F(ControllerSyncTest, KeyWhoseWriteMayHaveBeenAppliedIsHeldBackUntilTheCacheIsVerified) {
  respond_with(201, "{");
  expect_held_back_until_verified(sending(DAVIT_CREATE, ""));
}

TEST_F(ControllerSyncTest, CreateThatGotAServerErrorHoldsItsKeyBackUntilTheCacheIsVerified) {
  respond_with(500, "");
  expect_held_back_until_verified(sending(DAVIT_CREATE, ""));
}

struct UnclearCase {
  const char* name;
  std::int32_t verb;
  const char* target;
  int status;
  const char* body;
};

constexpr UnclearCase kUnclearCases[] = {
    {"NoVersion", DAVIT_CREATE, "", 201,
     R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"n","namespace":"default","uid":"u"}})"},
    {"OtherKind", DAVIT_CREATE, "", 201,
     R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"n","namespace":"default",)"
     R"("uid":"u","resourceVersion":"99"}})"},
    {"BadGateway", DAVIT_CREATE, "", 502, "<html>"},
    {"Unavailable", DAVIT_CREATE, "", 503, ""},
    {"GatewayTimeout", DAVIT_DELETE, "old", 504, ""},
    {"EmptyAnswerToADeletion", DAVIT_DELETE, "old", 200, ""},
    {"DeletionOfWhatTheCacheLacks", DAVIT_DELETE, "unseen", 200,
     R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})"},
};

class UnclearTest : public ControllerSyncTest, public ::testing::WithParamInterface<UnclearCase> {};

TEST_P(UnclearTest, KeyIsHeldBackUntilTheCacheIsVerified) {
  respond_with(GetParam().status, GetParam().body);
  expect_held_back_until_verified(sending(GetParam().verb, GetParam().target));
}

INSTANTIATE_TEST_SUITE_P(Each, UnclearTest, ::testing::ValuesIn(kUnclearCases),
                         [](const auto& each) { return std::string(each.param.name); });

struct UntrackedCase {
  const char* name;
  std::int32_t verb;
  const char* target;
  DryRun dry_run;
  int status;
  const char* body;
};

constexpr char kNewPod[] =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"n","namespace":"default",)"
    R"("uid":"u","resourceVersion":"99"}})";
constexpr char kForbidden[] =
    R"({"kind":"Status","apiVersion":"v1","reason":"Forbidden","code":403})";
constexpr char kNotFound[] =
    R"({"kind":"Status","apiVersion":"v1","reason":"NotFound","code":404})";
constexpr UntrackedCase kUntrackedCases[] = {
    {"Read", DAVIT_GET, "n", DryRun::kOff, 200, kNewPod},
    {"DryRun", DAVIT_CREATE, "", DryRun::kServer, 201, kNewPod},
    {"RefusedWrite", DAVIT_CREATE, "", DryRun::kOff, 403, kForbidden},
    {"NobodyThere", DAVIT_DELETE, "old", DryRun::kOff, 404, kNotFound},
};

class UntrackedTest : public ControllerSyncTest,
                      public ::testing::WithParamInterface<UntrackedCase> {};

TEST_P(UntrackedTest, LeavesTheKeyFree) {
  ControllerHostOptions made = options();
  made.dry_run = GetParam().dry_run;
  make(std::move(made));
  respond_with(GetParam().status, GetParam().body);
  const Sync sync = sending(GetParam().verb, GetParam().target);
  start_queue([sync](davit_str key, davit_sync_result& result) -> davit_code {
    (void)sync(key, result);
    return DAVIT_OK;
  });
  sync_once("web");
  EXPECT_EQ(add(queue_, "web"), DAVIT_OK);
  EXPECT_EQ(add(queue_, "last"), DAVIT_OK);
  EXPECT_THAT(synced_.await(4), ElementsAre("web", "next", "web", "last"));
}

INSTANTIATE_TEST_SUITE_P(Each, UntrackedTest, ::testing::ValuesIn(kUntrackedCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_F(ControllerSyncTest, MalformedResponseReachesTheSyncAsUnavailable) {
  respond_with(201, "{");
  davit_code code = -1;
  std::string message;
  start_queue([&](davit_str key, davit_sync_result&) -> davit_code {
    if (view(key) != "web") return DAVIT_OK;
    davit_response response{};
    code = send(DAVIT_CREATE, "", response);
    message = view(response.message);
    return DAVIT_OK;
  });
  sync_once("web");
  EXPECT_EQ(code, DAVIT_UNAVAILABLE);
  EXPECT_THAT(message, HasSubstr("is not a JSON object (create pods)"));
}

TEST_F(ControllerSyncTest, StopCancelsTheCallThatASyncWaitsFor) {
  start_with([&] { queue_ = open_queue(sending(DAVIT_CREATE, "")); });
  commit();
  run();
  transport_.respond(test::open_response(0));
  EXPECT_EQ(add(queue_, "web"), DAVIT_OK);
  transport_.await_requests(1);

  EXPECT_TRUE(host_->stop({clock_.now(), Time::max()}));

  EXPECT_THAT(synced_.entries(), ElementsAre("web"));
}

/// The optional sides, played by a struct of functions.
class ControllerSidesTest : public ControllerHostTest {
 protected:
  struct Sides {
    davit_health_v1 health{};
    davit_debug_v1 debug{};
    davit_configurable_v1 configurable{};
    bool throws = false;
    ControllerSidesTest* test = nullptr;
  };

  void start_sides() {
    const auto result = init([&](const davit_context&, davit_controller& out) {
      sides_.test = this;
      out.self = &sides_;
      out.capability = [](void* self, const davit_call*, davit_str id) -> const void* {
        const auto& sides = *static_cast<Sides*>(self);
        if (sides.throws) throw std::runtime_error("no sides");
        if (view(id) == "davit.health/1") return &sides.health;
        if (view(id) == "davit.debug/1") return &sides.debug;
        if (view(id) == "davit.configurable/1") return &sides.configurable;
        return nullptr;
      };
      return DAVIT_STARTED;
    });
    ASSERT_EQ(result.outcome, Outcome::kStarted);
  }

  /// Refuses a configuration with the member "bad".
  static davit_code take_or_refuse(void* self, const davit_call* call, davit_value config) {
    ControllerSidesTest& test = *static_cast<Sides*>(self)->test;
    EXPECT_EQ(Value(test.tables_.config->value(call)).json(), test.before_);
    test.offered_ = Value(config).json();
    if (Value(config)["bad"].kind() == Kind::kAbsent) return DAVIT_OK;
    test.context_->error_text(call, str("bad is not good"));
    return DAVIT_INVALID;
  }

  Sides sides_;
  std::string before_;   // The configuration that the controller should have during changed().
  std::string offered_;  // The configuration that changed() got.
};

TEST_F(ControllerSidesTest, HealthIsTheControllersOwnOpinion) {
  sides_.health = {sizeof(davit_health_v1), 0,
                   [](void*, const davit_call*, const davit_sink* why) -> davit_code {
                     why->write(why->self, davit_str{"out of ", 7});
                     why->write(why->self, davit_str{nullptr, 3});
                     why->write(why->self, davit_str{"luck", 4});
                     return DAVIT_UNAVAILABLE;
                   }};
  start_sides();
  EXPECT_EQ(host_->health().code(), Code::kUnavailable);
  EXPECT_EQ(host_->health().message(), "out of luck");

  sides_.health.check = [](void*, const davit_call*, const davit_sink*) -> davit_code {
    return DAVIT_CONFLICT;
  };
  EXPECT_NE(host_->health().message(), "") << "never unhealthy without a word";
  sides_.health.check = [](void*, const davit_call*, const davit_sink*) -> davit_code {
    throw std::runtime_error("oops");
  };
  EXPECT_THAT(host_->health().message(), HasSubstr("oops"));
  sides_.health.check = [](void*, const davit_call*, const davit_sink*) -> davit_code { throw 1; };
  EXPECT_FALSE(host_->health().ok());
  sides_.health.check = [](void*, const davit_call*, const davit_sink*) -> davit_code {
    return DAVIT_OK;
  };
  EXPECT_TRUE(host_->health().ok());
  sides_.health.check = nullptr;
  EXPECT_TRUE(host_->health().ok());
}

TEST_F(ControllerSidesTest, DebugPageIsServedByTheController) {
  sides_.debug = {sizeof(davit_debug_v1), 0,
                  [](void*, const davit_call*, davit_str path, davit_str query,
                     const davit_page* page) -> davit_code {
                    if (view(path) == "gone") return DAVIT_NOT_FOUND;
                    if (view(path) == "bad") throw std::runtime_error("oops");
                    page->body->write(page->body->self, path);
                    page->body->write(page->body->self, query);
                    return DAVIT_OK;
                  }};
  start_sides();
  EXPECT_TRUE(host_->plugin().has_debug_page());
  const Result<DebugResponse> page = host_->plugin().debug_page("state", "?a=1");
  EXPECT_EQ(page->body, "state?a=1");
  EXPECT_EQ(page->content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(page->http_status, 200);
  EXPECT_EQ(host_->plugin().debug_page("gone", "").error().code(), Code::kNotFound);
  EXPECT_EQ(host_->plugin().debug_page("bad", "").error().code(), Code::kInternal);
  EXPECT_THAT(host_->plugin().debug_page("bad", "").error().message(), HasSubstr("oops"));

  sides_.debug.serve = nullptr;
  EXPECT_FALSE(host_->plugin().has_debug_page());
  EXPECT_EQ(host_->plugin().debug_page("state", "").error().code(), Code::kNotFound);
}

TEST_F(ControllerSidesTest, DebugPageHasTheStatusAndTypeThatItIsGiven) {
  sides_.debug = {sizeof(davit_debug_v1), 0,
                  [](void*, const davit_call*, davit_str path, davit_str,
                     const davit_page* page) -> davit_code {
                    if (view(path) == "good") return page->head(page->self, 202, str("text/html"));
                    const std::string endless = "a/" + std::string(300, 'b');
                    EXPECT_EQ(page->head(page->self, 199, str("text/html")), DAVIT_INVALID);
                    EXPECT_EQ(page->head(page->self, 600, str("text/html")), DAVIT_INVALID);
                    EXPECT_EQ(page->head(page->self, 200, str("a/b\r\nX: y")), DAVIT_INVALID);
                    EXPECT_EQ(page->head(page->self, 200, str("text")), DAVIT_INVALID);
                    EXPECT_EQ(page->head(page->self, 200, str("/text")), DAVIT_INVALID);
                    EXPECT_EQ(page->head(page->self, 200, davit_str{}), DAVIT_INVALID);
                    EXPECT_EQ(page->head(page->self, 200, str(endless)), DAVIT_INVALID);
                    return DAVIT_OK;
                  }};
  start_sides();
  const Result<DebugResponse> good = host_->plugin().debug_page("good", "");
  EXPECT_EQ(good->http_status, 202);
  EXPECT_EQ(good->content_type, "text/html");
  const Result<DebugResponse> bad = host_->plugin().debug_page("bad", "");
  EXPECT_EQ(bad->http_status, 200);
  EXPECT_EQ(bad->content_type, "text/plain; charset=utf-8");
}

TEST_F(ControllerSidesTest, ConfigurationIsTheControllersToTakeOrRefuse) {
  sides_.configurable = {sizeof(davit_configurable_v1), 0, take_or_refuse};
  start_sides();
  before_ = "";

  EXPECT_TRUE(host_->configure(R"({"a":1})").ok());
  EXPECT_EQ(offered_, R"({"a":1})");
  before_ = R"({"a":1})";
  EXPECT_EQ(inside(Phase::kSync, [&] { return Value(tables_.config->value(current_call)).json(); }),
            R"({"a":1})");

  const Status refused = host_->configure(R"({"bad":1})");
  EXPECT_EQ(refused.code(), Code::kInvalid);
  EXPECT_EQ(refused.message(), "bad is not good");
  EXPECT_EQ(host_->abi().config.text(), R"({"a":1})");

  EXPECT_TRUE(host_->configure("").ok());
  EXPECT_EQ(offered_, "") << "there is none any more";
}

TEST_F(ControllerSidesTest, ACallSeesOneConfiguration) {
  sides_.configurable = {
      sizeof(davit_configurable_v1), 0,
      [](void*, const davit_call*, davit_value) -> davit_code { return DAVIT_OK; }};
  start_sides();
  ASSERT_TRUE(host_->configure(R"({"a":1})").ok());
  inside(Phase::kSync, [&] {
    const davit_value first = tables_.config->value(current_call);
    EXPECT_TRUE(host_->configure(R"({"a":2})").ok());
    EXPECT_EQ(Value(first).json(), R"({"a":1})") << "it is not freed under the sync";
    EXPECT_EQ(Value(tables_.config->value(current_call)).json(), R"({"a":1})");
    return 0;
  });
}

TEST_F(ControllerSidesTest, WithoutThatSideAnotherInstanceIsNeededForAConfiguration) {
  start_sides();
  EXPECT_EQ(host_->configure(R"({"a":1})").code(), Code::kUnsupported);
}

TEST_F(ControllerSidesTest, WhatTheNoteTakesFromTheConfigurationChangesAtAStartOnly) {
  sides_.configurable = {
      sizeof(davit_configurable_v1), 0,
      [](void*, const davit_call*, davit_value) -> davit_code { return DAVIT_OK; }};
  ControllerHostOptions made = options();
  made.declared.http.hosts_from.path = "server";
  made.config = R"({"server":"https://a.example.com","colour":"red"})";
  make(std::move(made));
  start_sides();

  EXPECT_TRUE(host_->configure(R"({"server":"https://a.example.com","colour":"blue"})").ok());
  EXPECT_EQ(host_->configure(R"({"server":"https://b.example.com","colour":"blue"})").code(),
            Code::kUnsupported);
  EXPECT_EQ(host_->configure(R"({"colour":"blue"})").code(), Code::kInvalid) << "it is missing";
}

TEST_F(ControllerSidesTest, TooSmallTablesAndThrownOnesCountAsMissing) {
  sides_.health = {8, 0, [](void*, const davit_call*, const davit_sink*) -> davit_code {
                     return DAVIT_INTERNAL;
                   }};
  sides_.debug = {
      8, 0, [](void*, const davit_call*, davit_str, davit_str, const davit_page*) -> davit_code {
        return DAVIT_OK;
      }};
  start_sides();
  EXPECT_TRUE(host_->health().ok());
  EXPECT_FALSE(host_->plugin().has_debug_page());

  sides_.throws = true;
  EXPECT_TRUE(host_->health().ok());
  EXPECT_FALSE(host_->plugin().has_debug_page());
  EXPECT_THAT(log_.lines(), Contains(HasSubstr("no sides")));
}

}  // namespace
}  // namespace davit::host
