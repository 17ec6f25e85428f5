#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/config.h"
#include "core/error.h"
#include "core/text.h"
#include "document/json_value.h"
#include "files/tokenizer.h"
#include "files/tokenizer_parts.h"

namespace attnscope {
namespace {

constexpr Index most_word_characters = 1000;                   // of a word that WordPiece cuts
constexpr std::size_t most_step_bytes = std::size_t{1} << 20;  // of the JSON of normalizers, for example

// A row of what is known of a kind of step.
struct StepRow {
  std::string_view type;
  void (*read)(const JsonValue& step, TokenizerDraft& draft);
};

bool flag_of(const JsonValue& step, std::string_view key, bool by_default = false) {
  const std::optional<JsonValue> value = step.find(key);
  return value && !value->is_null() ? value->flag() : by_default;
}

template <typename Choice, std::size_t count>
Choice choice_of(const JsonValue& value, const std::array<std::pair<std::string_view, Choice>, count>& choices) {
  const std::string word = value.text();
  for (const auto& [name, choice] : choices) {
    if (name == word) return choice;
  }
  std::vector<std::string_view> names;
  for (const auto& [name, choice] : choices) names.push_back(name);
  value.refuse_name(names);
}

TextPattern pattern_of(const JsonValue& step, const TokenizerDraft& draft) {
  const JsonValue pattern = step.needed("pattern");
  if (const auto literal = pattern.find("String")) return TextPattern::literal(literal->text());
  return TextPattern::regex(pattern.needed("Regex").text(), draft.budget);
}

SplitBehavior behavior_of(const JsonValue& step) {
  static constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> behaviors = {
      {{"Removed", SplitBehavior::removed},
       {"Isolated", SplitBehavior::isolated},
       {"MergedWithPrevious", SplitBehavior::merged_with_previous},
       {"MergedWithNext", SplitBehavior::merged_with_next},
       {"Contiguous", SplitBehavior::contiguous}}};
  return choice_of(step.needed("behavior"), behaviors);
}

Metaspace metaspace_of(const JsonValue& step) {
  static constexpr std::array<std::pair<std::string_view, PrependScheme>, 3> schemes = {
      {{"always", PrependScheme::always}, {"first", PrependScheme::first}, {"never", PrependScheme::never}}};
  Metaspace metaspace{step.needed("replacement").text()};
  if (metaspace.replacement.empty()) step.needed("replacement").refuse("a character");
  if (!flag_of(step, "add_prefix_space", true)) metaspace.scheme = PrependScheme::never;  // its name in older files
  if (const auto scheme = step.find("prepend_scheme")) metaspace.scheme = choice_of(*scheme, schemes);
  metaspace.splits = flag_of(step, "split", true);
  return metaspace;
}

template <UnicodeForm form>
void read_form(const JsonValue&, TokenizerDraft& draft) {
  draft.normalize(composing(form));
}

void normalize_as_bert(TokenizerDraft& draft, bool cleans, bool spaces, std::optional<bool> strips, bool lowers) {
  if (cleans) draft.normalize(cleaning());
  if (spaces) draft.normalize(spacing_ideographs());
  if (strips.value_or(lowers)) {
    draft.normalize(composing(UnicodeForm::nfd));
    draft.normalize(without_accents());
  }
  if (lowers) draft.normalize(lowering());
}

constexpr StepRow normalizer_rows[] = {
    {"BertNormalizer",
     [](const JsonValue& step, TokenizerDraft& draft) {
       const std::optional<JsonValue> strips = step.find("strip_accents");
       normalize_as_bert(draft, flag_of(step, "clean_text", true), flag_of(step, "handle_chinese_chars", true),
                         strips && !strips->is_null() ? std::optional(strips->flag()) : std::nullopt,
                         flag_of(step, "lowercase", true));
     }},
    {"StripAccents", [](const JsonValue&, TokenizerDraft& draft) { draft.normalize(without_accents()); }},
    {"Lowercase", [](const JsonValue&, TokenizerDraft& draft) { draft.normalize(lowering()); }},
    {"NFC", read_form<UnicodeForm::nfc>},
    {"NFD", read_form<UnicodeForm::nfd>},
    {"NFKC", read_form<UnicodeForm::nfkc>},
    {"NFKD", read_form<UnicodeForm::nfkd>},
    {"Prepend",
     [](const JsonValue& step, TokenizerDraft& draft) { draft.normalize(prepending(step.needed("prepend").text())); }},
    {"Replace",
     [](const JsonValue& step, TokenizerDraft& draft) {
       draft.normalize(replacing(pattern_of(step, draft), step.needed("content").text()));
     }},
};

// Characters of words and blanks, without the brackets around a class. They are spelled out, because \w differs between
// releases of PCRE2: Unicode's Alphabetic has characters that are no letters.
const std::string in_words =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200C}\x{200D}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})";
const std::string blanks = R"(\t-\r\x{85}\p{Z})";

