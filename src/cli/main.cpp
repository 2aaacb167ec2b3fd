// SPDX-License-Identifier: MIT
// The plait command. Exit status: 0; 1 when something failed; 2 when the command line is wrong.
#include <plait/version.h>

#include <cstdio>
#include <exception>
#include <string>

#include "src/cli/subcommands.h"

using namespace plait::cli;

int main(int argc, char **argv) {
  const Subcommand *const subcommands[] = {&kInfo, &kAudit, &kBench};
  std::string help = "usage: plait SUBCOMMAND [options]\n       plait --help | --version\n\n";
  for (const Subcommand *s : subcommands)
    help += std::string("  ") + s->name + std::string(8 - std::string(s->name).size(), ' ') +
            s->summary + "\n";
  help += "\nplait SUBCOMMAND --help lists its options.\n";

  const std::string word = argc > 1 ? argv[1] : "";
  if (word == "--help" || word == "-h") {
    fputs(help.c_str(), stdout);
    return 0;
  }
  if (word == "--version") {
    printf("plait %s\n", plait_version_string());
    return 0;
  }
  for (const Subcommand *s : subcommands) {
    if (word != s->name) continue;
    for (int i = 2; i < argc; ++i)
      if (std::string(argv[i]) == "--help" || std::string(argv[i]) == "-h") {
        fputs(usage(*s).c_str(), stdout);
        return 0;
      }
    try {
      return s->run(Options(*s, argc - 2, argv + 2));
    } catch (const UsageError &error) {
      fprintf(stderr, "plait %s: %s\n%s", s->name, error.what(), usage(*s).c_str());
      return 2;
    } catch (const std::exception &error) {
      fprintf(stderr, "plait %s: %s\n", s->name, error.what());
      return 1;
    }
  }
  if (!word.empty()) fprintf(stderr, "plait: unknown subcommand '%s'\n", word.c_str());
  fputs(help.c_str(), stderr);
  return 2;
}
