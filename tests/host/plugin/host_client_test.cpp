/// "davit.client/1": rights, conversion, responses.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kPod[] = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",)"
                        R"("namespace":"default","uid":"u1","resourceVersion":"12",)"
                        R"("managedFields":[{"manager":"x"}]},"spec":{"nodeName":"n1"}})";

davit_request request(std::int32_t verb, std::string_view resource, std::string_view name) {
  davit_request made{};
  made.size = sizeof(made);
  made.verb = verb;
  made.version = str("v1");
  made.resource = str(resource);
  made.ns = str("default");
  made.name = str(name);
  return made;
}

/// The parts of a response that outlive its call.
struct Reply {
  davit_code code = -1;
  davit_code returned = -1;
  std::int32_t http_status = 0;
  std::uint32_t retry_after_ms = 0;
  std::string reason;
  std::string message;
  std::string causes;
  std::string object;
};

class HostClientTest : public ControllerHostTest {
 protected:
  Reply call(const davit_request& request) {
    if (!host_) make();
    CallFrame frame(host_->abi(), Phase::kSync, {.stop = stop_.get_token()});
    const CallScope scope(frame.call());
    davit_response response{};
    response.size = sizeof(response);
    Reply reply;
    reply.returned = tables_.client->call(current_call, &request, &response);
    reply.code = response.code;
    reply.http_status = response.http_status;
    reply.retry_after_ms = response.retry_after_ms;
    reply.reason = view(response.reason);
    reply.message = view(response.message);
    reply.causes = view(response.causes);
    reply.object = Value(response.object).json();
    return reply;
  }

  std::stop_source stop_;
};

struct RequestCase {
  const char* name;
  std::int32_t verb;
  const char* method;
  const char* target;
};

// clang-format off
constexpr RequestCase kRequestCases[] = {
    {"a", DAVIT_GET,    "GET",    "/api/v1/namespaces/default/pods/a"},
    {"",  DAVIT_LIST,   "GET",    "/api/v1/namespaces/default/pods"},
    {"",  DAVIT_CREATE, "POST",   "/api/v1/namespaces/default/pods"},
    {"a", DAVIT_PATCH,  "PATCH",  "/api/v1/namespaces/default/pods/a"},
    {"a", DAVIT_DELETE, "DELETE", "/api/v1/namespaces/default/pods/a"},
    {"",  DAVIT_DELETE_COLLECTION, "DELETE", "/api/v1/namespaces/default/pods"},
};
// clang-format on

TEST_F(HostClientTest, EachVerbBecomesItsRequest) {
  transport_.set_script(fitting_response);
  for (const RequestCase& each : kRequestCases) {
    davit_request wanted = request(each.verb, "pods", each.name);
    wanted.patch_type = DAVIT_PATCH_STRATEGIC;
    wanted.body = str(R"({"x":1})");
    EXPECT_EQ(call(wanted).code, DAVIT_OK) << each.method;
    EXPECT_EQ(transport_.requests().back().method, each.method);
    EXPECT_EQ(transport_.requests().back().target, each.target);
  }
  EXPECT_THAT(transport_.requests().back().headers,
              Contains(std::pair<std::string, std::string>("User-Agent", user_agent("sample"))));
}

TEST_F(HostClientTest, OnlyATimeLimitThatThePluginAskedForReachesTheServer) {
  transport_.respond(response_of(200, kPod));
  davit_request limited = request(DAVIT_GET, "pods", "a");
  limited.timeout_ms = 5000;
  EXPECT_EQ(call(limited).code, DAVIT_OK);
  EXPECT_EQ(transport_.requests().back().target, "/api/v1/namespaces/default/pods/a?timeout=5s");
}

