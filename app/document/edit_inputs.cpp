#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/model/forward.h"
#include "core/random.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/edit.h"

namespace attnscope {

namespace {

void check_token_index(const Document& document, Index token) {
  const Index count = token_count(document.config);
  if (token >= 0 && token < count) return;
  throw Error("tokens", fmt::format("There is no token {}: the document has {}.", token + 1, count));
}

void check_feature(const Document& document, Index feature) {
  const Index features = input_features(document.config);
  if (feature >= 0 && feature < features) return;
  throw Error("inputs", fmt::format("There is no dimension {}: each token has {}.", feature + 1, features));
}

Tensor tensor_of(const std::vector<std::vector<float>>& rows) {
  AlignedFloats values;
  values.reserve(rows.size() * rows.front().size());
  for (const std::vector<float>& row : rows) values.insert(values.end(), row.begin(), row.end());
  return Tensor({std::ssize(rows), std::ssize(rows.front())}, std::move(values));
}

Document with_explicit_inputs(Document document) {
  make_inputs_explicit(document);
  return document;
}

const SharedTensor& explicit_inputs(const Document& document) { return std::get<SharedTensor>(document.config.inputs); }

// A copy of a document's names and numbers, to be changed row by row.
struct TokenRows {
  explicit TokenRows(const Document& document) : names(document.tokens), inputs(explicit_inputs(document).copy()) {}

  void put_into(Document& document) {
    document.tokens = std::move(names);
    document.config.inputs = std::move(inputs);
  }

