#include "cli/dev/dev_child.hpp"

#include <davit/result.hpp>
#include <utility>

namespace davit::host {

std::unique_ptr<DevChild> DevChild::start(const Work& work) {
  Result<Pipe> orders = Pipe::open();
  Result<Pipe> reports = Pipe::open();
  if (!orders || !reports) return nullptr;
  const int order_in = orders->read.get();
  const int report_out = reports->write.get();
  const auto run = [&] {
    LineReader reader(order_in);
    work(reader, LineWriter(report_out));
  };
  Result<ChildProcess> process =
      ChildProcess::start(ChildProcess::Function{.run = run, .kept = {order_in, report_out}});
  if (!process) return nullptr;
  return std::make_unique<DevChild>(std::move(*process), std::move(orders->write),
                                    std::move(reports->read));
}

DevChild::DevChild(ChildProcess process, UniqueFd orders, UniqueFd reports)
    : process_(std::move(process)),
      orders_(std::move(orders)),
      reports_fd_(std::move(reports)),
      reports_(reports_fd_.get()) {}

std::string DevChild::end(std::chrono::milliseconds limit) {
  orders_.reset();
  static_cast<void>(process_.wait_until(std::chrono::steady_clock::now() + limit));
  process_.kill();
  const ExitStatus status = process_.reap();
  return status.ok() ? "" : status.text();
}

}  // namespace davit::host
