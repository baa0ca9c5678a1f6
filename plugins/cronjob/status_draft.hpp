/// StatusDraft: the status of a CronJob, as a sync changes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/cronjob/cron_job.hpp"

namespace davit::cronjob {

/// A Job in status.active.
struct JobReference {
  std::string json;  ///< As it is stored.
  std::string ns;
  std::string name;
  std::string uid;

  [[nodiscard]] static JobReference read(Value value);
  [[nodiscard]] static JobReference to(const Job& job);
};

/// A copy of the stored status, and what is to be written of it.
class StatusDraft {
 public:
  explicit StatusDraft(const CronJob& cron_job);

  [[nodiscard]] const std::vector<JobReference>& active() const { return active_; }
  [[nodiscard]] bool lists(std::string_view uid) const;
  [[nodiscard]] bool lists_name(std::string_view ns, std::string_view name) const;

  /// Takes a newer state as its base and keeps the changes made so far.
  void rebase(const CronJob& newer);
  void add(const Job& job);
  void remove(std::string_view uid);
  void set_last_schedule(Instant start) { last_schedule_ = start; }
  /// Takes note of a Job that completed; the latest one counts.
  void set_last_successful(WallTime time);

  [[nodiscard]] std::optional<Instant> last_schedule() const { return last_schedule_; }
  [[nodiscard]] bool is_changed() const { return !text_of_changes().empty(); }

  /// A merge patch of the status subresource, provided that the server still has the version of
  /// `cron_job`.
  [[nodiscard]] std::string patch(const CronJob& cron_job) const;

 private:
  /// The changed members of the status; empty: none.
  [[nodiscard]] std::string text_of_changes() const;

  std::vector<JobReference> active_;
  bool has_new_active_ = false;
  std::vector<std::string> removed_;  ///< UIDs.
  std::optional<Instant> stored_schedule_;
  std::optional<Instant> last_schedule_;
  std::optional<WallTime> stored_successful_;
  std::optional<WallTime> last_successful_;
};

}  // namespace davit::cronjob
