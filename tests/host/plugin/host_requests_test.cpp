/// "davit.client/1": field managers, pages, priorities, raw responses, fan-out.

#include <algorithm>
#include <functional>
#include <future>
#include <vector>

#include "host/api/stream_run.hpp"
#include "tests/host/plugin/controller_fixture.hpp"
#include "tests/support/allocated_bytes.hpp"

namespace davit::host {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kPod[] = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",)"
                        R"("namespace":"default","uid":"u1","resourceVersion":"12"}})";

davit_request request(std::int32_t verb, std::string_view name = {}) {
  davit_request made = pod_request(verb);
  made.name = str(name);
  return made;
}

davit_request apply_request() {
  davit_request made = request(DAVIT_PATCH, "a");
  made.patch_type = DAVIT_PATCH_APPLY;
  return made;
}

class HostRequestsTest : public ControllerHostTest {
 protected:
  /// Does `what` in a sync, which stop_ ends.
  template <typename What>
  auto in_sync(What what) {
    if (!host_) make();
    CallFrame frame(host_->abi(), Phase::kSync, {.stop = stop_.get_token()});
    const CallScope scope(frame.call());
    return what();
  }

  struct Reply {
    davit_code code = -1;
    std::int32_t http_status = 0;
    std::string message;
    bool has_object = false;
  };
  Reply call(const davit_request& asked) {
    return in_sync([&] {
      davit_response response{};
      response.size = sizeof(response);
      Reply reply;
      reply.code = tables_.client->call(current_call, &asked, &response);
      EXPECT_EQ(response.code, reply.code);
      reply.http_status = response.http_status;
      reply.message = view(response.message);
      reply.has_object = tables_.object->kind(response.object) != DAVIT_KIND_ABSENT;
      return reply;
    });
  }
  std::string target_of(const davit_request& asked) {
    transport_.set_script(fitting_response);
    EXPECT_EQ(call(asked).code, DAVIT_OK);
    return transport_.requests().back().target;
  }

