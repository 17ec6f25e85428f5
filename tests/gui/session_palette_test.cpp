// Everything by its name: what is found for what is typed, and what it does.

#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

TEST(Fuzzy, WordsCountMoreAtTheirBeginningAndInAnyOrder) {
  EXPECT_GT(fuzzy_score("attention weights", "weights"), fuzzy_score("dropped overweights", "weights"));
  EXPECT_GT(fuzzy_score("weights", "wei"), fuzzy_score("attention weights", "wei"));
  EXPECT_GT(fuzzy_score("A model: four layers of heads that tell stories Example", "model"),
            fuzzy_score("Reading a model Lesson", "model"))
      << "a sentence about it makes a name no longer";
  EXPECT_EQ(fuzzy_score("Dark theme", "THEME dark"), fuzzy_score("Dark theme", "theme dark"));
  EXPECT_TRUE(fuzzy_score("renormalized weights", "rewei"));
  EXPECT_FALSE(fuzzy_score("weights", "weights mask"));
  EXPECT_TRUE(fuzzy_score("anything", ""));
}

std::vector<PaletteEntry> found(HeadlessApp& app, const std::string& typed) {
  return found_entries(palette_entries(ViewContext(app.session().shown(), {})), typed);
}

TEST(Palette, FindsWhateverThereIsByItsName) {
  HeadlessApp app;
  for (const auto& [typed, id] :
       {std::pair("quit", "file/quit"), std::pair("dark", "view/dark"), std::pair("scaled", "stage/scaled_scores"),
        std::pair("wrapper mechanism", "mechanism/multi_head_attention_wrapper"),
        std::pair("divide", "question/scaling"), std::pair("future masked", "lesson/mask"),
        std::pair("teaching sentence", "study/sentence"), std::pair("dropout", "setup/dropout"),
        std::pair("num_heads", "setup/num_heads"), std::pair("soft cap", "setup/softcap")}) {
    const std::vector<PaletteEntry> entries = found(app, typed);
    const auto at = std::ranges::find(entries, id, &PaletteEntry::id);
    ASSERT_NE(at, entries.end()) << typed;
    EXPECT_LT(at - entries.begin(), 5) << typed;
  }
  EXPECT_TRUE(found(app, "no such thing at all").empty());
}

// Questions in words of one's own find the nearest answer.
TEST(Palette, FindsTheNearestAnswerToAQuestion) {
  HeadlessApp app;
  for (const auto& [typed, id] : std::initializer_list<std::pair<const char*, const char*>>{
           {"why divide by √d_k?", "question/scaling"},
           {"why divide by sqrt", "question/scaling"},
           {"why rows and not columns", "question/softmax_axis"},
           {"why -inf and not 0", "question/minus_infinity"},
           {"what happens to the row sums with dropout?", "question/row_sums"},
           {"were these weights trained, or are they random?", "question/trained"},
           {"I change one number of one word: what else changes?", "question/changes"},
           {"which words does the mask hide, the future?", "question/hide_or_show"},
           {"wrapper of heads or one class: is it the same?", "question/wrapper"},
           {"my rows don't add up to 1", "question/row_sums"}}) {
    const std::vector<PaletteEntry> entries = found(app, typed);
    ASSERT_FALSE(entries.empty()) << typed;
    EXPECT_EQ(entries.front().id, id) << typed;
  }
}