TEST_F(HostClientTest, PatchTypesAndDeleteOptionsAreCarriedOver) {
  const std::pair<std::int32_t, const char*> kTypes[] = {
      {DAVIT_PATCH_JSON, "application/json-patch+json"},
      {DAVIT_PATCH_MERGE, "application/merge-patch+json"},
      {DAVIT_PATCH_STRATEGIC, "application/strategic-merge-patch+json"},
      {DAVIT_PATCH_APPLY, "application/apply-patch+yaml"}};
  for (const auto& [type, content_type] : kTypes) {
    transport_.respond(response_of(200, kPod));
    davit_request patch = request(DAVIT_PATCH, "pods", "a");
    patch.patch_type = type;
    EXPECT_EQ(call(patch).code, DAVIT_OK);
    EXPECT_THAT(transport_.requests().back().headers,
                Contains(std::pair<std::string, std::string>("Content-Type", content_type)));
  }
  const std::pair<std::int32_t, const char*> kPropagations[] = {
      {DAVIT_PROPAGATION_ORPHAN, "Orphan"},
      {DAVIT_PROPAGATION_BACKGROUND, "Background"},
      {DAVIT_PROPAGATION_FOREGROUND, "Foreground"}};
  for (const auto& [propagation, text] : kPropagations) {
    transport_.respond(response_of(200, kPod));
    davit_request remove = request(DAVIT_DELETE, "pods", "a");
    remove.propagation = propagation;
    remove.has_grace_seconds = 1;
    remove.precondition_uid = str("u1");
    remove.precondition_resource_version = str("12");
    EXPECT_EQ(call(remove).code, DAVIT_OK);
    const std::string body = transport_.requests().back().body;
    EXPECT_THAT(body, HasSubstr(text));
    EXPECT_THAT(body, HasSubstr(R"("gracePeriodSeconds":0,"preconditions":{"uid":"u1",)"
                                R"("resourceVersion":"12"})"));
  }
}

TEST_F(HostClientTest, UnknownNumbersAreMisuseAndNotSent) {
  davit_request patch = request(DAVIT_PATCH, "pods", "a");
  EXPECT_EQ(call(patch).message, "unknown patch type 0");
  patch.patch_type = 5;
  EXPECT_EQ(call(patch).code, DAVIT_MISUSE);
  davit_request remove = request(DAVIT_DELETE, "pods", "a");
  remove.propagation = 9;
  EXPECT_EQ(call(remove).code, DAVIT_MISUSE);
  for (const std::int32_t verb : {0, 8, -1}) {
    const Reply reply = call(request(verb, "pods", "a"));
    EXPECT_EQ(reply.returned, DAVIT_MISUSE);
    EXPECT_EQ(reply.message, "unknown verb " + std::to_string(verb));
  }
  EXPECT_EQ(call(request(DAVIT_DELETE, "pods", "")).code, DAVIT_MISUSE) << "never a collection";
  EXPECT_THAT(transport_.requests(), IsEmpty());
}

TEST_F(HostClientTest, WhatTheNoteDoesNotDeclareIsNotSent) {
  davit_request status = request(DAVIT_PATCH, "pods", "a");
  status.patch_type = DAVIT_PATCH_MERGE;
  status.subresource = str("status");
  davit_request other_group = request(DAVIT_CREATE, "pods", "");
  other_group.group = str("example.com");
  davit_request read_status = request(DAVIT_GET, "pods", "a");
  read_status.subresource = str("status");
  for (const davit_request& each :
       {status, other_group, read_status, request(DAVIT_GET, "secrets", "a"),
        request(DAVIT_LIST, "secrets", ""), request(DAVIT_DELETE, "replicasets", "a")}) {
    const Reply reply = call(each);
    EXPECT_EQ(reply.returned, DAVIT_UNDECLARED);
    EXPECT_THAT(reply.message, HasSubstr("declares no rule for "));
  }
  EXPECT_THAT(call(status).message, HasSubstr("patch of pods/status in group \"\""));
  EXPECT_THAT(
      call(status).message,
      HasSubstr(R"("rules" of sample-controller in its note need )"
                R"({"group":"","resource":"pods","subresource":"status","verbs":["patch"]})"))
      << "what to write";
  EXPECT_THAT(transport_.requests(), IsEmpty());
}