void split_as_bert(TokenizerDraft& draft) {
  draft.split_at("[" + blanks + "]+", SplitBehavior::removed);
  draft.split_at(R"([\p{P}$+<=>^`|~])", SplitBehavior::isolated);
}

constexpr StepRow pre_tokenizer_rows[] = {
    {"BertPreTokenizer", [](const JsonValue&, TokenizerDraft& draft) { split_as_bert(draft); }},
    {"ByteLevel",
     [](const JsonValue& step, TokenizerDraft& draft) {
       draft.has_byte_level = true;
       draft.pre_tokenize(
           byte_level(flag_of(step, "add_prefix_space", true), flag_of(step, "use_regex", true), draft.budget));
     }},
    {"Split",
     [](const JsonValue& step, TokenizerDraft& draft) {
       draft.pre_tokenize(splitting(pattern_of(step, draft), behavior_of(step), flag_of(step, "invert")));
     }},
    {"Metaspace",
     [](const JsonValue& step, TokenizerDraft& draft) { draft.pre_tokenize(metaspace(metaspace_of(step))); }},
    {"Whitespace",
     [](const JsonValue&, TokenizerDraft& draft) {
       draft.split_at("[" + in_words + "]+|[^" + in_words + blanks + "]+", SplitBehavior::removed, true);
     }},
    {"WhitespaceSplit",
     [](const JsonValue&, TokenizerDraft& draft) { draft.split_at("[" + blanks + "]+", SplitBehavior::removed); }},
    {"Punctuation",
     [](const JsonValue& step, TokenizerDraft& draft) {
       draft.split_at(R"([\p{P}$+<=>^`|~])", step.has("behavior") ? behavior_of(step) : SplitBehavior::isolated);
     }},
    {"Digits",
     [](const JsonValue& step, TokenizerDraft& draft) {
       draft.split_at(R"(\p{N})",
                      flag_of(step, "individual_digits") ? SplitBehavior::isolated : SplitBehavior::contiguous);
     }},
};

using TokensByName = std::map<std::string, std::vector<Index>, std::less<>>;

TokensByName read_special_tokens(const JsonValue& object) {
  TokensByName tokens;
  for (JsonItems items(object); const JsonValue* item = items.next();) {
    const JsonValue ids = item->needed("ids");
    std::vector<Index>& own = tokens[item->key()];
    for (JsonItems each(ids); const JsonValue* id = each.next();)
      own.push_back(id->whole(0, static_cast<Index>(most_tokens) - 1));
  }
  return tokens;
}

void read_template(const JsonValue& step, TokenizerDraft& draft) {
  const JsonValue single = step.needed("single");
  const JsonValue special = step.needed("special_tokens");
  const TokensByName tokens = read_special_tokens(special);
  TokenizerParts& parts = draft.parts;
  std::vector<Index>* side = &parts.before;
  for (JsonItems items(single); const JsonValue* item = items.next();) {
    if (const auto token = item->find("SpecialToken")) {
      const auto named = tokens.find(token->needed("id").text());
      if (named == tokens.end()) token->needed("id").refuse("one of special_tokens");
      side->insert(side->end(), named->second.begin(), named->second.end());
      if (std::ssize(parts.before) + std::ssize(parts.after) > max_tokens) {
        throw Error(single.path(), fmt::format("the template puts more than {} tokens around a text, which is more "
                                               "than any that a tool writes.",
                                               max_tokens));
      }
    } else if (item->has("Sequence") && side == &parts.before) {
      side = &parts.after;
    } else {
      item->refuse("a SpecialToken or the one Sequence");
    }
  }
}

// Reads {"cls": ["[CLS]", 101], "sep": ["[SEP]", 102]}, the tokens before and behind a text.
void read_pair(const JsonValue& step, TokenizerDraft& draft) {
  const auto token = [&](std::string_view key) {
    const JsonValue named = step.needed(key);
    if (!named.is_array() || named.size() != 2) named.refuse("a token and its number");
    return named.element(1).whole(0, static_cast<Index>(most_tokens) - 1);
  };
  draft.parts.before.push_back(token("cls"));
  draft.parts.after.push_back(token("sep"));
}