// The words that students type, each with the entry that stands first.
TEST(Palette, FindsFirstWhatAStudentMeans) {
  HeadlessApp app;
  for (const auto& [typed, id] : std::initializer_list<std::pair<const char*, const char*>>{
           {"d_k", "question/scaling"},
           {"sqrt", "question/scaling"},
           {"√d_k", "question/scaling"},
           {"numpy", "edit/copy/numpy"},
           {"pytorch", "edit/copy/pytorch"},
           {"code", "edit/copy/pytorch"},
           {"latex", "edit/copy/latex"},
           {"markdown", "edit/copy_stage/markdown"},
           {"excel", "edit/copy_stage/table"},
           {"handout", "file/figure"},
           {"export", "file/figure"},
           {"pdf", "file/figure"},
           {"gif", "file/figure"},
           {"output projection", "question/out_proj"},
           {"W_o", "question/out_proj"},
           {"positional", "question/order"},
           {"positions", "question/order"},
           {"rope", "setup/rope.layout"},
           {"interface scale", "settings/scale/75"},
           {"font size", "settings/scale/75"},
           {"token", "setup/tokens"},
           {"sentence", "setup/tokens"},
           {"film", "learn/film"},
           {"animation", "learn/film"},
           {"softmax", "question/softmax"},
           {"probabilities", "question/softmax"},
           {"percent", "question/softmax"},
           {"temperature", "study/softmax"},
           {"mask", "setup/mask"},
           {"-inf", "question/minus_infinity"},
           {"infinity", "question/minus_infinity"},
           {"minus infinity", "question/minus_infinity"},
           {"nan", "question/masked_row"},
           {"Dark", "view/dark"},
           {"dark mode", "view/dark"},
           {"gpt2", "example/gpt2_sized"},
           {"GPT-2", "example/gpt2_sized"},
           {"seed", "setup/seed"},
           {"random", "setup/seed"},
           {"reproduce", "question/draws"},
           {"multi-head", "mechanism/multi_head_attention"},
           {"causal", "mechanism/causal_attention"},
           {"dropout", "setup/dropout"},
           {"batch", "setup/batch_size"},
           {"shapes", "study/shapes"},
           {"transpose", "question/view_transpose"},
           {"query", "question/query"},
           {"key", "question/key"},
           {"value", "question/value"},
           {"embedding", "question/embedding"},
           {"K = Q", "question/three"},
           {"linear", "question/linear"},
           {"explanation", "question/explanation"},
           {"present", "view/present"},
           {"shortcuts", "help/shortcuts"},
           {"settings", "edit/settings"},
           {"quiz", "predict/stage"},
           {"ablation", "edit/head"},
           {"compare", "compare/keep"},
           {"context", "stage/context"},
           {"scores", "stage/scores"},
           {"digits", "view/decimals"},
           {"proba", "question/softmax"},
           {"which numbers change", "question/changes"},
           {"what depends on this number", "question/changes"},
           {"what else changes?", "question/changes"},
           {"change one word", "question/changes"},
           {"which part is hidden", "question/hide_or_show"},
           {"why is the upper triangle hidden", "question/hide_or_show"},
           {"why does each row add up to 1", "question/softmax_axis"},
           {"rows dont add to 1", "question/row_sums"},
           {"how are heads divided", "question/view_transpose"},
           {"what do heads split", "question/view_transpose"},
           {"what does a high weight mean", "question/scores_weights"},
           {"random weights", "question/trained"},
           {"trained", "question/trained"},
           {"what if key equals query", "question/three"},
           {"same matrix for key and query", "question/three"},
           {"why three matrices q k v", "question/three"},
           {"MultiHeadAttentionWrapper vs MultiHeadAttention", "question/wrapper"},
           {"is a list of heads the same as one class", "question/wrapper"},
           {"mask before or after softmax", "question/mask_when"},
           {"shapes with batch of 2", "question/batch_shapes"},
           {"batch of 2", "question/batch_shapes"},
           {"what does the first 1 in the shape mean", "question/batch_shapes"},
           {"lessons", "lesson/neighbours"},
           {"lesson", "lesson/neighbours"},
           {"tutorial", "lesson/neighbours"},
           {"how do I start", "lesson/neighbours"},
           {"bigger text", "settings/scale/125"},
           {"mask off", "setup/mask"},
           {"remove the mask", "setup/mask"},
           {"why q k v", "question/three"},
           {"do I need both query and key", "question/three"},
           {"what does each head get", "question/view_transpose"},
           {"does every head see the whole sentence", "question/view_transpose"},
           {"why is there another linear layer at the end", "question/out_proj"},
           {"why are weights doubled", "question/row_sums"},
           {"why not just put zero in the mask", "question/minus_infinity"},
           {"difference between v1 and v2", "question/linear"},
           {"does a big weight mean it is important", "question/explanation"},
           {"does high attention mean important?", "question/explanation"},
           {"is this a trained model", "question/trained"},
           {"where do the numbers come from", "question/trained"},
           {"are the weights learned", "question/trained"},
           {"what is softmax", "question/softmax"},
           {"if i change a number what happens to the rest", "question/changes"},
           {"i change one number of a word what else changes", "question/changes"},
           {"dropout sum not 1", "question/row_sums"},
           {"first lesson", "lesson/neighbours"},
           {"what is a head", "question/head"},
           {"what are heads", "question/head"},
           {"what are q k v", "question/query"},
           {"what does context mean", "question/context"},
           {"what is the context", "question/context"},
           {"why is the top right grey", "question/hide_or_show"},
           {"why does cat get 0.97", "question/softmax"},
           {"why 0.97", "question/softmax"},
           {"what is a logit", "question/scores_weights"},
           {"what is a dot product", "question/scores_weights"},
           {"what is a query", "question/query"},
           {"what is attention", "question/scores_weights"},
           {"why not use only one matrix", "question/three"},
           {"last linear layer what for", "question/out_proj"},
           {"can I trust attention", "question/explanation"},
           {"is attention interpretable", "question/explanation"},
           {"sofmax", "question/softmax"},
           {"dropuot", "setup/dropout"},
           {"what does sofmax do", "question/softmax"}}) {
    const std::vector<PaletteEntry> entries = found(app, typed);
    ASSERT_FALSE(entries.empty()) << typed;
    EXPECT_EQ(entries.front().id, id) << typed;
  }
}

