#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "features/shared/panel/calls.h"
#include "teach/questions.h"

// Ranks the palette's entries by how well they match what was typed.
namespace attnscope {
namespace {

constexpr int at_start = 400;  // of the text
constexpr int at_word = 300;   // at the beginning of a word
constexpr int within_word = 200;
constexpr int letter_by_letter = 100;

bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  return before == ' ' || before == '_' || before == '-' || before == '(' || before == '/';
}

bool ends_word(std::string_view text, std::size_t at) {
  return at == text.size() || text[at] == ' ' || text[at] == ',' || text[at] == '?';
}

// Each letter follows the one before, or begins a later word: "adm" in "attention dropout mask".
std::optional<int> score_of_letters(std::string_view text, std::string_view word) {
  std::size_t at = 0;
  for (const char letter : word) {
    if (at > 0 && at < text.size() && text[at] == letter) {
      ++at;
      continue;
    }
    while (at < text.size() && !(text[at] == letter && begins_word(text, at))) ++at;
    if (at == text.size()) return std::nullopt;
    ++at;
  }
  return letter_by_letter;
}

std::optional<int> score_of_word(std::string_view text, std::string_view word) {
  int best = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    best = std::max(best, at == 0 ? at_start : begins_word(text, at) ? at_word : within_word);
  return best > 0 ? std::optional(best) : score_of_letters(text, word);
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view text, std::string_view typed) {
  const std::string lowered = lower_case(text);
  const std::string rest = lower_case(typed);
  int score = 0;
  for (std::size_t begin = rest.find_first_not_of(' '); begin != std::string::npos;
       begin = rest.find_first_not_of(' ', begin)) {
    const std::size_t end = std::min(rest.find(' ', begin), rest.size());
    const std::optional<int> of_word = score_of_word(lowered, std::string_view(rest).substr(begin, end - begin));
    if (!of_word) return std::nullopt;
    score += *of_word;
    begin = end;
  }
  const std::string_view name = text.substr(0, text.find(": "));  // without the sentence that follows it
  return score - static_cast<int>(name.size()) / 4;               // of equal matches the shorter name wins
}

namespace {

using Entries = std::vector<PaletteEntry>;

// Other words by which people look for an entry, most of them a student's. An id that ends with "/" names all entries
// that begin with it.
struct OtherWords {
  std::string_view id;
  std::string_view words;  // separated by ", "
};

constexpr std::string_view words_of_lessons =
    "lesson, lessons, first lesson, next lesson, tutorial, tutorials, course, introduction, beginner, start, how do i "
    "start, where do i start";

constexpr OtherWords other_words[] = {
    {"question/scaling", "d_k, √d_k, sqrt, sqrt(d_k), square root, √, head_dim"},
    {"question/d_out", "per head, head size, wrapper or split"},
    {"question/batch_shapes",
     "batch of 2, shapes with batch, shapes with batch of 2, shapes with a batch of 2, shape of output with batch size "
     "2, what does the first 1 in the shape mean, what is the first 1 in the shape, two sentences at once, tensor "
     "sizes"},
    {"question/wrapper",
     "wrapper or one class, multiheadattentionwrapper vs multiheadattention, wrapper vs, is a list of heads the same "
     "as one class, list of heads, modulelist of heads, two classes"},
    {"question/changes",
     "which numbers change, what depends on this number, what else changes, what else would change, change one word, "
     "change one number, change a word, effect of one number on the others, depends on, affected"},
    {"question/scores_weights",
     "high weight, what does a high weight mean, what does a big weight mean, what is a weight, what does a weight "
     "mean, what is attention, logit, logits, what is a logit, dot product, what is a dot product, inner product"},
    {"question/out_proj",
     "output projection, out_proj, w_o, o_proj, c_proj, last linear layer, another linear layer at the end"},
    {"question/order", "positional, position, positions, positional encoding, positional embedding, word order"},
    {"question/softmax", "softmax, exp, exponential, probability, probabilities, percent, shares"},
    {"question/softmax_axis",
     "add up to 1, why does each row add up to 1, why do rows add up to one, rows add to 1, rows sum to 1, axis, "
     "dim=-1, column sums, rows or "
     "columns"},
    {"question/mask_when", "mask before or after softmax, before or after softmax, mask before or after, leak"},
    {"question/hide_or_show",
     "hidden, future, later words, which part is hidden, which side is hidden, why is the upper triangle hidden, upper "
     "triangle, lower triangle, hide the future, see the future, 1 hides, true or false, attn_mask"},
    {"question/minus_infinity",
     "-inf, inf, infinity, minus infinity, −∞, ∞, masked_fill, why not just put zero in the mask, 0 in the mask"},
    {"question/draws", "reproduce, reproducible, generator, same numbers"},
    {"question/row_sums",
     "rows dont add to 1, rows don't add up to 1, rows do not sum to 1, inverted dropout, 1/(1-p), sum to 1, sums "
     "above 1, why are weights doubled, weights twice as large, numbers bigger with dropout"},
    {"question/other_mask", "mkl"},
    {"question/view_transpose",
     "how are heads divided, heads divided, what do heads split, what does each head get, does every head see the "
     "whole "
     "sentence, view, transpose, reshape, split, split heads"},
    {"question/masked_row", "nan, padding"},
    {"question/query", "query, q, what are q k v, what are q k and v, what is q k v"},
    {"question/context", "what does context mean, what is context, what is a context, what is a context vector"},
    {"question/head", "what is a head, what is an attention head, what are heads, what does a head do"},
    {"question/key", "key, k"},
    {"question/value", "value, v"},
    {"question/three",
     "key equals query, what if key equals query, same matrix for key and query, same matrix, why three matrices q k "
     "v, equal matrices, k = q, q = k, k=q, q=k, w_q, w_k, w_v, qkv, q k v, why q k v, three matrices, tied, do i need "
     "both query and key, only one matrix, one matrix"},
    {"question/explanation",
     "explain, explanation, interpretability, interpretable, importance, important, does a big weight mean it is "
     "important, does a high weight mean it is important, can i trust attention, trust"},
    {"question/linear",
     "linear, parameter, nn.linear, nn.parameter, x @ w, kaiming, initialization, difference between v1 and v2, v1 and "
     "v2, v1 or v2, self attention v1 v2 difference"},
    {"question/embedding", "embedding, vector"},
    {"question/average_heads", "average, concat, concatenate"},
    {"question/equal_shares", "uniform, flat, equal weights"},
    {"question/trained",
     "trained, random weights, trained weights, are the weights random, untrained, trained or random, learned, where "
     "from, where do the numbers come from, real numbers, is this a trained model"},
    {"edit/copy/pytorch", "pytorch, torch, python, code"},
    {"edit/copy/numpy", "numpy, np"},
    {"edit/copy/latex", "latex, tex, equation"},
    {"edit/copy_stage/markdown", "markdown, md"},
    {"edit/copy_stage/table", "csv, excel, spreadsheet, copy numbers"},
    {"edit/head", "ablation, ablate, head off, disable head"},
    {"edit/settings", "settings, preferences, options"},
    {"file/figure", "export, figure, pdf, png, svg, gif, mp4, video, image, picture, print, slide, handout"},
    {"file/open", "open, load, import, checkpoint, npz, safetensors, hugging face, huggingface"},
    {"setup/mask",
     "mask, masking, look-ahead mask, mask off, no mask, remove mask, remove the mask, turn off the mask, without "
     "mask"},
    {"setup/seed", "seed, random, random seed, manual_seed, torch.manual_seed"},
    {"setup/dropout", "dropout, drop"},
    {"setup/num_heads", "heads, n_heads, n_head, number of heads"},
    {"setup/d_out", "d_out, d_model, hidden size"},
    {"setup/batch_size", "batch, batch size"},
    {"setup/rope.layout", "rope, rotary"},
    {"setup/qkv_bias", "bias"},
    {"setup/num_kv_heads", "gqa, grouped query, mqa"},
    {"setup/tokens", "token, tokens, sentence, text, own sentence, own words, word, embeddings, paste"},
    {"settings/scale/", "interface scale, font size, font, text size, dpi"},
    {"settings/scale/125", "bigger, bigger text, larger text, larger font, bigger font, text bigger, zoom in on text"},
    {"settings/scale/75", "smaller text, smaller font, text smaller"},
    {"settings/range/", "colour, color, colormap, heatmap"},
    {"view/dark", "dark, dark mode, night, theme"},
    {"view/high-contrast", "contrast, projector, accessibility, colour blind, color blind"},
    {"view/decimals", "decimals, digits, precision, rounding"},
    {"view/present", "present, presentation, full screen, fullscreen, lecture"},
    {"learn/film", "film, movie, animation, watch, step by step"},
    {"learn/glossary", "glossary, formula, formulas, einsum"},
    {"predict/stage", "quiz, exercise, predict, guess, test"},
    {"compare/keep", "compare, comparison, difference, diff"},
    {"compare/changes", "what changed, last edit, effect"},
    {"help/shortcuts", "shortcut, shortcuts, keys, keyboard, hotkeys, help"},
    {"study/softmax", "temperature"},
    {"study/shapes", "shape, shapes, dimension, dimensions, what are the shapes"},
    {"study/sharpness", "entropy, sharp, focus"},
    {"mechanism/multi_head_attention", "multi-head, multihead, multi head, mha"},
    {"mechanism/causal_attention", "causal, decoder, autoregressive"},
    {"example/gpt2_sized", "gpt2, gpt-2, gpt"},
    {"lesson/neighbours", words_of_lessons},
    {"lesson/weights", words_of_lessons},
    {"lesson/mask", words_of_lessons},
    {"lesson/dropout", words_of_lessons},
    {"lesson/heads", words_of_lessons},
    {"lesson/gpt2", words_of_lessons},
    {"lesson/trained", words_of_lessons},
    {"example/stories", "llm, language model, trained model, next word, prediction"},
    {"stage/context", "context, context vector, output of attention"},
    {"stage/weights", "attention, attention weights, attention matrix"},
};

constexpr std::string_view kind_of_views = "Teaching view";
constexpr int of_exact_words = 20000;   // above every title
constexpr std::size_t least_begun = 3;  // letters of a word that has only begun

std::vector<std::string_view> other_words_of(std::string_view id) {
  std::vector<std::string_view> words;
  for (const OtherWords& row : other_words) {
    if (row.id != id && !(row.id.ends_with('/') && id.starts_with(row.id))) continue;
    for (std::string_view rest = row.words; !rest.empty();) {
      const std::size_t end = std::min(rest.find(", "), rest.size());
      words.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
  }
  return words;
}

// Returns how well what was typed, in lower case, matches the other words of an entry.
std::optional<int> score_of_other_words(std::string_view id, std::string_view typed) {
  std::optional<int> best;
  for (const std::string_view word : other_words_of(id)) {
    if (word == typed) return of_exact_words;
    if (typed.size() >= least_begun && word.starts_with(typed)) best = at_word;
  }
  return best;
}

// Returns how well what was typed matches the title of an entry. A teaching view has the question that it answers
// behind its name; words of that count less than those of a question, so that the question comes first.
std::optional<int> score_of_title(const PaletteEntry& entry, const std::string& typed) {
  constexpr int of_view = 2 * (at_start - at_word);  // a word may begin its title, and a question be longer
  const std::optional<int> whole = fuzzy_score(entry.title + " " + entry.kind, typed);
  const std::size_t end = entry.title.find(": ");
  if (entry.kind != kind_of_views || end == std::string::npos || !whole) return whole;
  const std::optional<int> by_name = fuzzy_score(entry.title.substr(0, end) + " " + entry.kind, typed);
  return by_name ? by_name : *whole - of_view;
}

std::optional<int> score_of_entry(const PaletteEntry& entry, const std::string& typed) {
  const std::optional<int> by_title = score_of_title(entry, typed);
  const std::size_t begin = typed.find_first_not_of(" ?!.");
  if (begin == std::string::npos) return by_title;
  const std::string words = lower_case(typed.substr(begin, typed.find_last_not_of(" ?!.") + 1 - begin));
  return std::max(by_title, score_of_other_words(entry.id, words));  // nothing is the least
}

// Words of a question that do not tell what it is about.
constexpr std::string_view asking_words[] = {
    "a",     "all",  "also",  "an",    "and",   "any",  "are",   "at",     "be",    "by",     "can",  "can't", "cant",
    "could", "did",  "do",    "does",  "don't", "dont", "for",   "from",   "get",   "go",     "goes", "have",  "here",
    "how",   "i",    "if",    "in",    "is",    "it",   "its",   "just",   "like",  "me",     "my",   "no",    "not",
    "of",    "on",   "or",    "other", "put",   "say",  "set",   "should", "still", "that",   "the",  "their", "then",
    "there", "they", "thing", "this",  "to",    "use",  "used",  "was",    "we",    "what",   "when", "where", "which",
    "who",   "why",  "will",  "with",  "would", "you",  "these", "those",  "about", "happens"};

// Returns whether a word is a number with a point, as weights are written.
bool is_share(std::string_view word) {
  return word.find('.') != std::string_view::npos && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

// Returns what a question is about, in lower case: its words without signs around them. Who asks about "0.97" asks what
// makes shares.
std::vector<std::string> telling_words(std::string_view typed) {
  constexpr std::string_view signs = "?!.,;:\"'()";
  std::vector<std::string> words;
  const std::string lowered = lower_case(typed);
  for (std::string_view word : split(lowered, ' ')) {
    const std::size_t first = word.find_first_not_of(signs);
    if (first == std::string_view::npos) continue;
    word = word.substr(first, word.find_last_not_of(signs) + 1 - first);
    if (std::ranges::find(asking_words, word) == std::end(asking_words))
      words.emplace_back(is_share(word) ? "softmax" : word);
  }
  return words;
}

// Returns the beginning that the forms of a word share: "drop" of "dropped", "quer" of "queries".
std::string_view stem_of(std::string_view word) {
  constexpr std::size_t least_left = 4;
  constexpr std::pair<std::string_view, std::size_t> endings[] = {// with the letters of them that go
                                                                  {"ing", 3},  {"ied", 3}, {"ed", 2},   {"ies", 3},
                                                                  {"ices", 3}, {"ix", 1},  {"sses", 2}, {"ss", 0},
                                                                  {"es", 2},   {"s", 1},   {"e", 1}};
  const auto ends = [&](const auto& ending) { return word.ends_with(ending.first); };
  const auto* const ending = std::ranges::find_if(endings, ends);
  if (ending == std::end(endings) || word.size() < least_left + ending->second) {
    return word.size() > least_begun && word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
  }
  word.remove_suffix(ending->second);
  const bool is_doubled = ending->first.size() > 1 && word.size() > least_begun && word.back() == word[word.size() - 2];
  if (is_doubled && word.back() != 's') word.remove_suffix(1);
  return word;
}

// Returns all texts that describe an entry.
std::vector<std::string_view> texts_about(const PaletteEntry& entry) {
  constexpr std::string_view of_questions = "question/";
  std::vector<std::string_view> texts = other_words_of(entry.id);
  texts.push_back(entry.title);
  if (!entry.id.starts_with(of_questions)) return texts;
  const ReaderQuestion* const question = question_named(std::string_view(entry.id).substr(of_questions.size()));
  if (question) texts.push_back(question->keywords);
  return texts;
}

// Returns whether an entry has a word in any of its forms.
bool has_word(const PaletteEntry& entry, std::string_view word) {
  const std::string_view stem = stem_of(word);
  return std::ranges::any_of(texts_about(entry), [&](std::string_view text) {
    const std::string lowered = lower_case(text);
    for (std::size_t at = lowered.find(stem); at != std::string::npos; at = lowered.find(stem, at + 1))
      if (begins_word(lowered, at) && (stem.size() >= least_begun || ends_word(lowered, at + stem.size()))) return true;
    return false;
  });
}

// Returns whether somebody asks something in a sentence, and not how to do something.
bool is_asked(std::string_view typed) {
  constexpr std::string_view beginnings[] = {"why ",   "what ",  "how ",  "is ",  "are ",  "does ",   "do ",
                                             "can ",   "did ",   "if ",   "was ", "were ", "will ",   "would ",
                                             "which ", "where ", "when ", "who ", "has ",  "should ", "shouldn't "};
  constexpr std::string_view doing[] = {"how do i ", "how to ", "how can i ", "where do i ", "where can i ", "can i "};
  const std::string lowered = lower_case(typed);
  const auto begins = [&](std::string_view beginning) { return lowered.starts_with(beginning); };
  const bool is_question = lowered.ends_with('?') || std::ranges::any_of(beginnings, begins);
  return is_question && std::ranges::none_of(doing, begins);
}

bool changes_document(const PaletteEntry& entry) {
  constexpr std::string_view kinds[] = {"Edit", "Example", "File", "Mechanism", "Compare"};
  return std::ranges::find(kinds, entry.kind) != std::end(kinds);
}

// Returns the entries nearest to a question in words of one's own, best first: a word counts the more, the fewer
// entries have it, and a question counts twice. Who asks something does not want the document changed.
Entries nearest_entries(Entries entries, std::string_view typed) {
  constexpr std::size_t most = 8;
  std::vector<double> scores(entries.size());
  for (const std::string& word : telling_words(typed)) {
    std::vector<std::size_t> having;
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (has_word(entries[i], word)) having.push_back(i);
    const double weight = std::log(static_cast<double>(entries.size() + 1) /
                                   static_cast<double>(std::max<std::size_t>(having.size(), 1)));
    for (const std::size_t i : having) scores[i] += (entries[i].kind == "Question" ? 2 : 1) * weight;
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (scores[i] > 0) order.push_back(i);
    if (is_asked(typed) && changes_document(entries[i])) scores[i] -= 1000;
  }
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return scores[i]; });
  Entries nearest;
  order.resize(std::min(order.size(), most));
  for (const std::size_t i : order) nearest.push_back(std::move(entries[i]));
  return nearest;
}

// Returns whether two words are the same but for one letter that is missing or two that changed places.
bool is_mistyped(std::string_view word, std::string_view typed) {
  const auto [in_word, in_typed] = std::mismatch(word.begin(), word.end(), typed.begin(), typed.end());
  const std::string_view rest = word.substr(static_cast<std::size_t>(in_word - word.begin()));
  const std::string_view wrong = typed.substr(static_cast<std::size_t>(in_typed - typed.begin()));
  if (word.size() == typed.size() + 1) return rest.substr(1) == wrong;
  return word.size() == typed.size() && rest.size() > 1 && rest[0] == wrong[1] && rest[1] == wrong[0] &&
         rest.substr(2) == wrong.substr(2);
}

// Returns what was typed with a word of an entry in the place of each word that none has, if only a letter is wrong.
std::string without_typing_errors(const Entries& entries, std::string_view typed) {
  constexpr std::size_t least_letters = 5;  // shorter words are too much like others
  std::vector<std::string> words;
  for (const PaletteEntry& entry : entries) {
    for (const std::string_view text : texts_about(entry))
      for (std::string& word : telling_words(text)) words.push_back(std::move(word));
  }
  std::string corrected;
  const std::string lowered = lower_case(typed);
  for (std::string_view rest = lowered; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto is_it = [&](const std::string& each) { return is_mistyped(each, word); };
    const bool is_there = std::ranges::any_of(words, [&](const std::string& each) { return each.starts_with(word); });
    const auto meant = word.size() < least_letters || is_there ? words.end() : std::ranges::find_if(words, is_it);
    corrected += fmt::format("{}{}", corrected.empty() ? "" : " ", meant == words.end() ? word : *meant);
  }
  return corrected;
}

Entries entries_of_words(Entries entries, const std::string& typed) {
  std::vector<std::pair<int, PaletteEntry>> found;
  const bool is_sentence = is_asked(typed);
  for (const PaletteEntry& entry : entries) {
    const std::optional<int> score = score_of_entry(entry, typed);
    if (score && (!is_sentence || *score >= of_exact_words)) found.emplace_back(*score, entry);
  }
  if (found.empty()) return nearest_entries(std::move(entries), typed);
  std::ranges::stable_sort(found, [&](const auto& left, const auto& right) {
    const auto is_early = [](const auto& each) { return each.second.obstacle.empty() || each.first == of_exact_words; };
    if (is_early(left) != is_early(right)) return is_early(left);
    return !typed.empty() && left.first > right.first;  // before anything is typed: the order of the menus
  });
  Entries sorted;
  for (auto& [score, entry] : found) sorted.push_back(std::move(entry));
  if (!is_sentence) return sorted;
  for (PaletteEntry& near : nearest_entries(std::move(entries), typed))
    if (std::ranges::find(sorted, near.id, &PaletteEntry::id) == sorted.end()) sorted.push_back(std::move(near));
  return sorted;
}

}  // namespace

Entries found_entries(Entries entries, const std::string& typed) {
  Entries found = entries_of_words(entries, typed);
  if (!found.empty() && !is_asked(typed)) return found;
  const std::string corrected = without_typing_errors(entries, typed);
  return corrected == lower_case(typed) ? found : entries_of_words(std::move(entries), corrected);
}

}  // namespace attnscope
