// Checkpoints of PyTorch: one that tests/data/make_checkpoint.py has saved, and some that lie. arrays_numpy.py tries
// more where PyTorch is installed.

#include <zip.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "files/arrays.h"
#include "support.h"

namespace attnscope::test {
namespace {

Tensor tensor_of(const NamedArrays& file, const std::string& name) {
  for (std::size_t i = 0; i < file.arrays.size(); ++i) {
    if (file.arrays[i].name == name) return to_tensor(load(file, i));
  }
  ADD_FAILURE() << name << " is not there";
  return {};
}

Tensor table(float first = 0) {
  Tensor tensor({4, 3});
  for (std::size_t i = 0; i < 12; ++i) tensor.values[i] = first + static_cast<float>(i);
  return tensor;
}

using Entries = std::vector<std::pair<std::string, std::string>>;

// The bytes of an archive with these entries.
std::string archive(const Entries& entries, int method = ZIP_CM_STORE) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.pth").string();
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  for (const auto& [name, text] : entries) {
    const auto index = zip_file_add(zip, name.c_str(), zip_source_buffer(zip, text.data(), text.size(), 0), 0);
    zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), method, 0);
  }
  EXPECT_EQ(zip_close(zip), 0);
  return text_of(path);
}

std::string word(const std::string& text) { return "\x8C" + std::string(1, static_cast<char>(text.size())) + text; }

std::string byte(int number) { return std::string("K") + static_cast<char>(number); }

struct Claim {
  std::string type = "torch\nFloatStorage\n";
  std::string key = "0";
  std::string numbers = byte(6);
  std::string offset = byte(0);
  std::string sizes = byte(2) + byte(3) + "\x86";
  std::string strides = byte(3) + byte(1) + "\x86";
};

std::string tensor(const Claim& claim) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + word("storage") + "c" + claim.type + word(claim.key) + word("cpu") +
         claim.numbers + "tQ" + claim.offset + claim.sizes + claim.strides + "\x89}tR";
}

std::string dict(const std::string& values) { return "\x80\x02}(" + values + "u."; }

Entries entries(const std::string& pickle, std::size_t bytes = 24) {
  return {{"a/data.pkl", pickle}, {"a/data/0", std::string(bytes, '\0')}};
}

std::string refusal(const std::string& pickle) {
  return error_of([&] { parse_pth(archive(entries(pickle))); }).what();
}

std::string refusal(const Claim& claim) { return refusal(dict(word("w") + tensor(claim))); }

// "w float32 (2, 3): 0 1 2 3 4 5" of a storage of six numbers that count from 0; or the sentence.
std::string pth_outcome(const std::string& pickle, const std::string& numbers, const Entries& more = {}) {
  Entries all = {{"a/data.pkl", pickle}, {"a/data/0", numbers}};
  all.insert(all.end(), more.begin(), more.end());
  std::string text;
  try {
    const std::string bytes = archive(all);
    const NamedArrays file = parse_pth(bytes);
    for (std::size_t i = 0; i < file.arrays.size(); ++i) {
      const ArrayView array = load(file, i);
      text += array.name + " " + std::string(name_of(array.type)) + " " + shape_text(array.shape) + ":";
      for (const float number : to_tensor(array).values) text += " " + std::to_string(static_cast<int>(number));
    }
  } catch (const Error& error) {
    text = error.what();
  }
  return text;
}

std::string six_floats() {
  std::string bytes;
  for (const float number : {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F})
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return bytes;
}

TEST(Pth, TensorsOfEveryTypeAreRead) {
  const std::string bytes = data_text("state_dict.pth");
  const NamedArrays file = parse_pth(bytes);
  for (const char* name :
       {"float32", "float16", "bfloat16", "float64", "int8", "int16", "int32", "int64", "uint8", "tied", "parameter"}) {
    EXPECT_TRUE(same_bits(tensor_of(file, name), table())) << name;
    EXPECT_TRUE(file.find(name)->bytes.in_memory().data() > bytes.data()) << name << " is not read where it lies";
  }
  EXPECT_EQ(name_of(file.find("bfloat16")->type), "bfloat16");
  EXPECT_EQ(tensor_of(file, "bool").values[0], 0);
  EXPECT_EQ(tensor_of(file, "bool").values[11], 1);
  EXPECT_EQ(file.find("tied")->bytes.in_memory().data(), file.find("float32")->bytes.in_memory().data());
  EXPECT_EQ(tensor_of(file, "number").values[0], 7.5F);
  EXPECT_EQ(file.find("none")->shape, (std::vector<Index>{0, 3}));
}

