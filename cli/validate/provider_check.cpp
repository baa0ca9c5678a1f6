/// The check "provider": whether the functions of a cloud provider follow davit/cloud.h. Rule:
/// docs/spec/cloud.md, E2 and E7.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "cli/validate/check_functions.hpp"
#include "cli/validate/problems.hpp"
#include "cli/validate/provider_calls.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

/// More than any Service or machine has. Each change of one entry writes all of them.
constexpr std::size_t kEntriesMax = 100;

constexpr const char* kNamespace = "default";
constexpr const char* kServiceUid = "6f1dd1a7-43a4-4d0c-9c0f-7d3c6a5e000";
constexpr const char* kNodeUid = "6f1dd1a7-43a4-4d0c-9c0f-7d3c6a5e010";

Json json_of(const std::string& text) {
  Result<Json> read = parse_json(text);
  return read ? std::move(*read) : Json();
}

/// Creates the objects of the check, in the cluster if the provider watches their kind, because it
/// may read them there.
class TrialObjects {
 public:
  TrialObjects(TrialHost& host, const ProviderCalls& calls) : host_(host), calls_(calls) {}

  Result<ObjectRef> service(int number) const {
    const std::string digit = std::to_string(number);
    return put("services",
               R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"provided-)" + digit +
                   R"(","namespace":"default","creationTimestamp":"2026-01-01T00:00:00Z","uid":")" +
                   kServiceUid + digit +
                   R"("},"spec":{"type":"LoadBalancer","selector":{"app":"web"},"ipFamilies":)"
                   R"(["IPv4"],"ipFamilyPolicy":"SingleStack","ports":[{"name":"http","port":80,)"
                   R"("protocol":"TCP","nodePort":3008)" +
                   digit + R"(}],"externalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{}}})",
               "provided-" + digit);
  }
  Result<ObjectRef> node(int number, const std::string& provider_id = "") const {
    const std::string digit = std::to_string(number);
    return put("nodes",
               R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"provided-)" + digit +
                   R"(","creationTimestamp":"2026-01-01T00:00:00Z","uid":")" + kNodeUid + digit +
                   R"("},"spec":{"podCIDR":"10.244.)" + digit + R"(.0/24","podCIDRs":["10.244.)" +
                   digit + R"(.0/24"],"providerID":")" + provider_id +
                   R"("},"status":{"addresses":[{"type":"InternalIP","address":"192.0.2.1)" +
                   digit + R"("},{"type":"Hostname","address":"provided-)" + digit + R"("}]}})",
               "provided-" + digit);
  }

 private:
  Result<ObjectRef> put(std::string_view resource, const std::string& text,
                        const std::string& name) const {
    const auto& all = host_.watched();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) {
      return each.watch.group.empty() && each.watch.resource == resource;
    });
    if (found == all.end()) return calls_.object(text);
    // Straight into the store: the server would accept neither the UID nor the status.
    (void)host_.store().create(found->collection, host_.draft(*found, json_of(text)));
    const std::string ns = found->namespaced ? kNamespace : "";
    for (const sandbox::VersionPtr& each : host_.store().list(found->collection, ns).objects) {
      if (each->name == name) return calls_.object(each->text);
    }
    return Status(Code::kInternal, "the cluster lacks " + name);
  }

  TrialHost& host_;
  const ProviderCalls& calls_;
};

/// The common base of the trials of the three parts.
class PartTrial {
 protected:
  PartTrial(ProviderCalls& calls, const CheckReporter& reporter)
      : calls_(calls), reporter_(reporter) {}

  void expect(bool holds, std::string_view otherwise) const {
    if (!holds) reporter_.fail(otherwise);
  }
  /// Whether the call succeeded; if not, notes why what depends on it is not checked.
  [[nodiscard]] bool is_answer(const ProviderReply& reply, std::string_view function) const {
    if (reply.is_own()) return true;
    const std::string why =
        reply.status.ok() ? "it belongs to somebody else" : std::string(reply.status.message());
    reporter_.note(std::string(function) + " of the provider says: " + why +
                   "; what depends on it was not tried");
    return false;
  }