  std::vector<std::string> names;
  Tensor inputs;
};

// Returns the document with one more row before `position`.
Document with_row(Document document, Index position, const std::vector<float>& row, std::string name) {
  document = with_explicit_inputs(std::move(document));
  follow_tokens(document.config, [&](Index token) { return token < position ? token : token + 1; });
  TokenRows rows(document);
  rows.inputs.values.insert(rows.inputs.values.begin() + position * rows.inputs.cols(), row.begin(), row.end());
  ++rows.inputs.shape[0];
  rows.names.insert(rows.names.begin() + position, std::move(name));
  rows.put_into(document);
  if (document.config.mask == MaskRoute::custom)
    document.config.hidden = with_tokens(document.config.hidden, position, 1);
  return document;
}

// Changes the number of features: new columns are zero.
void set_feature_count(Document& document, Index features) {
  Document changed = with_explicit_inputs(document);
  const SharedTensor& before = explicit_inputs(changed);
  const auto kept = static_cast<std::size_t>(std::min(features, before.cols()));
  Tensor inputs({before.rows(), features});
  for (Index row = 0; row < before.rows(); ++row) {
    std::ranges::copy(before.row(row).first(kept), inputs.values.begin() + row * features);
  }
  changed.config.inputs = std::move(inputs);
  keep_fitting_overrides(changed.config);
  replace(document, std::move(changed));
}

bool is_blank(char32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
         code == 0x3000;
}

bool is_punctuation(char32_t code) {
  const auto within = [&](char32_t first, char32_t last) { return code >= first && code <= last; };
  return within('!', '/') || within(':', '@') || within('[', '`') || within('{', '~') || code == 0xA1 || code == 0xAB ||
         code == 0xBB || code == 0xBF || within(0x2010, 0x2027) || within(0x2030, 0x205E) || within(0x3001, 0x3003) ||
         within(0x3008, 0x3011) || within(0xFF01, 0xFF0F) || within(0xFF1A, 0xFF20);
}

// An apostrophe, a hyphen, a point or a comma between two letters or digits belongs to the word: don't, 3.5, e-mail.
bool joins_words(char32_t code) { return code == '\'' || code == 0x2019 || code == '-' || code == '.' || code == '_'; }

Utf8Character character_at(std::string_view text, std::size_t position) {
  return position < text.size() ? utf8_character(text, position) : Utf8Character{' ', 1};
}

std::vector<std::string> split_sentence(std::string_view sentence) {
  std::vector<std::string> words;
  bool in_word = false;
  for (std::size_t position = 0; position < sentence.size();) {
    const auto [code, length] = utf8_character(sentence, position);
    const std::string_view piece = sentence.substr(position, length);
    position += length;
    if (is_blank(code)) {
      in_word = false;
      continue;
    }
    const char32_t next = character_at(sentence, position).code;
    const bool joins = in_word && joins_words(code) && !is_blank(next) && !is_punctuation(next);
    const bool stands_alone = is_punctuation(code) && !joins;
    if (!in_word || stands_alone) words.emplace_back();
    words.back() += piece;
    in_word = !stands_alone;
  }
  return words;
}

// 64-bit FNV-1a, so that a word has the same numbers on every machine.
std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

void append_invented_row(AlignedFloats& values, std::string_view word, Index features) {
  std::mt19937_64 engine(hash_of(word));
  for (Index i = 0; i < features; ++i)
    values.push_back(static_cast<float>(static_cast<double>(engine() % 100) / 100.0));
}

const ModelInputs& inputs_of(const Document& document) { return std::get<ModelInputs>(document.config.inputs); }

// Returns the configuration of a layer without the other changed layers, as hidden layers are stored.
AttentionConfig alone(AttentionConfig config) {
  std::get<ModelInputs>(config.inputs).changed = nullptr;
  return config;
}

// Fits masks and dropped weights to the length of the text.
void fit_to_text(AttentionConfig& config, const std::vector<Index>& tokens) {
  std::get<ModelInputs>(config.inputs).tokens = tokens;
  keep_fitting_interventions(config);
  fit_mask(config);
}

// Changes the document. If it is compared with a model of the same sizes that reads the same text, that one changes
// alike, so that the two can still be compared.
template <typename Change>
void change_both_models(Document& document, const Change& change) {
  const std::shared_ptr<const Document> compared = document.compared;
  const bool is_beside = document.model && compared && compared->model && compared->model != document.model &&
                         compared->model->weights->shape == document.model->weights->shape &&
                         inputs_of(*compared).tokens == inputs_of(document).tokens;
  change(document);
  if (!is_beside) return;
  Document other = *compared;
  change(other);
  document.compared = std::make_shared<const Document>(std::move(other));
}

void set_tokens(Document& document, const std::vector<Index>& tokens, const std::string& text) {
  change_both_models(document, [&](Document& of) {
    Document changed = of;
    if (inputs_of(changed).changed) {
      ChangedLayers others = *inputs_of(changed).changed;
      for (auto& [layer, config] : others) fit_to_text(config, tokens);
      std::get<ModelInputs>(changed.config.inputs).changed = std::make_shared<const ChangedLayers>(std::move(others));
    }
    fit_to_text(changed.config, tokens);
    changed.text = text;
    changed.tokens = names_of(*changed.model, tokens);
    replace(of, std::move(changed));
  });
}

void show_layer_of_one(Document& document, Index layer) {
  if (!document.model) throw Error("layer", "This document has one layer: open a trained model to look at several.");
  const Index layers = document.model->weights->shape.layers;
  if (layer < 0 || layer >= layers)
    throw Error("layer", fmt::format("There is no layer {}: the model has {}.", layer + 1, layers));
  Document changed = document;
  changed.is_whole_model = false;
  ModelInputs inputs = inputs_of(document);
  if (layer != inputs.layer) {
    ChangedLayers others = inputs.changed ? *inputs.changed : ChangedLayers();
    AttentionConfig own = alone(document.config);
    if (own != alone(original_layer_config(inputs, inputs.layer))) others.emplace(inputs.layer, std::move(own));
    changed.config = layer_config(inputs, layer);
    others.erase(layer);
    inputs.layer = layer;
    inputs.changed = others.empty() ? nullptr : std::make_shared<const ChangedLayers>(std::move(others));
    changed.config.inputs = std::move(inputs);
  }
  replace(document, std::move(changed));
}

}  // namespace

void make_inputs_explicit(Document& document) {
  if (document.model) refuse_as_computed();
  const auto* drawn = std::get_if<RandnInputs>(&document.config.inputs);
  if (!drawn) return;
  check(document);
  Document changed = document;
  AttentionConfig& config = changed.config;
  Tensor inputs({drawn->tokens, drawn->features});
  Generator generator(config.seed);
  skip_words(generator, config.skip_draws);
  fill_randn(inputs.values, generator);
  config.skip_draws += words_of_randn(std::ssize(inputs));
  config.inputs = std::move(inputs);
  replace(document, std::move(changed));
}

void set_input(Document& document, Index token, Index feature, float value) {
  check_token_index(document, token);
  check_feature(document, feature);
  if (!std::isfinite(value)) {
    throw Error(fmt::format("inputs[{}][{}]", token, feature), "A number of the inputs must be finite.");
  }
  make_inputs_explicit(document);
  std::get<SharedTensor>(document.config.inputs).set(token, feature, value);
}

void rename_token(Document& document, Index token, std::string_view name) {
  if (document.model) refuse_as_computed();
  check_token_index(document, token);
  const auto index = static_cast<std::size_t>(token);
  check_token(name, index);
  std::vector<std::string> names = document.tokens;
  names[index] = name;
  name_keys(document, std::move(names));
}

void rename_dimension(Document& document, Index dimension, std::string_view name) {
  if (document.model) refuse_as_computed();
  check_feature(document, dimension);
  const auto index = static_cast<std::size_t>(dimension);
  check_dimension(name, index);
  std::vector<std::string> names = document.config.dimensions.copy();
  names.resize(static_cast<std::size_t>(input_features(document.config)));
  names[index] = name;
  document.config.dimensions = std::move(names);
}

void add_token(Document& document) {
  const std::vector<float> zeros(static_cast<std::size_t>(input_features(document.config)));
  replace(document, with_row(document, token_count(document.config), zeros, "token"));
}

void duplicate_token(Document& document, Index token) {
  check_token_index(document, token);
  const Document source = with_explicit_inputs(document);
  const std::span<const float> row = explicit_inputs(source).row(token);
  replace(document,
          with_row(source, token + 1, {row.begin(), row.end()}, source.tokens[static_cast<std::size_t>(token)]));
}

void delete_token(Document& document, Index token) {
  check_token_index(document, token);
  if (token_count(document.config) == 1) throw Error("tokens", "The last token cannot be deleted: one must stay.");
  Document changed = with_explicit_inputs(document);
  TokenRows rows(changed);
  const auto first = rows.inputs.values.begin() + token * rows.inputs.cols();
  rows.inputs.values.erase(first, first + rows.inputs.cols());
  --rows.inputs.shape[0];
  rows.names.erase(rows.names.begin() + token);
  rows.put_into(changed);
  if (changed.config.mask == MaskRoute::custom) changed.config.hidden = without_tokens(changed.config.hidden, token, 1);
  follow_tokens(changed.config, [&](Index each) -> std::optional<Index> {
    if (each == token) return {};
    return each < token ? each : each - 1;
  });
  replace(document, std::move(changed));
}

void move_token(Document& document, Index from, Index to) {
  check_token_index(document, from);
  check_token_index(document, to);
  if (from == to) return;
  Document changed = with_explicit_inputs(document);
  TokenRows rows(changed);
  const auto move_items = [&](auto begin, Index width) {
    const auto [low, high] = std::minmax(from, to);
    const Index middle = from < to ? low + 1 : high;
    std::rotate(begin + low * width, begin + middle * width, begin + (high + 1) * width);
  };
  move_items(rows.inputs.values.begin(), rows.inputs.cols());
  move_items(rows.names.begin(), 1);
  rows.put_into(changed);
  follow_tokens(changed.config, [&](Index token) {
    if (token == from) return to;
    if (from < token && token <= to) return token - 1;
    return to <= token && token < from ? token + 1 : token;
  });
  replace(document, std::move(changed));
}

void add_feature(Document& document) { set_feature_count(document, input_features(document.config) + 1); }

void remove_feature(Document& document) {
  const Index features = input_features(document.config);
  if (features == 1)
    throw Error("inputs", "The last dimension cannot be removed: each token needs at least one number.");
  set_feature_count(document, features - 1);
}

void fill_with_randn(Document& document) {
  if (document.model) refuse_as_computed();
  document.config.inputs = RandnInputs{token_count(document.config), input_features(document.config)};
}

void set_inputs(Document& document, const std::vector<std::vector<float>>& rows) {
  if (rows.empty() || rows.front().empty()) throw Error("inputs", "Inputs need at least one row of one number.");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() == rows.front().size()) continue;
    throw Error("inputs", fmt::format("Row {} has {} numbers, but row 1 has {}: all rows must have the same length.",
                                      i + 1, rows[i].size(), rows.front().size()));
  }
  set_inputs(document, tensor_of(rows), {});
}