constexpr StepRow post_processor_rows[] = {
    {"BertProcessing", read_pair},
    {"RobertaProcessing", read_pair},
    {"ByteLevel", [](const JsonValue&, TokenizerDraft&) {}},  // it only moves offsets
    {"TemplateProcessing", read_template},
};

constexpr StepRow decoder_rows[] = {
    {"WordPiece",
     [](const JsonValue& step, TokenizerDraft& draft) {
       draft.parts.decoding.joining = step.needed("prefix").text();
       draft.parts.decoding.is_tidied = flag_of(step, "cleanup", true);
       draft.parts.decoding.between = " ";
     }},
    {"ByteLevel", [](const JsonValue&, TokenizerDraft& draft) { draft.parts.decoding.is_byte_level = true; }},
    {"ByteFallback", [](const JsonValue&, TokenizerDraft& draft) { draft.parts.decoding.has_bytes = true; }},
    {"Fuse", [](const JsonValue&, TokenizerDraft& draft) { draft.fuses_decoded = true; }},
    {"Replace",
     [](const JsonValue& step, TokenizerDraft& draft) {
       draft.replace_decoded(pattern_of(step, draft), step.needed("content").text());
     }},
    {"Metaspace",
     [](const JsonValue& step, TokenizerDraft& draft) {
       const Metaspace metaspace = metaspace_of(step);
       draft.replace_decoded(TextPattern::literal(metaspace.replacement), " ");
       draft.parts.decoding.strips_first_space = metaspace.scheme != PrependScheme::never;
     }},
    {"Strip",
     [](const JsonValue& step, TokenizerDraft& draft) {
       const Index start = step.needed("start").whole(0, 1);
       const bool is_known = step.needed("content").text() == " " && step.needed("stop").whole(0, 0) == 0;
       if (!is_known || !draft.fuses_decoded) step.refuse("one of the first blank, behind a Fuse");
       draft.parts.decoding.strips_first_space = start == 1;
     }},
};

// Reads a step, or a sequence of steps, which is in `list`.
void read_steps(const JsonValue& step, std::string_view kind, std::string_view list, std::span<const StepRow> rows,
                TokenizerDraft& draft) {
  if (step.is_null()) return;
  const std::string type = step.needed("type").text();
  if (type == "Sequence") {
    const JsonValue steps = step.needed(list);
    for (JsonItems items(steps); const JsonValue* item = items.next();) read_steps(*item, kind, list, rows, draft);
    return;
  }
  const auto row = std::ranges::find(rows, type, &StepRow::type);
  if (row != rows.end()) return row->read(step, draft);
  std::vector<std::string_view> known;
  for (const StepRow& each : rows) known.push_back(each.type);
  throw Error(step.path(), fmt::format("the {} {} is not known; known ones are {} and Sequence.", kind, in_quotes(type),
                                       fmt::join(known, ", ")));
}

void read_vocabulary(const JsonValue& object, TokenizerDraft& draft) {
  for (JsonItems items(object, most_tokens); const JsonValue* item = items.next();) {
    draft.vocabulary.emplace_back(item->key(), item->whole(0, static_cast<Index>(most_tokens) - 1));
  }
}

void add_merge(TokenizerDraft& draft, std::string_view left, std::string_view right) {
  if (draft.merges.size() == most_tokens) throw Error(fmt::format("there are more than {} merges.", most_tokens));
  draft.merges.emplace_back(left, right);
}

// "a b"; nothing if there is no blank, or more than one.
bool add_spelled_merge(TokenizerDraft& draft, std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || line.find(' ', blank + 1) != std::string_view::npos) return false;
  add_merge(draft, line.substr(0, blank), line.substr(blank + 1));
  return true;
}

void read_merges(const JsonValue& array, TokenizerDraft& draft) {
  for (JsonItems items(array); const JsonValue* item = items.next();) {
    if (item->is_text() && add_spelled_merge(draft, item->text())) continue;
    if (!item->is_array() || item->size() != 2) item->refuse("two tokens with a blank between, or a list of two");
    add_merge(draft, item->element(0).text(), item->element(1).text());
  }
}