// Each of the fourteen questions of a student, in words that name no entry.
TEST(Palette, FindsTheAnswerInAStudentsOwnWords) {
  HeadlessApp app;
  for (const auto& [typed, id] : std::initializer_list<std::pair<const char*, const char*>>{
           {"why do we divide the scores", "question/scaling"},
           {"why is there a square root of the key dimension", "question/scaling"},
           {"what is the 1/sqrt thing for", "question/scaling"},
           {"do the columns also sum to one", "question/softmax_axis"},
           {"softmax over rows or over columns", "question/softmax_axis"},
           {"which direction does softmax go", "question/softmax_axis"},
           {"can a word see the words after it", "question/hide_or_show"},
           {"which half of the matrix is masked", "question/hide_or_show"},
           {"why use negative infinity", "question/minus_infinity"},
           {"why can't I set masked scores to zero", "question/minus_infinity"},
           {"should I mask first or softmax first", "question/mask_when"},
           {"can I mask the weights after the softmax", "question/mask_when"},
           {"what happens to the sum of a row when weights are dropped", "question/row_sums"},
           {"why do the weights get bigger after dropout", "question/row_sums"},
           {"do dropped rows still sum to 1", "question/row_sums"},
           {"does each head see all of the embedding", "question/view_transpose"},
           {"how is the embedding split between heads", "question/view_transpose"},
           {"what part of the vector does head 2 see", "question/view_transpose"},
           {"separate heads vs one big matrix", "question/wrapper"},
           {"stacking several heads or splitting one", "question/wrapper"},
           {"loop over heads gives the same result?", "question/wrapper"},
           {"why not use the same matrix for queries and keys", "question/three"},
           {"what if W_query and W_key are equal", "question/three"},
           {"why do we need keys and queries at all", "question/three"},
           {"why is there a final projection", "question/out_proj"},
           {"what is the linear layer after concatenating for", "question/out_proj"},
           {"what does the output layer do", "question/out_proj"},
           {"difference between SelfAttention_v1 and SelfAttention_v2", "question/linear"},
           {"nn.Parameter vs nn.Linear", "question/linear"},
           {"why do I get other numbers with nn.Linear", "question/linear"},
           {"if I edit one embedding what is affected", "question/changes"},
           {"which cells depend on this word", "question/changes"},
           {"does changing a word change the other rows", "question/changes"},
           {"what shape comes out for two sentences", "question/batch_shapes"},
           {"tensor shape with batch size 2", "question/batch_shapes"},
           {"where does the batch dimension go", "question/batch_shapes"},
           {"did anyone train this", "question/trained"},
           {"are these real weights", "question/trained"},
           {"where do these weights come from", "question/trained"},
           {"does a large weight mean the word matters", "question/explanation"},
           {"do attention weights explain the prediction", "question/explanation"},
           {"is the highest weight the reason", "question/explanation"},
           {"reason for the scaling factor", "question/scaling"},
           {"why not divide by d_k itself", "question/scaling"},
           {"what goes wrong without the square root", "question/scaling"},
           {"does softmax work on each row", "question/softmax_axis"},
           {"why do the rows sum to one but not the columns", "question/softmax_axis"},
           {"is the future above or below the diagonal", "question/hide_or_show"},
           {"why are later words hidden", "question/hide_or_show"},
           {"why -inf instead of zero", "question/minus_infinity"},
           {"what does exp of minus infinity do", "question/minus_infinity"},
           {"is it ok to mask after softmax", "question/mask_when"},
           {"masking the weights instead of the scores", "question/mask_when"},
           {"why is the row sum not 1 with dropout", "question/row_sums"},
           {"why are some weights above 1 after dropout", "question/row_sums"},
           {"do heads get different parts of the input", "question/view_transpose"},
           {"what exactly is divided among the heads", "question/view_transpose"},
           {"is one class with many heads equal to many single heads", "question/wrapper"},
           {"several small attention modules or one large", "question/wrapper"},
           {"would one matrix be enough", "question/three"},
           {"what happens if keys and queries share weights", "question/three"},
           {"what does W_o do", "question/out_proj"},
           {"purpose of out_proj", "question/out_proj"},
           {"is the output projection needed", "question/out_proj"},
           {"why are v1 and v2 different", "question/linear"},
           {"should I use nn.Linear or nn.Parameter", "question/linear"},
           {"what happens elsewhere when I change a number", "question/changes"},
           {"if a word changes do all rows change", "question/changes"},
           {"shapes when I feed two texts", "question/batch_shapes"},
           {"what is B in the shapes", "question/batch_shapes"},
           {"is this model trained or random", "question/trained"},
           {"who chose these numbers", "question/trained"},
           {"can attention tell me why it decided", "question/explanation"},
           {"is a word with a high weight important for the output", "question/explanation"}}) {
    const std::vector<PaletteEntry> entries = found(app, typed);
    EXPECT_EQ(entries.empty() ? "nothing" : entries.front().id, id) << typed;
  }
}