  ProviderCalls& calls_;
  const CheckReporter& reporter_;
};

// ---- Load balancers

class LoadBalancerTrial : private PartTrial {
 public:
  LoadBalancerTrial(ProviderCalls& calls, const CheckReporter& reporter, ProviderCalls::Nodes nodes)
      : PartTrial(calls, reporter), nodes_(std::move(nodes)) {}

  void run(const ObjectRef& a, const ObjectRef& b) {
    expect(!calls_.get(a).exists,
           "get says that there is a load balancer before ensure was called");
    const ProviderReply first = calls_.ensure(a, nodes_);
    if (is_answer(first, "ensure") && has_status(first)) {
      run_made(a, b, json_of(*first.text));
      expect_missing_after_remove(b);
    }
    expect_missing_after_remove(a);
    calls_.cancel_next();
    (void)calls_.ensure(a, nodes_);
    expect_missing_after_remove(a);
  }

 private:
  [[nodiscard]] bool has_status(const ProviderReply& reply) const {
    expect(reply.text.has_value(), "ensure succeeds without a status: write {} if it has none yet");
    if (!reply.text) return false;
    const std::size_t count = json_of(*reply.text).get("ingress").items().size();
    if (count <= kEntriesMax) return true;
    reporter_.fail("ensure gives a Service " + std::to_string(count) +
                   " entries of ingress; more than " + std::to_string(kEntriesMax) +
                   " are taken for a mistake");
    return false;
  }

  /// Checks the other functions once ensure has made the load balancer of `a`.
  void run_made(const ObjectRef& a, const ObjectRef& b, const Json& status) {
    const ProviderReply again = calls_.ensure(a, nodes_);
    expect(again.is_own() && again.text && json_of(*again.text) == status,
           "ensure twice gives two results: it is called again and again for one Service, and each "
           "other status is written");
    const ProviderReply got = calls_.get(a);
    if (got.status.ok() || got.status.code() == Code::kNotFound) {
      expect(got.exists,
             "get says that there is no load balancer after ensure has made it: the Service would "
             "lose its finalizer, and the load balancer would be leaked");
    }
    const ProviderReply updated = calls_.update(a, {nodes_.begin(), nodes_.begin() + 1});
    expect(updated.status.code() != Code::kNotFound,
           "update says that there is no load balancer after ensure has made it");
    const ProviderReply other = calls_.ensure(b, nodes_);
    if (!is_answer(other, "ensure of a second Service") || !other.text) return;
    if (json_of(*other.text) == status && !status.get("ingress").items().empty()) {
      reporter_.warn("ensure gives two Services with one port the same ingress");
    }
    (void)calls_.remove(a);
    const ProviderReply kept = calls_.get(b);
    if (kept.status.ok()) {
      expect(kept.exists, "remove of one Service takes the load balancer of another one");
    }
  }

  /// Removes the load balancer twice and expects both to succeed.
  void expect_missing_after_remove(const ObjectRef& service) {
    for (const char* const when : {"remove", "remove of what is not there"}) {
      const ProviderReply removed = calls_.remove(service);
      if (!is_removed(removed)) {
        reporter_.fail(std::string(when) + " fails: " + std::string(removed.status.message()) +
                       "; the Service would keep its finalizer for ever");
        return;
      }
      expect(!calls_.get(service).exists,
             std::string("get says that there is a load balancer after ") + when);
    }
  }
  /// A provider that cannot reach its cloud passes.
  [[nodiscard]] static bool is_removed(const ProviderReply& reply) {
    return reply.status.ok() || reply.status.code() == Code::kUnavailable ||
           reply.status.code() == Code::kUnsupported;
  }

  const ProviderCalls::Nodes nodes_;
};

// ---- Machines