TEST_F(HostClientTest, RuleIsLimitedToItsNamespacesAndNames) {
  ControllerHostOptions limited = options();
  limited.declared.watches.clear();
  limited.declared.rules = {{"", "pods", "", {"get", "list"}, {"a"}, {}, {"default"}},
                            {"*", "*", "scale", {"*"}}};
  make(limited);

  davit_request elsewhere = request(DAVIT_GET, "pods", "a");
  elsewhere.ns = str("other");
  EXPECT_THAT(call(elsewhere).message,
              HasSubstr("; one that is there has the namespaces default; one that is there has the "
                        "resourceNames a"));
  for (const davit_request& each :
       {elsewhere, request(DAVIT_GET, "pods", "b"), request(DAVIT_LIST, "pods", ""),
        request(DAVIT_GET, "configmaps", "a")}) {
    EXPECT_EQ(call(each).returned, DAVIT_UNDECLARED);
  }
  EXPECT_THAT(transport_.requests(), IsEmpty());

  transport_.respond(response_of(200, kPod));
  EXPECT_EQ(call(request(DAVIT_GET, "pods", "a")).code, DAVIT_OK);
  davit_request of_one = request(DAVIT_LIST, "pods", "");
  of_one.query = str("fieldSelector=metadata.name%3Da");
  of_one.limit = 1;
  transport_.respond(response_of(200, R"({"kind":"PodList","apiVersion":"v1",)"
                                      R"("metadata":{"resourceVersion":"9"},"items":[]})"));
  EXPECT_EQ(call(of_one).code, DAVIT_OK);
  davit_request scale = request(DAVIT_GET, "replicasets", "a");
  scale.group = str("apps");
  scale.subresource = str("scale");
  transport_.set_script(fitting_response);
  EXPECT_EQ(call(scale).code, DAVIT_OK);
}

TEST_F(HostClientTest, ListOfTwoFieldSelectorsIsNotOneOfAName) {
  ControllerHostOptions limited = options();
  limited.declared.watches.clear();
  limited.declared.rules = {{"", "pods", "", {"list"}, {"a"}}};
  make(limited);

  davit_request list = request(DAVIT_LIST, "pods", "");
  list.query = str("fieldSelector=metadata.name%3Da&fieldSelector=metadata.name%3Db");

  EXPECT_EQ(call(list).returned, DAVIT_UNDECLARED);
}

