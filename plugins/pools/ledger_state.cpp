#include "plugins/pools/ledger_state.hpp"

#include <davit/state_fields.hpp>

namespace davit::pools {
namespace {

void write_addresses(JsonWriter& out, std::string_view name, const std::vector<Address>& all) {
  out.key(name).begin_array();
  for (const Address& each : all) out.string(each.text());
  out.end_array();
}

std::vector<Address> read_addresses(const StateFields& fields, std::string_view name) {
  std::vector<Address> out;
  for (const std::string& each : fields.texts(name)) {
    const std::optional<Address> address = Address::parse(each);
    if (address) {
      out.push_back(*address);
    } else {
      fields.refuse(name, "a list of addresses");
    }
  }
  return out;
}

void write_holder(JsonWriter& out, const std::string& uid, const Holder& holder) {
  const Sharing& sharing = holder.look.sharing;
  out.begin_object().member("uid", uid).member("ns", holder.age.key.ns);
  out.member("name", holder.age.key.name).member("created", holder.age.created);
  write_addresses(out, "addresses", holder.addresses);
  write_addresses(out, "leaving", holder.leaving);
  out.member("reported", holder.is_reported).member("labels", holder.look.labels);
  out.member("key", sharing.key).member("local", sharing.is_local);
  out.member("selector", sharing.selector).key("ports").begin_array();
  for (const std::string& each : sharing.ports) out.string(each);
  out.end_array().end_object();
}

Holder read_holder(const StateFields& fields) {
  Holder out;
  out.age = {fields.integer("created"), {fields.text("ns"), fields.text("name")}};
  out.addresses = read_addresses(fields, "addresses");
  out.leaving = read_addresses(fields, "leaving");
  out.is_given = true;
  out.is_reported = fields.boolean("reported");
  out.look.labels = fields.text("labels");
  Sharing& sharing = out.look.sharing;
  sharing.key = fields.text("key");
  sharing.is_local = fields.boolean("local");
  sharing.selector = fields.text("selector");
  for (std::string& each : fields.texts("ports")) sharing.ports.insert(std::move(each));
  return out;
}

}  // namespace

void write_ledger(const Ledger& ledger, JsonWriter& out) {
  out.begin_object().key("holders").begin_array();
  for (const auto& [uid, holder] : ledger.holders()) {
    if (holder.is_given) write_holder(out, uid, holder);
  }
  out.end_array().key("waiting").begin_array();
  for (const auto& each : ledger.waiting()) out.string(each.second.age.key.text());
  out.end_array().end_object();
}

Result<LedgerState> read_ledger(Value state) {
  Status status;
  const StateFields fields(state, status);
  LedgerState out;
  for (const Value each : fields.array("holders").elements()) {
    const StateFields one = fields.element(each);
    std::string uid = one.text("uid");
    out.holders.emplace_back(std::move(uid), read_holder(one));
  }
  for (const std::string& each : fields.texts("waiting")) out.waiting.push_back(Key::parse(each));
  if (!status.ok()) return status;
  return out;
}

}  // namespace davit::pools
