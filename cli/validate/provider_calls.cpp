#include "cli/validate/provider_calls.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <stop_token>
#include <thread>
#include <utility>

#include "host/object/parse.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/host_abi.hpp"
#include "host/run/code_name.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// A provider may wait for its cloud without limit. The check has no cloud, so a call that takes
/// this long on a slow machine waits for something that will not come, and is cancelled.
constexpr std::chrono::seconds kAnswerLimit{10};
/// A cancelled call must end within this time. Rule: docs/spec/cloud.md, E7.
constexpr std::chrono::seconds kCancelLimit{5};
/// The limits of calls that ask to be repeated.
constexpr int kTriesMax = 3;
constexpr Duration kRetryMax = std::chrono::seconds(2);

constexpr std::string_view kCluster = "kubernetes";
constexpr std::string_view kNotValid = "the provider's answer is not valid";

std::unique_ptr<ControllerHost> make_caller(ControllerHost& provider) {
  ControllerHostOptions options;
  options.declared.name = "davit-plugin-validate";
  options.declared.is_unlimited = true;
  options.plugin = options.declared.name;
  return std::make_unique<ControllerHost>(std::move(options), provider.abi().services);
}

davit_list list_of(const std::vector<davit_value>& raw) { return {raw.data(), raw.size()}; }

std::vector<davit_value> raw_of(const std::vector<ObjectRef>& objects) {
  std::vector<davit_value> out;
  for (const ObjectRef& each : objects) out.push_back(each.root().raw);
  return out;
}

}  // namespace

ProviderCalls::ProviderCalls(TrialHost& host, ControllerHost& provider,
                             const CheckReporter& reporter)
    : host_(host),
      reporter_(reporter),
      table_(*static_cast<const davit_cloud_v1*>(host_capability("davit.cloud/1"))),
      caller_(make_caller(provider)) {
  CallFrame frame(caller_->abi(), Phase::kSync);
  offer_.size = sizeof(offer_);
  if (table_.provider(frame.call(), &offer_) != DAVIT_OK) offer_ = {};
}

Result<ObjectRef> ProviderCalls::object(std::string_view json) const {
  return parse_object(caller_->abi().services.space, json);
}

ProviderReply ProviderCalls::run(const Function& function, std::stop_token stop) const {
  ProviderReply out;
  CallFrame frame(caller_->abi(), Phase::kSync, {.stop = std::move(stop)});
  davit_cloud_answer answer{};
  answer.size = sizeof(answer);
  const davit_sink sink{sizeof(davit_sink), 0, &out.text, [](void* self, davit_str chunk) {
                          auto& text = *static_cast<std::optional<std::string>*>(self);
                          if (!text) text.emplace();
                          text->append(view(chunk));
                          return davit_code{DAVIT_OK};
                        }};
  const davit_code code = function(frame.call(), &answer, &sink);
  if (code != DAVIT_OK) {
    const std::string text(view(frame.last_error().message));
    out.status = Status(static_cast<Code>(code), text.empty() ? code_name(code) : text);
  }
  out.exists = answer.exists != 0;
  out.elsewhere = answer.elsewhere != 0;
  out.retry_after = std::chrono::milliseconds(answer.retry_after_ms);
  return out;
}

ProviderReply ProviderCalls::call_once(std::string_view name, const Function& function) {
  reporter_.step(name);
  std::stop_source stop;
  const bool is_cancelled = std::exchange(cancels_, false);
  if (is_cancelled) stop.request_stop();
  std::promise<ProviderReply> made;
  std::future<ProviderReply> reply = made.get_future();
  std::jthread thread;
  const auto body = [&] { made.set_value(run(function, stop.get_token())); };
  if (!start_thread(thread, "provider", body)) return {.status = {Code::kUnavailable, "no thread"}};
  const auto limit = is_cancelled ? kCancelLimit : kAnswerLimit;
  bool has_ended = reply.wait_for(limit) == std::future_status::ready;
  if (!has_ended && !is_cancelled) {
    stop.request_stop();
    has_ended = reply.wait_for(kCancelLimit) == std::future_status::ready;
    if (has_ended) {
      reporter_.warn(std::string(name) + " has not answered in " +
                     std::to_string(kAnswerLimit.count()) +
                     " s, and has ended when it was cancelled");
    }
  }
  if (!has_ended) {
    reporter_.fail(std::string(name) + " has not returned " + std::to_string(kCancelLimit.count()) +
                   " s after it was cancelled: look at cancelled() where it waits");
    reporter_.leave();
  }
  return reply.get();
}

