/// "davit.cloud/1" and "davit.cloud-host/1".
#include <davit/mutant.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/object/object.hpp"
#include "host/plugin/cloud_answers.hpp"
#include "host/plugin/cloud_exchange.hpp"
#include "host/plugin/cloud_side.hpp"
#include "host/plugin/host_tables.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kServices = "services";
constexpr std::string_view kNodes = "nodes";

davit_code write_to(const davit_sink* sink, std::string_view text) {
  return sink == nullptr || sink->write == nullptr ? davit_code{DAVIT_MISUSE}
                                                   : sink->write(sink->self, lend_view(text));
}

/// Fails the loop's function with what the provider said.
davit_code fail(CallFrame& loop, const CloudSide::Answer& answer, davit_cloud_answer* out) {
  if (answer.is_cut) loop.note_cancelled();
  put(answer.flags, out);
  return loop.fail(answer.status);
}

/// Lets the loop in, to call a function of `part`. Without a value `answer` says why not.
std::optional<CloudExchange::Entered> enter(const CallFrame& loop, std::uint32_t part,
                                            CloudSide::Answer& answer) {
  CloudExchange* const exchange = loop.controller().services.cloud;
  if (exchange == nullptr) {
    answer.status = {Code::kNotFound, "there is no cloud provider"};
    return std::nullopt;
  }
  Result<CloudExchange::Entered> entered = exchange->enter();
  if (!entered) {
    answer.status = entered.error();
    if (answer.status.code() == Code::kUnavailable) {
      answer.flags.retry_after_ms = DAVIT_CLOUD_BUSY_MS;
    }
    return std::nullopt;
  }
  if ((entered->first->scope().parts & part) != 0) return *std::move(entered);
  const std::string_view what = part == DAVIT_CLOUD_LOAD_BALANCERS ? "external load balancers"
                                : part == DAVIT_CLOUD_INSTANCES    ? "instances"
                                                                   : "routes";
  answer.status = {Code::kUnsupported, "the cloud provider does not support " + std::string(what)};
  return std::nullopt;
}

CloudSide::Answer no_answer() {
  CloudSide::Answer answer;
  answer.flags.size = sizeof(answer.flags);
  return answer;
}

/// Calls `function` of the provider for load balancers.
template <typename Function>
CloudSide::Answer ask(CallFrame& loop, std::string_view name, const Function& function) {
  CloudSide::Answer answer = no_answer();
  const auto entered = enter(loop, DAVIT_CLOUD_LOAD_BALANCERS, answer);
  if (!entered) return answer;
  CloudSide& side = *entered->first;
  return side.call(loop, {.name = name},
                   [&](void* self, const davit_call* call, davit_cloud_answer& flags,
                       const davit_sink& text) { return function(side, self, call, flags, text); });
}

/// The same of the machine of a Node: `function(table, self, call, node, flags, text)`.
template <typename Function>
CloudSide::Answer ask_of_node(CallFrame& loop, std::string_view name, davit_value node,
                              const Function& function) {
  CloudSide::Answer answer = no_answer();
  const auto entered = enter(loop, DAVIT_CLOUD_INSTANCES, answer);
  if (!entered) return answer;
  CloudSide& side = *entered->first;
  const std::string_view node_name = Value(node)["metadata"]["name"].string();
  const auto claim = side.busy_nodes().begin(std::string(node_name));
  if (!claim) {
    answer.status = {Code::kUnavailable, "the cloud provider is busy with this Node"};
    answer.flags.retry_after_ms = DAVIT_CLOUD_BUSY_MS;
    return answer;
  }
  return side.call(
      loop, {.name = name},
      [&](void* self, const davit_call* call, davit_cloud_answer& flags, const davit_sink& text) {
        return function(side.tables().instances, self, call, side.shown(node, kNodes), flags, text);
      });
}

/// The same of routes: `function(table, self, call, flags, text)`.
template <typename Function>
CloudSide::Answer ask_of_routes(CallFrame& loop, std::string_view name, const Function& function) {
  CloudSide::Answer answer = no_answer();
  const auto entered = enter(loop, DAVIT_CLOUD_ROUTES, answer);
  if (!entered) return answer;
  CloudSide& side = *entered->first;
  return side.call(
      loop, {.name = name, .bytes_max = DAVIT_CLOUD_ROUTES_BYTES_MAX},
      [&](void* self, const davit_call* call, davit_cloud_answer& flags, const davit_sink& text) {
        return function(side.tables().routes, self, call, flags, text);
      });
}