TEST(Pth, ViewsOfTensorsAreReadIfTheyAreWholeRowsOrColumns) {
  const std::string bytes = data_text("state_dict.pth");
  const NamedArrays file = parse_pth(bytes);
  const Tensor transposed = tensor_of(file, "transposed");
  EXPECT_EQ(transposed.shape, (std::vector<Index>{3, 4}));
  EXPECT_EQ(transposed.values[1], 3.0F);
  EXPECT_EQ(transposed.values[4], 1.0F);
  const Tensor rows = tensor_of(file, "rows");
  EXPECT_EQ(rows.shape, (std::vector<Index>{2, 3}));
  EXPECT_EQ(rows.values[0], 3.0F);
  EXPECT_TRUE(says(error_of([&] { tensor_of(file, "columns"); }).what(), {"\"columns\"", "contiguous()"}));
  EXPECT_TRUE(says(error_of([&] { tensor_of(file, "complex"); }).what(), {"\"complex\"", "\"ComplexFloat\""}));
}

TEST(Pth, DictsInDictsGiveTheirNames) {
  const std::string bytes = data_text("state_dict.pth");
  const NamedArrays file = parse_pth(bytes);
  EXPECT_TRUE(same_bits(tensor_of(file, "inner.weight"), table(1)));
  EXPECT_TRUE(same_bits(tensor_of(file, "inner.2"), table(2)));
  EXPECT_EQ(file.find("inner.epoch"), nullptr);
}

TEST(Pth, FilesAreRecognizedByWhatTheyHold) {
  const TemporaryFolder folder;
  for (const char* name : {"a.pth", "a.pt", "a.npz", "a.bin"}) {
    put_text(folder / name, data_text("state_dict.pth"));
    EXPECT_TRUE(same_bits(tensor_of(read_arrays(folder / name), "float32"), table())) << name;
  }
  EXPECT_TRUE(is_array_path("a.pth") && is_array_path("a.PT"));
  put_text(folder / "a.pth", "text");
  EXPECT_TRUE(says(error_of([&] { read_arrays(folder / "a.pth"); }).what(), {"a.pth", "not a .pth checkpoint"}));
}

TEST(Pth, NothingOfAFileIsRun) {
  const TemporaryFolder folder;
  const std::string mark = (folder / "mark").string();
  for (const std::string name :
       {"os\nsystem\n", "posix\nsystem\n", "builtins\neval\n", "__main__\nModel\n", "torch\nload\n",
        "torch.utils\nFloatStorage\n", "torch._utils\n_rebuild_tensor_v2.x\n"}) {
    const std::string sentence = refusal(
        "\x80\x02"
        "c" +
        name + word("touch " + mark) + "\x85R.");
    std::string shown = name;
    shown.replace(shown.find('\n'), 1, ".").pop_back();
    EXPECT_TRUE(says(sentence, {"asks for \"" + shown + "\"", "model.state_dict()"}));
  }
  EXPECT_TRUE(
      says(refusal("\x80\x04" + word("os") + word("system") + "\x93" + word("ls") + "\x85R."), {"\"os.system\""}));
  EXPECT_TRUE(folder.names().empty());
  for (const std::string code : {"i", "o", "\x92", "P", "\x82", "S", "0"}) {
    EXPECT_TRUE(says(refusal("\x80\x02" + code + "os\nsystem\n."), {"the instruction 0x"})) << code;
  }
}

