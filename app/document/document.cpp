#include "document/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/model/forward.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/json_value.h"

namespace attnscope {

namespace {

std::atomic<ModelReader> model_reader = nullptr;

constexpr std::size_t max_token_bytes = 1000;

bool is_refused(const std::string& name) { return name.size() > max_token_bytes || find_invalid_utf8(name); }

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view token_blanks = " \t\r\n\f\v";

// A list of texts that keeps only as many as are wanted, because a file may hold millions.
struct Pieces {
  std::size_t wanted = 0;
  std::size_t count = 0;
  std::vector<std::string> kept = {};

  void add(std::string_view text) {
    if (++count <= wanted) kept.emplace_back(text);
  }
  bool are_wanted() const { return count == wanted; }
};

Pieces lines_of(std::string_view text, std::size_t wanted) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  Pieces lines{wanted};
  while (true) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.add(line);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

Pieces words_of(std::string_view text, std::size_t wanted) {
  Pieces words{wanted};
  for (std::size_t first = text.find_first_not_of(token_blanks); first != std::string_view::npos;
       first = text.find_first_not_of(token_blanks, first)) {
    const std::size_t end = std::min(text.find_first_of(token_blanks, first), text.size());
    words.add(text.substr(first, end - first));
    first = end;
  }
  return words;
}

// Reads a list of strings as Python's json.dump writes it; nothing if the text is something else or has another number
// of strings.
std::optional<std::vector<std::string>> json_list(std::string_view text, std::size_t wanted) {
  const std::size_t first = text.find_first_not_of(token_blanks);
  if (first == std::string_view::npos || text[first] != '[') return std::nullopt;
  std::vector<std::string> names;
  try {
    const JsonText json(text);
    const JsonValue list = json.root();
    JsonItems items(list);
    while (const JsonValue* const item = items.next()) {
      if (!item->is_text() || names.size() == wanted) return std::nullopt;
      names.push_back(item->text());
    }
    json.finish(list);
  } catch (const Error&) {
    return std::nullopt;
  }
  return names.size() == wanted ? std::optional(std::move(names)) : std::nullopt;
}

std::string counted(std::size_t count, std::string_view what) {
  if (count == 1) return fmt::format("1 {}", what);
  return what == "query" ? fmt::format("{} queries", count) : fmt::format("{} {}s", count, what);
}

}  // namespace

bool Document::operator==(const Document& other) const {
  if (model != other.model || text != other.text || is_whole_model != other.is_whole_model) return false;
  if (!(tokens == other.tokens) || !(query_tokens == other.query_tokens) || !(config == other.config)) return false;
  if (!compared || !other.compared) return compared == other.compared;
  return compared == other.compared || *compared == *other.compared;
}

Document default_document() {
  Document document;
  document.tokens = {"Your", "journey", "starts", "with", "one", "step"};
  document.config.inputs = Tensor({6, 3}, {0.43F, 0.15F, 0.89F,    // Your
                                           0.55F, 0.87F, 0.66F,    // journey
                                           0.57F, 0.85F, 0.64F,    // starts
                                           0.22F, 0.58F, 0.33F,    // with
                                           0.77F, 0.25F, 0.10F,    // one
                                           0.05F, 0.80F, 0.55F});  // step
  return document;
}

void name_keys(Document& document, std::vector<std::string> names) {
  const TokenNames& before = document.tokens;
  const TokenNames& queries = document.query_tokens;
  const bool are_last =
      queries.size() > 0 && queries.size() <= before.size() && before.size() == names.size() &&
      std::equal(queries.begin(), queries.end(), before.end() - static_cast<std::ptrdiff_t>(queries.size()));
  if (are_last)
    document.query_tokens = std::vector(names.end() - static_cast<std::ptrdiff_t>(queries.size()), names.end());
  document.tokens = std::move(names);
}

std::vector<std::string> numbered_tokens(Index count) {
  std::vector<std::string> tokens;
  tokens.reserve(static_cast<std::size_t>(count));
  for (Index number = 1; number <= count; ++number) tokens.push_back(fmt::format("x{}", number));
  return tokens;
}

std::vector<std::string> names_of(const TrainedModel& model, const std::vector<Index>& tokens) {
  std::vector<std::string> names;
  for (const Index token : tokens) {
    if (std::ssize(names) > max_tokens) break;  // check() refuses the document, whatever the others are named
    names.push_back(model.shown ? model.shown(token) : fmt::format("#{}", token));
  }
  return names;
}

void set_heads(AttentionConfig& config, HeadTensors heads) {
  const auto complete = [](SharedTensor& tensor, std::string_view name) {
    std::vector<Index> shape = tensor.shape();
    if (shape.size() < 2 || shape.size() > 4) {
      throw Error(fmt::format("given.{}", name),
                  fmt::format("given.{} has {} axes, but it must have the shape (T, d), (H, T, d) or (B, H, T, d).",
                              name, shape.size()));
    }
    if (shape.back() == 0)
      throw Error(fmt::format("given.{}", name), fmt::format("given.{} has no numbers: give each token some.", name));
    if (shape.size() == 4) return;
    shape.insert(shape.begin(), 4 - shape.size(), 1);
    tensor = Tensor(std::move(shape), tensor.copy().values);
  };
  complete(heads.queries, "queries");
  complete(heads.keys, "keys");
  complete(heads.values, "values");
  config.batch_size = heads.queries.shape()[0];
  config.num_heads = heads.queries.shape()[1];
  config.heads = std::move(heads);
}

Document document_of(HeadTensors heads) {
  Document document;
  AttentionConfig& config = document.config;
  config.mechanism = Mechanism::scaled_dot_product_attention;
  config.mask = info(config.mechanism).has_mask_by_default ? MaskRoute::causal : MaskRoute::none;
  set_heads(config, std::move(heads));
  document.tokens = numbered_tokens(std::min(key_count(config), max_tokens));
  check(document);
  return document;
}

std::vector<std::string> token_labels(const std::vector<std::string>& tokens) {
  std::map<std::string_view, int> uses;
  for (const std::string& token : tokens) ++uses[token];
  std::vector<std::string> labels;
  labels.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].empty()) {
      labels.push_back(fmt::format("({})", i + 1));
    } else {
      labels.push_back(uses[tokens[i]] == 1 ? tokens[i] : fmt::format("{} ({})", tokens[i], i + 1));
    }
  }
  return labels;
}

