#include "host/run/breadcrumb.hpp"

namespace davit::host {
namespace {

// Per thread by its nature: a crash handler knows nothing but the thread that it runs on.
constinit thread_local const Breadcrumb* current = nullptr;

}  // namespace

const Breadcrumb* current_breadcrumb() noexcept { return current; }

BreadcrumbScope::BreadcrumbScope(const Breadcrumb& crumb) noexcept
    : crumb_(crumb), outer_(current) {
  current = &crumb_;
}

BreadcrumbScope::~BreadcrumbScope() { current = outer_; }

}  // namespace davit::host
