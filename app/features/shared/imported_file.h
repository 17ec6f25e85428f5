#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/evaluator.h"
#include "core/source.h"
#include "document/imported_document.h"
#include "files/document_file.h"
#include "files/import.h"
#include "session/view_state.h"

namespace attnscope {

// The choice of what to view in a file of attention.
struct ViewChoice {
  std::string tensor;  // the tensor's name; empty for the likeliest tensor
  std::optional<Index> layer;
  std::optional<std::filesystem::path> tokens;  // file of their names: those of the keys
  NumbersAs numbers = NumbersAs::suggested;
  std::optional<std::filesystem::path> query_tokens;  // file of the queries' names, where they are others
};

// Returns `count` names from a file with one a line or with blanks between them. Throws Error that calls them `what`.
std::vector<std::string> tokens_of_file(const std::filesystem::path& path, Index count,
                                        std::string_view what = "token");

// The names of keys and, where they have others, of queries.
struct AttentionNames {
  std::vector<std::string> keys;
  std::vector<std::string> queries = {};
};

// A file of attention that is open, and what of it is shown.
class ImportedFile {
public:
  // Opens only the tensor named `wanted` if that is not empty. Throws Error.
  ImportedFile(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file, const std::string& wanted,
               const UnpackWatch& watch = {}, NumbersAs numbers = NumbersAs::suggested);
  // Opens saved attention. Throws Error, also if the file has changed since.
  ImportedFile(const ImportedDocument& saved, std::shared_ptr<const NamedArrays> file, const UnpackWatch& watch = {});

  const ImportedView& viewing() const { return viewing_; }
  const AttentionTensors& tensors() const { return tensors_[viewing_.tensor]; }
  Stage stage() const { return stage_; }
  // Returns sentences about what the numbers are, where that is not plain; mostly empty.
  std::string said_of_numbers() const;
  std::optional<Source> first_cell() const;  // of the first head: what to explain first, if there is room
  // Shows something else of the file. Throws Error, and then shows what it showed before.
  void change(ImportedView viewing, const UnpackWatch& watch = {});
  // Returns the names that a table gives the tokens, or a saved document; else "x1", "x2", …
  AttentionNames names() const;
  bool is_slow() const { return is_slow_to_read(*file_); }  // changing the view takes a while
  // Returns whether another tensor of the file has as many queries and keys.
  bool is_alike(std::size_t tensor) const;

  // Returns what stands in for an evaluation: the layer that is shown, and summaries of a part of it.
  Evaluation evaluation(std::uint64_t ticket) const;
  // Returns this for every layer, for `most_layers` of them at the most; empty ones where a layer would have to be
  // unpacked. They were read with the tensor, so that nobody waits for the file who asks for them or shows another one.
  static constexpr Index most_layers = 256;
  const std::vector<Evaluation>& layers() const { return layers_; }
  // Returns a document that names the tokens, and has the sizes of the layer but no numbers.
  Document document(AttentionNames names) const;
  // Returns the document that is saved of it, with the names of the tokens.
  ImportedDocument to_save(const Document& document) const;
  bool is_as_saved() const { return saved_checksum_.empty() || saved_checksum_ == checksum_; }
  bool is_whole() const { return file_->is_whole(); }  // false: the file was made shorter

private:
  void read(const ImportedView& wanted, bool is_other, const UnpackWatch& watch);
  std::vector<Evaluation> read_layers(const AttentionTensors& tensors, Stage stage, const std::string& origin) const;
  Evaluation read_evaluation(const AttentionTensors& tensors, Index layer, Stage stage, const std::string& origin,
                             const UnpackWatch& watch) const;

  std::shared_ptr<const NamedArrays> file_;
  std::string wanted_;
  std::vector<AttentionTensors> tensors_;
  ImportedView viewing_;
  Stage stage_ = Stage::weights;
  std::string checksum_;        // checksum of the tensor's numbers
  std::string saved_checksum_;  // their checksum when the shown part was saved; empty if it was not
  Evaluation shown_;
  std::vector<Evaluation> layers_;
};

// An open file of attention, with the document that names its tokens.
struct LoadedAttention {
  std::unique_ptr<ImportedFile> viewed = {};
  Document document = {};
  std::filesystem::path carrier = {};   // the saved document that names the file; empty if the arrays were opened
  bool is_from_picture = false;         // `carrier` is a picture
  std::string view = {};                // how the picture looked at it
  std::string note = {};                // a sentence that the user should read about it; mostly empty
  std::optional<FileStamp> stamp = {};  // of `carrier` before it was read
};
// Reads attention; `file` if it was opened before, else null. All of these throw Error whose sentence names the file.
LoadedAttention load_attention(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file,
                               const ViewChoice& choice, const UnpackWatch& watch = {});

// Finds the arrays of what was saved in `carrier`. If they are not at their place, but a file of their name is beside
// it, as when both were moved, that file is taken.
void find_arrays_of(ImportedDocument& saved, const std::filesystem::path& carrier);
// Checks by the file's headers alone. Throws Error that says what of the choice, or of what was saved, is not there.
void check_choice(const std::filesystem::path& path, const NamedArrays& file, const ViewChoice& choice);
void check_saved(const ImportedDocument& saved, const NamedArrays& file);
// Opens the attention that was saved in `carrier`; `file` if it was opened before, else null.
LoadedAttention load_attention(const LoadedFile& saved, const std::filesystem::path& carrier,
                               std::shared_ptr<const NamedArrays> file, const UnpackWatch& watch = {});

// "attention.npy (12, 12, 64, 64) float16, layer 3 of 12": what a picture of it shows, in a line.
std::string footer_text(const ImportedView& viewing);
std::string part_of(const ImportedView& viewing);  // "Layer 3 of 12"; empty where there is one

// The subject of the window: a document whose numbers are computed here, or attention that another program computed, of
// which the document only names the tokens. Whatever depends on its kind is asked here and nowhere else.
class Subject {
public:
  Subject() = default;  // makes the subject a computed document
  explicit Subject(std::shared_ptr<const ImportedFile> attention) : attention_(std::move(attention)) {}

  const ImportedFile* attention() const { return attention_.get(); }  // null for a computed document
  const std::shared_ptr<const ImportedFile>& shared_attention() const { return attention_; }

  // Throws Error where nothing is computed: "There is nothing to evaluate: …".
  void require_computed(const std::string& lacking) const;
  // Throws Error where the edit would need what is not computed.
  void check_edit(const Document& before, const Document& after) const;
  // Returns the line below its pictures.
  std::string footer(const Document& document) const;
  AnyDocument to_save(const Document& document) const;
  // Returns whether something is lost without saving; `saved` is the content of `file`.
  bool differs(const Document& document, const AnyDocument& saved, const std::filesystem::path& file) const;
  // Returns whether the file holds the numbers themselves: it is never saved over.
  bool is_own_file(const std::filesystem::path& file) const;
  // Returns the numbers of attention from a file; nothing if the document has to be evaluated.
  std::optional<Evaluation> evaluation(std::uint64_t ticket) const;
  // Returns the text of panels about it, beside the document.
  std::string text() const;

private:
  std::shared_ptr<const ImportedFile> attention_;
};

}  // namespace attnscope
