#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/model/transformer.h"
#include "core/stage.h"
#include "platform/system/file.h"

namespace attnscope {

// The names of a document's tokens, UTF-8, shared by all documents that have the same ones: a copy costs a pointer, and
// a comparison starts with it. To change them is to make new ones.
class TokenNames {
public:
  TokenNames() : TokenNames(std::vector<std::string>()) {}
  TokenNames(std::vector<std::string> names);                                // NOLINT(google-explicit-constructor)
  TokenNames(std::initializer_list<std::string> names);                      // NOLINT(google-explicit-constructor)
  operator const std::vector<std::string>&() const { return names().list; }  // NOLINT(google-explicit-constructor)

  auto begin() const { return names().list.begin(); }
  auto end() const { return names().list.end(); }
  std::size_t size() const { return names().list.size(); }
  const std::string& operator[](std::size_t index) const { return names().list[index]; }

  // Returns the first name that check_token() refuses. It is searched once, when the names are made.
  std::optional<std::size_t> first_refused() const { return names().first_refused; }
  // Returns the bytes that these names do not share with the others.
  std::size_t bytes_beyond(const TokenNames& others) const;

  friend bool operator==(const TokenNames& left, const TokenNames& right);

private:
  struct Names {
    std::vector<std::string> list;
    std::optional<std::size_t> first_refused;
  };
  const Names& names() const { return *names_; }

  std::shared_ptr<const Names> names_;
};

// Returns the names of `count` tokens from a text: a JSON list of strings, one name a line, or, if there are not
// `count` lines, words between white space. Throws Error that says what was found, and how many of `what` there are.
std::vector<std::string> tokens_from_text(std::string_view text, Index count, std::string_view what = "token");

// Throws Error when a name is too long or no UTF-8 text; `index` is for the message.
void check_token(std::string_view token, std::size_t index);
void check_dimension(std::string_view name, std::size_t index);

struct TensorNames;

// Says where the numbers of a model were read from.
struct Checkpoint {
  // Returns the SHA-256 as `sha256sum model.safetensors` prints it; of several files, that of their bytes one after the
  // other in the order of their names. It is computed in the background; this waits for it, and asks the watch
  // meanwhile. Throws Error if the files can no longer be read.
  std::function<std::string(const PartWatch& watch)> sha256;
  std::function<bool()> is_hashed = {};  // returns whether sha256() is ready; empty: always
  std::vector<std::string> files = {};   // paths, in this order; none if the model comes with the program
  const TensorNames* names = nullptr;    // the names of the model's family; checkpoint.cpp knows the type
  std::string prefix = {};               // stands before these names in the files
};

// A trained model as it was opened: its weights and its tokenizer. All documents of one file share it.
struct TrainedModel {
  std::string path;  // as documents name it: an absolute path, or "example:stories"
  std::string name;  // for the screen: "stories"
  Checkpoint checkpoint;
  std::shared_ptr<const Transformer> weights;
  std::function<std::vector<Index>(std::string_view)> encode;     // text to tokens; empty without a tokenizer
  std::function<std::string(const std::vector<Index>&)> text_of;  // tokens to text; empty without a tokenizer
  std::function<std::string(Index)> shown;                        // a token as a person reads it
  std::optional<Index> unknown = {};                              // this token stands for unknown words
};

// Begins the name of a model or a document that comes with the program.
constexpr std::string_view example_prefix = "example:";
inline bool is_example(std::string_view name) { return name.starts_with(example_prefix); }

// Names the untrained model of the same sizes whose weights a seed draws: "example:stories#untrained=123".
constexpr std::string_view untrained_mark = "#untrained=";
std::string untrained_name(std::string_view path, std::uint64_t seed);
std::string trained_name(std::string_view path);  // without the mark and the seed

using ModelFunction = std::function<std::shared_ptr<const TrainedModel>(const std::string& path)>;
using ModelReader = std::shared_ptr<const TrainedModel> (*)(const std::string& path);

// Sets the function that reads models, because documents name models but the folders that read files stand above this
// one. Until the program calls it, no document with a model can be read.
void set_model_reader(ModelReader reader);
// Reads a model by that function. Throws Error.
std::shared_ptr<const TrainedModel> read_model(const std::string& path);

// Everything that a user sets: what is saved, undone, and put into exported pictures. Names and numbers are shared
// between copies.
struct Document {
  TokenNames tokens;        // one per row of the inputs, or per key
  TokenNames query_tokens;  // one per query, if queries have other names than keys; else none
  AttentionConfig config;
  std::shared_ptr<const TrainedModel> model = {};  // the configuration is a layer of this model; mostly null
  std::string text = {};                           // the model reads this text; empty if tokens were given by number
  bool is_whole_model = false;                     // the document names no layer
  std::shared_ptr<const Document> compared = {};   // document A if this one is B; A itself has none
  // Paths of the files that its arrays come from; null: none.
  std::shared_ptr<const std::vector<std::string>> arrays_from = {};

