#include "plugins/shared/replicas/change_handlers.hpp"

namespace davit::replicas {

template <typename Set>
void ChangeHandlers<Set>::set_updated(const Set& old, const Set& current) const {
  // The deletion between the two was missed.
  if (old.uid() != current.uid()) set_deleted(old);
  queue_.add(current);
}

template <typename Set>
void ChangeHandlers<Set>::set_deleted(const Set& set) const {
  // A set recreated under this name must not wait for the old one's expectations.
  expectations_.erase(set.key());
  queue_.add(set);
}

template class ChangeHandlers<ReplicaSet>;
template class ChangeHandlers<ReplicationController>;

}  // namespace davit::replicas
