#include "host/crash/quarantine.hpp"

#include <algorithm>
#include <davit/hex.hpp>
#include <map>
#include <utility>

namespace davit::host {
namespace {

/// Staged copies are named <digest>-<number>.so.
constexpr std::size_t kDigestDigits = 64;
/// The digits of the digest that a Breadcrumb holds.
constexpr std::size_t kBuildDigits = 12;

/// The build whose code it was, by the name of its library; empty: another library.
std::string build_of(const std::string& module) {
  const std::string name = std::filesystem::path(module).filename().string();
  if (name.size() <= kDigestDigits || name[kDigestDigits] != '-') return "";
  const std::string digest = name.substr(0, kDigestDigits);
  return is_lower_hex(digest) ? digest.substr(0, kBuildDigits) : "";
}

std::pair<std::string, std::string> crashed_build(const CrashRecord& record) {
  if (!record.plugin.empty()) return {record.plugin, record.build};
  return {"", build_of(record.module)};
}

bool is_same(const QuarantinedBuild& build, const CrashRecord& record) {
  return crashed_build(record) == std::pair(build.plugin, build.build);
}

bool is_of(const QuarantinedBuild& a, const QuarantinedBuild& b) {
  return a.plugin == b.plugin && a.build == b.build;
}

}  // namespace

std::vector<QuarantinedBuild> judge_crashes(const std::vector<CrashRecord>& records,
                                            const QuarantinePolicy& policy) {
  std::map<std::pair<std::string, std::string>, std::vector<const CrashRecord*>> by_build;
  for (const CrashRecord& each : records) {
    const auto who = crashed_build(each);
    if (!who.second.empty()) by_build[who].push_back(&each);
  }
  std::vector<QuarantinedBuild> out;
  for (const auto& [who, crashes] : by_build) {
    if (policy.crashes == 0 || crashes.size() < policy.crashes) continue;
    for (std::size_t first = 0; first + policy.crashes <= crashes.size(); ++first) {
      const CrashRecord& last = *crashes[first + policy.crashes - 1];
      if (last.time - crashes[first]->time > policy.window) continue;
      out.push_back({who.first, who.second, crashes.size(), *crashes.back()});
      break;
    }
  }
  return out;
}

bool still_counts(const CrashRecord& record, const std::vector<QuarantinedBuild>& quarantined,
                  const QuarantinePolicy& policy, WallTime now) {
  if (now - record.time <= policy.window) return true;
  return std::any_of(quarantined.begin(), quarantined.end(),
                     [&](const QuarantinedBuild& each) { return is_same(each, record); });
}

std::string QuarantinedPlugin::text() const {
  std::string out = "plugin " + plugin + " is quarantined: build " + why.build + " crashed " +
                    std::to_string(why.crashes) + " times, last with " + why.last.signal;
  if (!why.last.activity.empty()) out += " in " + why.last.activity;
  if (!why.last.key.empty()) out += " of key \"" + why.last.key + "\"";
  if (!why.last.controller.empty()) out += " of " + why.last.controller;
  return out + "; the next start tries another build, and davit ctl load " + file.string() +
         " tries this one again";
}

Quarantine::Quarantine(std::optional<CrashJournal> journal, QuarantinePolicy policy, WallTime now)
    : journal_(std::move(journal)) {
  if (!journal_) return;
  std::vector<QuarantinedBuild> builds = judge_crashes(journal_->read(), policy);
  // A journal that cannot be shortened still serves.
  (void)journal_->keep(
      [&](const CrashRecord& record) { return still_counts(record, builds, policy, now); });
  builds_ = std::move(builds);
}

std::optional<QuarantinedBuild> Quarantine::find(std::string_view plugin,
                                                 std::string_view digest) const {
  MutexLock lock(mutex_);
  for (const QuarantinedBuild& each : builds_) {
    if (digest.starts_with(each.build) && (each.plugin.empty() || each.plugin == plugin)) {
      return each;
    }
  }
  return std::nullopt;
}

void Quarantine::add(QuarantinedPlugin plugin) {
  MutexLock lock(mutex_);
  quarantined_.push_back(std::move(plugin));
}

std::vector<QuarantinedPlugin> Quarantine::quarantined() const {
  MutexLock lock(mutex_);
  return quarantined_;
}

std::optional<QuarantinedPlugin> Quarantine::lift(std::string_view plugin) {
  std::optional<QuarantinedPlugin> lifted;
  {
    MutexLock lock(mutex_);
    const auto found = std::find_if(quarantined_.begin(), quarantined_.end(),
                                    [&](const auto& each) { return each.plugin == plugin; });
    if (found != quarantined_.end()) {
      lifted = std::move(*found);
      quarantined_.erase(found);
    }
    std::erase_if(builds_, [&](const QuarantinedBuild& each) {
      return each.plugin == plugin || (lifted && is_of(each, lifted->why));
    });
  }
  // If the journal cannot be written, the next start quarantines the plugin again and reports it.
  if (journal_) {
    (void)journal_->keep([&](const CrashRecord& record) {
      return record.plugin != plugin && !(lifted && is_same(lifted->why, record));
    });
  }
  return lifted;
}

}  // namespace davit::host