TEST_F(HostClientTest, PutOfAProjectedResourceIsRefused) {
  transport_.set_script(fitting_response);
  const Reply reply = call(request(DAVIT_UPDATE, "pods", "a"));
  EXPECT_EQ(reply.code, DAVIT_UNDECLARED);
  EXPECT_THAT(reply.message, HasSubstr("PUT of pods refused"));
  EXPECT_THAT(transport_.requests(), IsEmpty());

  davit_request whole = request(DAVIT_UPDATE, "replicasets", "a");
  whole.group = str("apps");
  EXPECT_EQ(call(whole).code, DAVIT_OK);
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(HostClientTest, ScaleOfAProjectedResourceMayBePut) {
  ControllerHostOptions scaler = options();
  scaler.declared.rules = {{"", "pods", "scale", {"update"}}, {"", "pods", "status", {"update"}}};
  make(std::move(scaler));
  transport_.set_script(fitting_response);
  davit_request scale = request(DAVIT_UPDATE, "pods", "a");
  scale.subresource = str("scale");
  EXPECT_EQ(call(scale).code, DAVIT_OK);
  EXPECT_EQ(transport_.requests().back().target, "/api/v1/namespaces/default/pods/a/scale");

  scale.subresource = str("status");
  EXPECT_EQ(call(scale).code, DAVIT_UNDECLARED) << "the body is the whole object";
}

TEST_F(HostClientTest, CreateOfASubresourceNamesItsObject) {
  ControllerHostOptions evicting = options();
  evicting.declared.rules = {{"", "pods", "eviction", {"create"}, {"a"}}};
  make(std::move(evicting));
  transport_.respond(response_of(201, R"({"kind":"Status","apiVersion":"v1","status":"Success"})"));
  davit_request evict = request(DAVIT_CREATE, "pods", "a");
  evict.subresource = str("eviction");
  evict.body = str(R"({"kind":"Eviction"})");
  EXPECT_EQ(call(evict).code, DAVIT_OK);
  EXPECT_EQ(transport_.requests().back().method, "POST");
  EXPECT_EQ(transport_.requests().back().target, "/api/v1/namespaces/default/pods/a/eviction");

  evict.name = str("b");
  EXPECT_EQ(call(evict).code, DAVIT_UNDECLARED) << "the rule names another";
  evict.name = str("");
  evict.subresource = str("");
  EXPECT_NE(call(evict).code, DAVIT_OK);
}

TEST_F(HostClientTest, ResponsesComeWholeUnlessMetadataIsAskedFor) {
  constexpr char kMetadata[] = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",)"
                               R"("namespace":"default","uid":"u1","resourceVersion":"12"}})";
  transport_.respond(response_of(201, kPod));
  davit_request metadata = request(DAVIT_CREATE, "pods", "");
  metadata.answer = DAVIT_ANSWER_METADATA;
  EXPECT_EQ(call(metadata).object, kMetadata);

  transport_.respond(response_of(201, kPod));
  const Reply reply = call(request(DAVIT_CREATE, "pods", ""));
  EXPECT_EQ(reply.http_status, 201);
  EXPECT_THAT(reply.object, HasSubstr("n1"));
  EXPECT_THAT(reply.object, Not(HasSubstr("managedFields")));
}

TEST_F(HostClientTest, ServerIsAskedForMetadataAloneWhereThatIsAllThatIsRead) {
  constexpr char kList[] = R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList",)"
                           R"("metadata":{"resourceVersion":"9","continue":"c"},"items":[)"
                           R"({"metadata":{"name":"a","namespace":"default","uid":"u"}}]})";
  const std::pair<std::int32_t, const char*> kCases[] = {
      {DAVIT_GET, "as=PartialObjectMetadata;"},
      {DAVIT_DELETE, "as=PartialObjectMetadata;"},
      {DAVIT_LIST, "as=PartialObjectMetadataList;"},
      {DAVIT_DELETE_COLLECTION, "as=PartialObjectMetadataList;"}};
  for (const auto& [verb, accepted] : kCases) {
    const bool is_one = verb == DAVIT_GET || verb == DAVIT_DELETE;
    transport_.respond(response_of(200, is_one ? kPod : kList));
    davit_request partial = request(verb, "pods", is_one ? "a" : "");
    partial.answer = DAVIT_ANSWER_METADATA;
    const Reply reply = call(partial);
    EXPECT_EQ(reply.code, DAVIT_OK) << reply.message;
    EXPECT_THAT(transport_.requests().back().headers,
                Contains(::testing::Pair("Accept", HasSubstr(accepted))));
    if (verb == DAVIT_GET) {
      EXPECT_THAT(reply.object, Not(HasSubstr("spec"))) << "a server may send more all the same";
    }
    if (is_one) continue;
    EXPECT_EQ(reply.object, kList) << "the place where a list continues included";
  }
}

TEST_F(HostClientTest, CollectionIsDeletedOnlyByItsOwnVerb) {
  ControllerHostOptions narrow = options();
  narrow.declared.rules = {{"", "pods", "", {"delete"}}};
  make(std::move(narrow));
  const Reply refused = call(request(DAVIT_DELETE_COLLECTION, "pods", ""));
  EXPECT_EQ(refused.code, DAVIT_UNDECLARED) << "the right to delete one is not one to delete all";
  EXPECT_THAT(refused.message, HasSubstr(R"("verbs":["deletecollection"])"));
  EXPECT_THAT(transport_.requests(), IsEmpty());
}

TEST_F(HostClientTest, CollectionDeletionCarriesOptionsAndSelectorAndTakesNoName) {
  transport_.respond(response_of(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})"));
  davit_request remove = request(DAVIT_DELETE_COLLECTION, "pods", "");
  remove.propagation = DAVIT_PROPAGATION_BACKGROUND;
  remove.query = str("labelSelector=app%3Dweb");
  EXPECT_EQ(call(remove).object, "") << "a Status is no object";
  EXPECT_EQ(transport_.requests().back().body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"})");
  EXPECT_THAT(transport_.requests().back().target, HasSubstr("/pods?labelSelector=app%3Dweb"));

  remove.name = str("a");
  EXPECT_EQ(call(remove).code, DAVIT_MISUSE);
  remove = request(DAVIT_DELETE_COLLECTION, "pods", "");
  remove.propagation = 9;
  EXPECT_EQ(call(remove).code, DAVIT_MISUSE);
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(HostClientTest, StatusIsNotAnObject) {
  transport_.respond(
      response_of(200, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
                       R"("details":{"name":"a","kind":"pods","uid":"u1"}})"));
  const Reply reply = call(request(DAVIT_DELETE, "pods", "a"));
  EXPECT_EQ(reply.code, DAVIT_OK);
  EXPECT_EQ(reply.object, "");
}

TEST_F(HostClientTest, RefusalComesWithReasonMessageAndCauses) {
  transport_.respond(
      response_of(403, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no",)"
                       R"("reason":"Forbidden","details":{"causes":[)"
                       R"({"reason":"NamespaceTerminating"},{"reason":"Other"}]},"code":403})"));
  const Reply reply = call(request(DAVIT_CREATE, "pods", ""));
  EXPECT_EQ(reply.returned, DAVIT_FORBIDDEN);
  EXPECT_EQ(reply.code, DAVIT_FORBIDDEN);
  EXPECT_EQ(reply.http_status, 403);
  EXPECT_EQ(reply.reason, "Forbidden");
  EXPECT_EQ(reply.causes, "NamespaceTerminating,Other");
  EXPECT_THAT(reply.message, HasSubstr("no"));
  EXPECT_EQ(reply.object, "");
}

TEST_F(HostClientTest, MalformedResponseIsUnavailable) {
  transport_.respond(response_of(201, "{\"kind\":"));
  const Reply reply = call(request(DAVIT_CREATE, "pods", ""));
  EXPECT_EQ(reply.returned, DAVIT_UNAVAILABLE);
  EXPECT_EQ(reply.http_status, 201);
  EXPECT_THAT(reply.message, HasSubstr("the server's response is not a JSON object (create pods)"));
}

TEST_F(HostClientTest, ClosedGateKeepsWritesOffTheWireOnly) {
  ControllerHostOptions fenced = options();
  fenced.write_gate = [] { return Status(Code::kCancelled, "not the leader"); };
  make(std::move(fenced));
  transport_.respond(response_of(200, kPod));

  const Reply refused = call(request(DAVIT_CREATE, "pods", ""));
  EXPECT_EQ(refused.returned, DAVIT_CANCELLED);
  EXPECT_THAT(refused.message, HasSubstr("not the leader"));
  EXPECT_THAT(transport_.requests(), IsEmpty());

  EXPECT_EQ(call(request(DAVIT_GET, "pods", "a")).code, DAVIT_OK);
}

TEST_F(HostClientTest, DryRunGoesWithEveryWrite) {
  ControllerHostOptions dry = options();
  dry.dry_run = DryRun::kServer;
  make(std::move(dry));
  transport_.set_script(fitting_response);
  EXPECT_EQ(call(request(DAVIT_CREATE, "pods", "")).code, DAVIT_OK);
  EXPECT_EQ(call(request(DAVIT_DELETE, "pods", "a")).code, DAVIT_OK);
  EXPECT_EQ(call(request(DAVIT_GET, "pods", "a")).code, DAVIT_OK);
  EXPECT_EQ(call(request(DAVIT_DELETE_COLLECTION, "pods", "")).code, DAVIT_OK);

  const auto sent = transport_.requests();
  EXPECT_THAT(sent.at(3).body, HasSubstr(R"("dryRun":["All"])"));
  EXPECT_THAT(sent.at(3).target, Not(HasSubstr("dryRun")));
  EXPECT_THAT(sent.at(0).target, HasSubstr("dryRun=All"));
  EXPECT_THAT(sent.at(1).body, HasSubstr(R"("dryRun":["All"])"));
  EXPECT_THAT(sent.at(2).target, Not(HasSubstr("dryRun")));
}

TEST_F(HostClientTest, NoQueryTurnsADryRunIntoAWriteOrAListIntoAWatch) {
  ControllerHostOptions dry = options();
  dry.dry_run = DryRun::kServer;
  make(std::move(dry));
  transport_.respond(response_of(201, kPod));
  davit_request create = request(DAVIT_CREATE, "pods", "");
  create.field_manager = str("a#b");
  EXPECT_EQ(call(create).code, DAVIT_OK);
  EXPECT_THAT(transport_.requests().back().target, HasSubstr("?fieldManager=a%23b&dryRun=All"));

  davit_request list = request(DAVIT_LIST, "pods", "");
  for (const char* query : {"watch=true", "%77atch=1", "dryRun=", "x=%"}) {
    list.query = str(query);
    EXPECT_EQ(call(list).returned, DAVIT_MISUSE) << query;
  }
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(HostClientTest, QueryOfEightMegabytesIsAnError) {
  davit_request list = request(DAVIT_LIST, "pods", "");
  const std::string query = "labelSelector=" + std::string(std::size_t{8} << 20, 'a');
  list.query = str(query);
  EXPECT_EQ(call(list).returned, DAVIT_MISUSE);
  EXPECT_THAT(transport_.requests(), IsEmpty());
}

TEST_F(HostClientTest, RuleForNamespacesDoesNotReachWhatIsInThem) {
  ControllerHostOptions sly = options();
  sly.declared.rules.push_back({"", "namespaces", "secrets", {"get"}});
  make(std::move(sly));
  davit_request secrets = request(DAVIT_GET, "namespaces", "kube-system");
  secrets.ns = str("");
  secrets.subresource = str("secrets");
  const Reply reply = call(secrets);
  EXPECT_EQ(reply.returned, DAVIT_MISUSE);
  EXPECT_THAT(reply.message, HasSubstr("invalid subresource \"secrets\" of namespaces"));
  EXPECT_THAT(transport_.requests(), IsEmpty());
}

/// A pod of `owner`; its UID is the name. `bad` makes it unreadable.
std::string owned_pod(std::string_view name, std::string_view owner, std::string_view bad = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + std::string(name) +
         R"(","namespace":"default","uid":")" + std::string(name) +
         R"(","resourceVersion":"5","labels":{"a":")" + std::string(bad) +
         R"("},"ownerReferences":[{"uid":")" + std::string(owner) + R"(","controller":true}]}})";
}