/// The end of a function without a text.
davit_code pass_on(CallFrame& loop, const CloudSide::Answer& answer, davit_cloud_answer* out) {
  if (!answer.status.ok()) return fail(loop, answer, out);
  put(answer.flags, out);
  return DAVIT_OK;
}

/// Whether nothing may change in the cloud: the host answers itself then.
bool is_simulated(const CallFrame& loop) {
  return (loop.controller().is_shadow() || loop.controller().options.dry_run != DryRun::kOff) &&
         !mutant("cloud-of-a-dry-run");
}

/// Notes what a loop would have had done, for the comparison of two builds.
void note_intended(CallFrame& loop, std::string_view verb, std::string_view resource,
                   std::string object) {
  IntendedWrites& intended = loop.controller().intended;
  if (intended.mode() == IntendedWrites::Mode::kOff) return;
  intended.note({.verb = std::string(verb),
                 .resource = std::string(resource),
                 .object = std::move(object),
                 .content = {}},
                loop.controller().services.clock.now());
}
void note_intended(CallFrame& loop, std::string_view verb, davit_value service) {
  const Value metadata = Value(service)["metadata"];
  note_intended(
      loop, verb, "load balancers",
      std::string(metadata["namespace"].string()) + "/" + std::string(metadata["name"].string()));
}

/// The Nodes as the provider may see them.
std::vector<davit_value> shown(const CloudSide& side, const davit_list* nodes) {
  std::vector<davit_value> all(nodes->items, nodes->items + nodes->count);
  for (davit_value& each : all) each = side.shown(each, kNodes);
  return all;
}

// ---- davit.cloud/1

davit_code cloud_provider(CallFrame& frame, davit_cloud_offer* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  CloudExchange* const exchange = frame.controller().services.cloud;
  const auto offer = exchange == nullptr ? std::nullopt : exchange->offer();
  if (!offer) return frame.fail(Status(Code::kNotFound, "there is no cloud provider"));
  davit_cloud_offer made{};
  made.size = sizeof(made);
  made.parts = offer->parts;
  made.name = frame.lend(offer->name);
  made.generation = offer->generation;
  made.is_ready = offer->is_ready ? 1 : 0;
  made.classes = frame.lend(offer->classes);
  made.only_classes = offer->only_classes ? 1 : 0;
  put(made, out);
  return DAVIT_OK;
}

davit_code cloud_follow(CallFrame& frame, std::uint32_t part, davit_handle queue) {
  ControllerAbi& controller = frame.controller();
  davit_waker* const waker = controller.work.open_waker(queue);
  if (waker == nullptr) return DAVIT_STALE;
  if (controller.services.cloud == nullptr || controller.is_shadow()) {
    waker->release();
    return DAVIT_OK;
  }
  controller.services.cloud->follow(controller.options.declared.name, part, waker);
  return DAVIT_OK;
}

davit_code cloud_get(CallFrame& frame, davit_str cluster, davit_value service,
                     davit_cloud_answer* out, const davit_sink* status) {
  if (out == nullptr || service.object == nullptr) return DAVIT_MISUSE;
  CloudSide::Answer answer =
      ask(frame, "get load balancer",
          [&](CloudSide& side, void* self, const davit_call* call, davit_cloud_answer& flags,
              const davit_sink& text) {
            return side.tables().load_balancers.get(self, call, cluster,
                                                    side.shown(service, kServices), &flags, &text);
          });
  if (answer.is_there() && answer.is_written) {
    answer.status = check_load_balancer_status(answer.text);
  }
  if (answer.is_missing) answer.status = {};
  if (!answer.status.ok()) return fail(frame, answer, out);
  put(answer.flags, out);
  return answer.is_there() && answer.is_written ? write_to(status, answer.text) : DAVIT_OK;
}

