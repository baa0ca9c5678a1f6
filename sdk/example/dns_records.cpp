/// Keeps the records of a DNS service outside the cluster in step with Services.
///
/// A Service names its record in the annotation dns.davit.dev/name. The record's addresses are
/// those of spec.externalIPs, or else those of the load balancer. `PUT <server>/records/<name>`
/// sets a record, DELETE removes it.
///
/// Keys are records, not Services, because several Services may name one record: no two syncs
/// change it at once, and the oldest of the Services owns it. The annotation dns.davit.dev/record
/// and a finalizer are written before a record. They hold its Service until the record is deleted
/// or another Service owns it. The condition dns.davit.dev/Published says what is published, or why
/// nothing is.
#include <algorithm>
#include <davit/entry.hpp>
#include <davit/state_fields.hpp>
#include <davit/watch.hpp>
#include <davit/writes.hpp>
#include <map>
#include <mutex>
#include <vector>

#include "kubernetes.hpp"  // davit_codegen(dns-records KINDS v1/Service …)

namespace {

using namespace davit;
using core::v1::Service;
using core::v1::ServiceDraft;

constexpr std::string_view kName = "dns.davit.dev/name";
constexpr std::string_view kRecord = "dns.davit.dev/record";
constexpr std::string_view kFinalizer = "dns.davit.dev/record";
constexpr std::string_view kPublished = "dns.davit.dev/Published";
constexpr std::string_view kByName = "by-name";
constexpr std::string_view kByRecord = "by-record";
constexpr std::chrono::seconds kFirstRetry{1};          // The host has repeated the request before.
constexpr std::chrono::minutes kLastRetry{5};           // The longest wait after an outage.
constexpr std::chrono::hours kRetryAfterMax{1};         // The service may ask for any time.
constexpr std::chrono::seconds kTimeout{10};            // For all attempts; a worker waits.
constexpr std::uint64_t kResponseBytesMax = 64 * 1024;  // Its body is not needed.

/// Whether a text is a DNS name in lower case. It is also safe as a key and in a URL.
bool is_record_name(std::string_view name) {
  constexpr std::size_t kNameMax = 253;
  constexpr std::size_t kLabelMax = 63;
  if (name.empty() || name.size() > kNameMax) return false;
  while (true) {
    const std::string_view label = name.substr(0, name.find('.'));
    const bool plain = std::ranges::all_of(
        label, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
    if (label.empty() || label.size() > kLabelMax || !plain) return false;
    if (label.front() == '-' || label.back() == '-') return false;
    if (label.size() == name.size()) return true;
    name.remove_prefix(label.size() + 1);
  }
}

/// The part of a Service that decides about records.
struct Claim {
  explicit Claim(const Service& service) : is_being_deleted(service.is_being_deleted()) {
    const auto valid = [&](std::string_view key) {
      const std::string_view text = service.annotation(key).value_or("");
      return std::string(is_record_name(text) ? text : "");
    };
    name = valid(kName);
    if (service.has_finalizer(kFinalizer)) {
      record = valid(kRecord);
      if (record.empty()) record = name;  // Somebody has removed the annotation.
    }
    for (const std::string_view each : service.spec().external_ips()) addresses.emplace_back(each);
    if (!addresses.empty()) return;
    for (const auto each : service.status().load_balancer().ingress()) {
      if (!each.ip().empty()) addresses.emplace_back(each.ip());
    }
  }
  [[nodiscard]] bool wants(std::string_view wanted) const {
    return name == wanted && !is_being_deleted;
  }

  std::string name{};    ///< Empty: none, or one that is malformed.
  std::string record{};  ///< The record that the finalizer is for; empty: none.
  std::vector<std::string> addresses{};
  bool is_being_deleted;

  friend bool operator==(const Claim&, const Claim&) = default;
};

/// The keys of its records, or of the Service if it needs attention nevertheless.
std::vector<Key> keys_of(const Service& service) {
  const Claim claim(service);
  std::vector<Key> keys;
  if (!claim.name.empty()) keys.push_back(Key{"", claim.name});
  if (!claim.record.empty()) keys.push_back(Key{"", claim.record});
  const bool is_ours = service.annotation(kName) || service.has_finalizer(kFinalizer) ||
                       service.status().condition(kPublished);
  if (keys.empty() && is_ours) keys.push_back(service.key());
  return keys;
}

/// Leaves out what the controller writes before and after a request: it must not cut a back-off
/// short.
bool claim_changed(const Event<Service>& event) {
  if (event.type != Event<Service>::Type::kUpdated) return true;
  if (event.old->uid() != event.current.uid()) return true;
  Claim before(*event.old);
  const Claim after(event.current);
  if (!after.record.empty() && after.record == after.name) before.record = after.record;
  return before != after;
}

/// The oldest Service that wants a record.
std::optional<Service> owner_of(const std::string& record, const std::vector<Service>& services) {
  const auto age = [](const Service& each) {
    return std::pair(each.creation_time().value_or(WallTime::max()), each.key());
  };
  std::optional<Service> owner;
  for (const Service& each : services) {
    if (!Claim(each).wants(record) || (owner && age(*owner) < age(each))) continue;
    owner = each;
  }
  return owner;
}

/// The records that the service has confirmed. The cluster does not have them: without this, the
/// next build would set each record once more. Thread-safe.
class ConfirmedRecords final : public HandedState {
 public:
  /// Records of another server say nothing about this one.
  explicit ConfirmedRecords(std::string server) : server_(std::move(server)) {}

  [[nodiscard]] std::optional<std::string> find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = bodies_.find(name);
    return found == bodies_.end() ? std::nullopt : std::optional(found->second);
  }
  void confirm(const std::string& name, std::string body) {
    const std::lock_guard lock(mutex_);
    bodies_[name] = std::move(body);
  }
  /// Before a request: one that fails may have had its effect.
  void forget(const std::string& name) {
    const std::lock_guard lock(mutex_);
    bodies_.erase(name);
  }

  [[nodiscard]] std::uint32_t version() const override { return 1; }
  void write(JsonWriter& out) const override {
    const std::lock_guard lock(mutex_);
    out.begin_object().member("server", server_).key("records").begin_array();
    for (const auto& [name, body] : bodies_) {
      out.begin_object().member("name", name).member("body", body).end_object();
    }
    out.end_array().end_object();
  }
  Status read(std::uint32_t, Value state) override {
    Status status;
    const StateFields fields(state, status);
    const std::string server = fields.text("server");
    std::map<std::string, std::string> bodies;
    for (const Value each : fields.array("records").elements()) {
      const StateFields record = fields.element(each);
      const std::string name = record.text("name");
      if (!is_record_name(name)) record.refuse("name", "a DNS name");
      bodies[name] = record.text("body");
    }
    if (!status.ok()) return status;
    const std::lock_guard lock(mutex_);
    if (server == server_) bodies_ = std::move(bodies);
    return {};
  }

 private:
  const std::string server_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> bodies_;  // The JSON texts by name.
};

/// The configured URL, without slashes at its end.
std::string server_of(const Context& context) {
  std::string_view server = context.config()["server"].string();
  while (server.ends_with('/')) server.remove_suffix(1);
  return std::string(server);
}

class DnsRecordsController : public Controller {
 public:
  explicit DnsRecordsController(Context& context)
      : context_(context),
        server_(server_of(context)),
        token_(context.config()["token"].string()),
        confirmed_(server_),
        queue_(context.open_queue(
            {.name = "dns-records", .base_delay = kFirstRetry, .max_delay = kLastRetry},
            [this](const Key& k) { return k.ns.empty() ? sync_record(k.name) : sync_service(k); })),
        services_(watches<Service>(context, queue_, &keys_of, &claim_changed)) {
    context.add_index(services_, kByName, "metadata.annotations['dns.davit.dev/name']");
    context.add_index(services_, kByRecord, "metadata.annotations['dns.davit.dev/record']");
  }