// As Lightning and training programs of one's own save them beside the state dict.
TEST(Pth, ObjectsBesideTensorsAreLeftOut) {
  const std::string object = "c__main__\nConfig\n)R}(" + word("lr") + byte(1) + "ub";
  const std::string made = "c__main__\nConfig\n)\x81}(" + word("lr") + byte(1) + "ub";
  const std::string of_dict = "c__main__\nDict\n)R(" + word("a") + byte(1) + "u";
  for (const std::string& other : {object, made, of_dict}) {
    const std::string text = pth_outcome(dict(word("config") + other + word("w") + tensor({})), six_floats());
    EXPECT_EQ(text, "w float32 (2, 3): 0 1 2 3 4 5");
  }
  EXPECT_TRUE(says(refusal(dict(word("config") + object)), {"asks for \"__main__.Config\"", "model.state_dict()"}));
  EXPECT_TRUE(says(refusal(dict(word("out") + "ctransformers.modeling_outputs\nBaseModelOutput\n(NNtR")),
                   {"torch.save(outputs.attentions, path)"}));
  const std::string typed = "ctorch._utils\n_rebuild_tensor_v3\n((" + word("storage") + "ctorch\nUntypedStorage\n" +
                            word("0") + word("cpu") + byte(24) + "tQ" + byte(0) + byte(24) + "\x85" + byte(1) +
                            "\x85\x89}ctorch\nfloat8_e4m3fn\n}tR";
  EXPECT_EQ(pth_outcome(dict(word("w") + typed), six_floats()),
            "\"w\" is of the type \"torch.float8_e4m3fn\", which is not read: convert it by float() before it is "
            "saved.");
}

// As outputs.attentions: a tensor for each layer.
TEST(Pth, TensorsOfATupleAreNamedByTheirPlaces) {
  const std::string pair =
      tensor({}) + tensor({.offset = byte(0), .sizes = byte(2) + "\x85", .strides = byte(1) + "\x85"});
  const std::string both = "0 float32 (2, 3): 0 1 2 3 4 51 float32 (2,): 0 1";
  EXPECT_EQ(pth_outcome("\x80\x02" + pair + "\x86.", six_floats()), both);
  EXPECT_EQ(pth_outcome("\x80\x02](" + pair + "e.", six_floats()), both);
  EXPECT_EQ(pth_outcome(dict(word("attentions") + pair + "\x86"), six_floats()),
            "attentions.0 float32 (2, 3): 0 1 2 3 4 5attentions.1 float32 (2,): 0 1");
}

TEST(Pth, WordsAndWholeNumbersStandBesideTheTensors) {
  const std::string args = "}(" + word("n_layer") + byte(2) + word("bias") + "\x89" + word("name") + word("gpt") + "u";
  const std::string bytes = archive(entries(dict(word("w") + tensor({}) + word("model_args") + args)));
  const NamedArrays file = parse_pth(bytes);
  const std::vector<std::pair<std::string, std::string>> said = {
      {"model_args.n_layer", "2"}, {"model_args.bias", "0"}, {"model_args.name", "gpt"}};
  EXPECT_EQ(file.metadata, said);
}

