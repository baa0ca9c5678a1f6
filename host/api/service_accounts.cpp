#include "host/api/service_accounts.hpp"

#include "host/credentials/credentials.hpp"

namespace davit::host {

Transport& ServiceAccounts::transport(const std::string& account) {
  MutexLock lock(mutex_);
  std::unique_ptr<Transport>& transport = transports_[account];
  if (transport == nullptr) {
    auto token =
        std::make_unique<ServiceAccountToken>(root_, account, dry_run_, log_, stop_.get_token());
    transport = add_credentials(anonymous_, std::move(token));
  }
  return *transport;
}

std::string account_user(std::string_view account) {
  return "system:serviceaccount:" + std::string(kAccountNamespace) + ":" + std::string(account);
}

}  // namespace davit::host
