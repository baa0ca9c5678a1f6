#include "host/run/breadcrumb.hpp"

#include "host/run/alternate_stack.hpp"

namespace davit::host {
namespace {

// Per thread by its nature: a crash handler knows nothing but the thread that it runs on.
constinit thread_local const Breadcrumb* current = nullptr;
constinit thread_local bool prepared = false;  // This thread has been in a scope before.

}  // namespace

const Breadcrumb* current_breadcrumb() noexcept { return current; }

BreadcrumbScope::BreadcrumbScope(const Breadcrumb& crumb) noexcept
    : crumb_(crumb), outer_(current) {
  if (!prepared) {
    ensure_alternate_stack();
    prepared = true;
  }
  current = &crumb_;
}

BreadcrumbScope::~BreadcrumbScope() { current = outer_; }

}  // namespace davit::host
