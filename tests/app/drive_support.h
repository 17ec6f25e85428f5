#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.h"
#include "support.h"

namespace attnscope::test {

using Json = nlohmann::json;

class DriveCommand : public testing::Test {
protected:
  ProgramRun drive(const std::string& script, const std::string& out = "out") const {
    put_text(folder_ / "script.json", script);
    return run_program({"drive", (folder_ / "script.json").string(), "-o", (folder_ / out).string()});
  }
  // A script of these steps, on the example with two heads and dropout 0.
  ProgramRun drive_steps(const std::string& steps, const std::string& out = "out") const {
    return drive(R"({"document": "example:multi_head_attention", "steps": [)" + steps + "]}", out);
  }
  std::string refusal(const std::string& script) const {
    const ProgramRun run = drive(script);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_TRUE(run.err.starts_with("attnscope: " + (folder_ / "script.json").string() + ": ")) << run.err;
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
    return run.err;
  }
  Json reading(const std::string& name = "out/a.json") const { return Json::parse(text_of(folder_ / name)); }

  static Json find(const Json& list, const std::string& key, const std::string& wanted) {
    for (const Json& item : list) {
      if (item.at(key) == wanted) return item;
    }
    throw std::runtime_error("There is no " + wanted);
  }
  static Json widget(const Json& read, const std::string& name) { return find(read.at("widgets"), "name", name); }
  static bool has_widget(const Json& read, const std::string& name) {
    return std::ranges::any_of(read.at("widgets"), [&](const Json& each) { return each.at("name") == name; });
  }
  static Json matrix(const Json& read, const std::string& stage) { return find(read.at("matrices"), "stage", stage); }

  TemporaryFolder folder_;
};

}  // namespace attnscope::test