const TokenNames& query_names(const Document& document) {
  const AttentionConfig& config = document.config;
  const bool has_own = begins_with_heads(config) && document.query_tokens.size() > 0;
  const bool has_numbers = !has_own && query_count(config) != key_count(config);
  return has_own || has_numbers ? document.query_tokens : document.tokens;
}

std::vector<std::string> query_labels(const Document& document) { return token_labels(query_names(document)); }

Document document_of(std::shared_ptr<const TrainedModel> model) {
  constexpr Index first_tokens = 8;  // shown of a model without a tokenizer
  Document document;
  ModelInputs inputs;
  inputs.model = model->weights;
  if (model->encode) {
    const std::optional<Index> mask = model->weights->mask_token;
    const std::string word = mask ? model->shown(*mask) : "mat";
    document.text = fmt::format("The cat sat on the {} because it was tired.", word);
    inputs.tokens = model->encode(document.text);
  } else {
    for (Index token = 0; token < std::min(first_tokens, model->weights->shape.vocabulary); ++token)
      inputs.tokens.push_back(token);
  }
  const Index most = model->weights->shape.context_length;
  if (std::ssize(inputs.tokens) > most) {
    inputs.tokens.resize(static_cast<std::size_t>(most));
    document.text.clear();
  }
  document.tokens = names_of(*model, inputs.tokens);
  document.config = original_layer_config(inputs, 0);
  document.model = std::move(model);
  document.is_whole_model = true;
  check(document);
  return document;
}

void refuse_as_computed() {
  throw Error("inputs",
              "The inputs of a trained model's layer are computed by the layers below: change the text instead.");
}

