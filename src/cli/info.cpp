// SPDX-License-Identifier: MIT
// plait info: what this build is, what it can use here, and why it cannot use the rest.
#include <cstdio>
#include <cstdlib>

#include "src/cli/api.h"
#include "src/cli/json.h"
#include "src/cli/subcommands.h"
#include "src/cli/table.h"

namespace plait::cli {
namespace {

// The variables of plait_context_desc that are set.
Json environment() {
  Json set = Json::object();
  for (const char *name :
       {"PLAIT_BACKEND", "PLAIT_BACKEND_DIR", "PLAIT_THREADS", "PLAIT_IMPLEMENTATION", "PLAIT_LOG"})
    if (const char *value = getenv(name)) set.set(name, value);
  return set;
}

Json device(int32_t backend, int32_t ordinal) {
  Json json = Json::object();
  json.set("ordinal", ordinal);
  try {
    const Context context(backend, ordinal, 0);
    const plait_context_info &info = context.info();
    json.set("name", info.device_name).set("architecture", info.architecture);
    if (context.gpu())
      json.set("compute_units", info.compute_units).set("wave_size", info.wave_size);
    else
      json.set("threads", info.threads).set("simd_f32_lanes", info.wave_size);
    json.set("memory_bytes", info.memory_bytes);
  } catch (const Failure &failure) {
    json.set("error", failure.what());
  }
  return json;
}

Json backend(int32_t number) {
  plait_backend_info info = {};
  info.struct_size = sizeof info;
  check(plait_backend_probe(number, nullptr, &info), "probe");
  Json json = Json::object();
  json.set("name", backend_name(number)).set("available", info.available != 0);
  if (info.path[0]) json.set("path", info.path);
  if (info.reason[0]) json.set("reason", info.reason);
  Json devices = Json::array();
  for (int32_t i = 0; info.available && i < info.device_count; ++i) devices.push(device(number, i));
  return json.set("devices", devices);
}

void print(const Json &json) {
  printf("plait %s, ABI %s\n", json.at("version").string().c_str(),
         json.at("abi").string().c_str());
  for (const Json &item : json.at("backends").items()) {
    const bool available = item.at("available").string() == "true";
    printf("%-5s %s\n", item.at("name").string().c_str(),
           available ? "available" : ("not available: " + item.at("reason").string()).c_str());
    if (available && item.has("path"))
      printf("      library %s\n", item.at("path").string().c_str());
    for (const Json &d : item.at("devices").items()) {
      printf("      device %s: ", d.at("ordinal").string().c_str());
      if (d.has("error")) {
        printf("%s\n", d.at("error").string().c_str());
        continue;
      }
      printf("%s, %s", d.at("name").string().c_str(), d.at("architecture").string().c_str());
      if (d.has("threads"))
        printf(", %s threads, %s f32 lanes", d.at("threads").string().c_str(),
               d.at("simd_f32_lanes").string().c_str());
      else
        printf(", %s compute units, waves of %s", d.at("compute_units").string().c_str(),
               d.at("wave_size").string().c_str());
      const double memory = d.at("memory_bytes").number();
      if (memory > 0) printf(", %.1f GiB", memory / (1 << 30));
      printf("\n");
    }
  }
  printf("chosen when nothing is asked: %s\n", json.at("default").string().c_str());
  const Json &variables = json.at("environment");
  for (size_t i = 0; i < variables.names().size(); ++i)
    printf("%s %s=%s\n", i ? "           " : "environment", variables.names()[i].c_str(),
           variables.items()[i].string().c_str());
  if (variables.names().empty()) printf("environment none of the PLAIT_ variables is set\n");
}

int run(const Options &options) {
  Json json = Json::object();
  json.set("version", plait_version_string()).set("abi", plait_abi_version());
  Json backends = Json::array();
  for (const int32_t number : {PLAIT_BACKEND_CPU, PLAIT_BACKEND_HIP, PLAIT_BACKEND_CUDA})
    backends.push(backend(number));
  json.set("backends", backends);
  try {
    const Context context(PLAIT_BACKEND_AUTO, -1, 0);
    json.set("default", backend_name(context.info().backend));
  } catch (const Failure &failure) {
    json.set("default", failure.what());
  }
  json.set("environment", environment());
  if (options.has("json"))
    printf("%s\n", json.dump().c_str());
  else
    print(json);
  return 0;
}

}  // namespace

const Subcommand kInfo = {
    "info",
    "Prints the version, the backends and devices, why one is missing, and the environment.",
    {{"json", nullptr, "print JSON"}},
    run,
};

}  // namespace plait::cli