// Who asks something does not want another document.
TEST(Palette, ASentenceThatAsksFindsNothingFirstThatChangesTheDocument) {
  HeadlessApp app;
  for (const char* const typed : {"why is the attention causal", "what is a model", "is the wrapper slower",
                                  "does GPT-2 use a mask", "how are six words mixed", "why is there another layer",
                                  "can the notebook draw it", "what is simple attention"}) {
    for (const PaletteEntry& entry : found(app, typed)) {
      EXPECT_NE(entry.kind, "Example") << typed << ": " << entry.title;
      EXPECT_NE(entry.kind, "Mechanism") << typed << ": " << entry.title;
      if (entry.kind == "Question") break;
    }
  }
}

TEST(Palette, ListsEveryLessonWhereLessonsAreAskedFor) {
  HeadlessApp app;
  for (const char* const typed : {"lessons", "tutorial"}) {
    const std::vector<PaletteEntry> entries = found(app, typed);
    ASSERT_GE(entries.size(), 7U) << typed;
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(entries[i].kind, "Lesson") << typed << ": " << entries[i].id;
  }
}

// One letter that is missing, or two that changed places, in a word of five letters and more.
TEST(Palette, ForgivesATypingErrorInALongWord) {
  HeadlessApp app;
  const auto first = [&](const char* typed) {
    const std::vector<PaletteEntry> entries = found(app, typed);
    return entries.empty() ? "" : entries.front().id;
  };
  for (const auto& [wrong, right] : {std::pair("sofmax", "softmax"), std::pair("dropuot", "dropout"),
                                     std::pair("embeding", "embedding"), std::pair("trasnpose", "transpose")})
    EXPECT_EQ(first(wrong), first(right)) << wrong;
  EXPECT_TRUE(found(app, "zqxj").empty()) << "a short word is no other one";
}

