#include <davit/testing/cluster.h>

#include <cstdint>
#include <cstdio>
#include <davit/testing/cluster.hpp>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/plugin/host_abi.hpp"

using davit::from_c;

struct davit_cluster {
  explicit davit_cluster(davit_str note) : cluster({.note = std::string(from_c(note))}) {}

  davit::testing::Cluster cluster;
};

namespace davit::testing {
namespace {

davit_code write(const davit_sink* sink, std::string_view text) {
  return sink == nullptr ? DAVIT_OK : sink->write(sink->self, to_c(text));
}

/// Returns what `call` returns, or `failed` if the cluster throws: then the reason goes to `why`,
/// or without one to standard error.
template <typename Returned, typename Call>
Returned contained(const davit_sink* why, Returned failed, const Call& call) noexcept {
  try {
    return call();
  } catch (const std::exception& thrown) {
    if (why == nullptr) std::fprintf(stderr, "%s\n", thrown.what());
    static_cast<void>(write(why, thrown.what()));
    return failed;
  }
}

/// As contained(), of what returns nothing.
template <typename Call>
void contained(const Call& call) noexcept {
  static_cast<void>(contained(nullptr, 0, [&] { return call(), 0; }));
}

/// Absent if `text` is not JSON, as the body of /healthz or of a log.
davit_value value_of(Cluster& cluster, const std::string& text) {
  try {
    return cluster.value(text).raw();
  } catch (const std::exception&) {
    return {};
  }
}

/// The reason goes to `why`.
davit_code code_of(const Status& status, const davit_sink* why) {
  if (!status.ok()) static_cast<void>(write(why, status.message()));
  return static_cast<davit_code>(status.code());
}

std::string text_of(const LogRecord& record) {
  std::string out = record.message;
  for (const auto& [key, value] : record.fields) out += " " + key + "=" + value;
  return out;
}

std::string text_of(const MetricSample& sample) {
  std::string number = std::to_string(sample.value);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  std::string out = sample.name + " " + number;
  for (const std::string& each : sample.labels) out += " " + each;
  return out;
}

std::vector<std::string> failures_of(const Cluster& cluster) {
  std::vector<std::string> out;
  for (const SyncRecord& each : cluster.syncs()) {
    if (!each.ok()) out.push_back(each.key + ": " + each.error);
  }
  return out;
}

/// The text of each record, by `text`.
template <typename Records, typename Text>
std::vector<std::string> texts_of(const Records& records, const Text& text) {
  std::vector<std::string> out;
  for (const auto& each : records) out.push_back(text(each));
  return out;
}

/// False: there is no such kind.
bool records_of(const Cluster& cluster, std::int32_t kind, std::vector<std::string>& out) {
  const auto text = [](const auto& record) { return record.text(); };
  switch (kind) {
    case DAVIT_CLUSTER_REQUESTS:
      out = texts_of(cluster.requests(), text);
      return true;
    case DAVIT_CLUSTER_BODIES:
      out = texts_of(cluster.requests(), [](const RequestRecord& each) { return each.body; });
      return true;
    case DAVIT_CLUSTER_EVENTS:
      out = cluster.event_texts();
      return true;
    case DAVIT_CLUSTER_FAILURES:
      out = failures_of(cluster);
      return true;
    case DAVIT_CLUSTER_LOG:
      out = texts_of(cluster.log(), [](const LogRecord& each) { return text_of(each); });
      return true;
    case DAVIT_CLUSTER_METRICS:
      out = texts_of(cluster.metrics(), [](const MetricSample& each) { return text_of(each); });
      return true;
    case DAVIT_CLUSTER_HTTP:
      out = texts_of(cluster.http_requests(), text);
      return true;
    case DAVIT_CLUSTER_VIOLATIONS:
      out = cluster.violations();
      return true;
    case DAVIT_CLUSTER_UNUSED:
      out = cluster.unused_declarations();
      return true;
    default:
      return false;
  }
}

}  // namespace
}  // namespace davit::testing

using namespace davit::testing;

davit_cluster* davit_cluster_open(davit_str note) {
  return contained(nullptr, static_cast<davit_cluster*>(nullptr),
                   [&] { return std::make_unique<davit_cluster>(note).release(); });
}

void davit_cluster_close(davit_cluster* cluster) {
  const std::unique_ptr<davit_cluster> owned(cluster);
}

davit_code davit_cluster_start(davit_cluster* cluster, davit_str name, davit_init_fn init,
                               davit_str config, const davit_sink* why) {
  return contained(why, davit_code{DAVIT_INVALID}, [&] {
    return code_of(cluster->cluster.start(from_c(name), init, from_c(config)), why);
  });
}

void davit_cluster_stop(davit_cluster* cluster, davit_str name) {
  contained([&] { cluster->cluster.stop(from_c(name)); });
}

davit_code davit_cluster_swap(davit_cluster* cluster, davit_str name, davit_init_fn init,
                              davit_str config, const davit_sink* why) {
  return contained(why, davit_code{DAVIT_INVALID}, [&] {
    return code_of(cluster->cluster.swap(from_c(name), init, from_c(config)), why);
  });
}

davit_code davit_cluster_configure(davit_cluster* cluster, davit_str name, davit_str config,
                                   const davit_sink* why) {
  return contained(why, davit_code{DAVIT_INVALID}, [&] {
    return code_of(cluster->cluster.configure(from_c(name), from_c(config)), why);
  });
}

