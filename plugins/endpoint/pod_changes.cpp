#include "plugins/endpoint/pod_changes.hpp"

#include <set>
#include <utility>

#include "plugins/endpoint/service_selectors.hpp"

namespace davit::endpoint {

namespace {

// Neither may occur in a label's key or value.
constexpr char kFieldEnd = '\n';
constexpr char kPairMiddle = '=';

Labels labels_of(const Pod& pod) {
  Labels out;
  for (const Member& each : pod.labels().members()) {
    out.insert_or_assign(std::string(each.key), std::string(each.value.string()));
  }
  return out;
}

void append(std::string& out, const Labels& labels) {
  for (const auto& [key, value] : labels) {
    out += key;
    out += kPairMiddle;
    out += value;
    out += kFieldEnd;
  }
  out += kFieldEnd;
}

std::optional<std::string_view> take_field(std::string_view& text) {
  const std::size_t end = text.find(kFieldEnd);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end + 1);
  return field;
}

std::optional<Labels> take_labels(std::string_view& text) {
  Labels out;
  while (true) {
    const std::optional<std::string_view> field = take_field(text);
    if (!field) return std::nullopt;
    if (field->empty()) return out;
    const std::size_t middle = field->find(kPairMiddle);
    if (middle == std::string_view::npos) return std::nullopt;
    out.emplace(field->substr(0, middle), field->substr(middle + 1));
  }
}

bool same_ips(const Pod& a, const Pod& b) {
  const Value ours = a.status()[&Names::pod_ips];
  const Value theirs = b.status()[&Names::pod_ips];
  if (ours.count() != theirs.count()) return false;
  for (std::size_t i = 0; i < ours.count(); ++i) {
    if (ours.at(i)[&Names::ip].string() != theirs.at(i)[&Names::ip].string()) return false;
  }
  return true;
}

bool same_place(const Pod& a, const Pod& b) {
  const auto same = [&](Name Names::*member) {
    return a.spec()[member].string() == b.spec()[member].string();
  };
  return same(&Names::hostname) && same(&Names::subdomain);
}

bool selects(const Service& service, const Labels& labels) {
  const Value selector = service.selector();
  if (selector.kind() != Kind::kObject) return false;
  for (const Member& each : selector.members()) {
    const auto found = labels.find(each.key);
    if (found == labels.end() || found->second != each.value.string()) return false;
  }
  return true;
}

}  // namespace

Key PodChange::key() const {
  std::string text(pod_changed ? "!" : "-");
  append(text, labels);
  if (old_labels) append(text, *old_labels);
  return {ns, std::move(text)};
}

std::optional<PodChange> PodChange::parse(const Key& key) {
  std::string_view text = key.name;
  if (text.empty()) return std::nullopt;
  PodChange out;
  out.ns = key.ns;
  out.pod_changed = text.front() == '!';
  text.remove_prefix(1);
  std::optional<Labels> labels = take_labels(text);
  if (!labels) return std::nullopt;
  out.labels = std::move(*labels);
  if (text.empty()) return out;
  out.old_labels = take_labels(text);
  return out.old_labels ? std::optional(out) : std::nullopt;
}

PodChange whole_change(const Pod& pod) {
  return {std::string(pod.ns()), labels_of(pod), std::nullopt, false};
}

std::optional<PodChange> change_between(const Pod& old, const Pod& current) {
  if (old.resource_version() == current.resource_version()) return std::nullopt;  // A resync.
  // Upstream compares the pointers of two time stamps: any news of a terminating pod counts.
  const bool changed = old.is_being_deleted() || current.is_being_deleted() ||
                       old.is_ready() != current.is_ready() || !same_ips(old, current);
  const bool moved = !(old.labels() == current.labels()) || !same_place(old, current);
  if (!changed && !moved) return std::nullopt;
  PodChange change = whole_change(current);
  change.pod_changed = changed;
  if (moved && old.labels().kind() == Kind::kObject) change.old_labels = labels_of(old);
  return change;
}

std::vector<Key> services_of(const PodChange& change, const ServiceSelectors& selectors,
                             const Informer<Service>& services) {
  std::set<Key> candidates = selectors.candidates(change.ns, change.labels);
  if (change.old_labels) candidates.merge(selectors.candidates(change.ns, *change.old_labels));
  std::vector<Key> out;
  for (const Key& key : candidates) {
    const Lookup<Service> service = services.get(key);
    if (!service) continue;
    const bool now = selects(*service, change.labels);
    const bool before = change.old_labels && selects(*service, *change.old_labels);
    const bool concerned = change.old_labels && !change.pod_changed ? now != before : now || before;
    if (concerned) out.push_back(key);
  }
  return out;
}

}  // namespace davit::endpoint