void check(const Document& document) {
  if (document.compared) {
    try {
      check(*document.compared);
    } catch (const Error& problem) {
      throw Error("compared_with." + problem.field, fmt::format("compared_with: {}", problem.what()));
    }
  }
  const bool is_of_model = std::holds_alternative<ModelInputs>(document.config.inputs);
  if (is_of_model != (document.model != nullptr) && !begins_with_heads(document.config)) refuse_as_computed();
  check(document.config);
  const auto names = static_cast<Index>(document.tokens.size());
  const Index rows = key_count(document.config);
  if (names != rows && begins_with_heads(document.config)) {
    throw Error("tokens",
                fmt::format("tokens has {} names, but there are {} keys: each key must have one name.", names, rows));
  }
  if (names != rows) {
    throw Error("tokens",
                fmt::format("tokens has {} names, but inputs has {} rows: each row must have one name.", names, rows));
  }
  const auto query_names = static_cast<Index>(document.query_tokens.size());
  if (query_names != 0 && begins_with_heads(document.config) && query_names != query_count(document.config)) {
    throw Error("query_tokens", fmt::format("query_tokens has {} names, but there are {} queries: each query must have "
                                            "one name, or none has.",
                                            query_names, query_count(document.config)));
  }
  for (const TokenNames* tokens : {&document.tokens, &document.query_tokens}) {
    const std::optional<std::size_t> refused = tokens->first_refused();
    if (refused) check_token((*tokens)[*refused], *refused);
  }
  for (std::size_t i = 0; i < document.config.dimensions.size(); ++i) check_dimension(document.config.dimensions[i], i);
}

void set_model_reader(ModelReader reader) { model_reader = reader; }

std::string untrained_name(std::string_view path, std::uint64_t seed) {
  return fmt::format("{}{}{}", trained_name(path), untrained_mark, seed);
}

std::string trained_name(std::string_view path) { return std::string(path.substr(0, path.rfind(untrained_mark))); }

std::shared_ptr<const TrainedModel> read_model(const std::string& path) {
  const ModelReader reader = model_reader;
  if (!reader) throw Error("model", fmt::format("model is {}, but models cannot be read here.", in_quotes(path)));
  return reader(path);
}

TokenNames::TokenNames(std::vector<std::string> names) {
  const auto refused = std::ranges::find_if(names, is_refused);
  std::optional<std::size_t> first_refused;
  if (refused != names.end()) first_refused = static_cast<std::size_t>(refused - names.begin());
  names_ = std::make_shared<const Names>(Names{std::move(names), first_refused});
}

TokenNames::TokenNames(std::initializer_list<std::string> names) : TokenNames(std::vector<std::string>(names)) {}

std::size_t TokenNames::bytes_beyond(const TokenNames& others) const {
  if (names_ == others.names_) return 0;
  std::size_t bytes = 0;
  for (const std::string& name : *this) bytes += sizeof(std::string) + name.size();
  return bytes;
}

bool operator==(const TokenNames& left, const TokenNames& right) {
  return left.names_ == right.names_ || left.names().list == right.names().list;
}

namespace {

void check_name(std::string_view name, const std::string& field, std::string_view what) {
  if (name.size() > max_token_bytes) {
    throw Error(field, fmt::format("{} is {} bytes long, but {} may have at most {}.", field, name.size(), what,
                                   max_token_bytes));
  }
  if (find_invalid_utf8(name)) throw Error(field, field + " is not UTF-8 text: type the name again.");
}

}  // namespace

void check_token(std::string_view token, std::size_t index) {
  check_name(token, fmt::format("tokens[{}]", index), "a token");
}

void check_dimension(std::string_view name, std::size_t index) {
  check_name(name, fmt::format("dimensions[{}]", index), "the name of a dimension");
}

void name_from_text(Document& document, std::string_view text, bool are_queries) {
  const Index queries = query_count(document.config);
  const Index keys = static_cast<Index>(document.tokens.size());
  if (are_queries)
    document.query_tokens = tokens_from_text(text, queries, "query");
  else
    name_keys(document, tokens_from_text(text, keys, queries == keys ? "token" : "key"));
}

