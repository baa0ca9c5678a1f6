"""note_mistakes.py CXX INCLUDE: each mistake in a declaration is a compile error that names it."""
import subprocess
import sys

SOURCE = """
#include <davit/entry.hpp>
#include <davit/kube/pod.hpp>
using namespace davit;
namespace {
class Idle : public Controller {
 public:
  explicit Idle(Context&) {}
};
class Nameless : public ObjectView {
 public:
  static constexpr Resource kResource{"example.com", "", "", "Nameless"};
  using ObjectView::ObjectView;
};
constexpr void declare(Note& note) { note%s; }
}  // namespace
DAVIT_PLUGIN(declare);
"""
PLUGIN = '.plugin("a", "1")'
CONTROLLER = '.controller({.name = "c", .factory = &make<Idle>})'
# The declaration, and the error; none: it is fine.
CASES = [
    (PLUGIN + CONTROLLER, None),
    (CONTROLLER, 'error_plugin_is_declared_once_and_first'),
    (PLUGIN + PLUGIN + CONTROLLER, 'error_plugin_is_declared_once_and_first'),
    (PLUGIN, 'error_a_note_needs_a_controller'),
    (PLUGIN + CONTROLLER + '.needs("davit.http/1")', 'error_needs_comes_between_plugin_and_controller'),
    (PLUGIN + '.controller({.name = "c", .factory = nullptr})', 'error_a_controller_needs_a_factory'),
    (PLUGIN + CONTROLLER + CONTROLLER, 'error_two_controllers_have_the_same_name'),
    (PLUGIN + '.rule<Pod>({"get"})', 'error_rules_and_watches_follow_a_controller'),
    (PLUGIN + CONTROLLER + '.watch<Pod>().rule<Pod>({"get"})',
     'error_the_order_is_rules_then_watches_then_http'),
    (PLUGIN + CONTROLLER + '.rule<Pod>({})', 'error_a_rule_needs_a_verb'),
    (PLUGIN + CONTROLLER + '.rule<Nameless>({"get"})', 'error_a_rule_needs_a_resource'),
    (PLUGIN + CONTROLLER + '.watch<Nameless>()', 'error_a_watch_needs_a_version_and_a_resource'),
    ('.plugin("A b", "1")' + CONTROLLER, 'error_names_have_lower_case_letters_digits_and_dashes'),
    (PLUGIN + CONTROLLER + '.rule<Pod>({"g\\n"})', 'error_texts_have_no_control_characters'),
]


def main():
    compiler, include = sys.argv[1:]
    failed = False
    for declaration, error in CASES:
        run = subprocess.run([compiler, '-std=c++20', '-fsyntax-only', '-I', include, '-x', 'c++', '-'],
                             input=SOURCE % declaration, capture_output=True, text=True, check=False)
        fine = run.returncode == 0 if error is None else run.returncode != 0 and error in run.stderr
        if not fine:
            failed = True
            print(f'{declaration}\nexpected {error}, got {run.returncode}\n{run.stderr[:2000]}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