  std::stop_source stop_;
};

// ---- Members ------------------------------------------------------------------------------------

TEST_F(HostRequestsTest, ApplyNamesTheControllersClientAsItsFieldManager) {
  davit_request apply = apply_request();
  EXPECT_THAT(target_of(apply), EndsWith("/pods/a?fieldManager=sample"));
  apply.force = 1;
  apply.field_manager = str("my team&x");
  EXPECT_THAT(target_of(apply), EndsWith("/pods/a?fieldManager=my%20team%26x&force=true"));
}

TEST_F(HostRequestsTest, OtherWritesNameOnlyAGivenFieldManager) {
  davit_request create = request(DAVIT_CREATE);
  EXPECT_THAT(target_of(create), EndsWith("/pods"));
  create.field_manager = str("web");
  EXPECT_THAT(target_of(create), EndsWith("/pods?fieldManager=web"));
}

TEST_F(HostRequestsTest, PagesHaveALimitAndAToken) {
  davit_request list = request(DAVIT_LIST);
  list.query = str("labelSelector=a%3Db");
  list.limit = 500;
  list.continue_token = str("t/1=");
  EXPECT_THAT(target_of(list), EndsWith("/pods?labelSelector=a%3Db&limit=500&continue=t%2F1%3D"));
}

struct MisuseCase {
  const char* name;
  davit_request request;
  void (*change)(davit_request& to);
};

const std::string kLongName(129, 'm');
constexpr davit_sink kEmptySink{};
constexpr auto kManager = [](davit_request& to) { to.field_manager = str("m"); };
constexpr auto kLongManager = [](davit_request& to) { to.field_manager = str(kLongName); };
constexpr auto kTwoLines = [](davit_request& to) { to.field_manager = str("a\nb"); };
constexpr auto kForce = [](davit_request& to) { to.force = 1; };
constexpr auto kForceTwo = [](davit_request& to) { to.force = 2; };
constexpr auto kLimit = [](davit_request& to) { to.limit = 1; };
constexpr auto kPriority = [](davit_request& to) { to.priority = 3; };
constexpr auto kRaw = [](davit_request& to) { to.raw = &kEmptySink; };
constexpr auto kLimitQuery = [](davit_request& to) { to.query = str("l%69mit=1"); };
constexpr auto kForceQuery = [](davit_request& to) { to.query = str("force=true"); };
constexpr auto kTokenQuery = [](davit_request& to) { to.query = str("continue="); };

// clang-format off
const MisuseCase kMisuseCases[] = {
    {"field manager of a read",    request(DAVIT_GET, "a"), kManager},
    {"long field manager",         request(DAVIT_CREATE),   kLongManager},
    {"field manager of two lines", request(DAVIT_CREATE),   kTwoLines},
    {"force of a create",          request(DAVIT_CREATE),   kForce},
    {"unknown force",              apply_request(),         kForceTwo},
    {"limit of a get",             request(DAVIT_GET, "a"), kLimit},
    {"unknown priority",           request(DAVIT_GET, "a"), kPriority},
    {"raw create",                 request(DAVIT_CREATE),   kRaw},
    {"sink without write",         request(DAVIT_GET, "a"), kRaw},
    {"limit in the query",         request(DAVIT_LIST),     kLimitQuery},
    {"force in the query",         apply_request(),         kForceQuery},
    {"token in the query",         request(DAVIT_LIST),     kTokenQuery},
};
// clang-format on

TEST_F(HostRequestsTest, MemberThatTheVerbDoesNotHaveIsMisuse) {
  for (const MisuseCase& each : kMisuseCases) {
    davit_request changed = each.request;
    each.change(changed);
    EXPECT_EQ(call(changed).code, DAVIT_MISUSE) << each.name;
  }
  EXPECT_THAT(transport_.requests(), IsEmpty());
  davit_request list = request(DAVIT_LIST);
  list.query = str("limit=1");
  EXPECT_THAT(call(list).message, HasSubstr("set the member limit of the request instead"));
}

// ---- Raw responses ------------------------------------------------------------------------------

/// A sink that notes each piece.
struct Pieces {
  explicit Pieces(std::function<davit_code(std::string_view)> answer = {})
      : answer_(std::move(answer)),
        sink{sizeof(davit_sink), 0, this, [](void* self, davit_str piece) -> davit_code {
               auto& it = *static_cast<Pieces*>(self);
               it.count++;
               it.thread = std::this_thread::get_id();
               it.text += view(piece);
               return it.answer_ ? it.answer_(view(piece)) : DAVIT_OK;
             }} {}