void rename_query(Document& document, Index query, std::string_view name) {
  const Index queries = query_count(document.config);
  std::vector<std::string> names = document.query_tokens;
  for (Index number = std::ssize(names) + 1; number <= queries; ++number) names.push_back(std::to_string(number));
  const auto index = static_cast<std::size_t>(query);
  check_token(name, index);
  names.at(index) = name;
  document.query_tokens = std::move(names);
}

std::vector<std::string> tokens_from_text(std::string_view text, Index count, std::string_view what) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  const auto wanted = static_cast<std::size_t>(count);
  std::optional<std::vector<std::string>> list = json_list(text, wanted);
  Pieces lines = lines_of(text, wanted);
  Pieces words = words_of(text, wanted);
  std::vector<std::string> tokens;
  if (list) {
    tokens = *std::move(list);
  } else if (lines.are_wanted()) {
    tokens = std::move(lines.kept);
  } else if (words.are_wanted()) {
    tokens = std::move(words.kept);
  } else {
    throw Error(
        fmt::format("The text has {} and {}, but the attention has {}: give one name per line, or "
                    "separate the names with blanks.",
                    counted(lines.count, "line"), counted(words.count, "word"), counted(wanted, what)));
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) check_token(tokens[i], i);
  return tokens;
}

namespace {

// Returns the bytes of a snapshot that a newer one does not share.
std::size_t bytes_beyond(const Document& document, const Document& newer) {
  std::size_t bytes = bytes_beyond(document.config, newer.config) + document.tokens.bytes_beyond(newer.tokens);
  if (document.compared && document.compared != newer.compared) bytes += bytes_beyond(*document.compared, newer);
  return bytes;
}

}  // namespace

bool History::edit(Document document, std::string label) {
  if (document == current_) return false;
  if (!before_edit_) before_edit_ = Entry{std::move(current_), std::move(label)};
  current_ = std::move(document);
  return true;
}

void History::join() {
  if (!before_edit_ || undo_.empty()) return;
  before_edit_ = std::move(undo_.back());
  undo_.pop_back();
}

void History::finish() {
  if (!before_edit_) return;
  Entry entry = std::move(*before_edit_);
  before_edit_.reset();
  if (entry.document == current_) return;
  undo_.push_back(std::move(entry));
  redo_.clear();
  forget_oldest();
}

void History::forget_oldest() {
  std::size_t bytes = 0;
  std::size_t kept = 0;
  while (kept < undo_.size() && kept < max_entries) {
    const Document& newer = kept == 0 ? current_ : undo_[undo_.size() - kept].document;
    bytes += bytes_beyond(undo_[undo_.size() - 1 - kept].document, newer);
    if (kept > 0 && bytes > max_bytes_) break;
    ++kept;
  }
  undo_.erase(undo_.begin(), undo_.end() - static_cast<std::ptrdiff_t>(kept));
}

void History::reset(Document document) {
  current_ = std::move(document);
  before_edit_.reset();
  undo_.clear();
  redo_.clear();
}

std::string History::undo_label() const {
  if (before_edit_) return before_edit_->label;
  return undo_.empty() ? "" : undo_.back().label;
}

std::string History::redo_label() const { return redo_.empty() ? "" : redo_.back().label; }

const Document* History::before() const {
  if (before_edit_) return &before_edit_->document;
  return undo_.empty() ? nullptr : &undo_.back().document;
}

bool History::undo() {
  finish();
  if (undo_.empty()) return false;
  Entry entry = std::move(undo_.back());
  undo_.pop_back();
  redo_.push_back({std::exchange(current_, std::move(entry.document)), std::move(entry.label)});
  return true;
}

bool History::redo() {
  finish();
  if (redo_.empty()) return false;
  Entry entry = std::move(redo_.back());
  redo_.pop_back();
  undo_.push_back({std::exchange(current_, std::move(entry.document)), std::move(entry.label)});
  return true;
}

}  // namespace attnscope