void read_model_field(const JsonValue& field, TokenizerDraft& draft) {
  TokenModel& model = draft.parts.model;
  const std::string& key = field.key();
  const bool is_list = field.is_array() || field.is_object();
  const bool is_set = !is_list && !field.is_null() && field.raw() != "\"\"" && field.raw() != "0.0";
  if (key == "type") draft.model_type = field.text();
  if (key == "vocab" && field.is_object()) read_vocabulary(field, draft);
  if (key == "merges") read_merges(field, draft);
  if (key == "unk_token" && is_set) model.unknown = field.text();
  if (key == "fuse_unk" && is_set) model.fuses_unknown = field.flag();
  if (key == "byte_fallback" && is_set) model.falls_back_to_bytes = field.flag();
  if (key == "ignore_merges" && is_set) model.ignores_merges = field.flag();
  if (key == "max_input_chars_per_word" && is_set)
    model.most_characters = static_cast<std::size_t>(field.whole(1, most_word_characters));
  if (key == "continuing_subword_prefix" && is_set) model.continuing = field.text();
  for (const std::string_view name : {"dropout", "end_of_word_suffix"}) {
    if (key == name && is_set) field.refuse("null: tokenizers with it are not read");
  }
}

void read_added(const JsonValue& array, TokenizerDraft& draft) {
  for (JsonItems items(array); const JsonValue* item = items.next();) {
    if (draft.added.size() == most_tokens)
      throw Error(fmt::format("there are more than {} added tokens.", most_tokens));
    draft.added.push_back({.text = item->needed("content").text(),
                           .id = item->needed("id").whole(0, static_cast<Index>(most_tokens) - 1),
                           .is_normalized = flag_of(*item, "normalized"),
                           .is_single_word = flag_of(*item, "single_word"),
                           .strips_left = flag_of(*item, "lstrip"),
                           .strips_right = flag_of(*item, "rstrip")});
  }
}

// Reads the file once, from its beginning to its end, because the vocabulary is large.
void read_file(const JsonValue& root, TokenizerDraft& draft) {
  draft.parts.decoding.between = " ";
  for (JsonItems fields(root); const JsonValue* field = fields.next();) {
    const std::string& key = field->key();
    if (key == "model") {
      for (JsonItems items(*field); const JsonValue* item = items.next();) read_model_field(*item, draft);
      continue;
    }
    if (key == "added_tokens") {
      read_added(*field, draft);
      continue;
    }
    const std::size_t bytes = field->raw().size();
    if (bytes > most_step_bytes) field->refuse_as(fmt::format("{} bytes", bytes), "shorter");
    if (key == "normalizer") read_steps(*field, "normalizer", "normalizers", normalizer_rows, draft);
    if (key == "pre_tokenizer") read_steps(*field, "pre-tokenizer", "pretokenizers", pre_tokenizer_rows, draft);
    if (key == "post_processor") read_steps(*field, "post-processor", "processors", post_processor_rows, draft);
    if (key == "decoder" && !field->is_null()) draft.parts.decoding.between.clear();
    if (key == "decoder") read_steps(*field, "decoder", "decoders", decoder_rows, draft);
    if (key == "decoder") draft.has_decoder = !field->is_null();
  }
}

void check_size(std::string_view text) {
  if (text.size() <= max_tokenizer_bytes) return;
  throw Error(fmt::format("the file has {} bytes, but at most {} are read.", text.size(), max_tokenizer_bytes));
}

// Returns what `read` does; its sentences begin with the name of the file.
template <typename Read>
auto naming(std::string_view file, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.field, fmt::format("{}: {}", file, error.what()));
  }
}

void read_json(const JsonText& json, TokenizerDraft& draft, void (*read)(const JsonValue&, TokenizerDraft&)) {
  const JsonValue root = json.root();
  if (!root.is_object()) root.refuse("an object");
  read(root, draft);
  json.finish(root);
}

// "a b" in each line; empty lines and a first one of a version are none.
void read_merge_lines(std::string_view text, TokenizerDraft& draft) {
  Index number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with("#version") || add_spelled_merge(draft, line)) continue;
    throw Error(fmt::format("line {} is {}, but it must be two tokens with a blank between.", number, in_quotes(line)));
  }
}

// Returns a token that is a text, or an object with its "content"; empty if there is none.
std::string token_of(const JsonValue& root, std::string_view key) {
  const std::optional<JsonValue> value = root.find(key);
  if (!value || value->is_null()) return {};
  return value->is_object() ? value->needed("content").text() : value->text();
}

}  // namespace

void TokenizerOptions::read_config(std::string_view json) {
  naming("tokenizer_config.json", [&] {
    check_size(json);
    const JsonText text(json);
    const JsonValue root = text.root();
    if (!root.is_object()) root.refuse("an object");
    const auto flag = [&](std::string_view key) -> std::optional<bool> {
      const std::optional<JsonValue> value = root.find(key);
      return value && !value->is_null() ? std::optional(value->flag()) : std::nullopt;
    };
    lowers = flag("do_lower_case").value_or(true);
    adds_beginning = flag("add_bos_token");
    adds_end = flag("add_eos_token");
    beginning = token_of(root, "bos_token");
    end = token_of(root, "eos_token");
    mask = token_of(root, "mask_token");
    return 0;
  });
}