  std::function<davit_code(std::string_view)> answer_;
  std::string text;
  std::size_t count = 0;
  std::thread::id thread;
  davit_sink sink;
};

TEST_F(HostRequestsTest, RawBodyGoesToTheSinkInPiecesOnTheCallersThread) {
  std::string body;
  for (int i = 0; body.size() < 4 * StreamBuffer::kUnreadBytesMax; ++i) body += std::to_string(i);
  transport_.respond(response_of(200, body));
  Pieces pieces;
  davit_request list = request(DAVIT_LIST);
  list.raw = &pieces.sink;

  const Reply reply = call(list);

  EXPECT_EQ(reply.code, DAVIT_OK);
  EXPECT_EQ(reply.http_status, 200);
  EXPECT_FALSE(reply.has_object);
  EXPECT_EQ(pieces.text, body);
  EXPECT_GT(pieces.count, 1u);
  EXPECT_EQ(pieces.thread, std::this_thread::get_id());
}

TEST_F(HostRequestsTest, LogIsFollowedWhileItIsWritten) {
  ControllerHostOptions reader = options();
  reader.declared.rules.push_back({"", "pods", "log", {"get"}});
  make(std::move(reader));
  transport_.respond(test::open_response(200, "one\n"));
  std::promise<void> first;
  Pieces pieces([&](std::string_view piece) {
    if (piece == "one\n") first.set_value();
    return DAVIT_OK;
  });
  davit_request log = request(DAVIT_GET, "a");
  log.subresource = str("log");
  log.query = str("follow=true");
  log.raw = &pieces.sink;

  auto reply = std::async(std::launch::async, [&] { return call(log); });
  first.get_future().wait();
  transport_.send(0, "two\n");
  transport_.finish(0);

  EXPECT_EQ(reply.get().code, DAVIT_OK);
  EXPECT_EQ(pieces.text, "one\ntwo\n");
  EXPECT_THAT(transport_.requests().front().target, EndsWith("/pods/a/log?follow=true"));
}

TEST_F(HostRequestsTest, CodeOfTheSinkEndsTheTransfer) {
  transport_.respond(test::open_response(200, "enough"));
  Pieces pieces([](std::string_view) -> davit_code { return 4711; });
  davit_request list = request(DAVIT_LIST);
  list.raw = &pieces.sink;

  EXPECT_EQ(call(list).code, 4711);
  EXPECT_THAT(transport_.open_calls(), IsEmpty());
}

TEST_F(HostRequestsTest, RawBodyThatIsCutIsUnavailableAndItsRefusalAnError) {
  transport_.respond({200, "half", {}, {Break::kReset, "gone"}});
  Pieces pieces;
  davit_request list = request(DAVIT_LIST);
  list.raw = &pieces.sink;
  EXPECT_EQ(call(list).code, DAVIT_UNAVAILABLE);
  EXPECT_EQ(pieces.text, "half");

  transport_.respond(
      response_of(404, R"({"kind":"Status","apiVersion":"v1","reason":"NotFound","code":404})"));
  const Reply absent = call(list);
  EXPECT_EQ(absent.code, DAVIT_NOT_FOUND);
  EXPECT_EQ(absent.http_status, 404);
  EXPECT_EQ(pieces.text, "half") << "an error is not part of the body";
}

TEST_F(HostRequestsTest, StopAndSwapEndAFollowedLog) {
  for (const bool swap : {true, false}) {
    transport_.respond(test::open_response(200, "one"));
    std::promise<void> first;
    Pieces pieces([&](std::string_view) { return first.set_value(), DAVIT_OK; });
    davit_request list = request(DAVIT_LIST);
    list.raw = &pieces.sink;
    auto reply = std::async(std::launch::async, [&] { return call(list); });
    first.get_future().wait();
    if (swap) {
      host_->abi().requests.hold();
    } else {
      stop_.request_stop();
    }
    EXPECT_EQ(reply.get().code, DAVIT_CANCELLED);
    EXPECT_THAT(transport_.open_calls(), IsEmpty());
    host_->abi().requests.release();
  }
}

// ---- Fan-out ------------------------------------------------------------------------------------

/// A fan-out of lambdas.
struct Lambdas {
  std::function<davit_code(std::uint64_t, davit_request&)> next;
  std::function<davit_code(std::uint64_t, const davit_response&)> done;

  davit_fan_out raw(std::uint32_t at_once_max = 0) {
    return {sizeof(davit_fan_out), at_once_max, this,
            [](void* self, const davit_call*, std::uint64_t index, davit_request* to) {
              return static_cast<Lambdas*>(self)->next(index, *to);
            },
            [](void* self, const davit_call*, std::uint64_t index, const davit_response* response) {
              return static_cast<Lambdas*>(self)->done(index, *response);
            }};
  }
};

class HostFanOutTest : public HostRequestsTest {
 protected:
  HostFanOutTest() {
    lambdas_.next = [this](std::uint64_t index, davit_request& to) -> davit_code {
      if (index >= count_) return DAVIT_NOT_FOUND;
      name_ = "pod-" + std::to_string(index);
      to = request(DAVIT_GET, name_);
      return DAVIT_OK;
    };
    lambdas_.done = [this](std::uint64_t index, const davit_response& response) -> davit_code {
      done_.push_back(index);
      codes_.push_back(response.code);
      return DAVIT_OK;
    };
  }
  davit_code run(std::uint32_t at_once_max = 0) {
    return in_sync([&] {
      const davit_fan_out raw = lambdas_.raw(at_once_max);
      return tables_.client->fan_out(current_call, &raw);
    });
  }