void ProviderCalls::judge(std::string_view name, const ProviderReply& reply) const {
  const std::string what = std::string(name) + ": " + reply.status.message();
  if (reply.status.ok()) return;
  if (reply.status.message().starts_with(kThrew)) {
    reporter_.fail("an exception left the plugin's code: " + what);
  } else if (reply.status.code() == Code::kInternal) {
    reporter_.fail(what + " (Internal: an exception or a panic, or a mistake of the provider)");
  } else if (reply.status.message().starts_with(kNotValid)) {
    reporter_.fail(what);
  } else if (code_name(static_cast<davit_code>(reply.status.code())).starts_with("unknown code")) {
    reporter_.warn(what + " (a code that abi.h does not have: the loop tries again)");
  }
  if (reply.retry_after >= std::chrono::milliseconds(DAVIT_CLOUD_RETRY_AFTER_MS_MAX)) {
    reporter_.warn(std::string(name) + " asks for a pause of an hour or more: an hour is waited");
  }
}

ProviderReply ProviderCalls::call(std::string_view name, const Function& function) {
  const Clock& clock = caller_->abi().services.clock;
  for (int i = 1;; ++i) {
    const bool is_cancelled = cancels_;
    ProviderReply reply = call_once(name, function);
    if (is_cancelled) return reply;
    judge(name, reply);
    const bool asks_again = !reply.status.ok() && reply.retry_after > Duration::zero();
    if (!asks_again || i == kTriesMax) return reply;
    // Not before: a loop waits for exactly that time.
    const Time due = clock.now() + std::min(reply.retry_after, kRetryMax);
    host_.await(due);
  }
}

// ---- The functions

ProviderReply ProviderCalls::get(const ObjectRef& service) {
  return call("get load balancer", [&](auto* at, auto* answer, auto* text) {
    return table_.get(at, lend_view(kCluster), service.root().raw, answer, text);
  });
}

ProviderReply ProviderCalls::ensure(const ObjectRef& service, const Nodes& nodes) {
  return call("ensure load balancer", [&](auto* at, auto* answer, auto* text) {
    const std::vector<davit_value> raw = raw_of(nodes);
    const davit_list list = list_of(raw);
    return table_.ensure(at, lend_view(kCluster), service.root().raw, &list, answer, text);
  });
}

ProviderReply ProviderCalls::update(const ObjectRef& service, const Nodes& nodes) {
  return call("update load balancer", [&](auto* at, auto* answer, auto*) {
    const std::vector<davit_value> raw = raw_of(nodes);
    const davit_list list = list_of(raw);
    return table_.update(at, lend_view(kCluster), service.root().raw, &list, answer);
  });
}

ProviderReply ProviderCalls::remove(const ObjectRef& service) {
  return call("remove load balancer", [&](auto* at, auto* answer, auto*) {
    return table_.remove(at, lend_view(kCluster), service.root().raw, answer);
  });
}

ProviderReply ProviderCalls::exists(const ObjectRef& node) {
  return call("exists machine", [&](auto* at, auto* answer, auto*) {
    return table_.exists(at, node.root().raw, answer);
  });
}

ProviderReply ProviderCalls::shutdown(const ObjectRef& node) {
  return call("shutdown of a machine", [&](auto* at, auto* answer, auto*) {
    return table_.shutdown(at, node.root().raw, answer);
  });
}

ProviderReply ProviderCalls::metadata(const ObjectRef& node) {
  return call("metadata of a machine", [&](auto* at, auto* answer, auto* text) {
    return table_.metadata(at, node.root().raw, answer, text);
  });
}

ProviderReply ProviderCalls::list_routes() {
  return call("list routes", [&](auto* at, auto* answer, auto* text) {
    return table_.list_routes(at, lend_view(kCluster), answer, text);
  });
}

ProviderReply ProviderCalls::create_route(std::string_view name_hint, std::string_view route) {
  return call("create route", [&](auto* at, auto* answer, auto*) {
    return table_.create_route(at, lend_view(kCluster), lend_view(name_hint), lend_view(route),
                               answer);
  });
}

ProviderReply ProviderCalls::remove_route(std::string_view route) {
  return call("remove route", [&](auto* at, auto* answer, auto*) {
    return table_.remove_route(at, lend_view(kCluster), lend_view(route), answer);
  });
}

}  // namespace davit::host
