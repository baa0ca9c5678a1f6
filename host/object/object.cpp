#include "host/object/object.hpp"

#include "host/object/metadata.hpp"
#include "host/object/reads.hpp"
#include "host/object/tape.hpp"

namespace davit::host {

Kind Value::kind() const { return static_cast<Kind>(reads::kind(raw)); }

Value Value::operator[](std::string_view key) const {
  Value found;
  (void)reads::lookup(raw, {key.data(), key.size()}, &found.raw);
  return found;
}

Value Value::member(davit_name name) const {
  Value found;
  (void)reads::member(raw, name, &found.raw);
  return found;
}

Value Value::at(std::size_t index) const {
  Value found;
  (void)reads::elements(raw, index, &found.raw, 1);
  return found;
}

std::size_t Value::count() const { return reads::count(raw); }

std::string_view Value::string() const {
  davit_str text;
  (void)reads::string(raw, &text);
  return {text.data, text.size};
}

std::string_view Value::number() const {
  davit_str text;
  (void)reads::number(raw, &text);
  return {text.data, text.size};
}

std::optional<std::int64_t> Value::integer() const {
  std::int64_t number = 0;
  if (reads::integer(raw, &number) != DAVIT_OK) return std::nullopt;
  return number;
}

std::optional<bool> Value::boolean() const {
  std::int32_t truth = 0;
  if (reads::boolean(raw, &truth) != DAVIT_OK) return std::nullopt;
  return truth != 0;
}

std::uint64_t Value::hash() const {
  std::uint64_t hash = 0;
  (void)reads::hash(raw, &hash);
  return hash;
}

std::string Value::json() const {
  std::string text;
  const auto append = [](void* self, davit_str chunk) -> davit_code {
    static_cast<std::string*>(self)->append(chunk.data, chunk.size);
    return DAVIT_OK;
  };
  const davit_sink sink{sizeof(davit_sink), 0, &text, append};
  (void)reads::json(raw, &sink);
  return text;
}

bool Value::equals(const Value& other) const {
  std::int32_t same = 0;
  (void)reads::equal(raw, other.raw, &same);
  return same != 0;
}

std::size_t Value::elements(std::size_t first, davit_value* out, std::size_t capacity) const {
  return reads::elements(raw, first, out, capacity);
}

std::size_t Value::members(std::size_t first, davit_member* out, std::size_t capacity) const {
  std::size_t written = 0;
  (void)reads::members(raw, first, out, capacity, &written);
  return written;
}

ObjectRef::ObjectRef(const ObjectRef& other) : object_(other.object_) {
  if (object_ != nullptr) object_->retain();
}

ObjectRef& ObjectRef::operator=(const ObjectRef& other) {
  ObjectRef copy(other);
  std::swap(object_, copy.object_);
  return *this;
}

ObjectRef& ObjectRef::operator=(ObjectRef&& other) noexcept {
  ObjectRef taken(std::move(other));
  std::swap(object_, taken.object_);
  return *this;
}

ObjectRef::~ObjectRef() {
  if (object_ != nullptr) object_->release();
}

ObjectRef ObjectRef::from(davit_value value) {
  const auto* object = static_cast<const Object*>(value.object);
  if (object != nullptr) object->retain();
  return adopt(object);
}

ObjectRef ObjectRef::adopt(const Object* object) {
  ObjectRef ref;
  ref.object_ = object;
  return ref;
}

ObjectRef ObjectRef::lent_copy(LentMemory& memory) const {
  const Object* const copied = object_ == nullptr ? nullptr : object_->copy(memory);
  return copied == nullptr ? *this : adopt(copied);
}

std::size_t ObjectRef::bytes() const { return object_ == nullptr ? 0 : object_->bytes(); }

namespace {
std::string_view text_at(const Object& object, std::uint16_t place, std::string_view key) {
  if (place == Object::Places::kNone) return {};
  if (place == Object::Places::kFar) {
    return Value(davit_value{&object, 0, kFullMask})["metadata"][key].string();
  }
  return tape::text(object.tape(), object.tape() + place);
}
}  // namespace

Metadata metadata(const Object& object) {
  const Object::Places& places = object.places();
  return {text_at(object, places.ns, "namespace"), text_at(object, places.name, "name"),
          text_at(object, places.uid, "uid"),
          text_at(object, places.resource_version, "resourceVersion")};
}

Status check_metadata(const ObjectRef& object) {
  struct Member {
    std::string_view name;
    Kind kind;
  };
  constexpr Member kMembers[] = {
      {"namespace", Kind::kString},         {"uid", Kind::kString},
      {"resourceVersion", Kind::kString},   {"labels", Kind::kObject},
      {"annotations", Kind::kObject},       {"ownerReferences", Kind::kArray},
      {"deletionTimestamp", Kind::kString}, {"finalizers", Kind::kArray},
  };
  const Value meta = object.root()["metadata"];
  if (meta.kind() != Kind::kObject) return {Code::kInvalid, "metadata is not an object"};
  if (metadata(*object).name.empty()) {
    return {Code::kInvalid, "metadata.name is not a string or empty"};
  }
  Status wrong;
  meta.each_member([&](std::string_view key, Value value) {
    // A null is as good as nothing, as in Go's encoding/json.
    const Kind kind = value.kind();
    for (const Member& each : kMembers) {
      if (key != each.name || kind == each.kind || kind == Kind::kNull) continue;
      wrong = {Code::kInvalid, "metadata." + std::string(key) + " has the wrong type"};
    }
  });
  return wrong;
}

std::string_view controller_uid(const Object& object) {
  if (object.places().controller_uid != Object::Places::kFar) {
    return text_at(object, object.places().controller_uid, {});
  }
  const Value root(davit_value{&object, 0, kFullMask});
  const Value owners = root["metadata"]["ownerReferences"];
  for (std::size_t i = 0; const Value owner = owners.at(i); ++i) {
    if (owner["controller"].boolean() == true) return owner["uid"].string();
  }
  return {};
}

}  // namespace davit::host
