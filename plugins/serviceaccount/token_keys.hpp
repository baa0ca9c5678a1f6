/// The keys of the token controller's queues. They carry what a sync needs of an object that is
/// gone.
#pragma once

#include <davit/api.hpp>
#include <davit/informer.hpp>
#include <davit/key.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/serviceaccount/views.hpp"

namespace davit::serviceaccount {

/// A ServiceAccount as an event showed it.
struct AccountKey {
  std::string ns;
  std::string name;
  std::string uid;
};
[[nodiscard]] Key key_of(const ServiceAccount& account);
/// Nothing if a part is missing.
[[nodiscard]] std::optional<AccountKey> read_account_key(const Api& api, const Key& key);

/// A token Secret as an event showed it.
struct SecretKey {
  std::string ns;
  std::string name;
  std::string uid;
  std::string account;
  std::string account_uid;  ///< Empty: that of any.

  [[nodiscard]] Key object() const { return {ns, name}; }
};
[[nodiscard]] Key key_of(const TokenSecret& secret);
/// Nothing if a part is missing that must be there.
[[nodiscard]] std::optional<SecretKey> read_secret_key(const Api& api, const Key& key);

/// The keys that a change is about: that of the object, and that of its predecessor of the name,
/// whose deletion may have been merged into the change.
template <typename View>
[[nodiscard]] std::vector<Key> keys_of(const Event<View>& event) {
  std::vector<Key> out = {key_of(event.current)};
  if (event.old && event.old->uid() != event.current.uid()) out.push_back(key_of(*event.old));
  return out;
}

}  // namespace davit::serviceaccount
