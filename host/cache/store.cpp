#include "host/cache/store.hpp"

#include <davit/mutant.hpp>
#include <utility>

#include "host/cache/resource_id.hpp"
#include "host/object/field_path.hpp"
#include "host/object/metadata.hpp"

namespace davit::host {
namespace {

using UseKey = std::function<void(std::string_view)>;

void namespace_keys(const ObjectRef& object, const UseKey& use) { use(metadata(*object).ns); }

void controller_keys(const ObjectRef& object, const UseKey& use) {
  const std::string_view uid = controller_uid(*object);
  if (uid.empty()) {
    use("/" + std::string(metadata(*object).ns));
  } else {
    use(uid);
  }
}

void label_keys(const ObjectRef& object, const UseKey& use) {
  const std::string prefix = std::string(metadata(*object).ns) + "/";
  std::string key;
  object.root()["metadata"]["labels"].each_member([&](std::string_view label, Value value) {
    key.assign(prefix).append(label).append("=").append(value.string());
    use(key);
  });
}

IndexKeys path_keys(FieldPath path) {
  return [path = std::move(path)](const ObjectRef& object, const UseKey& use) {
    path.each(object.root(), [&use](Value value) { use(value.string()); });
  };
}

/// The keys of an index over several paths.
class CompositeKeys {
 public:
  static Result<IndexKeys> make(ObjectSpace& space, const std::vector<std::string>& paths) {
    CompositeKeys keys;
    std::size_t lists = 0;
    for (const std::string& each : paths) {
      Result<FieldPath> parsed = FieldPath::parse(space, each);
      if (!parsed) return parsed.error();
      keys.paths_.push_back(std::move(*parsed));
      if (each.find("[]") != std::string::npos) ++lists;
    }
    // Each further one would multiply the keys of an object.
    if (lists > 1) {
      return Status(Code::kInvalid, "only one path of an index may lead to several values");
    }
    return IndexKeys([keys = std::move(keys)](const ObjectRef& object, const UseKey& use) {
      std::vector<std::string_view> values;
      keys.add(object, values, use);
    });
  }

 private:
  void add(const ObjectRef& object, std::vector<std::string_view>& values,
           const UseKey& use) const {
    if (values.size() == paths_.size()) return use(index_key(values));
    paths_[values.size()].each(object.root(), [&](Value value) {
      const std::string_view text = value.string();
      if (text.empty()) return;
      values.push_back(text);
      add(object, values, use);
      values.pop_back();
    });
  }

