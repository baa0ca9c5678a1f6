#include <davit/json_writer.hpp>
#include <davit/merge_patch.hpp>

namespace davit {
namespace {

/// Writes the members of the patch that turns object `from` into object `to`; false: there are
/// none.
bool write_difference(JsonWriter& out, Value from, Value to) {
  bool any = false;
  for (const Member& each : to.members()) {
    const Value old = from[each.key];
    if (old == each.value) continue;
    // Members of objects are compared one by one; an object in the place of something else begins
    // empty, so that null members in it cannot be expressed and are left out.
    if (each.value.kind() == Kind::kObject) {
      JsonWriter inner;
      inner.begin_object();
      const bool differs = write_difference(inner, old, each.value);
      inner.end_object();
      if (!differs && old.kind() == Kind::kObject) continue;
      out.key(each.key).raw(inner.text());
    } else {
      out.member(each.key, each.value);
    }
    any = true;
  }
  for (const Member& each : from.members()) {
    if (to[each.key]) continue;
    out.key(each.key).null();
    any = true;
  }
  return any;
}

}  // namespace

std::string merge_patch_between(Value from, Value to) {
  JsonWriter out;
  out.begin_object();
  const bool any = write_difference(out, from, to);
  out.end_object();
  return any ? std::move(out).text() : std::string();
}

}  // namespace davit