void set_bias(Document& document, const std::vector<std::vector<float>>& rows) {
  Document changed = document;
  changed.config.bias = tensor_of(rows);
  replace(document, std::move(changed));
}

void set_inputs(Document& document, Tensor inputs, std::vector<std::string> names) {
  Document changed = document;
  if (names.empty()) {
    names = numbered_tokens(std::min(inputs.rows(), max_tokens));  // more are refused below
    std::copy_n(changed.tokens.begin(), std::min(changed.tokens.size(), names.size()), names.begin());
  }
  changed.config.inputs = std::move(inputs);
  changed.tokens = std::move(names);
  keep_fitting_overrides(changed.config);
  keep_fitting_interventions(changed.config);
  replace(document, std::move(changed));
}

void set_sentence(Document& document, std::string_view sentence) {
  if (find_invalid_utf8(sentence)) throw Error("tokens", "The sentence is not UTF-8 text: type it again.");
  if (document.model) return set_text(document, sentence);
  std::vector<std::string> words = split_sentence(sentence);
  if (words.empty()) throw Error("tokens", "The sentence is empty, but it must hold at least one word.");
  if (std::ssize(words) > max_tokens) {
    throw Error("tokens", "The sentence has " + std::to_string(words.size()) + " words, but there may be at most " +
                              std::to_string(max_tokens) + ".");
  }
  Document changed = document;
  make_inputs_explicit(changed);
  const SharedTensor known = std::get<SharedTensor>(changed.config.inputs);
  // A word that was there twice keeps both rows, in their order; a third one gets the first row again.
  std::map<std::string_view, std::vector<Index>> rows_by_word;
  for (std::size_t i = 0; i < document.tokens.size(); ++i)
    rows_by_word[document.tokens[i]].push_back(static_cast<Index>(i));
  std::map<std::string_view, std::size_t> uses;
  AlignedFloats values;
  for (const std::string& word : words) {
    const auto rows = rows_by_word.find(word);
    if (rows == rows_by_word.end()) {
      append_invented_row(values, word, known.cols());
      continue;
    }
    const std::size_t use = uses[word]++;
    const Index row = rows->second[use < rows->second.size() ? use : 0];
    const std::span<const float> numbers = known.row(row);
    values.insert(values.end(), numbers.begin(), numbers.end());
  }
  changed.config.inputs = Tensor({std::ssize(words), known.cols()}, std::move(values));
  changed.tokens = std::move(words);
  keep_fitting_interventions(changed.config);
  replace(document, std::move(changed));
}

