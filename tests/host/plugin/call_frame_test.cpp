#include "host/plugin/call_frame.hpp"

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "host/object/parse.hpp"
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

class CallFrameTest : public ControllerHostTest {
 protected:
  CallFrameTest() { make(); }

  ObjectRef object(const std::string& name) {
    return *parse_object(space_, R"({"metadata":{"name":")" + name + R"("}})");
  }
  static std::string_view name_of(davit_value value) {
    return Value(value)["metadata"]["name"].string();
  }
  static davit_code code_of(const davit_call* call) { return CallFrame::find(call).code; }
};

TEST_F(CallFrameTest, CallIsFoundOnItsOwnThreadUntilItEnds) {
  const davit_call* call = nullptr;
  {
    CallFrame frame(host_->abi(), Phase::kSync, {.key = "default/web"});
    call = frame.call();
    EXPECT_EQ(CallFrame::find(call).frame, &frame);
    std::jthread([call] {
      EXPECT_EQ(code_of(call), DAVIT_MISUSE);
      EXPECT_EQ(call->cancelled(call), 1) << "nobody there waits for it";
    }).join();
    EXPECT_EQ(call->cancelled(call), 0);
  }
  EXPECT_EQ(code_of(call), DAVIT_STALE);
  EXPECT_EQ(call->cancelled(call), 1);
  std::jthread([call] { EXPECT_EQ(code_of(call), DAVIT_STALE); }).join();
}

TEST_F(CallFrameTest, WhatIsNoCallIsRefused) {
  EXPECT_EQ(code_of(nullptr), DAVIT_MISUSE);
  const davit_call zero{};
  EXPECT_EQ(code_of(&zero), DAVIT_MISUSE);
}

TEST_F(CallFrameTest, CallInsideAnotherLeavesTheOuterOneUsable) {
  CallFrame outer(host_->abi(), Phase::kSync);
  {
    CallFrame inner(host_->abi(), Phase::kProbe);
    EXPECT_EQ(CallFrame::find(inner.call()).frame, &inner);
    EXPECT_EQ(CallFrame::find(outer.call()).frame, &outer);
  }
  EXPECT_EQ(CallFrame::find(outer.call()).frame, &outer);
}

TEST_F(CallFrameTest, EndedCallServesAgainOnlyAfterManyOthers) {
  const davit_call* const late = CallFrame(host_->abi(), Phase::kSync).call();
  for (std::size_t i = 0; i < CallSlots::kRest; ++i) {
    CallFrame frame(host_->abi(), Phase::kSync);
    EXPECT_NE(frame.call(), late) << i;
  }
  EXPECT_EQ(code_of(late), DAVIT_STALE);
}