  [[nodiscard]] HandedState* state() override { return &confirmed_; }

 private:
  // ---- Records ----

  Result<Again> sync_record(const std::string& name) {
    const std::vector<Service> services = claimants(name);
    const std::optional<Service> owner = owner_of(name, services);
    const bool is_wanted = owner && !Claim(*owner).addresses.empty() && !holds_other(*owner, name);
    Status done;
    if (is_wanted) {
      if (Status s = hold(*owner, name); !s.ok()) return s;
      done = publish(name, record_of(*owner));
    } else if (confirmed_.find(name) || is_held(name, services)) {
      done = withdraw(name);
    }
    if (done.code() == Code::kCancelled) return done;  // The next build or leader continues.
    for (const Service& each : services) {
      const bool keeps = is_wanted && each.uid() == owner->uid();
      if (done.ok() && !keeps) {
        if (Status s = release(each, name); !s.ok()) return s;
      }
      const std::optional<Condition> condition = condition_of(each, name, owner, done);
      if (!condition) continue;
      if (Status s = report(each, *condition); !s.ok()) return s;
    }
    if (done.ok()) return Again::when_changed();
    if (done.detail() == nullptr || done.detail()->retry_after_ms == 0) return done;
    const std::chrono::milliseconds asked(done.detail()->retry_after_ms);
    return Again::after(std::min<Duration>(asked, kRetryAfterMax)).keeping_backoff();
  }