TEST_F(HostClientTest, NothingMoreIsCreatedForAnOwnerWithAMissingDependant) {
  start_with([this] { open_informer("", "pods"); });
  commit({R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)" +
          owned_pod("lost", "rs-1", "\xff") + "," + owned_pod("seen", "rs-2") + "]}"});
  transport_.set_script(fitting_response);
  const auto create = [this](std::string_view owner) {
    const std::string body = owned_pod("new", owner);
    davit_request made = request(DAVIT_CREATE, "pods", "");
    made.body = str(body);
    return call(made);
  };

  const Reply refused = create("rs-1");
  EXPECT_EQ(refused.code, DAVIT_UNAVAILABLE);
  EXPECT_THAT(refused.message, HasSubstr("lost has the same controlling owner"));
  EXPECT_THAT(transport_.requests(), IsEmpty());
  EXPECT_EQ(create("rs-2").code, DAVIT_OK);
  EXPECT_EQ(call(request(DAVIT_CREATE, "pods", "")).code, DAVIT_OK) << "nobody owns it";

  send(0, R"({"type":"DELETED","object":)" + owned_pod("lost", "rs-1", "\xff") + "}");
  EXPECT_EQ(create("rs-1").code, DAVIT_OK);
}

TEST_F(HostClientTest, CancelledCallSendsNothing) {
  stop_.request_stop();
  EXPECT_EQ(call(request(DAVIT_CREATE, "pods", "")).returned, DAVIT_CANCELLED);
  EXPECT_THAT(transport_.requests(), IsEmpty());
}