class MachineTrial : private PartTrial {
 public:
  MachineTrial(ProviderCalls& calls, const CheckReporter& reporter) : PartTrial(calls, reporter) {}

  void run(const ObjectRef& a, const ObjectRef& b, const ObjectRef& unknown) {
    const std::optional<Json> facts_a = facts(a);
    const std::optional<Json> facts_b = facts(b);
    if (facts_a && facts_b) compare(*facts_a, *facts_b);
    if (facts_a) {
      const std::optional<Json> again = facts(a);
      expect(again && *again == *facts_a,
             "metadata twice gives two results: the Node would be written again and again");
      const ProviderReply there = calls_.exists(a);
      expect(there.exists || there.elsewhere ||
                 (!there.status.ok() && there.status.code() != Code::kNotFound),
             "exists says that there is no machine of a Node whose metadata it has just given: the "
             "Node would be deleted once it is not Ready");
    }
    for (const ObjectRef* const each : {&a, &unknown}) {
      (void)calls_.exists(*each);
      (void)calls_.shutdown(*each);
    }
    calls_.cancel_next();
    (void)calls_.exists(a);
    calls_.cancel_next();
    (void)calls_.metadata(a);
  }

 private:
  [[nodiscard]] std::optional<Json> facts(const ObjectRef& node) {
    const ProviderReply reply = calls_.metadata(node);
    if (!is_answer(reply, "metadata") || !reply.text) return std::nullopt;
    Json read = json_of(*reply.text);
    const std::size_t count = read.get("nodeAddresses").items().size();
    if (count > kEntriesMax) {
      reporter_.fail("metadata gives a Node " + std::to_string(count) + " addresses; more than " +
                     std::to_string(kEntriesMax) + " are taken for a mistake");
    }
    return read;
  }
  /// Reports what two machines must not share.
  void compare(const Json& a, const Json& b) const {
    const std::string& id = a.get("providerID").text();
    expect(id.empty() || id != b.get("providerID").text(),
           "metadata gives two Nodes one providerID: " + id);
    std::set<std::string> known;
    for (const Json& each : a.get("nodeAddresses").items()) {
      known.insert(each.get("type").text() + " " + each.get("address").text());
    }
    for (const Json& each : b.get("nodeAddresses").items()) {
      const std::string text = each.get("type").text() + " " + each.get("address").text();
      if (!known.contains(text)) continue;
      reporter_.fail("metadata gives a Node the address of another one: " + text);
      return;
    }
  }
};

// ---- Routes

class RouteTrial : private PartTrial {
 public:
  RouteTrial(ProviderCalls& calls, const CheckReporter& reporter) : PartTrial(calls, reporter) {}

  void run() {
    const std::optional<Listed> before = listed();
    if (!before) return;
    constexpr const char* kA = "10.244.1.0/24";
    constexpr const char* kB = "10.244.2.0/24";
    const bool has_made = is_answer(create(1), "create") && is_answer(create(2), "create");
    if (const std::optional<Listed> all = listed(); all && has_made) {
      expect_listed(*all, kA, "provided-1");
      expect_listed(*all, kB, "provided-2");
      (void)create(1);  // It may say that there is one.
      const std::optional<Listed> again = listed();
      expect(!again || again->count(kA) == 1, "create twice makes two routes");
    }
    remove(1);
    if (const std::optional<Listed> all = listed(); all && has_made) {
      expect(!all->contains(kA), "list has a route after it was removed");
      expect(all->contains(kB), "remove of one route takes another one");
    }
    remove(2);
    calls_.cancel_next();
    (void)calls_.list_routes();
    const std::optional<Listed> after = listed();
    expect(!after || *after == *before, "routes that were there before are not there any more");
  }

 private:
  /// The targets by their destinations.
  using Listed = std::multimap<std::string, std::string>;