  /// The Services that name a record or hold it.
  [[nodiscard]] std::vector<Service> claimants(const std::string& name) const {
    std::vector<Service> out;
    for (const Service each : services_.by_index(kByName, name)) out.push_back(each);
    for (const Service each : services_.by_index(kByRecord, name)) {
      if (each.annotation(kName) != name) out.push_back(each);
    }
    return out;
  }
  static bool is_held(const std::string& name, const std::vector<Service>& services) {
    return std::ranges::any_of(services, [&](const auto& s) { return Claim(s).record == name; });
  }
  /// Whether a former record must be deleted first. Its sync changes and reports the Service.
  static bool holds_other(const Service& service, std::string_view name) {
    const std::string record = Claim(service).record;
    return !record.empty() && record != name;
  }
  static std::string record_of(const Service& owner) {
    JsonWriter body;
    body.begin_object().member("owner", owner.key().text()).key("addresses").begin_array();
    for (const std::string& each : Claim(owner).addresses) body.string(each);
    body.end_array().end_object();
    return body.text();
  }

  Status publish(const std::string& name, const std::string& body) {
    if (confirmed_.find(name) == body) return {};
    confirmed_.forget(name);
    if (Status s = send(http::Request::json("PUT", url_of(name), body)); !s.ok()) return s;
    confirmed_.confirm(name, body);
    return {};
  }
  Status withdraw(const std::string& name) {
    confirmed_.forget(name);
    return send(http::Request::remove(url_of(name))).unless(Code::kNotFound);
  }
  [[nodiscard]] std::string url_of(const std::string& name) const {
    return server_ + "/records/" + percent_escaped(name);
  }
  [[nodiscard]] Status send(http::Request request) const {
    if (!token_.empty()) request.headers.emplace_back("Authorization", "Bearer " + token_);
    request.timeout = kTimeout;
    request.body_bytes_max = kResponseBytesMax;
    const Result<http::Response> response = context_.http().send(request);
    return response ? response->as_status() : response.error();
  }

  // ---- Services ----

  /// For a Service that neither names nor holds a record.
  [[nodiscard]] Result<Again> sync_service(const Key& key) const {
    const Lookup<Service> service = services_.get(key);
    if (!service) return Again::when_changed();
    const Claim claim(*service);
    if (!claim.name.empty() || !claim.record.empty()) return Again::when_changed();
    if (Status s = remove_finalizer(context_, *service, kFinalizer); !s.ok()) return s;
    Condition condition = unpublished("NoName", "the annotation dns.davit.dev/name is missing");
    if (service->annotation(kName)) {
      condition = unpublished("InvalidName",
                              "the annotation dns.davit.dev/name is not a DNS name: labels of a-z, "
                              "0-9 and '-', separated by dots");
    } else if (!service->status().condition(kPublished)) {
      return Again::when_changed();
    }
    if (Status s = report(*service, condition); !s.ok()) return s;
    return Again::when_changed();
  }