TEST_F(HostClientTest, BatchRespondsToEachRequestAndReportsAFailure) {
  make();
  transport_.set_script([](const HttpRequest& sent) {
    return sent.target.find("/pods/b") != std::string::npos
               ? response_of(
                     404, R"({"kind":"Status","apiVersion":"v1","reason":"NotFound","code":404})")
               : fitting_response(sent);
  });
  const davit_request requests[] = {
      request(DAVIT_GET, "secrets", "x"), request(DAVIT_GET, "pods", "a"),
      request(DAVIT_GET, "pods", "b"), request(DAVIT_GET, "pods", "c")};
  davit_response responses[4] = {};
  inside(Phase::kSync, [&] {
    EXPECT_NE(tables_.client->batch(current_call, requests, sizeof(davit_request), responses,
                                    sizeof(davit_response), 4),
              DAVIT_OK);
    EXPECT_EQ(responses[0].code, DAVIT_UNDECLARED);
    EXPECT_EQ(responses[1].code, DAVIT_OK);
    EXPECT_EQ(responses[2].code, DAVIT_NOT_FOUND);
    EXPECT_EQ(view(responses[2].reason), "NotFound");
    EXPECT_EQ(responses[3].code, DAVIT_OK);
    EXPECT_EQ(responses[3].size, sizeof(davit_response));
    EXPECT_EQ(transport_.requests().size(), 3u);
    EXPECT_EQ(tables_.client->batch(current_call, requests, sizeof(davit_request), responses,
                                    sizeof(davit_response), 1),
              DAVIT_UNDECLARED)
        << "nothing left to send";
    EXPECT_EQ(tables_.client->batch(current_call, requests + 1, sizeof(davit_request), responses,
                                    sizeof(davit_response), 1),
              DAVIT_OK);
  });
}