TEST(Pth, SizesThatContradictTheFileAreRefused) {
  EXPECT_NO_THROW(parse_pth(archive(entries(dict(word("w") + tensor({}))))));
  EXPECT_TRUE(says(refusal(Claim{.numbers = byte(7)}), {"7 numbers of float32", "\"w\"", "\"a/data/0\" has 24 bytes"}));
  EXPECT_TRUE(says(refusal(Claim{.key = "1"}), {"lacks \"a/data/1\"", "\"w\""}));
  EXPECT_TRUE(says(refusal(Claim{.key = "../0"}), {"lacks"}));
  EXPECT_TRUE(says(refusal(Claim{.offset = byte(1)}), {"\"w\"", "behind 1 numbers", "24 bytes"}));
  EXPECT_TRUE(says(refusal(Claim{.offset = "J\xFF\xFF\xFF\xFF"}), {"\"w\""}));
  EXPECT_TRUE(says(refusal(Claim{.offset = std::string("\x8A\x08\0\0\0\0\0\0\0\x40", 10)}), {"\"w\"", "behind"}));
  EXPECT_TRUE(says(refusal(Claim{.sizes = byte(3) + byte(3) + "\x86"}), {"(3, 3)", "24 bytes"}));
  EXPECT_TRUE(says(refusal(Claim{.sizes = byte(6) + "\x85"}), {"\"w\"", "strides"}));
  EXPECT_TRUE(says(refusal(Claim{.sizes = "J\xFF\xFF\xFF\xFF" + byte(3) + "\x86"}), {"\"w\""}));
  const std::string huge = std::string("\x8A\x08\0\0\0\0\0\0\0\x40", 10);
  EXPECT_TRUE(says(refusal(Claim{.sizes = huge + huge + "\x86"}), {"larger than any file can be"}));
  EXPECT_TRUE(says(refusal(Claim{.numbers = huge}), {"larger than any file can be"}));
  EXPECT_TRUE(says(refusal(Claim{.numbers = "J\xFF\xFF\xFF\xFF"}), {"larger than any file can be"}));
  EXPECT_TRUE(
      says(error_of([&] { parse_pth(archive(entries(dict(word("w") + tensor({})), 5000), ZIP_CM_DEFLATE)); }).what(),
           {"\"a/data/0\" has 5000 bytes"}));
  Claim many;
  many.numbers = "M\xE2\x04";  // 1250
  const std::string packed = archive(entries(dict(word("w") + tensor(many)), 5000), ZIP_CM_DEFLATE);
  EXPECT_TRUE(says(error_of([&] { parse_pth(packed); }).what(), {"is compressed"}));
}