davit_code cloud_ensure(CallFrame& frame, davit_str cluster, davit_value service,
                        const davit_list* nodes, davit_cloud_answer* out,
                        const davit_sink* status) {
  if (out == nullptr || service.object == nullptr || nodes == nullptr) return DAVIT_MISUSE;
  note_intended(frame, "ensure", service);
  if (is_simulated(frame)) {
    davit_cloud_answer none{};
    none.size = sizeof(none);
    put(none, out);
    const std::string present = Value(service)["status"]["loadBalancer"].json();
    return write_to(status, present.empty() ? "{}" : present);
  }
  CloudSide::Answer answer =
      ask(frame, "ensure load balancer",
          [&](CloudSide& side, void* self, const davit_call* call, davit_cloud_answer& flags,
              const davit_sink& text) {
            const std::vector<davit_value> visible = shown(side, nodes);
            const davit_list list{visible.data(), visible.size()};
            return side.tables().load_balancers.ensure(
                self, call, cluster, side.shown(service, kServices), &list, &flags, &text);
          });
  const bool counts = answer.status.ok() && answer.flags.elsewhere == 0 && answer.is_written;
  if (counts) answer.status = check_load_balancer_status(answer.text);
  if (!answer.status.ok()) return fail(frame, answer, out);
  put(answer.flags, out);
  return counts ? write_to(status, answer.text) : DAVIT_OK;
}

davit_code cloud_update(CallFrame& frame, davit_str cluster, davit_value service,
                        const davit_list* nodes, davit_cloud_answer* out) {
  if (out == nullptr || service.object == nullptr || nodes == nullptr) return DAVIT_MISUSE;
  note_intended(frame, "update", service);
  CloudSide::Answer answer = no_answer();
  if (!is_simulated(frame)) {
    answer = ask(frame, "update load balancer",
                 [&](CloudSide& side, void* self, const davit_call* call, davit_cloud_answer& flags,
                     const davit_sink&) {
                   const std::vector<davit_value> visible = shown(side, nodes);
                   const davit_list list{visible.data(), visible.size()};
                   return side.tables().load_balancers.update(
                       self, call, cluster, side.shown(service, kServices), &list, &flags);
                 });
  }
  return pass_on(frame, answer, out);
}

davit_code cloud_remove(CallFrame& frame, davit_str cluster, davit_value service,
                        davit_cloud_answer* out) {
  if (out == nullptr || service.object == nullptr) return DAVIT_MISUSE;
  note_intended(frame, "remove", service);
  CloudSide::Answer answer = no_answer();
  if (!is_simulated(frame)) {
    answer = ask(frame, "remove load balancer",
                 [&](CloudSide& side, void* self, const davit_call* call, davit_cloud_answer& flags,
                     const davit_sink&) {
                   return side.tables().load_balancers.remove(
                       self, call, cluster, side.shown(service, kServices), &flags);
                 });
  }
  if (answer.is_missing) answer.status = {};
  return pass_on(frame, answer, out);
}

davit_code cloud_exists(CallFrame& frame, davit_value node, davit_cloud_answer* out) {
  if (out == nullptr || node.object == nullptr) return DAVIT_MISUSE;
  CloudSide::Answer answer =
      ask_of_node(frame, "exists machine", node,
                  [](const davit_instances& table, void* self, const davit_call* call,
                     davit_value shown, davit_cloud_answer& flags,
                     const davit_sink&) { return table.exists(self, call, shown, &flags); });
  if (answer.is_missing) answer.status = {};
  return pass_on(frame, answer, out);
}

davit_code cloud_shutdown(CallFrame& frame, davit_value node, davit_cloud_answer* out) {
  if (out == nullptr || node.object == nullptr) return DAVIT_MISUSE;
  const CloudSide::Answer answer =
      ask_of_node(frame, "machine is off", node,
                  [](const davit_instances& table, void* self, const davit_call* call,
                     davit_value shown, davit_cloud_answer& flags,
                     const davit_sink&) { return table.shutdown(self, call, shown, &flags); });
  return pass_on(frame, answer, out);
}

davit_code cloud_metadata(CallFrame& frame, davit_value node, davit_cloud_answer* out,
                          const davit_sink* text) {
  if (out == nullptr || node.object == nullptr) return DAVIT_MISUSE;
  CloudSide::Answer answer =
      ask_of_node(frame, "machine metadata", node,
                  [](const davit_instances& table, void* self, const davit_call* call,
                     davit_value shown, davit_cloud_answer& flags, const davit_sink& sink) {
                    return table.metadata(self, call, shown, &flags, &sink);
                  });
  const bool counts = answer.status.ok() && answer.flags.elsewhere == 0 && answer.is_written;
  if (counts) answer.status = check_machine_metadata(answer.text);
  if (!answer.status.ok()) return fail(frame, answer, out);
  put(answer.flags, out);
  return counts ? write_to(text, answer.text) : DAVIT_OK;
}