TEST_F(HostClientTest, OtherStridesAreFollowed) {
  make();
  transport_.set_script([](const HttpRequest&) { return response_of(200, kPod); });
  struct LongRequest {
    davit_request known = request(DAVIT_GET, "pods", "a");
    std::uint64_t news = ~0ULL;
  };
  struct ShortResponse {
    std::uint32_t size;
    davit_code code;
    std::int32_t http_status;
    std::int32_t untouched;
  };
  const LongRequest requests[2];
  ShortResponse responses[2] = {{16, -1, -1, 77}, {16, -1, -1, 77}};
  inside(Phase::kSync, [&] {
    EXPECT_EQ(tables_.client->batch(current_call, &requests[0].known, sizeof(LongRequest),
                                    reinterpret_cast<davit_response*>(responses),
                                    offsetof(ShortResponse, untouched), 1),
              DAVIT_OK);
    EXPECT_EQ(responses[0].code, DAVIT_OK);
    EXPECT_EQ(responses[0].http_status, 200);
    EXPECT_EQ(responses[0].untouched, 77);
    EXPECT_EQ(tables_.client->batch(current_call, &requests[0].known, sizeof(LongRequest),
                                    reinterpret_cast<davit_response*>(responses),
                                    sizeof(ShortResponse), 2),
              DAVIT_OK);
    EXPECT_EQ(responses[1].http_status, 200);
  });
  EXPECT_EQ(transport_.requests().size(), 3u);

  // A request cut before `name` has none, whatever lies in memory behind it.
  davit_request cut = request(DAVIT_GET, "pods", "a");
  cut.size = offsetof(davit_request, name);
  EXPECT_EQ(call(cut).code, DAVIT_MISUSE);
}

TEST_F(HostClientTest, DiscoveryShowsWhetherAResourceExists) {
  make();
  test::ScriptedResponse apis =
      response_of(200, R"({"kind":"APIGroupDiscoveryList","items":[)"
                       R"({"metadata":{"name":"apps"},"versions":[{"version":"v1",)"
                       R"("freshness":"Current","resources":[{"resource":"deployments",)"
                       R"("responseKind":{"kind":"Deployment"},"scope":"Namespaced",)"
                       R"("verbs":["list"]}]}]},{"metadata":{"name":"bad.io"},)"
                       R"("versions":[{"version":"v1","freshness":"Stale"}]}]})");
  apis.headers = {
      {"content-type", "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList"}};
  const auto exists = [&](const char* group, const char* resource) {
    return tables_.client->resource_exists(current_call, str(group), str("v1"), str(resource));
  };
  inside(Phase::kInit, [&] {
    EXPECT_EQ(exists("apps", "deployments"), DAVIT_UNAVAILABLE) << "the server does not respond";
    discovery_transport_.set_script([apis](const HttpRequest& sent) {
      return sent.target == "/apis" ? apis : response_of(404, "");
    });
    EXPECT_EQ(exists("apps", "deployments"), DAVIT_OK);
    EXPECT_EQ(exists("apps", "widgets"), DAVIT_NOT_FOUND);
    EXPECT_EQ(exists("other.io", "widgets"), DAVIT_NOT_FOUND);
    EXPECT_EQ(exists("bad.io", "things"), DAVIT_UNAVAILABLE);
  });
}

TEST_F(HostClientTest, QuestionForAResourceEndsWhenTheHostStops) {
  make();
  stop_.request_stop();
  CallFrame frame(host_->abi(), Phase::kSync, {.stop = stop_.get_token()});
  const CallScope scope(frame.call());
  EXPECT_EQ(tables_.client->resource_exists(current_call, str(""), str("v1"), str("pods")),
            DAVIT_CANCELLED);
  EXPECT_THAT(discovery_transport_.requests(), IsEmpty());
}

}  // namespace
}  // namespace davit::host
