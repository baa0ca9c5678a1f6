#include "plugins/admissionpolicy/matched_kinds.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace davit::admissionpolicy {
namespace {

constexpr int kHitsMax = 10;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& each : out) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  }
  return out;
}

bool has_wildcard(const std::vector<std::string>& list) {
  return std::ranges::any_of(
      list, [](const std::string& each) { return each.find('*') != std::string::npos; });
}

std::vector<ServedKind> kinds_in(const ServedCatalog& catalog) {
  std::vector<ServedKind> out;
  for (const ServedResource& each : catalog.resources) {
    out.push_back(
        {{std::string(each.group()), std::string(each.version()), std::string(each.kind())},
         std::string(each.resource())});
  }
  std::ranges::sort(out);
  return out;
}

/// Why `wanted`, which a catalog lacks, may be there nevertheless: its version is one of those that
/// did not respond. A policy that is checked without the kind is not checked again.
Status doubt_about(const WantedResource& wanted, const std::vector<UnknownVersion>& unknown) {
  if (mutant("kinds-in-doubt")) return {};
  for (const UnknownVersion& each : unknown) {
    if (!wanted.group.empty() && wanted.group != each.group) continue;  // As is_wanted() has it.
    if (wanted.version != each.version) continue;
    return {Code::kUnavailable, "discovery of " + std::string(each.group) + '/' +
                                    std::string(each.version) +
                                    " has failed: " + std::string(each.why)};
  }
  return {};
}

/// Collects the kinds of one rule after the other.
class Collector {
 public:
  explicit Collector(const std::function<std::vector<ServedKind>(const WantedResource&)>& find)
      : find_(find) {}

  /// False: the collection has ended.
  bool add(ResourceRule rule) {
    if (has_wildcard(rule.groups) || has_wildcard(rule.versions)) return true;
    std::erase_if(rule.resources, [](const std::string& each) {
      return each.find_first_of("*/") != std::string::npos;
    });
    for (std::vector<std::string>* list : {&rule.groups, &rule.versions, &rule.resources}) {
      std::ranges::sort(*list);
    }
    int hits = 0;
    for (const std::string& group : rule.groups) {
      for (const std::string& version : rule.versions) {
        for (const std::string& resource : rule.resources) {
          for (ServedKind& each : find_({group, version, resource})) {
            kinds_.insert(std::move(each));
            if (++hits == kHitsMax) return false;
          }
        }
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<ServedKind> kinds() const { return {kinds_.begin(), kinds_.end()}; }

 private:
  const std::function<std::vector<ServedKind>(const WantedResource&)>& find_;
  std::set<ServedKind> kinds_;
};

}  // namespace

bool is_wanted(const ServedKind& served, const WantedResource& wanted) {
  if (!wanted.group.empty() && wanted.group != served.id.group) return false;
  if (wanted.version != served.id.version) return false;
  const std::string name = lower(wanted.resource);
  return name == lower(served.resource) || name == lower(served.id.kind);
}

std::vector<ServedKind> matched_kinds(
    std::vector<ResourceRule> rules,
    const std::function<std::vector<ServedKind>(const WantedResource&)>& find) {
  Collector out(find);
  for (ResourceRule& each : rules) {
    if (!out.add(std::move(each))) break;
  }
  return out.kinds();
}

Result<std::vector<ServedKind>> served_kinds(std::vector<ResourceRule> rules,
                                             const ServedCatalog& known,
                                             const std::function<Result<ServedCatalog>()>& fetch) {
  std::vector<ServedKind> served = kinds_in(known);
  std::optional<ServedCatalog> fresh;
  Status failure;
  const auto find = [&](const WantedResource& wanted) {
    std::vector<ServedKind> out;
    for (const ServedKind& each : served) {
      if (is_wanted(each, wanted)) out.push_back(each);
    }
    return out;
  };
  std::vector<ServedKind> out = matched_kinds(std::move(rules), [&](const WantedResource& wanted) {
    std::vector<ServedKind> found = find(wanted);
    if (!found.empty() || !failure.ok()) return found;
    if (!fresh) {
      Result<ServedCatalog> catalog = fetch();
      if (!catalog) {
        failure = catalog.error();
        return found;
      }
      fresh = std::move(*catalog);
      served = kinds_in(*fresh);
      found = find(wanted);
    }
    if (found.empty()) failure = doubt_about(wanted, fresh->unknown);
    return found;
  });
  if (!failure.ok()) return failure;
  return out;
}

}  // namespace davit::admissionpolicy