davit_code cloud_list_routes(CallFrame& frame, davit_str cluster, davit_cloud_answer* out,
                             const davit_sink* text) {
  if (out == nullptr) return DAVIT_MISUSE;
  CloudSide::Answer answer = ask_of_routes(
      frame, "list routes",
      [&](const davit_routes& table, void* self, const davit_call* call, davit_cloud_answer& flags,
          const davit_sink& sink) { return table.list(self, call, cluster, &flags, &sink); });
  if (answer.status.ok()) answer.status = check_route_list(answer.text);
  if (!answer.status.ok()) return fail(frame, answer, out);
  put(answer.flags, out);
  return write_to(text, answer.text);
}

davit_code cloud_create_route(CallFrame& frame, davit_str cluster, davit_str name_hint,
                              davit_str route, davit_cloud_answer* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  note_intended(frame, "create", "routes", std::string(view(route)));
  CloudSide::Answer answer = no_answer();
  if (!is_simulated(frame)) {
    answer = ask_of_routes(frame, "create route",
                           [&](const davit_routes& table, void* self, const davit_call* call,
                               davit_cloud_answer& flags, const davit_sink&) {
                             return table.create(self, call, cluster, name_hint, route, &flags);
                           });
  }
  return pass_on(frame, answer, out);
}

davit_code cloud_remove_route(CallFrame& frame, davit_str cluster, davit_str route,
                              davit_cloud_answer* out) {
  if (out == nullptr) return DAVIT_MISUSE;
  note_intended(frame, "remove", "routes", std::string(view(route)));
  CloudSide::Answer answer = no_answer();
  if (!is_simulated(frame)) {
    answer = ask_of_routes(frame, "remove route",
                           [&](const davit_routes& table, void* self, const davit_call* call,
                               davit_cloud_answer& flags, const davit_sink&) {
                             return table.remove(self, call, cluster, route, &flags);
                           });
  }
  if (answer.is_missing) answer.status = {};
  return pass_on(frame, answer, out);
}

// ---- davit.cloud-host/1

davit_code cloud_host_again(CallFrame& frame, std::uint32_t part, davit_str key) {
  if (frame.controller().is_shadow()) return DAVIT_OK;
  if (CloudExchange* const exchange = frame.controller().services.cloud) {
    exchange->wake(part, view(key));
  }
  return DAVIT_OK;
}

}  // namespace

const void* host_table(Capability<davit_cloud_v1>) {
  static constexpr davit_cloud_v1 kTable = table_of<davit_cloud_v1>(
      host_function<cloud_provider, kAnyCall>, host_function<cloud_follow, kInitCall>,
      host_function<cloud_get, kSyncCall, DAVIT_UNAVAILABLE>,
      host_function<cloud_ensure, kSyncCall, DAVIT_UNAVAILABLE>,
      host_function<cloud_update, kSyncCall, DAVIT_UNAVAILABLE>,
      host_function<cloud_remove, kSyncCall, DAVIT_UNAVAILABLE>,
      host_function<cloud_exists, kSyncCall, DAVIT_UNAVAILABLE>,
      host_function<cloud_shutdown, kSyncCall, DAVIT_UNAVAILABLE>,
      host_function<cloud_metadata, kSyncCall, DAVIT_UNAVAILABLE>,
      host_function<cloud_list_routes, kSyncCall, DAVIT_UNAVAILABLE>,
      host_function<cloud_create_route, kSyncCall, DAVIT_UNAVAILABLE>,
      host_function<cloud_remove_route, kSyncCall, DAVIT_UNAVAILABLE>);
  return &kTable;
}

const void* host_table(Capability<davit_cloud_host_v1>) {
  static constexpr davit_cloud_host_v1 kTable =
      table_of<davit_cloud_host_v1>(host_function<cloud_host_again, kAnyCall>);
  return &kTable;
}

}  // namespace davit::host
