#include "sandbox/controllers/api_writer.hpp"

#include <algorithm>
#include <optional>

#include "sandbox/auth/auth.hpp"

namespace davit::sandbox {

namespace {

/// A webhook that responds does so in milliseconds.
constexpr Duration kPauseMin = std::chrono::milliseconds(2);
constexpr Duration kPauseMax = std::chrono::milliseconds(500);
/// The longest time that webhooks get for one request, and some more.
constexpr Duration kWaitMax = std::chrono::seconds(90);

ApiWriter::Outcome outcome_of(int status, bool creates) {
  using Outcome = ApiWriter::Outcome;
  if (status < 300) return Outcome::kDone;
  if (status == 404) return Outcome::kGone;
  return creates && status == 409 ? Outcome::kExists : Outcome::kFailed;
}

}  // namespace

std::string collection_path(const Resource& resource, std::string_view ns) {
  std::string out = resource.group.empty() ? "/api/" : "/apis/" + resource.group + '/';
  out += resource.version;
  if (!ns.empty()) out.append("/namespaces/").append(ns);
  return out + '/' + resource.name;
}

std::string object_path(const Resource& resource, std::string_view ns, std::string_view name) {
  return collection_path(resource, ns).append("/").append(name);
}

ApiWriter::Outcome ApiWriter::create(const std::string& collection_path, const Json& object,
                                     const std::string& intent) {
  return call("POST", collection_path, object, intent);
}
ApiWriter::Outcome ApiWriter::update(const std::string& path, const Json& object,
                                     const std::string& intent) {
  return call("PUT", path, object, intent);
}
ApiWriter::Outcome ApiWriter::merge(const std::string& path, const Json& patch,
                                    const std::string& intent) {
  return call("PATCH", path, patch, intent);
}
ApiWriter::Outcome ApiWriter::remove(const std::string& path, const Json& options,
                                     const std::string& intent) {
  return call("DELETE", path, options, intent);
}

void ApiWriter::begin_round(Time now) {
  ++round_;
  std::erase_if(pending_, [now](const auto& each) {
    return each.second.status || each.second.begun + kWaitMax <= now;
  });
  for (auto& [key, each] : pending_) {
    if (each.asked + each.pause <= now) ask(each, now);
  }
}

Duration ApiWriter::retry_after() const {
  Duration out = kRetryAfter;
  for (const auto& [key, each] : pending_) {
    if (!each.status && each.round == round_) out = std::min(out, each.pause);
  }
  return out;
}

Time ApiWriter::next_round() const {
  Time out = Time::max();
  for (const auto& [key, each] : pending_) {
    if (!each.status) out = std::min(out, each.asked + each.pause);
  }
  return out;
}

void ApiWriter::ask(Pending& pending, Time now) {
  const std::optional<HttpServerResponse> response = pending.response->take();
  if (response) {
    pending.status = response->status;
    pending.response.reset();
  } else if (pending.asked < now) {
    pending.pause = std::min(2 * pending.pause, kPauseMax);
    pending.asked = now;
  }
}

ApiWriter::Outcome ApiWriter::call(std::string method, const std::string& path, const Json& body,
                                   const std::string& intent) {
  const bool creates = method == "POST";
  const std::string text = to_text(body);
  const std::string key = method + ' ' + path;
  if (const auto known = pending_.find(key); known != pending_.end()) {
    Pending& pending = known->second;
    pending.round = round_;
    if (!pending.status) ask(pending, clock_.now());
    if (!pending.status) return Outcome::kFailed;
    const int status = *pending.status;
    const bool is_same = pending.body == text && pending.intent == intent;
    pending_.erase(known);
    if (is_same) return outcome_of(status, creates);
  }
  HttpServerResponse response = server_.handle(request(std::move(method), path, text));
  if (response.deferred == nullptr) return outcome_of(response.status, creates);
  const Time now = clock_.now();
  pending_.emplace(key, Pending{text, intent, std::move(response.deferred), kPauseMin, now, now,
                                round_, std::nullopt});
  return Outcome::kFailed;
}

HttpServerRequest ApiWriter::request(std::string method, const std::string& path,
                                     std::string body) const {
  HttpServerRequest out;
  const bool patches = method == "PATCH";
  out.method = std::move(method);
  out.target = path;
  out.headers = {{"User-Agent", "davit-sandbox/" + user_},
                 {"Content-Type", patches ? "application/merge-patch+json" : "application/json"},
                 {"Accept", "application/json"}};
  out.peer = PeerCertificate{"system:" + user_, {std::string(kMastersGroup)}, true};
  out.body = std::move(body);
  return out;
}

}  // namespace davit::sandbox