TEST(Palette, NamesEveryThingOnceAndWhatCannotBeDoneLast) {
  HeadlessApp app;
  std::set<std::string> names;
  bool is_past_possible = false;
  for (const PaletteEntry& entry : found(app, "")) {
    EXPECT_TRUE(names.insert(entry.id).second) << entry.id;
    EXPECT_FALSE(entry.title.empty()) << entry.id;
    if (!entry.obstacle.empty()) is_past_possible = true;
    EXPECT_TRUE(!is_past_possible || !entry.obstacle.empty()) << entry.id;
  }
  EXPECT_GT(names.size(), 80U);
}

TEST(Palette, IsTypedChosenByArrowsAndRunByEnter) {
  HeadlessApp app;
  app.press_control('K');
  ASSERT_TRUE(app.view().transient.palette);
  app.type("dark");
  app.press_key(keys::named(ImGuiKey_DownArrow));
  app.press_key(keys::named(ImGuiKey_UpArrow));
  app.type(" theme");
  EXPECT_EQ(app.view().transient.palette->typed, "dark theme");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.view().theme, ThemeId::dark);
  EXPECT_FALSE(app.view().transient.palette);
}

TEST(Palette, FramesTheControlThatIsFoundUntilTheNextClick) {
  HeadlessApp app;
  app.press_control('K');
  app.type("soft cap");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_TRUE(app.shows("setup/softcap")) << "below those that stand open";
  EXPECT_EQ(app.view().transient.pointed, "setup/softcap");
  app.click("setup/seed");
  EXPECT_EQ(app.view().transient.pointed, "");
}

TEST(Palette, GivesTheKeysToTheControlThatIsFound) {
  HeadlessApp app;
  app.press_control('K');
  app.type("dropout");
  app.press_key(keys::named(ImGuiKey_Enter));
  app.frames(6);
  const double before = app.config().dropout;
  const std::optional<Source> pinned = app.view().pinned;
  app.press_key(keys::named(ImGuiKey_RightArrow));
  app.frames(6);
  EXPECT_GT(app.config().dropout, before);
  EXPECT_EQ(app.view().pinned, pinned);
  for (int times = 0; times < 2; ++times) {  // the slider, then the setup
    app.press_key(keys::named(ImGuiKey_Escape));
    app.frames(6);
  }
  EXPECT_EQ(app.view().transient.pointed, "");
  EXPECT_EQ(app.view().transient.keyboard, Panel::stages);
}

TEST(Palette, IsClickedAndLeftByEscape) {
  HeadlessApp app;
  app.press_control('K');
  app.type("masked scores");
  app.click("palette/stage/masked_scores");
  ASSERT_TRUE(app.view().pinned);
  EXPECT_EQ(app.view().pinned->stage, Stage::masked_scores);
  app.press_control('K');
  app.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_FALSE(app.view().transient.palette);
  EXPECT_TRUE(app.view().pinned) << "Escape was the palette's";
}

}  // namespace
}  // namespace attnscope::test
