#include "plugins/serviceaccount/tokens_controller.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "plugins/serviceaccount/configuration.hpp"
#include "plugins/serviceaccount/token_text.hpp"

namespace davit::serviceaccount {
namespace {

constexpr std::uint32_t kRetriesMax = 10;  // maxRetries
/// Both queues have one series of metrics.
constexpr std::string_view kQueue = "serviceaccount_tokens_service";

template <typename View>
Handlers<View> handlers_for(const Queue& queue) {
  return {.any = [queue](const Event<View>& event) {
    for (const Key& each : keys_of(event)) queue.add(each);
  }};
}

// RemoveTokenBackoff
constexpr int kReferenceAttemptsMax = 10;
constexpr std::chrono::milliseconds kReferencePause{100};  // To twice as long.

}  // namespace

InitResult TokensController::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_text_options(config, {kKeyFileOption, kRootCaFileOption, kRootCaOption});
      !s.ok()) {
    return s;
  }
  const std::string file(config[kKeyFileOption].string());
  if (file.empty()) return cluster.skip("Controller is disabled because there is no private key");
  const Result<std::string> pem = read_file(file);
  Result<SigningKey> key = pem ? SigningKey::parse(*pem) : Result<SigningKey>(pem.error());
  if (!key) {
    return key.error().with_context("error reading key for service account token controller: " +
                                    file);
  }
  const Result<std::string> root_ca = read_root_ca(config);
  if (!root_ca) return root_ca.error();
  return std::unique_ptr<Controller>(
      std::make_unique<TokensController>(cluster, *std::move(key), *root_ca));
}

TokensController::TokensController(Context& cluster, SigningKey key, std::string_view root_ca)
    : cluster_(cluster),
      key_(std::move(key)),
      root_ca_(encode_base64(root_ca)),
      accounts_queue_(cluster.open_queue({.name = kQueue, .retries_max = kRetriesMax},
                                         [this](const Key& each) { return sync_account(each); })),
      secrets_queue_(cluster.open_queue({.name = kQueue, .retries_max = kRetriesMax},
                                        [this](const Key& each) { return sync_secret(each); })),
      accounts_(
          cluster.open_informer<ServiceAccount>(handlers_for<ServiceAccount>(accounts_queue_))),
      secrets_(cluster.open_informer<TokenSecret>(handlers_for<TokenSecret>(secrets_queue_),
                                                  {.field_selector = kTokenSecrets})) {}

Result<Again> TokensController::sync_account(const Key& key) const {
  const std::optional<AccountKey> account = read_account_key(cluster_.api(), key);
  if (!account) {
    cluster_.log().error("a ServiceAccount without a name or UID", {{"key", key.text()}});
    return Again::when_changed();
  }
  const Lookup<ServiceAccount> cached = accounts_.get(account->ns, account->name);
  if (cached && cached->uid() == account->uid) return Again::when_changed();
  Status outcome;
  for (const TokenSecret& each : secrets_.in_namespace(account->ns)) {
    if (!each.belongs_to(account->name, account->uid)) continue;
    if (Status s = remove_token(each); !s.ok()) outcome = std::move(s);
  }
  if (!outcome.ok()) return outcome;
  return Again::when_changed();
}

Result<Again> TokensController::sync_secret(const Key& key) const {
  const std::optional<SecretKey> secret = read_secret_key(cluster_.api(), key);
  if (!secret) {
    cluster_.log().error("a token Secret without a name, a UID or the name of a ServiceAccount",
                         {{"key", key.text()}});
    return Again::when_changed();
  }
  const Lookup<TokenSecret> cached = secrets_.get(secret->object());
  if (!cached || cached->uid() != secret->uid) return sync_deleted(*secret);
  if (Status s = sync_present(*secret, *cached); !s.ok()) return s;
  return Again::when_changed();
}

Result<Again> TokensController::sync_deleted(const SecretKey& secret) const {
  const Lookup<ServiceAccount> account = cached_account(secret);
  if (!account) return Again::when_changed();
  const Status removed = remove_reference(*account, secret.name);
  if (removed.code() == Code::kCancelled) return removed;
  if (!removed.ok()) {
    cluster_.log().error("a reference to a deleted token was not removed",
                         {{"account", account->key().text()},
                          {"secret", secret.name},
                          {"error", removed.message()}});
  }
  return Again::when_changed();
}