  Lambdas lambdas_;
  std::uint64_t count_ = 3;
  std::string name_;  // One for all: the host has copied it.
  std::vector<std::uint64_t> done_;
  std::vector<davit_code> codes_;
};

TEST_F(HostFanOutTest, EachRequestIsSentOnceAndItsResponsePassedOn) {
  transport_.set_script(fitting_response);
  count_ = 1000;
  EXPECT_EQ(run(), DAVIT_OK);
  EXPECT_EQ(transport_.requests().size(), 1000u);
  EXPECT_EQ(transport_.requests()[999].target, "/api/v1/namespaces/default/pods/pod-999");
  std::sort(done_.begin(), done_.end());
  ASSERT_EQ(done_.size(), 1000u);
  EXPECT_EQ(done_.back(), 999u);
  EXPECT_THAT(codes_, Each(DAVIT_OK));
}

TEST_F(HostFanOutTest, NoMoreAreUnderWayThanTheLimit) {
  transport_.set_script(
      [](const HttpRequest& sent) { return test::open_response(200, test::fitting_body(sent)); });
  count_ = 5;
  auto code = std::async(std::launch::async, [&] { return run(2); });
  for (std::size_t i = 0; i < count_; ++i) {
    transport_.await_requests(std::min<std::size_t>(i + 2, count_));
    EXPECT_LE(transport_.open_calls().size(), 2u);
    transport_.finish(i);
  }
  EXPECT_EQ(code.get(), DAVIT_OK);
  EXPECT_THAT(done_, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(HostFanOutTest, ResponseIsFreedWhenItsCallbackReturns) {
  std::string large = R"(,"numbers":[0)";  // Ten times as large when it is parsed.
  for (int i = 0; i < 50'000; ++i) large += ",1";
  large += "]";
  transport_.set_script(
      [&](const HttpRequest& sent) { return response_of(200, test::fitting_body(sent, large)); });
  count_ = 100;
  std::size_t before = 0;
  lambdas_.done = [&](std::uint64_t, const davit_response& response) -> davit_code {
    EXPECT_EQ(Value(response.object)["numbers"].count(), 50'001u);
    if (before == 0) before = test::allocated_bytes();
    // The fake transport keeps the texts.
    EXPECT_LE(test::allocated_bytes(), before + 100 * large.size() + 20'000'000);
    return DAVIT_OK;
  };
  EXPECT_EQ(run(), DAVIT_OK);
}

TEST_F(HostFanOutTest, RetainedObjectOutlivesItsCallback) {
  transport_.set_script(fitting_response);
  davit_handle kept = 0;
  lambdas_.done = [&](std::uint64_t index, const davit_response& response) -> davit_code {
    if (index > 0) return DAVIT_OK;
    return tables_.object->retain(current_call, response.object, &kept);
  };
  in_sync([&] {
    const davit_fan_out raw = lambdas_.raw();
    EXPECT_EQ(tables_.client->fan_out(current_call, &raw), DAVIT_OK);
    davit_value value{};
    EXPECT_EQ(tables_.object->retained(current_call, kept, &value), DAVIT_OK);
    EXPECT_EQ(Value(value)["metadata"]["uid"].string(), "u");
  });
}

TEST_F(HostFanOutTest, CodeOfDoneEndsItAndThoseUnderWayAreStillPassedOn) {
  transport_.set_script(fitting_response);
  count_ = 100;
  lambdas_.done = [&](std::uint64_t index, const davit_response&) -> davit_code {
    done_.push_back(index);
    return done_.size() == 1 ? DAVIT_CONFLICT : DAVIT_OK;
  };
  EXPECT_EQ(run(4), DAVIT_CONFLICT);
  EXPECT_EQ(transport_.requests().size(), 4u);
  EXPECT_EQ(done_.size(), 4u);
}

TEST_F(HostFanOutTest, CodeOfNextEndsIt) {
  lambdas_.next = [](std::uint64_t, davit_request&) -> davit_code { return DAVIT_INVALID; };
  EXPECT_EQ(run(), DAVIT_INVALID);
  EXPECT_THAT(transport_.requests(), IsEmpty());
}

TEST_F(HostFanOutTest, NextIsAskedAgainAfterAResponse) {
  transport_.set_script(fitting_response);
  std::size_t allowed = 1;  // Each request follows from the response before.
  const auto all = lambdas_.next;
  lambdas_.next = [&](std::uint64_t index, davit_request& to) -> davit_code {
    return index < allowed ? all(index, to) : DAVIT_NOT_FOUND;
  };
  lambdas_.done = [&](std::uint64_t index, const davit_response&) -> davit_code {
    done_.push_back(index);
    ++allowed;
    return DAVIT_OK;
  };
  EXPECT_EQ(run(), DAVIT_OK);
  EXPECT_THAT(done_, ElementsAre(0, 1, 2));
}

TEST_F(HostFanOutTest, RefusedRequestIsAResponseAndTheOthersAreSent) {
  transport_.set_script(fitting_response);
  lambdas_.next = [&](std::uint64_t index, davit_request& to) -> davit_code {
    if (index >= 2) return DAVIT_NOT_FOUND;
    to = request(DAVIT_GET, "a");
    if (index == 0) to.resource = str("secrets");
    return DAVIT_OK;
  };
  EXPECT_EQ(run(), DAVIT_OK);
  EXPECT_THAT(codes_, ElementsAre(DAVIT_UNDECLARED, DAVIT_OK));
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(HostFanOutTest, CallbacksMaySendRequestsEvenWhenTheRateAllowsOneAtATime) {
  ControllerHostOptions slow = options();
  slow.rate = {1, 1};
  make(std::move(slow));
  transport_.set_script(fitting_response);
  count_ = 2;
  lambdas_.done = [&](std::uint64_t index, const davit_response&) -> davit_code {
    done_.push_back(index);
    const davit_request other = request(DAVIT_GET, "other");
    davit_response response{};
    response.size = sizeof(response);
    return tables_.client->call(current_call, &other, &response);
  };
  auto code = std::async(std::launch::async, [&] { return run(2); });
  for (std::size_t sent = 2; sent <= 4; ++sent) {
    clock_.await_waiters(1);
    clock_.advance(std::chrono::seconds(1));
    transport_.await_requests(sent);
  }
  EXPECT_EQ(code.get(), DAVIT_OK);
  EXPECT_EQ(transport_.requests().size(), 4u);
}

TEST_F(HostFanOutTest, StopEndsItWithoutAskingForMore) {
  transport_.set_script([](const HttpRequest&) { return test::open_response(200, "{"); });
  count_ = 1'000'000;
  auto code = std::async(std::launch::async, [&] { return run(2); });
  transport_.await_requests(2);
  stop_.request_stop();
  EXPECT_EQ(code.get(), DAVIT_CANCELLED);
  EXPECT_THAT(codes_, ElementsAre(DAVIT_CANCELLED, DAVIT_CANCELLED));
}

TEST_F(HostFanOutTest, RawIsForASingleCall) {
  Pieces pieces;
  lambdas_.next = [&](std::uint64_t index, davit_request& to) -> davit_code {
    if (index > 0) return DAVIT_NOT_FOUND;
    to = request(DAVIT_GET, "a");
    to.raw = &pieces.sink;
    return DAVIT_OK;
  };
  EXPECT_EQ(run(), DAVIT_OK);
  EXPECT_THAT(codes_, ElementsAre(DAVIT_MISUSE));
}

TEST_F(HostFanOutTest, FanOutWithoutCallbacksIsMisuse) {
  davit_fan_out raw{};
  raw.size = sizeof(raw);
  in_sync([&] {
    EXPECT_EQ(tables_.client->fan_out(current_call, &raw), DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->fan_out(current_call, nullptr), DAVIT_MISUSE);
  });
}

}  // namespace
}  // namespace davit::host
