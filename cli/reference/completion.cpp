#include "cli/reference/completion.hpp"

#include <string_view>

namespace davit::host {
namespace {

/// `text` between apostrophes; an apostrophe within is left out.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c != '\'') out.push_back(c);
  }
  return out + "'";
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& each : words) out += (out.empty() ? "" : " ") + each;
  return out;
}

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

/// The words that may follow `command`: its commands, its flags, and the choices of its arguments.
std::vector<std::string> words_of(const CommandText& command) {
  std::vector<std::string> out;
  for (const CommandText& each : command.commands) out.push_back(last_word(each.name));
  for (const FlagText& each : command.flags) {
    out.insert(out.end(), each.names.begin(), each.names.end());
  }
  for (const ArgumentText& each : command.arguments) {
    out.insert(out.end(), each.choices.begin(), each.choices.end());
  }
  return out;
}

/// The tables of bash and zsh, as arms of `case`: commands by path, words by path, values by path
/// and flag.
struct Arms {
  std::string commands;
  std::string words;
  std::string values;
};

void add_arms(const CommandText& command, Arms& arms) {
  arms.words += "    " + shell_word(command.name) +
                ") offered=" + shell_word(joined(words_of(command))) + " ;;\n";
  for (const FlagText& flag : command.flags) {
    if (flag.value.empty() && flag.choices.empty()) continue;
    std::string patterns;
    for (const std::string& name : flag.names) {
      patterns += (patterns.empty() ? "" : "|") + shell_word(command.name + " " + name);
    }
    arms.values +=
        "    " + patterns + ") values=" + shell_word(joined(flag.choices)) + " takes_value=1 ;;\n";
  }
  for (const CommandText& each : command.commands) {
    arms.commands += (arms.commands.empty() ? "" : "|") + shell_word(each.name);
    add_arms(each, arms);
  }
}

/// Finds the command in the words before the cursor, then what may stand at the cursor. `count` is
/// the number of words before the cursor, `word` reads the one with number $i.
std::string lookup(const Arms& arms, const std::string& first, const std::string& last,
                   const std::string& word, const std::string& previous) {
  return "  local at=davit offered= values= takes_value= i word\n"
         "  for ((i = " +
         first + "; i < " + last + "; i++)); do\n    word=" + word +
         "\n    case \"$at $word\" in\n      " + arms.commands +
         ") at=\"$at $word\" ;;\n    esac\n  done\n  case \"$at " + previous + "\" in\n" +
         arms.values + "  esac\n  case \"$at\" in\n" + arms.words + "  esac\n";
}

std::string bash_script(const Arms& arms) {
  return "# Completion of davit for bash: source <(davit completion bash)\n"
         "_davit() {\n" +
         lookup(arms, "1", "COMP_CWORD", "${COMP_WORDS[i]}", "${COMP_WORDS[COMP_CWORD-1]}") +
         "  local current=${COMP_WORDS[COMP_CWORD]}\n"
         "  [[ -z $takes_value ]] || offered=$values\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$offered\" -- \"$current\")\n"
         "}\n"
         "complete -o default -F _davit davit\n";
}

std::string zsh_script(const Arms& arms) {
  return "#compdef davit\n"
         "# Completion of davit for zsh: davit completion zsh > \"${fpath[1]}/_davit\"\n"
         "_davit() {\n" +
         lookup(arms, "2", "CURRENT", "${words[i]}", "${words[CURRENT-1]}") +
         "  [[ -z $takes_value ]] || offered=$values\n"
         "  if [[ -n $offered ]]; then compadd -- ${=offered}; fi\n"
         "  if [[ -n $takes_value && -z $values || -z $offered ]]; then _files; fi\n"
         "}\n"
         "if [[ $funcstack[1] == _davit ]]; then _davit \"$@\"; else compdef _davit davit; fi\n";
}

void add_fish_lines(const CommandText& command, std::string& out) {
  const std::string condition = "__davit_at " + shell_word(command.name);
  const std::string line = "complete -c davit -n \"" + condition + "\"";
  for (const CommandText& each : command.commands) {
    out += line + " -f -a " + last_word(each.name) + " -d " + shell_word(each.text) + "\n";
  }
  for (const FlagText& flag : command.flags) {
    out += line;
    for (const std::string& name : flag.names) {
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!flag.choices.empty()) {
      out += " -x -a " + shell_word(joined(flag.choices));
    } else if (!flag.value.empty()) {
      out += " -r";
    }
    out += " -d " + shell_word(flag.text) + "\n";
  }
  for (const ArgumentText& each : command.arguments) {
    if (!each.choices.empty()) out += line + " -f -a " + shell_word(joined(each.choices)) + "\n";
  }
  for (const CommandText& each : command.commands) add_fish_lines(each, out);
}

std::string fish_script(const CommandText& program, const Arms& arms) {
  std::string commands = arms.commands;
  for (std::size_t bar = 0; (bar = commands.find('|', bar)) != std::string::npos;) {
    commands[bar] = ' ';
  }
  std::string out =
      "# Completion of davit for fish: davit completion fish | source\n"
      "function __davit_at\n"
      "  set -l path davit\n"
      "  for word in (commandline -opc)[2..]\n"
      "    contains -- \"$path $word\" " +
      commands +
      "\n    and set path \"$path $word\"\n  end\n  test \"$path\" = \"$argv[1]\"\nend\n";
  add_fish_lines(program, out);
  return out;
}

}  // namespace

std::string completion_script(const CommandText& program, Shell shell) {
  Arms arms;
  add_arms(program, arms);
  switch (shell) {
    case Shell::kBash:
      return bash_script(arms);
    case Shell::kZsh:
      return zsh_script(arms);
    case Shell::kFish:
      return fish_script(program, arms);
  }
  return "";
}

}  // namespace davit::host