  [[nodiscard]] std::optional<Listed> listed() {
    const ProviderReply reply = calls_.list_routes();
    if (!is_answer(reply, "list") || !reply.text) return std::nullopt;
    Listed out;
    const Json list = json_of(*reply.text);
    for (const Json& each : list.items()) {
      out.emplace(each.get("destinationCIDR").text(), each.get("targetNode").text());
    }
    return out;
  }
  void expect_listed(const Listed& all, const std::string& destination,
                     const std::string& target) const {
    const auto found = all.find(destination);
    expect(found != all.end(), "list lacks " + destination +
                                   ", which was created: it has to have the same text, or the "
                                   "route is made and removed again and again");
    expect(found == all.end() || found->second == target,
           "list has a route to " + destination + " with another Node than " + target);
  }
  [[nodiscard]] static std::string route(int number) {
    const std::string digit = std::to_string(number);
    return R"({"name":"","targetNode":"provided-)" + digit +
           R"(","targetNodeAddresses":[{"type":"InternalIP","address":"192.0.2.1)" + digit +
           R"("}],"enableNodeAddresses":false,"destinationCIDR":"10.244.)" + digit +
           R"(.0/24","blackhole":false})";
  }
  [[nodiscard]] ProviderReply create(int number) {
    return calls_.create_route(kNodeUid + std::to_string(number), route(number));
  }
  void remove(int number) {
    for (const char* const when : {"remove", "remove of a route that is not there"}) {
      const ProviderReply removed = calls_.remove_route(route(number));
      const bool is_removed = removed.status.ok() || removed.status.code() == Code::kUnavailable;
      expect(is_removed, std::string(when) + " fails: " + std::string(removed.status.message()));
    }
  }
};

/// The controller that offers the provider's side; null: none does.
ControllerHost* provider_of(const TrialHost& host) {
  for (ControllerHost* const each : host.serving()) {
    if (each->plugin().cloud_provider()) return each;
  }
  return nullptr;
}

void run_parts(TrialHost& host, ProviderCalls& calls, const CheckReporter& reporter) {
  const TrialObjects objects(host, calls);
  const Result<ObjectRef> node_a = objects.node(1);
  const Result<ObjectRef> node_b = objects.node(2);
  const Result<ObjectRef> unknown = objects.node(3, "davit-plugin-validate://gone");
  const Result<ObjectRef> service_a = objects.service(1);
  const Result<ObjectRef> service_b = objects.service(2);
  for (const auto* const each : {&node_a, &node_b, &unknown, &service_a, &service_b}) {
    if (!*each) return reporter.fail(each->error().message());
  }
  wait_until_idle(host, reporter);
  if ((calls.parts() & DAVIT_CLOUD_LOAD_BALANCERS) != 0) {
    LoadBalancerTrial(calls, reporter, {*node_a, *node_b}).run(*service_a, *service_b);
  }
  if ((calls.parts() & DAVIT_CLOUD_INSTANCES) != 0) {
    MachineTrial(calls, reporter).run(*node_a, *node_b, *unknown);
  }
  if ((calls.parts() & DAVIT_CLOUD_ROUTES) != 0) RouteTrial(calls, reporter).run();
}

}  // namespace

void check_provider(const Subject& subject, const CheckReporter& reporter) {
  if (!subject.is_provider) return;
  std::unique_ptr<TrialHost> host = started_host(subject, reporter);
  if (!host) return;
  wait_until_idle(*host, reporter);
  ControllerHost* const provider = provider_of(*host);
  if (provider != nullptr) {
    ProviderCalls calls(*host, *provider, reporter);
    if (calls.parts() == 0) {
      reporter.note("it offers no part of a cloud; give it a configuration (--config)");
    }
    run_parts(*host, calls, reporter);
  } else {
    reporter.note("it offers no part of a cloud; give it a configuration (--config)");
  }
  Problems problems;
  wait_until_idle(*host, reporter);
  problems.take_from(*host);
  report_all(problems.violations, [&](const std::string& text) { reporter.fail(text); });
  report_all(problems.undeclared, [&](const std::string& text) { reporter.fail(text); });
  end(std::move(host), reporter);
}

}  // namespace davit::host
