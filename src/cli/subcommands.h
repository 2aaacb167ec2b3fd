// SPDX-License-Identifier: MIT
// The subcommands, each in the file of its name.
#ifndef PLAIT_SRC_CLI_SUBCOMMANDS_H
#define PLAIT_SRC_CLI_SUBCOMMANDS_H

#include "src/cli/options.h"

namespace plait::cli {

extern const Subcommand kInfo;
extern const Subcommand kAudit;
extern const Subcommand kBench;

}  // namespace plait::cli

#endif
