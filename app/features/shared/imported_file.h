#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/evaluator.h"
#include "core/source.h"
#include "document/imported_document.h"
#include "files/attention_file.h"
#include "files/document_file.h"
#include "session/view_state.h"

namespace attnscope {

// The choice of what to view in a file of attention.
struct ViewChoice {
  std::string tensor;  // its name; empty for the likeliest
  std::optional<Index> layer;
  std::optional<std::filesystem::path> tokens;  // file of their names
};

// Names of tokens, from a file with one a line or with blanks between them. Throws Error.
std::vector<std::string> tokens_of_file(const std::filesystem::path& path, Index count);

// A file of attention that is open, and what of it is shown.
class ImportedFile {
public:
  // Only the tensor named `wanted` where that is not empty. Throws Error.
  ImportedFile(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file, const std::string& wanted,
               const UnpackWatch& watch = {});
  // Opens what was saved of one. Throws Error, also where the file holds something else than it did then.
  ImportedFile(const ImportedDocument& saved, std::shared_ptr<const NamedArrays> file, const UnpackWatch& watch = {});

  const ImportedView& viewing() const { return viewing_; }
  const AttentionTensors& tensors() const { return tensors_[viewing_.tensor]; }
  Stage stage() const { return stage_; }
  std::optional<Source> first_cell() const;  // to be explained first, where there is room for its marks
  // Shows something else of the file. Throws Error, and then shows what it did.
  void change(ImportedView viewing, const UnpackWatch& watch = {});
  bool is_slow() const { return is_slow_to_read(*file_); }  // to change
  Index tokens_of(std::size_t tensor) const { return tensors_.at(tensor).tokens; }

  // Returns what stands in for an evaluation: the layer that is shown, and summaries of a part of it.
  Evaluation evaluation(std::uint64_t ticket) const;
  // Returns this for every layer, for `most_layers` of them at the most; empty ones where a layer would have to be
  // unpacked. They were read with the tensor, so that nobody waits for the file who asks for them or shows another one.
  static constexpr Index most_layers = 256;
  const std::vector<Evaluation>& layers() const { return layers_; }
  // A document that names the tokens, and has the sizes of the layer but no numbers.
  Document document(std::vector<std::string> tokens) const;
  // Returns the document that is saved of it.
  ImportedDocument to_save(std::vector<std::string> tokens) const;
  bool is_as_saved() const { return saved_checksum_.empty() || saved_checksum_ == checksum_; }
  bool is_whole() const { return file_->is_whole(); }  // else the file was made shorter

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
  std::string checksum_;        // of the tensor's numbers
  std::string saved_checksum_;  // that they had when what is shown was saved; empty where it was not
  Evaluation shown_;
  std::vector<Evaluation> layers_;
};

// One that is open, with the document that names its tokens.
struct LoadedAttention {
  std::unique_ptr<ImportedFile> viewed = {};
  Document document = {};
  std::filesystem::path carrier = {};   // of the viewing document that says so; empty where it is the arrays' own file
  bool is_from_picture = false;         // `carrier` is a picture
  std::string view = {};                // how the picture looked at it
  std::string note = {};                // what is to be said of it, as a sentence; mostly empty
  std::optional<FileStamp> stamp = {};  // of `carrier` before it was read
};
// Reads it; `file` where it was opened before, else null. All of these throw Error whose sentence names the file.
LoadedAttention load_attention(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file,
                               const ViewChoice& choice, const UnpackWatch& watch = {});

// Finds the arrays of what was saved in `carrier`. If they are not at their place, but a file of their name is beside
// it, as when both were moved, that file is taken.
void find_arrays_of(ImportedDocument& saved, const std::filesystem::path& carrier);
// Checks by the file's headers alone. Throws Error that says what of the choice, or of what was saved, is not there.
void check_choice(const std::filesystem::path& path, const NamedArrays& file, const ViewChoice& choice);
void check_saved(const ImportedDocument& saved, const NamedArrays& file);
// Opens what was saved of attention in `carrier`; `file` where it was opened before, else null.
LoadedAttention load_attention(const LoadedFile& saved, const std::filesystem::path& carrier,
                               std::shared_ptr<const NamedArrays> file, const UnpackWatch& watch = {});

// "attention.npy (12, 12, 64, 64) float16, layer 3 of 12": what a picture of it shows, in a line.
std::string footer_text(const ImportedView& viewing);
std::string part_of(const ImportedView& viewing);  // "Layer 3 of 12"; empty where there is one

// The subject of the window: a document whose numbers are computed here, or attention that another program computed, of
// which the document only names the tokens. Whatever depends on its kind is asked here and nowhere else.
class Subject {
public:
  Subject() = default;  // a computed document
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
  // Whether something is lost when it is not saved; `saved` is what stands in `file`.
  bool differs(const Document& document, const AnyDocument& saved, const std::filesystem::path& file) const;
  // Whether the numbers themselves are in the file: it is never saved over.
  bool is_own_file(const std::filesystem::path& file) const;
  // Returns what needs no evaluation; nothing where the document has to be.
  std::optional<Evaluation> evaluation(std::uint64_t ticket) const;
  // Returns the text of panels about it, beside the document.
  std::string text() const;

private:
  std::shared_ptr<const ImportedFile> attention_;
};

}  // namespace attnscope