  bool operator==(const Document& other) const;  // ignores `arrays_from`
};

// Returns the document that JSON without any key stands for: the notebook's six tokens in multi-head attention with two
// heads.
Document default_document();

// Names the tokens, or the keys. Queries that have the names of the last keys, as steps of generation have, follow.
void name_keys(Document& document, std::vector<std::string> names);
// Names the keys, or the queries, by tokens_from_text(). Throws Error.
void name_from_text(Document& document, std::string_view text, bool are_queries);
// Names one query; the others keep theirs, or get numbers. Throws Error.
void rename_query(Document& document, Index query, std::string_view name);

// Returns "x1" to "xT", names for inputs that came without any.
std::vector<std::string> numbered_tokens(Index count);

// Gives a configuration queries, keys and values: (T,d) and (H,T,d) become (B,H,T,d), with one batch entry and one
// head. Throws Error for other axes.
void set_heads(AttentionConfig& config, HeadTensors heads);
// Returns a document that begins with these and has the usual settings. Throws Error.
Document document_of(HeadTensors heads);

// Returns tokens of a trained model as a person reads them.
std::vector<std::string> names_of(const TrainedModel& model, const std::vector<Index>& tokens);

// Returns a document in which a model reads a first text.
Document document_of(std::shared_ptr<const TrainedModel> model);

// Returns names as shown: a token that occurs more than once carries its position, "the (3)". An empty one shows as
// "(1)".
std::vector<std::string> token_labels(const std::vector<std::string>& tokens);

// Returns the names of the queries: those of the keys unless queries have others; none if they have only numbers.
const TokenNames& query_names(const Document& document);
std::vector<std::string> query_labels(const Document& document);  // as shown

// Throws Error: the inputs of a trained model's layer cannot be set.
[[noreturn]] void refuse_as_computed();

// Throws Error like check(AttentionConfig), and when tokens and inputs disagree in number.
void check(const Document& document);

std::string_view version();  // "1.2.3", as CMakeLists.txt has it

// Returns the line below a picture, from which a reader can make it again: "Multi-head attention · 2 heads · seed 123 ·
// dropout 0.5 · attnscope 0.2.0".
std::string footer_text(const Document& document);

// Undo as a stack of documents. A drag changes the current document many times and becomes one entry when it is
// finished; an edit that changed nothing becomes none.
class History {
public:
  // Snapshots beyond `max_bytes` are forgotten, the oldest first; the newest is kept whatever its size.
  explicit History(Document document, std::size_t max_bytes = 512'000'000)
      : max_bytes_(max_bytes), current_(std::move(document)) {}

  const Document& current() const { return current_; }

  // Makes `document` the current one; begins an edit named `label` if none is under way. Returns whether anything
  // changed.
  bool edit(Document document, std::string label);
  // Makes the edit under way a part of the last one: Undo takes back both.
  void join();
  // Ends the edit under way: one entry if the document differs from the one before the edit.
  void finish();
  // Starts over with a document that was opened or created.
  void reset(Document document);

  std::string undo_label() const;  // the edit that Ctrl+Z takes back; "" for none
  std::string redo_label() const;
  bool undo();  // ends an edit under way first; false if there is nothing to undo
  bool redo();
  // Returns the document before the edit under way, else before the last one; null if nothing was edited.
  const Document* before() const;

private:
  struct Entry {
    Document document;
    std::string label;
  };
  static constexpr std::size_t max_entries = 200;

  void forget_oldest();

  std::size_t max_bytes_;
  Document current_;
  std::optional<Entry> before_edit_;
  std::vector<Entry> undo_;
  std::vector<Entry> redo_;
};

}  // namespace attnscope