Status TokensController::sync_present(const SecretKey& key, const TokenSecret& secret) const {
  if (const Lookup<ServiceAccount> account = cached_account(key)) return fill(secret, *account);
  const Result<Lookup<ServiceAccount>> account = live_account(key);
  if (!account) return account.error();
  return *account ? fill(secret, **account) : remove_token(secret);
}

Lookup<ServiceAccount> TokensController::cached_account(const SecretKey& secret) const {
  Lookup<ServiceAccount> found = accounts_.get(secret.ns, secret.account);
  const bool is_other = found && !secret.account_uid.empty() && found->uid() != secret.account_uid;
  return is_other ? Lookup<ServiceAccount>() : found;
}

Result<Lookup<ServiceAccount>> TokensController::live_account(const SecretKey& secret) const {
  const Result<ServiceAccount> found =
      cluster_.client().get<ServiceAccount>({secret.ns, secret.account});
  if (found.error().code() == Code::kNotFound) return Lookup<ServiceAccount>();
  if (!found) return found.error();
  const bool is_other = !secret.account_uid.empty() && found->uid() != secret.account_uid;
  return is_other ? Lookup<ServiceAccount>() : Lookup<ServiceAccount>(*found);
}

Status TokensController::remove_token(const TokenSecret& secret) const {
  return cluster_.client()
      .remove<TokenSecret>(secret.key(), {.uid = std::string(secret.uid())})
      .unless(Code::kNotFound)
      .unless(Code::kConflict);
}

Status TokensController::fill(const TokenSecret& cached, const ServiceAccount& account) const {
  if (!needed_parts(cached, root_ca_).any()) return {};
  const Result<TokenSecret> live = cluster_.client().get<TokenSecret>(cached.key());
  if (live.error().code() == Code::kNotFound) return {};
  if (!live) return live.error();
  // A newer version has an event of its own.
  if (live->resource_version() != cached.resource_version()) return {};
  const NeededParts needed = needed_parts(*live, root_ca_);
  return needed.any() ? write(*live, account, needed) : Status();
}

Status TokensController::write(const TokenSecret& live, const ServiceAccount& account,
                               const NeededParts& needed) const {
  std::string token;
  if (needed.token) {
    const Result<std::string> made =
        make_token(key_, {live.ns(), account.name(), account.uid(), live.name()});
    if (!made) {
      cluster_.log().error("a token was not signed",
                           {{"secret", live.key().text()}, {"error", made.error().message()}});
      return {};
    }
    token = encode_base64(*made);
  }
  const std::string ns = encode_base64(live.ns());
  const TokenParts parts{.ca = needed.ca ? std::string_view(root_ca_) : std::string_view(),
                         .ns = needed.ns ? std::string_view(ns) : std::string_view(),
                         .token = token};
  return cluster_.client()
      .patch<TokenSecret>(live.key(), PatchType::kMerge, fill_patch(live, account, parts),
                          {.answer = Answer::kMetadata})
      .error()
      .unless(Code::kNotFound)
      .unless(Code::kConflict);
}

Status TokensController::remove_reference(const ServiceAccount& account,
                                          std::string_view secret) const {
  for (int attempt = 1;; ++attempt) {
    Status outcome = remove_reference_once(account.key(), account.uid(), secret);
    if (outcome.code() != Code::kConflict || attempt == kReferenceAttemptsMax) return outcome;
    const auto more = static_cast<std::int64_t>(
        cluster_.random() % static_cast<std::uint64_t>(kReferencePause.count()));
    Status paused = cluster_.pause(kReferencePause + std::chrono::milliseconds(more));
    if (!paused.ok()) return paused;
  }
}

Status TokensController::remove_reference_once(const Key& account, std::string_view uid,
                                               std::string_view secret) const {
  const Result<ServiceAccount> live = cluster_.client().get<ServiceAccount>(account);
  if (live.error().code() == Code::kNotFound) return {};
  if (!live) return live.error();
  if (live->uid() != uid || !live->names_secret(secret)) return {};
  return cluster_.client()
      .patch<ServiceAccount>(account, PatchType::kMerge, reference_patch(*live, secret),
                             {.answer = Answer::kMetadata})
      .error()
      .unless(Code::kNotFound);
}

}  // namespace davit::serviceaccount