TEST_F(CallFrameTest, PluginReadsWhatTheCallIs) {
  std::stop_source stop;
  CallFrame frame(host_->abi(), Phase::kSync,
                  {.source = 7,
                   .key = "default/web",
                   .attempt = 3,
                   .deadline = Time(std::chrono::seconds(9)),
                   .stop = stop.get_token()});
  const davit_call& call = *frame.call();
  EXPECT_EQ(call.size, sizeof(davit_call));
  EXPECT_EQ(call.kind, DAVIT_CALL_SYNC);
  EXPECT_EQ(call.source, 7u);
  EXPECT_EQ(view(call.key), "default/web");
  EXPECT_EQ(call.attempt, 3u);
  EXPECT_EQ(call.deadline_ns, 9'000'000'000);
  EXPECT_EQ(view(call.trace_id), "");
  EXPECT_EQ(call.cancelled(&call), 0);
  stop.request_stop();
  EXPECT_EQ(call.cancelled(&call), 1);
}

TEST_F(CallFrameTest, PluginReadsWhetherItsReplicaLeads) {
  bool leads = false;
  ControllerHostOptions made = options();
  made.write_gate = [&leads] { return leads ? Status() : Status(Code::kCancelled, "standby"); };
  make(std::move(made));
  const davit_call* ended = nullptr;
  {
    CallFrame frame(host_->abi(), Phase::kHandler);
    const davit_call& call = *frame.call();
    ended = &call;
    EXPECT_EQ(call.leads(&call), 0);
    leads = true;
    EXPECT_EQ(call.leads(&call), 1);
    std::jthread([&call] { EXPECT_EQ(call.leads(&call), 0) << "its thread has no call"; }).join();
  }
  EXPECT_EQ(ended->leads(ended), 0);
  host_.reset();  // Before what its gate reads.
}

TEST_F(CallFrameTest, ControllerThatNeedsNoLeadershipMayAlwaysAct) {
  CallFrame frame(host_->abi(), Phase::kInit);
  EXPECT_EQ(frame.call()->leads(frame.call()), 1);
}

TEST_F(CallFrameTest, CallIsCancelledWhileASwapDrains) {
  CallFrame frame(host_->abi(), Phase::kSync);
  host_->abi().hold.hold();
  EXPECT_EQ(frame.call()->cancelled(frame.call()), 1);
  host_->abi().hold.release();
  EXPECT_EQ(frame.call()->cancelled(frame.call()), 0);
}

TEST_F(CallFrameTest, RefusedCallsAreCountedForTheControllerThatHadThem) {
  const auto log_from = [this](const davit_call* call) {
    tables_.log->write(call, DAVIT_LOG_INFO, str("late"), nullptr, 0);
  };
  RefusalReader reader;
  RefusalReader other;
  const davit_call* call = nullptr;
  {
    CallFrame frame(host_->abi(), Phase::kProbe);
    call = frame.call();
    std::jthread([&] { log_from(call); }).join();
    EXPECT_EQ(tables_.clock->pause(call, 1), DAVIT_MISUSE) << "a probe must not wait";
    EXPECT_EQ(tables_.queue->add(call, 1, str("a")), DAVIT_STALE) << "a handle is none of these";
  }
  host_.reset();  // Its name is known all the same.
  log_from(call);
  log_from(call);
  log_from(nullptr);

  const std::vector<RefusedCalls> refused = reader.take();

  ASSERT_EQ(refused.size(), 4U);
  for (const RefusedCalls& each : refused) {
    if (each.plugin.empty()) {
      EXPECT_EQ(each.why, Refusal::kThread) << "no call at all";
      EXPECT_EQ(each.count, 1U);
      continue;
    }
    EXPECT_EQ(each.plugin, "sample");
    EXPECT_EQ(each.controller, "sample-controller");
    EXPECT_EQ(each.count, each.why == Refusal::kEnded ? 2U : 1U) << to_string(each.why);
  }
  EXPECT_TRUE(reader.take().empty()) << "each is reported once";
  EXPECT_EQ(other.take().size(), 4U) << "to every reader";
}

TEST_F(CallFrameTest, LastErrorHasTheServersDetails) {
  CallFrame frame(host_->abi(), Phase::kSync);
  EXPECT_EQ(frame.last_error().code, DAVIT_OK);
  ApiDetail detail;
  detail.http_status = 409;
  detail.reason = "AlreadyExists";
  detail.causes = {"One", "Two"};
  detail.retry_after_ms = 1500;
  frame.note_failure(frame.fail(Status(Code::kAlreadyExists, "it is there", detail)));

  const davit_error error = frame.last_error();
  EXPECT_EQ(error.size, sizeof(error));
  EXPECT_EQ(error.code, DAVIT_ALREADY_EXISTS);
  EXPECT_EQ(error.http_status, 409);
  EXPECT_EQ(error.retry_after_ms, 1500u);
  EXPECT_EQ(view(error.reason), "AlreadyExists");
  EXPECT_EQ(view(error.message), "it is there");
  EXPECT_EQ(view(error.causes), "One,Two");
  EXPECT_EQ(frame.error(), "it is there");

  frame.note_failure(DAVIT_STALE);
  EXPECT_EQ(frame.last_error().code, DAVIT_STALE);
  EXPECT_EQ(view(frame.last_error().message), "") << "of the one before";
  EXPECT_EQ(view(error.message), "it is there") << "what was lent stays";
}

TEST_F(CallFrameTest, PluginReadsTheLastErrorOfTheServerAndOfAText) {
  transport_.respond(response_of(409, R"({"kind":"Status","apiVersion":"v1","status":"Failure",
    "reason":"AlreadyExists","message":"pods \"a\" already exists","code":409,
    "details":{"causes":[{"reason":"One"},{"reason":"Two"}],"retryAfterSeconds":2}})"));
  inside(Phase::kSync, [&] {
    const davit_context context = make_context("");
    davit_error error{};
    error.size = sizeof(error);
    EXPECT_EQ(context.last_error(current_call, &error), DAVIT_OK);
    EXPECT_EQ(error.code, DAVIT_OK);

    const davit_request create = pod_request(DAVIT_CREATE);
    davit_response response{};
    response.size = sizeof(response);
    EXPECT_EQ(tables_.client->call(current_call, &create, &response), DAVIT_ALREADY_EXISTS);
    EXPECT_EQ(context.last_error(current_call, &error), DAVIT_OK);
    EXPECT_EQ(error.code, DAVIT_ALREADY_EXISTS);
    EXPECT_EQ(error.http_status, 409);
    EXPECT_EQ(view(error.reason), "AlreadyExists");
    EXPECT_EQ(view(error.causes), "One,Two");
    EXPECT_EQ(view(error.message), "pods \"a\" already exists");

    davit_value value{};
    EXPECT_EQ(tables_.object->parse(current_call, str(R"({"a":1,})"), &value), DAVIT_INVALID);
    EXPECT_EQ(context.last_error(current_call, &error), DAVIT_OK);
    EXPECT_EQ(error.code, DAVIT_INVALID);
    EXPECT_EQ(error.position, 8U);
    EXPECT_EQ(error.http_status, 0);
    EXPECT_THAT(view(error.message), ::testing::HasSubstr("malformed"));
  });
}

TEST_F(CallFrameTest, RefusedPhaseIsTheLastErrorAndLeavesTheControllersText) {
  CallFrame frame(host_->abi(), Phase::kHandler);
  frame.set_error("the controller's");
  const davit_request create = pod_request(DAVIT_CREATE);
  davit_response response{};
  response.size = sizeof(response);
  EXPECT_EQ(tables_.client->call(frame.call(), &create, &response), DAVIT_MISUSE);
  EXPECT_EQ(frame.last_error().code, DAVIT_MISUSE);
  EXPECT_NE(view(frame.last_error().message), "");
  EXPECT_EQ(frame.error(), "the controller's");
  EXPECT_EQ(tables_.queue->add(frame.call(), 1, str("a")), DAVIT_STALE);
  EXPECT_EQ(view(frame.last_error().message), "");
}

TEST_F(CallFrameTest, LentObjectsListsAndTextsStayWhereTheyAre) {
  CallFrame frame(host_->abi(), Phase::kSync);
  std::vector<davit_value> values;
  std::vector<davit_list> lists;
  std::vector<davit_str> texts;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "n" + std::to_string(i);
    values.push_back(frame.lend(object(name), kFullMask));
    lists.push_back(frame.lend(std::vector<ObjectRef>{object(name), object(name)}, kFullMask));
    texts.push_back(frame.lend(name));
  }
  for (std::size_t i = 0; i < 100; ++i) {
    const std::string name = "n" + std::to_string(i);
    EXPECT_EQ(name_of(values[i]), name);
    ASSERT_EQ(lists[i].count, 2u);
    EXPECT_EQ(name_of(lists[i].items[1]), name);
    EXPECT_EQ(view(texts[i]), name);
  }
}

TEST_F(CallFrameTest, LastErrorTextWins) {
  CallFrame frame(host_->abi(), Phase::kSync);
  EXPECT_EQ(frame.error(), "");
  frame.set_error("first");
  frame.set_error("second");
  EXPECT_EQ(frame.error(), "second");
}

TEST_F(CallFrameTest, TextWithoutDataIsEmptyWhateverItsSize) {
  EXPECT_EQ(view(davit_str{nullptr, 7}), "");
  EXPECT_EQ(view(davit_str{"text", 2}), "te");
}

}  // namespace
}  // namespace davit::host
