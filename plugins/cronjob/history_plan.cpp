#include "plugins/cronjob/history_plan.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace davit::cronjob {

std::vector<Job> surplus_jobs(std::span<const Job> jobs, std::string_view condition,
                              std::size_t limit) {
  std::vector<Job> finished;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(finished), [&](const Job& job) {
    const std::optional<ConditionView> finish = job.finish();
    return finish && finish->type() == condition;
  });
  if (finished.size() <= limit) return {};
  std::sort(finished.begin(), finished.end(), [](const Job& a, const Job& b) {
    const auto rank = [](const Job& job) {
      return std::make_tuple(job.start_time().value_or(WallTime::max()), job.name());
    };
    return rank(a) < rank(b);
  });
  finished.erase(finished.end() - static_cast<std::ptrdiff_t>(limit), finished.end());
  return finished;
}

}  // namespace davit::cronjob
