#include <algorithm>
#include <cmath>

#include "core/evaluate.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "files/code.h"
#include "support.h"

namespace attnscope::test {
namespace {

bool has(const std::string& text, std::string_view piece) { return text.find(piece) != std::string::npos; }

Document dropping(Index tokens, DropoutKernel kernel) {
  Document document;
  document.config.inputs = RandnInputs{tokens, 3};
  document.tokens = numbered_tokens(tokens);
  document.config.dropout = 0.5;
  document.config.dropout_kernel = kernel;
  return document;
}

TEST(Code, OfEveryBuiltinDocumentEndsWithTheResult) {
  for (const BuiltinDocument& builtin : builtin_documents()) {
    SCOPED_TRACE(builtin.id);
    const Document document = parse_document(builtin.json);
    const std::string result = has_stage(document.config, Stage::output) ? "output=output" : "context=context";
    EXPECT_TRUE(has(code_of(document, CodeLanguage::pytorch), result));
    if (builtin.id == "gpt2_sized") continue;
    EXPECT_TRUE(has(code_of(document, CodeLanguage::numpy), result));
    EXPECT_TRUE(code_of(document, CodeLanguage::latex).ends_with("\\end{document}\n"));
  }
}

// The code of PyTorch needs no evaluation, so the generator is led past what an evaluation draws.
TEST(Code, FindsTheGeneratorAsDropoutDoes) {
  for (const Mechanism mechanism :
       {Mechanism::causal_attention, Mechanism::multi_head_attention_wrapper, Mechanism::multi_head_attention}) {
    for (const Index tokens : {1, 2, 5, 7, 8, 11, 16, 33}) {
      AttentionConfig config = dropping(tokens, DropoutKernel::mkl).config;
      config.mechanism = mechanism;
      config.skip_draws = 5;
      config.qkv_bias = tokens % 2 == 0;
      EXPECT_TRUE(generator_before_dropout(config) == evaluate(config).after_parameters) << tokens;
      config.dropout_seed = 9;
      EXPECT_TRUE(generator_before_dropout(config) == Generator(9));
    }
  }
}

TEST(Code, CarriesTheMaskAsDataWhileItIsSmall) {
  const std::string small = code_of(dropping(70, DropoutKernel::mkl), CodeLanguage::pytorch);  // 2 heads of 70 x 70
  EXPECT_TRUE(has(small, "kept = torch.tensor([\n"));
  EXPECT_TRUE(has(small, "as data so that every PyTorch prints these numbers"));
  const std::string by_mkl = code_of(dropping(71, DropoutKernel::mkl), CodeLanguage::pytorch);
  EXPECT_TRUE(has(by_mkl, "def kept_by_mkl(start, shape, p)"));
  EXPECT_FALSE(has(by_mkl, "kept = torch.tensor("));
  const std::string by_default = code_of(dropping(71, DropoutKernel::standard), CodeLanguage::pytorch);
  EXPECT_TRUE(has(by_default, "dtype=torch.float64"));
  EXPECT_FALSE(has(by_default, "kept_by_mkl"));
}

TEST(Code, CarriesNoMaskWhereNothingIsDrawn) {
  Document document = dropping(6, DropoutKernel::mkl);
  for (const double rate : {0.0, 1.0}) {
    document.config.dropout = rate;
    EXPECT_FALSE(has(code_of(document, CodeLanguage::pytorch), "kept"));
    EXPECT_TRUE(has(code_of(document, CodeLanguage::pytorch), rate == 0 ? "dropout=0.0" : "dropout=1.0"));
  }
  document.config.dropout = 0.5;
  document.config.training = false;
  EXPECT_FALSE(has(code_of(document, CodeLanguage::pytorch), "kept"));
  EXPECT_TRUE(has(code_of(document, CodeLanguage::pytorch), "attention.eval()"));
}

TEST(Code, TooLargeToBeWrittenOutIsAnError) {
  Document document;
  document.config.inputs = RandnInputs{max_tokens, max_features};
  document.config.mechanism = Mechanism::multi_head_attention_wrapper;
  document.config.num_heads = max_heads;
  document.config.d_out = max_features;
  document.tokens = numbered_tokens(max_tokens);
  EXPECT_TRUE(says(error_of([&] { code_of(document, CodeLanguage::numpy); }).what(),
                   {"The NumPy code would contain", "at most 100000"}));
  EXPECT_FALSE(code_needs_result(document, CodeLanguage::latex));
  EXPECT_TRUE(has(code_of(document, CodeLanguage::latex), "too large to print"));
  document.config.inputs = Tensor({max_tokens, 40});
  EXPECT_TRUE(says(error_of([&] { code_of(document, CodeLanguage::pytorch); }).what(),
                   {"The PyTorch code would contain 163840 numbers", "embeddings and edited weights"}));
}

TEST(Code, RefusesBadDocuments) {
  Document document = default_document();
  document.config.num_heads = 3;
  EXPECT_EQ(error_of([&] { code_of(document, CodeLanguage::pytorch); }).field, "num_heads");
}

TEST(Code, NamesOfTokensStayInTheirComments) {
  Document document = default_document();
  rename_token(document, 0, "a\nimport os\r");
  rename_token(document, 1, "b\u202e");  // would turn the line round, and what it does with it
  for (const CodeLanguage language : {CodeLanguage::pytorch, CodeLanguage::numpy}) {
    const std::string code = code_of(document, language);
    EXPECT_TRUE(has(code, "# a\\nimport os\\r\n"));
    EXPECT_TRUE(has(code, "# b\\u202e\n"));
    EXPECT_FALSE(has(code, "\nimport os"));
    EXPECT_FALSE(has(code, "\r"));
  }
}

TEST(Code, OfNumbersReadsBackTheSameBits) {
  std::string code;
  append_list(code, Tensor({1, 6}, {1, -0.0F, 0.1F, 16777216, 1e-45F, 3.4028235e38F}), "");
  EXPECT_EQ(code, "[\n    [1., -0., 0.1, 16777216., 1e-45, 3.4028235e+38],\n]");
}

TEST(Latex, NamesOfTokensAreTextOrPositions) {
  EXPECT_EQ(latex_label("one", 4), "\\text{one}");
  EXPECT_EQ(latex_label("a_b%", 0), "\\text{a\\_b\\%}");
  EXPECT_EQ(latex_label("caf\u00e9", 0), "\\text{caf\u00e9}");
  EXPECT_EQ(latex_label("\u6ce8\u610f", 2), "x_{3}");
  EXPECT_EQ(latex_label("\u00de", 2), "x_{3}");
  EXPECT_EQ(latex_label("a\nb", 0), "x_{1}");
  EXPECT_EQ(latex_label(std::string(30, 'n'), 0), "\\text{" + std::string(24, 'n') + "\\dots}");
}

TEST(Latex, NumbersHaveFourDecimalsAndNeverABareExponential) {
  EXPECT_EQ(latex_number(0.25F, false), "0.2500");
  EXPECT_EQ(latex_number(0.25F, true), "\\phantom{-}0.2500");
  EXPECT_EQ(latex_number(-0.25F, true), "-0.2500");
  EXPECT_EQ(latex_number(-1e-9F, false), "0.0000");
  EXPECT_EQ(latex_number(-2e8F, true), "-2.0000 \\cdot 10^{8}");
  EXPECT_EQ(latex_number(-INFINITY, true), "-\\infty");
}

}  // namespace
}  // namespace attnscope::test