  std::vector<FieldPath> paths_;
};

Result<IndexKeys> keys_at(ObjectSpace& space, const std::vector<std::string>& paths) {
  if (paths.size() > 1) return CompositeKeys::make(space, paths);
  Result<FieldPath> parsed = FieldPath::parse(space, paths.front());
  if (!parsed) return parsed.error();
  return path_keys(*std::move(parsed));
}

bool same_state(const ObjectRef& a, const ObjectRef& b) {
  const Metadata x = metadata(*a);
  const Metadata y = metadata(*b);
  return !x.resource_version.empty() && x.resource_version == y.resource_version && x.uid == y.uid;
}

}  // namespace

Store::Store(ObjectSpace& space) : space_(space) {
  indexes_.emplace_back(std::string(kNamespaceIndex), "", namespace_keys);
  indexes_.emplace_back(std::string(kControllerIndex), "", controller_keys);
}

ObjectRef Store::get(std::string_view ns, std::string_view name) const {
  MutexLock lock(mutex_);
  const std::uint32_t slot = objects_.find(ns, name);
  return slot == ObjectTable::kNone ? ObjectRef() : objects_.object(slot);
}

bool Store::holds(const ObjectIdentity& object) const {
  const ObjectRef held = get(object.ns, object.name);
  if (!held) return false;
  const Metadata meta = metadata(*held);
  return meta.uid == object.uid && meta.resource_version == object.resource_version;
}

Result<std::vector<ObjectRef>> Store::select(std::string_view index, std::string_view key) const {
  if (index.empty()) return list();
  MutexLock lock(mutex_);
  if (index == kLabelIndex && find_index(index) == nullptr) fill_index(index, "", label_keys);
  const StoreIndex* found = find_index(index);
  if (found == nullptr) {
    return Status(Code::kNotFound, "there is no index '" + std::string(index) + "'");
  }
  std::vector<ObjectRef> objects;
  const std::vector<std::uint32_t>& slots = found->select(key);
  objects.reserve(slots.size());
  for (const std::uint32_t slot : slots) objects.push_back(objects_.object(slot));
  return objects;
}

std::vector<ObjectRef> Store::list() const {
  MutexLock lock(mutex_);
  std::vector<ObjectRef> objects;
  objects.reserve(objects_.size());
  for (std::uint32_t slot = 0; slot < objects_.slots(); ++slot) {
    if (objects_.object(slot)) objects.push_back(objects_.object(slot));
  }
  return objects;
}

std::size_t Store::size() const {
  MutexLock lock(mutex_);
  return objects_.size();
}

std::string Store::resource_version() const {
  MutexLock lock(mutex_);
  return resource_version_;
}

std::vector<SkippedObject> Store::skipped() const {
  MutexLock lock(mutex_);
  return skipped_.list();
}

std::optional<SkippedObject> Store::lacking(std::string_view owner_uid) const {
  if (skipped_count() == 0) return std::nullopt;
  MutexLock lock(mutex_);
  const SkippedObject* found = skipped_.lacking(owner_uid);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

Status Store::add_index(std::string_view name, std::string_view path) {
  Result<IndexKeys> keys = keys_at(space_, index_parts(path));
  if (!keys) return keys.error();
  MutexLock lock(mutex_);
  if (const StoreIndex* known = find_index(name)) {
    if (known->path() == path) return Status();
    return Status(Code::kAlreadyExists,
                  "index '" + std::string(name) + "' is over '" + known->path() + "' already");
  }
  fill_index(name, path, *std::move(keys));
  return Status();
}

void Store::fill_index(std::string_view name, std::string_view path, IndexKeys keys) const {
  StoreIndex& index = indexes_.emplace_back(std::string(name), std::string(path), std::move(keys));
  for (std::uint32_t slot = 0; slot < objects_.slots(); ++slot) {
    if (objects_.object(slot)) index.insert(slot, objects_.object(slot));
  }
}

Change Store::put(ObjectRef object) {
  MutexLock lock(mutex_);
  const Metadata meta = metadata(*object);
  set_version(meta.resource_version);
  skipped_.erase(meta.ns, meta.name);
  count_skipped();
  Change change;
  change.current = object;
  change.old = exchange(std::move(object));
  change.type = change.old ? ChangeType::kUpdated : ChangeType::kAdded;
  return change;
}

std::optional<Change> Store::remove(ObjectRef last) {
  MutexLock lock(mutex_);
  const Metadata meta = metadata(*last);
  set_version(meta.resource_version);
  skipped_.erase(meta.ns, meta.name);
  count_skipped();
  ObjectRef held = take_out(meta.ns, meta.name);
  if (!held && !mutant("unknown-deletions")) return std::nullopt;
  if (held && !same_uid(metadata(*held).uid, meta.uid)) {
    return Change{
        .type = ChangeType::kDeleted, .tombstone = true, .old = {}, .current = std::move(held)};
  }
  return Change{.type = ChangeType::kDeleted, .old = std::move(held), .current = std::move(last)};
}

std::optional<Change> Store::skip(WatchType type, SkippedObject object) {
  const ObjectIdentity identity = object.identity;
  MutexLock lock(mutex_);
  if (!identity.resource_version.empty()) set_version(identity.resource_version);
  const std::uint32_t slot = objects_.find(identity.ns, identity.name);
  const bool is_held = !identity.name.empty() && slot != ObjectTable::kNone;
  const bool is_same = is_held && same_uid(metadata(*objects_.object(slot)).uid, identity.uid);
  if (type == WatchType::kDeleted) {
    skipped_.erase(identity.ns, identity.name);
  } else {
    object.is_kept = is_same;
    skipped_.add(std::move(object));
  }
  count_skipped();
  // Another object of this name is gone as soon as there is this one.
  if (!is_held || (type != WatchType::kDeleted && is_same)) return std::nullopt;
  return Change{.type = ChangeType::kDeleted,
                .tombstone = true,
                .old = {},
                .current = take_out(identity.ns, identity.name)};
}

std::vector<SkippedObject> Store::take_unreported_skips() {
  if (skipped_count() == 0) return {};
  MutexLock lock(mutex_);
  return skipped_.take_unreported();
}

std::vector<Change> Store::replace(Replacement next, std::string_view resource_version) {
  std::vector<Change> changes;
  MutexLock lock(mutex_);
  skipped_.replace(std::move(next.skipped_));
  count_skipped();
  for (std::uint32_t slot = 0; slot < objects_.slots(); ++slot) {
    if (!objects_.object(slot) || mutant("relist-deletions")) continue;
    const Metadata meta = metadata(*objects_.object(slot));
    if (next.objects_.find(meta.ns, meta.name) != ObjectTable::kNone) continue;
    changes.push_back({.type = ChangeType::kDeleted,
                       .tombstone = true,
                       .old = {},
                       .current = objects_.object(slot)});
  }
  for (const Change& gone : changes) {
    const Metadata meta = metadata(*gone.current);
    take_out(meta.ns, meta.name);
  }
  for (std::uint32_t slot = 0; slot < next.objects_.slots(); ++slot) {
    const ObjectRef& object = next.objects_.object(slot);
    if (!object) continue;
    ObjectRef old = exchange(object);
    const bool is_known = !next.is_other_history_ && old && same_state(old, object);
    if (old && (old == object || is_known || mutant("relist-updates"))) continue;
    const ChangeType type = old ? ChangeType::kUpdated : ChangeType::kAdded;
    changes.push_back({.type = type, .old = std::move(old), .current = object});
  }
  set_version(resource_version);
  return changes;
}

std::vector<Change> Store::take_over(Store& next) {
  std::vector<Change> changes;
  MutexLock lock(mutex_);
  MutexLock other(next.mutex_);
  next.fill_missing_indexes(indexes_);
  for (std::uint32_t slot = 0; slot < objects_.slots(); ++slot) {
    const ObjectRef& gone = objects_.object(slot);
    if (!gone) continue;
    const Metadata meta = metadata(*gone);
    if (next.objects_.find(meta.ns, meta.name) != ObjectTable::kNone) continue;
    if (next.skipped_.has(meta.ns, meta.name, meta.uid)) {
      // It lacks the fields that only `next` keeps, which harms less than a deletion that did not
      // happen.
      next.skipped_.keep(meta.ns, meta.name);
      next.exchange(gone);
      continue;
    }
    changes.push_back(
        {.type = ChangeType::kDeleted, .tombstone = true, .old = {}, .current = gone});
  }
  for (std::uint32_t slot = 0; slot < next.objects_.slots(); ++slot) {
    const ObjectRef& object = next.objects_.object(slot);
    if (!object) continue;
    const Metadata meta = metadata(*object);
    const std::uint32_t place = objects_.find(meta.ns, meta.name);
    const ObjectRef old = place == ObjectTable::kNone ? ObjectRef() : objects_.object(place);
    if (old && same_state(old, object)) continue;
    const ChangeType type = old ? ChangeType::kUpdated : ChangeType::kAdded;
    changes.push_back({.type = type, .old = old, .current = object});
  }
  std::swap(objects_, next.objects_);
  indexes_.swap(next.indexes_);
  skipped_.replace(std::move(next.skipped_));
  count_skipped();
  if (next.version() == 0 || next.version() > version()) set_version(next.resource_version_);
  return changes;
}

void Store::add_indexes_of(const Store& other) {
  std::vector<StoreIndex> empty;
  {
    // Never both locks: take_over() takes them the other way round.
    MutexLock lock(other.mutex_);
    for (const StoreIndex& each : other.indexes_) {
      empty.emplace_back(each.name(), each.path(), each.keys());
    }
  }
  MutexLock lock(mutex_);
  fill_missing_indexes(empty);
}

void Store::fill_missing_indexes(const std::vector<StoreIndex>& wanted) {
  for (const StoreIndex& each : wanted) {
    if (find_index(each.name()) == nullptr) fill_index(each.name(), each.path(), each.keys());
  }
}

void Store::advance(std::string_view resource_version) {
  MutexLock lock(mutex_);
  set_version(resource_version);
}

std::size_t Store::object_bytes() const {
  MutexLock lock(mutex_);
  return objects_.object_bytes();
}

std::size_t Store::overhead_bytes() const {
  MutexLock lock(mutex_);
  std::size_t sum = objects_.bytes();
  for (const StoreIndex& index : indexes_) sum += index.bytes();
  return sum;
}

void Store::set_version(std::string_view resource_version) {
  resource_version_ = std::string(resource_version);
  // Released within the change's critical section: a reader that sees the number and then locks
  // finds the change.
  version_.store(parse_version(resource_version).value_or(0), std::memory_order_release);
}

ObjectRef Store::exchange(ObjectRef object) {
  const Metadata meta = metadata(*object);
  const std::uint32_t slot = objects_.find(meta.ns, meta.name);
  if (slot == ObjectTable::kNone) {
    const std::uint32_t added = objects_.insert(std::move(object));
    for (StoreIndex& index : indexes_) index.insert(added, objects_.object(added));
    return ObjectRef();
  }
  if (objects_.object(slot) == object) return object;
  for (StoreIndex& index : indexes_) index.update(slot, object);
  return objects_.exchange(slot, std::move(object));
}

ObjectRef Store::take_out(std::string_view ns, std::string_view name) {
  const std::uint32_t slot = objects_.find(ns, name);
  if (slot == ObjectTable::kNone) return ObjectRef();
  for (StoreIndex& index : indexes_) index.erase(slot);
  return objects_.erase(slot);
}

const StoreIndex* Store::find_index(std::string_view name) const {
  for (const StoreIndex& index : indexes_) {
    if (index.name() == name) return &index;
  }
  return nullptr;
}

void Replacement::put(ObjectRef object) {
  const Metadata meta = metadata(*object);
  skipped_.erase(meta.ns, meta.name);
  ObjectRef held = store_ == nullptr ? ObjectRef() : store_->get(meta.ns, meta.name);
  ObjectRef& chosen = held && !is_other_history_ && same_state(held, object) ? held : object;
  const std::uint32_t slot = objects_.find(meta.ns, meta.name);
  if (slot == ObjectTable::kNone) {
    objects_.insert(std::move(chosen));
  } else {
    objects_.exchange(slot, std::move(chosen));
  }
}

void Replacement::remove(std::string_view ns, std::string_view name) {
  skipped_.erase(ns, name);
  const std::uint32_t slot = objects_.find(ns, name);
  if (slot != ObjectTable::kNone) objects_.erase(slot);
}

void Replacement::skip(SkippedObject object) {
  const ObjectIdentity& identity = object.identity;
  const std::uint32_t slot = objects_.find(identity.ns, identity.name);
  if (slot != ObjectTable::kNone) {
    object.is_kept = same_uid(metadata(*objects_.object(slot)).uid, identity.uid);
    if (!object.is_kept) objects_.erase(slot);
  } else if (store_ != nullptr && !identity.name.empty()) {
    ObjectRef held = store_->get(identity.ns, identity.name);
    object.is_kept = held && same_uid(metadata(*held).uid, identity.uid);
    if (object.is_kept) objects_.insert(std::move(held));
  }
  skipped_.add(std::move(object));
}

}  // namespace davit::host
