// SPDX-License-Identifier: MIT
// Golden vectors as cases: folders of case.json and .npy arrays.
#ifndef PLAIT_SRC_CLI_GOLDEN_H
#define PLAIT_SRC_CLI_GOLDEN_H

#include "src/cli/case.h"

namespace plait::cli {

// Where the vectors are when nobody says: beside the installed tool. "" when they are not there.
std::string default_vectors();

// Every folder of `path` that holds a case; Failure for one that cannot be read.
std::vector<Case> golden_cases(const std::string &path);

}  // namespace plait::cli

#endif