std::vector<std::string> invented_words(const Document& document) {
  constexpr Index most_numbers = 4096;  // this runs after every edit
  const auto* const inputs = std::get_if<SharedTensor>(&document.config.inputs);
  if (!inputs || begins_with_heads(document.config) || inputs->size() > most_numbers) return {};
  std::vector<std::string> words;
  for (Index token = 0; token < std::min(inputs->rows(), static_cast<Index>(document.tokens.size())); ++token) {
    const std::string& word = document.tokens[static_cast<std::size_t>(token)];
    AlignedFloats invented;
    append_invented_row(invented, word, inputs->cols());
    if (std::ranges::equal(inputs->row(token), invented) && std::ranges::find(words, word) == words.end())
      words.push_back(word);
  }
  return words;
}

std::vector<std::string> known_words(const TrainedModel& model) {
  std::vector<std::string> words;
  for (Index token = 0; token < model.weights->shape.vocabulary; ++token) {
    std::string word = model.shown(token);
    if (!word.starts_with('<')) words.push_back(std::move(word));
  }
  std::ranges::sort(words);
  return words;
}

void show_layer(Document& document, Index layer) {
  change_both_models(document, [layer](Document& of) { show_layer_of_one(of, layer); });
}

void set_head_off(Document& document, Index layer, Index head, bool is_off) {
  Document changed = document;
  const Index shown = inputs_of(document).layer;
  const bool is_whole = document.is_whole_model;
  show_layer_of_one(changed, layer);
  set_head_off(changed, head, is_off);
  show_layer_of_one(changed, shown);
  changed.is_whole_model = is_whole;
  replace(document, std::move(changed));
}

void set_text(Document& document, std::string_view text) {
  if (find_invalid_utf8(text)) throw Error("text", "The text is not UTF-8: type it again.");
  if (!document.model->encode)
    throw Error("text", "The model has no tokenizer, so its tokens are given by their numbers in the document.");
  set_tokens(document, document.model->encode(text), std::string(text));
}

namespace {

void set_tokens_and_text(Document& document, const std::vector<Index>& tokens) {
  // A text that is cut into other tokens than these would open as another document.
  std::string text = document.text.empty() ? std::string() : document.model->text_of(tokens);
  if (!text.empty() && document.model->encode(text) != tokens) text.clear();
  set_tokens(document, tokens, text);
}

}  // namespace

void append_token(Document& document, Index token) {
  std::vector<Index> tokens = inputs_of(document).tokens;
  tokens.push_back(token);
  set_tokens_and_text(document, tokens);
}

void replace_token(Document& document, Index place, Index token) {
  std::vector<Index> tokens = inputs_of(document).tokens;
  tokens.at(static_cast<std::size_t>(place)) = token;
  set_tokens_and_text(document, tokens);
}

}  // namespace attnscope