void TokenizerOptions::read_added_tokens(std::string_view json) {
  naming("added_tokens.json", [&] {
    check_size(json);
    const JsonText text(json);
    const JsonValue root = text.root();
    if (!root.is_object()) root.refuse("an object of tokens and their numbers");
    for (JsonItems items(root); const JsonValue* item = items.next();)
      added.emplace_back(item->key(), item->whole(0, static_cast<Index>(most_tokens) - 1));
    return 0;
  });
}

std::shared_ptr<const Tokenizer> Tokenizer::parse(std::string_view json, const PartWatch& watch,
                                                  const TokenizerOptions& options) {
  return naming("tokenizer.json", [&] {
    check_size(json);
    const JsonText text(json, "", watch);
    TokenizerDraft draft(text.budget());
    read_json(text, draft, read_file);
    return built(std::move(draft), options);
  });
}

std::shared_ptr<const Tokenizer> Tokenizer::parse_gpt2(std::string_view vocabulary, std::string_view merges,
                                                       const PartWatch& watch, const TokenizerOptions& options) {
  // These stand for no text in the vocabularies of GPT-2, RoBERTa and OPT.
  static constexpr std::array<std::string_view, 6> special = {"<|endoftext|>", "<s>",   "<pad>",
                                                              "</s>",          "<unk>", "<mask>"};
  ReadingBudget budget = ReadingBudget::of_file(vocabulary.size() + merges.size(), watch);
  TokenizerDraft draft(budget);
  draft.model_type = "BPE";
  draft.pre_tokenize(byte_level(false, true, budget));
  draft.parts.decoding.is_byte_level = true;
  naming("vocab.json", [&] {
    check_size(vocabulary);
    read_json(JsonText(vocabulary, "", watch), draft, read_vocabulary);
  });
  for (const auto& [text, id] : draft.vocabulary) {
    if (std::ranges::find(special, text) != special.end())
      draft.added.push_back({.text = text, .id = id, .strips_left = text == "<mask>"});
  }
  const bool is_roberta = std::ranges::find(draft.added, "<mask>", &AddedToken::text) != draft.added.end();
  for (const AddedToken& token : draft.added) {
    if (is_roberta && token.text == "<s>") draft.parts.before = {token.id};
    if (is_roberta && token.text == "</s>") draft.parts.after = {token.id};
  }
  return naming("merges.txt", [&] {
    check_size(merges);
    read_merge_lines(merges, draft);
    return built(std::move(draft), options, true);
  });
}

std::shared_ptr<const Tokenizer> Tokenizer::parse_word_piece(std::string_view vocabulary, const PartWatch& watch,
                                                             const TokenizerOptions& options) {
  return naming("vocab.txt", [&] {
    static constexpr std::array<std::string_view, 5> special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    check_size(vocabulary);
    ReadingBudget budget = ReadingBudget::of_file(vocabulary.size(), watch);
    TokenizerDraft draft(budget);
    draft.model_type = "WordPiece";
    normalize_as_bert(draft, true, true, {}, options.lowers);
    split_as_bert(draft);
    draft.has_decoder = true;
    draft.parts.decoding.joining = "##";
    draft.parts.decoding.between = " ";
    draft.parts.decoding.is_tidied = true;
    std::set<std::string_view> seen;
    for (Index id = 0; !vocabulary.empty(); ++id) {
      const std::size_t end = std::min(vocabulary.find('\n'), vocabulary.size());
      std::string_view line = vocabulary.substr(0, end);
      vocabulary.remove_prefix(std::min(end + 1, vocabulary.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      budget.work(steps_of_a_token + line.size());
      if (draft.vocabulary.size() == most_tokens)
        throw Error(fmt::format("there are more than {} tokens.", most_tokens));
      if (find_invalid_utf8(line)) throw Error(fmt::format("line {} is not UTF-8.", id + 1));
      if (line.empty()) continue;
      if (!seen.insert(line).second)
        throw Error(fmt::format("line {} has the token {} a second time.", id + 1, in_quotes(line)));
      draft.vocabulary.emplace_back(line, id);
      if (std::ranges::find(special, line) == special.end()) continue;
      draft.added.push_back({.text = std::string(line), .id = id});
      if (line == "[CLS]") draft.parts.before = {id};
      if (line == "[SEP]") draft.parts.after = {id};
    }
    return built(std::move(draft), options);
  });
}

}  // namespace attnscope
