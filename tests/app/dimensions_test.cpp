// Names of the inputs' dimensions: in documents, in edits, in words and code, and above the columns of diagrams.

#include <algorithm>

#include "core/config.h"
#include "document/builtin.h"
#include "document/document.h"
#include "document/edit.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

Document named() { return opening_document(); }
Names names_of(const Document& document) { return document.config.dimensions.copy(); }
std::string refusal(const char* json) {
  return error_of([&] { parse_document(json); }).what();
}

TEST(Dimensions, AreReadAndWritten) {
  const Document document = named();
  EXPECT_EQ(names_of(document), (Names{"thing", "action", "pronoun", "glue"}));
  EXPECT_EQ(parse_document(to_json(document)), document);
  EXPECT_EQ(to_json(parse_document("{}")).find("dimensions"), std::string::npos) << "none are written";
  Document other = document;
  rename_dimension(other, 0, "being");
  EXPECT_FALSE(other == document);
  EXPECT_EQ(parse_document(R"({"dimensions": []})"), parse_document("{}"));
  EXPECT_EQ(parse_document(R"({"dimensions": ["", "", ""]})"), parse_document("{}"));
}

TEST(Dimensions, AreRefusedInASentence) {
  EXPECT_TRUE(says(refusal(R"({"dimensions": ["a"]})"), {"dimensions has 1 name", "3 numbers", "or none has"}));
  EXPECT_TRUE(says(refusal(R"({"dimensions": "a"})"), {"dimensions is \"a\"", "an array of strings"}));
  EXPECT_TRUE(says(refusal(R"({"dimensions": [1, 2, 3]})"), {"dimensions[0]"}));
  EXPECT_TRUE(says(refusal(R"({"mechanism": "scaled_dot_product_attention", "dimensions": ["a"], "given":
      {"queries": [[1]], "keys": [[1]], "values": [[1]]}})"),
                   {"dimensions names the numbers of inputs"}));
  Document document = named();
  EXPECT_TRUE(says(error_of([&] { rename_dimension(document, 0, std::string(1001, 'x')); }).what(),
                   {"dimensions[0]", "1001 bytes"}));
  EXPECT_TRUE(says(error_of([&] { rename_dimension(document, 0, "\xff"); }).what(), {"dimensions[0]", "UTF-8"}));
  EXPECT_TRUE(says(error_of([&] { rename_dimension(document, 4, "x"); }).what(), {"no dimension 5"}));
  EXPECT_EQ(document, named());
}

TEST(Dimensions, StayWhenOthersComeAndGo) {
  Document document = named();
  add_feature(document);
  EXPECT_EQ(names_of(document), (Names{"thing", "action", "pronoun", "glue", ""}));
  remove_feature(document);
  remove_feature(document);
  EXPECT_EQ(names_of(document), (Names{"thing", "action", "pronoun"}));
  set_inputs(document, {{1, 2}, {3, 4}});
  EXPECT_EQ(names_of(document), (Names{"thing", "action"}));
  set_sentence(document, "a new sentence");
  EXPECT_EQ(names_of(document), (Names{"thing", "action"}));
  set_mechanism(document, Mechanism::simple_self_attention);
  EXPECT_EQ(names_of(document), (Names{"thing", "action"}));
  rename_dimension(document, 0, "");
  rename_dimension(document, 1, "");
  EXPECT_TRUE(document.config.dimensions.empty()) << "names without any text are none";
}

TEST(Dimensions, AreUndone) {
  History history(named());
  Document edited = named();
  rename_dimension(edited, 3, "filler");
  EXPECT_TRUE(history.edit(edited, "dimension name"));
  history.finish();
  EXPECT_TRUE(history.undo());
  EXPECT_EQ(history.current(), named());
}

TEST(Dimensions, StandForTheAxisThatCountsThem) {
  Document document = named();
  const AttentionConfig& config = document.config;
  EXPECT_EQ(column_dimension(config, Stage::inputs, 1), "action");
  EXPECT_EQ(column_dimension(config, Stage::query_weight, 2), "pronoun");
  EXPECT_EQ(row_dimension(config, Stage::query_weight, 2), "") << "its rows are the outputs of nn.Linear";
  EXPECT_EQ(column_dimension(config, Stage::queries, 0), "");
  EXPECT_EQ(column_dimension(config, Stage::output_weight, 0), "");
  EXPECT_EQ(column_dimension(config, Stage::context, 0), "");
  set_mechanism(document, Mechanism::self_attention_v1);
  EXPECT_EQ(row_dimension(config, Stage::key_weight, 0), "thing") << "an nn.Parameter is (d_in, d_out)";
  EXPECT_EQ(column_dimension(config, Stage::key_weight, 0), "");
  set_mechanism(document, Mechanism::simple_self_attention);
  EXPECT_EQ(column_dimension(config, Stage::context, 3), "glue") << "the inputs themselves are mixed";
}

TEST(InventedWords, AreThoseWhoseNumbersNobodyChanged) {
  Document document = named();
  EXPECT_TRUE(invented_words(document).empty());
  set_sentence(document, "the dog slept dog");
  EXPECT_EQ(invented_words(document), Names{"dog"});
  set_input(document, 1, 0, 0.995F);
  EXPECT_EQ(invented_words(document), Names{"dog"}) << "the second one still has them";
  set_input(document, 3, 0, 0.995F);
  EXPECT_TRUE(invented_words(document).empty());
}

}  // namespace
}  // namespace attnscope::test