davit_code davit_cluster_health(davit_cluster* cluster, davit_str name, const davit_sink* why) {
  return contained(why, davit_code{DAVIT_INVALID},
                   [&] { return code_of(cluster->cluster.health(from_c(name)), why); });
}

std::int32_t davit_cluster_debug_page(davit_cluster* cluster, davit_str name, davit_str path,
                                      davit_str query, const davit_sink* content_type,
                                      const davit_sink* body) {
  constexpr std::int32_t kNotFound = 404;
  constexpr std::int32_t kFailed = 500;
  return contained(body, kFailed, [&] {
    if (cluster->cluster.raw_controller(from_c(name)).size == 0) {
      static_cast<void>(write(body, "no such controller"));
      return kNotFound;
    }
    const davit::Result<davit::DebugPage> page =
        cluster->cluster.debug_page(from_c(name), from_c(path), from_c(query));
    if (!page) return code_of(page.error(), body) == DAVIT_NOT_FOUND ? kNotFound : kFailed;
    static_cast<void>(write(content_type, page->content_type));
    static_cast<void>(write(body, page->body));
    return page->http_status;
  });
}

void davit_cluster_set_leading(davit_cluster* cluster, std::int32_t leads) {
  contained([&] { leads == 0 ? cluster->cluster.stand_by() : cluster->cluster.lead(); });
}

std::int32_t davit_cluster_lists(davit_cluster* cluster, davit_str resource) {
  return contained(nullptr, std::int32_t{-1},
                   [&] { return std::int32_t{cluster->cluster.lists(from_c(resource))}; });
}

std::size_t davit_cluster_run_until_idle(davit_cluster* cluster) {
  return contained(nullptr, SIZE_MAX, [&] { return cluster->cluster.run_until_idle(); });
}

davit_code davit_cluster_advance(davit_cluster* cluster, std::uint64_t ms) {
  return contained(nullptr, davit_code{DAVIT_INTERNAL}, [&] {
    cluster->cluster.advance(std::chrono::milliseconds(ms));
    return davit_code{DAVIT_OK};
  });
}

davit_code davit_cluster_add(davit_cluster* cluster, davit_str json) {
  return contained(nullptr, davit_code{DAVIT_INVALID}, [&] {
    cluster->cluster.add(from_c(json));
    return davit_code{DAVIT_OK};
  });
}

davit_code davit_cluster_add_yaml(davit_cluster* cluster, davit_str yaml) {
  return contained(nullptr, davit_code{DAVIT_INVALID}, [&] {
    cluster->cluster.add_yaml(from_c(yaml));
    return davit_code{DAVIT_OK};
  });
}

std::int32_t davit_cluster_request(davit_cluster* cluster, davit_str method, davit_str path,
                                   davit_str content_type, davit_str body, davit_value* out) {
  if (out != nullptr) *out = {};
  return contained(nullptr, std::int32_t{0}, [&] {
    RawRequest request{.method = std::string(from_c(method)), .target = std::string(from_c(path))};
    if (content_type.size > 0) {
      request.headers.emplace_back("Content-Type", std::string(from_c(content_type)));
      request.body = from_c(body);
    }
    const RawReply reply = cluster->cluster.exchange(request);
    const bool has_value = out != nullptr && reply.http_status / 100 == 2;
    if (has_value) *out = value_of(cluster->cluster, reply.body);
    return std::int32_t{reply.http_status};
  });
}

const davit_object_v1* davit_cluster_objects() {
  return static_cast<const davit_object_v1*>(davit::host::host_capability("davit.object/1"));
}

void davit_cluster_fail_next(davit_cluster* cluster, std::int32_t verb, davit_str resource,
                             std::int32_t http_status, davit_str reason, std::int32_t times) {
  contained([&] {
    cluster->cluster.fail_next({.verb = static_cast<Verb>(verb),
                                .resource = std::string(from_c(resource)),
                                .http_status = http_status,
                                .reason = std::string(from_c(reason)),
                                .times = times});
  });
}

void davit_cluster_on_http(davit_cluster* cluster, void* self,
                           std::int32_t (*serve)(void*, davit_str, davit_str, davit_str,
                                                 const davit_sink*)) {
  const auto answer = [self, serve](const HttpRecord& request) {
    HttpReply reply;
    const davit_sink sink = {sizeof(davit_sink), 0, &reply.body,
                             [](void* body, davit_str chunk) -> davit_code {
                               return contained(nullptr, davit_code{DAVIT_UNAVAILABLE}, [&] {
                                 static_cast<std::string*>(body)->append(from_c(chunk));
                                 return davit_code{DAVIT_OK};
                               });
                             }};
    reply.http_status = serve(self, davit::to_c(request.method), davit::to_c(request.url),
                              davit::to_c(request.body), &sink);
    if (reply.http_status == 0) reply.failure = HttpReply::Failure::kRefused;
    return reply;
  };
  contained([&] { cluster->cluster.on_http(answer); });
}

davit_code davit_cluster_records(davit_cluster* cluster, std::int32_t kind,
                                 const davit_sink* each) {
  return contained(nullptr, davit_code{DAVIT_INTERNAL}, [&] {
    std::vector<std::string> texts;
    if (!records_of(cluster->cluster, kind, texts)) return davit_code{DAVIT_MISUSE};
    for (const std::string& text : texts) {
      if (const davit_code code = write(each, text); code != DAVIT_OK) return code;
    }
    return davit_code{DAVIT_OK};
  });
}