  /// Makes sure that the Service cannot go without its record.
  [[nodiscard]] Status hold(const Service& service, const std::string& record) const {
    const ServiceDraft held{.metadata = {.name = service.name(),
                                         .ns = service.ns(),
                                         .annotations = {{kRecord, record}},
                                         .finalizers = {kFinalizer}}};
    return create_or_patch(context_, std::optional(service), held).error();
  }
  [[nodiscard]] Status release(const Service& service, const std::string& record) const {
    if (Claim(service).record != record) return {};
    if (Status s = remove_finalizer(context_, service, kFinalizer); !s.ok()) return s;
    if (service.is_being_deleted()) return {};
    JsonWriter body;
    body.begin_object().key("metadata").begin_object().key("annotations").begin_object();
    body.key(kRecord).null().end_object().end_object().end_object();
    return context_.client()
        .patch<Service>(service.key(), PatchType::kMerge, body.text())
        .error()
        .unless(Code::kNotFound);
  }

  /// The result of a record's sync for one of its Services; nothing if another key reports it.
  static std::optional<Condition> condition_of(const Service& service, const std::string& name,
                                               const std::optional<Service>& owner,
                                               const Status& done) {
    const Claim claim(service);
    if (holds_other(service, name)) return std::nullopt;
    if (claim.wants(name) && service.uid() != owner->uid()) {
      return unpublished("NameTaken", name + " is the record of Service " + owner->key().text());
    }
    if (!done.ok()) return unpublished("Failed", done.message());
    if (!claim.wants(name)) return std::nullopt;
    if (claim.addresses.empty()) {
      return unpublished("NoAddress",
                         "neither spec.externalIPs nor the load balancer has an IP address");
    }
    std::string message = name + ":";
    for (const std::string& each : claim.addresses) message.append(" ").append(each);
    return Condition{std::string(kPublished), "True", "Published", message, {}, {}};
  }
  static Condition unpublished(std::string reason, std::string message) {
    return {std::string(kPublished), "False", std::move(reason), std::move(message), {}, {}};
  }

  /// Sends one condition alone, because others write further ones.
  [[nodiscard]] Status report(const Service& service, const Condition& condition) const {
    ConditionList conditions(service.status().conditions().raw());
    if (!set_condition(conditions, condition, context_.wall_now())) return {};
    JsonWriter body;
    body.begin_object().key("status").begin_object().key("conditions").begin_array();
    conditions.find(kPublished)->write(body);
    body.end_array().end_object().end_object();
    return context_.client()
        .patch<Service>(service.key(), PatchType::kStrategic, body.text(),
                        {.subresource = "status"})
        .error()
        .unless(Code::kNotFound);
  }

  Context& context_;
  const std::string server_;
  const std::string token_;  // Goes into a header, which the host does not log, and nowhere else.
  ConfirmedRecords confirmed_;
  Queue queue_;
  Informer<Service> services_;
};

constexpr void declare(Note& note) {
  note.plugin("dns-records", "0.1.0")
      .needs("davit.http/1")
      .controller({.name = "dns-records-controller",
                   .factory = &make<DnsRecordsController>,
                   .aliases = {"dns-records"},
                   .workers = 4})
      .rule<Service>({"patch"})
      .rule<Service>({"patch"}, {.subresource = "status"})
      .watch<Service>({"metadata.annotations", "metadata.creationTimestamp",
                       "metadata.deletionTimestamp", "metadata.finalizers", "spec.externalIPs",
                       "status.conditions", "status.loadBalancer.ingress[].ip"})
      .http(from_config("server"), from_config("caFile", ""));
}

}  // namespace

DAVIT_PLUGIN(declare);