TEST(Pth, PicklesThatAreNoneAreRefused) {
  const std::string good = dict(word("w") + tensor({}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(says(refusal(good.substr(0, size)), {"not a .pth checkpoint"}));
  }
  EXPECT_TRUE(says(refusal(dict("")), {"no tensor"}));
  EXPECT_TRUE(says(refusal(dict(word("w") + tensor({}) + word("w") + tensor({}))), {"two tensors named \"w\""}));
  EXPECT_TRUE(says(refusal(dict(word("\xFF") + "N")), {"not UTF-8"}));
  EXPECT_TRUE(says(refusal("}q\0h\0." + std::string()), {"pickle"}));
  EXPECT_TRUE(says(refusal("h\x07."), {"lacks a value"}));
  EXPECT_TRUE(says(refusal("t."), {"lacks a mark"}));
  EXPECT_TRUE(says(refusal("(t(0."), {"instruction 0x30"}));
  EXPECT_TRUE(says(refusal("Nr\xFF\xFF\xFF\xFF."), {"more values"}));
  EXPECT_TRUE(says(refusal("\x8A\x09"
                           "123456789."),
                   {"larger than any"}));
  EXPECT_TRUE(says(refusal(std::string(1'000'001, 'N')), {"more values"}));
  EXPECT_TRUE(says(refusal("N(" + word("a") + "Nu."), {"no list and no dict"}));
  EXPECT_TRUE(says(refusal("ccollections\nOrderedDict\n(NtR."), {"\"collections.OrderedDict\"", "another way"}));
  EXPECT_TRUE(says(refusal("NQ."), {"no storage"}));
}

TEST(Pth, DictsThatContainEachOtherAreRefused) {
  EXPECT_TRUE(says(refusal(std::string("}q\0", 3) + word("a") + std::string("h\0s.", 4)), {"contain each other"}));
  std::string nested;
  for (int i = 0; i < 1000; ++i) nested += "}" + word("a");
  nested += "N";
  for (int i = 0; i < 1000; ++i) nested += "s";
  EXPECT_TRUE(says(refusal(nested + "."), {"nested too deeply"}));
  std::string doubled = "}";  // 2^15 dicts out of 16
  for (int i = 0; i < 15; ++i) {
    const std::string place(1, static_cast<char>(i));
    doubled += "q" + place + "}" + word("a") + "h" + place + "s" + word("b") + "h" + place + "s";
  }
  EXPECT_TRUE(says(refusal(doubled + "."), {"contain each other"}));
}

TEST(Pth, ViewsOfAStorageAreReadInEveryForm) {
  const auto view = [](const Claim& claim) { return pth_outcome(dict(word("w") + tensor(claim)), six_floats()); };
  const std::string part = "\"w\" is a part of a larger tensor: call contiguous() before it is saved.";
  const auto pair = [](int one, int other) { return byte(one) + byte(other) + "\x86"; };
  EXPECT_EQ(view({}), "w float32 (2, 3): 0 1 2 3 4 5");
  EXPECT_EQ(view({.strides = pair(1, 2)}), "w float32 (2, 3): 0 2 4 1 3 5");
  EXPECT_EQ(view({.strides = pair(2, 1)}), part);
  EXPECT_EQ(view({.sizes = pair(1, 3), .strides = pair(9, 1)}), "w float32 (1, 3): 0 1 2");
  EXPECT_EQ(view({.sizes = pair(3, 1), .strides = pair(1, 9)}), "w float32 (3, 1): 0 1 2");
  EXPECT_EQ(view({.sizes = pair(0, 3), .strides = pair(3, 1)}), "w float32 (0, 3):");
  EXPECT_EQ(view({.offset = byte(3), .sizes = byte(3) + "\x85", .strides = byte(1) + "\x85"}), "w float32 (3,): 3 4 5");
  EXPECT_EQ(view({.offset = byte(5), .sizes = ")", .strides = ")"}), "w float32 (): 5");
  EXPECT_EQ(view({.sizes = byte(3) + "\x85", .strides = byte(2) + "\x85"}), part);
  EXPECT_EQ(view({.sizes = byte(1) + byte(2) + byte(3) + "\x87", .strides = byte(1) + byte(1) + byte(2) + "\x87"}),
            part);
  EXPECT_EQ(view({.offset = byte(4), .sizes = byte(3) + "\x85", .strides = byte(1) + "\x85"}),
            "This is not a .pth checkpoint that can be read: \"w\" has the shape (3,) of float32 behind 4 numbers, but "
            "there are 24 bytes for it.");
  EXPECT_EQ(view({.numbers = byte(5)}),
            "This is not a .pth checkpoint that can be read: 5 numbers of float32 are announced for \"w\", but "
            "\"a/data/0\" has 24 bytes.");
  EXPECT_EQ(view({.type = "torch.cuda\nFloatStorage\n"}), "w float32 (2, 3): 0 1 2 3 4 5");
  EXPECT_EQ(view({.type = "torch\nComplexFloatStorage\n"}),
            "\"w\" is of the type \"ComplexFloat\", which is not read: convert it by float() before it is saved.");
}

TEST(Pth, StateDictsStandInManyForms) {
  const std::string w = word("w") + tensor({});
  const std::string outcome = " float32 (2, 3): 0 1 2 3 4 5";
  std::string big = six_floats();
  for (auto number = big.begin(); number != big.end(); number += 4) std::reverse(number, number + 4);
  EXPECT_EQ(pth_outcome(dict(w), big, {{"a/byteorder", "big"}}), "w" + outcome);
  EXPECT_EQ(pth_outcome(dict(w), six_floats(), {{"a/byteorder", "little"}}), "w" + outcome);
  EXPECT_EQ(pth_outcome("}" + word("state_dict") + "}" + w + "ss.", six_floats()), "state_dict.w" + outcome);
  EXPECT_EQ(pth_outcome("}" + word("layers") + "}" + byte(12) + tensor({}) + "ss.", six_floats()),
            "layers.12" + outcome);
  EXPECT_EQ(pth_outcome("ccollections\nOrderedDict\n)R(" + w + word("epoch") + byte(3) + "u}b.", six_floats()),
            "w" + outcome);
  EXPECT_EQ(
      pth_outcome("}" + word("w") + "ctorch._utils\n_rebuild_parameter\n" + tensor({}) + "\x88}\x87Rs.", six_floats()),
      "w" + outcome);
  EXPECT_EQ(pth_outcome(std::string("\x80\x04\x95\0\0\0\0\0\0\0\0}\x94(X\x01\0\0\0wq\x05", 22) + tensor({}) + "u.",
                        six_floats()),
            "w" + outcome);
  EXPECT_EQ(pth_outcome("}" + word("list") + "]" + tensor({}) + "a" + "s" + w + "s.", six_floats()),
            "list.0" + outcome + "w" + outcome);
  const auto nested = [&](int depth) {
    std::string pickle;
    for (int i = 1; i < depth; ++i) pickle += "}" + word("d");
    return pth_outcome(pickle + "}" + w + std::string(static_cast<std::size_t>(depth), 's') + ".", six_floats());
  };
  EXPECT_TRUE(nested(16).ends_with("d.w" + outcome)) << nested(16);
  EXPECT_EQ(nested(17), "This is not a .pth checkpoint that can be read: its dicts are nested too deeply.");
  const auto named = [&](std::size_t bytes) {
    const std::string length = {static_cast<char>(bytes & 0xFF), static_cast<char>(bytes >> 8), 0, 0};
    return pth_outcome(dict("X" + length + std::string(bytes, 'n') + tensor({})), six_floats());
  };
  EXPECT_EQ(named(1000), std::string(1000, 'n') + outcome);
  EXPECT_TRUE(
      named(1001).starts_with("This is not a .pth checkpoint that can be read: the name of a tensor in it is "));
  std::string sizes = "(";
  for (int i = 0; i < 32; ++i) sizes += byte(1);
  EXPECT_NE(
      pth_outcome(dict(word("w") + tensor({.sizes = sizes + "t", .strides = sizes + "t"})), six_floats()).find("1): 0"),
      std::string::npos);
  sizes += byte(1);
  EXPECT_EQ(pth_outcome(dict(word("w") + tensor({.sizes = sizes + "t", .strides = sizes + "t"})), six_floats()),
            "This is not a .pth checkpoint that can be read: \"w\" has too many axes.");
}

// A few bytes of a pickle may name a large value, again and again.
TEST(Pth, NothingIsCopiedEachTimeThatItIsNamed) {
  const auto begin = std::chrono::steady_clock::now();
  const auto times = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  const auto length = [](std::size_t size) {
    return std::string{static_cast<char>(size & 0xFF), static_cast<char>(size >> 8 & 0xFF),
                       static_cast<char>(size >> 16), 0};
  };
  const std::string tuple = "(" + tensor({}) + "q\x01" + times("h\x01", 200'000) + "tq\x02";
  const std::string rebuilt = dict(word("w") + "ctorch._utils\n_rebuild_parameter\nq" + std::string(1, '\0') + tuple +
                                   "R" + word("z") + "(" + times(std::string("h\0h\x02R", 5), 1'000'000) + "t");
  EXPECT_TRUE(says(error_of([&] { parse_pth(archive(entries(rebuilt))); }).what(), {"more than 100000 tensors"}));
  constexpr std::size_t long_name = 3'000'000;
  const std::string name = "X" + length(long_name) + std::string(long_name, 'n');
  std::string inner;
  for (int i = 0; i < 20'000; ++i) inner += word("t" + std::to_string(i)) + "}";
  EXPECT_TRUE(says(refusal(dict(name + "}(" + inner + "u")), {"the name of a tensor in it is"}));
  const std::string storage =
      "((" + word("storage") + "ctorch\nFloatStorage\n" + name + word("cpu") + byte(6) + "tQq\x03";
  std::string tensors;
  for (int i = 0; i < 20'000; ++i)
    tensors +=
        word("t" + std::to_string(i)) + "h" + '\0' + "(h\x03" + byte(0) + byte(6) + "\x85" + byte(1) + "\x85\x89tR";
  EXPECT_TRUE(says(refusal("\x80\x02"
                           "ctorch._utils\n_rebuild_tensor_v2\nq" +
                           std::string(1, '\0') + storage + "}(" + tensors + "u."),
                   {"it lacks \"a/data/nnn"}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));  // else some of it would take hours
}

TEST(Pth, OtherFilesOfPyTorchSayWhatToDo) {
  const std::string legacy("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.\x80\x02M\xE9\x03.", 21);
  EXPECT_TRUE(says(error_of([&] { parse_pth(legacy); }).what(), {"before 1.6", "torch.save"}));
  EXPECT_TRUE(says(error_of([&] { parse_pth(archive({{"a.txt", "text"}})); }).what(), {"no data.pkl"}));
}

}  // namespace
}  // namespace attnscope::test
