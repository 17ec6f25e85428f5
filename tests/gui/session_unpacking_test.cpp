// What has to be unpacked is read in the background: what was shown stays, and it can be stopped.

#include <cstdlib>
#include <thread>

#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/import/import_controller.h"
#include "features/shared/panel/calls.h"
#include "files/document_file.h"
#include "headless_app_input.h"
#include "viewing_app.h"

namespace attnscope::test {
namespace {

constexpr const char* packing_script = R"(
import sys, numpy
T = int(sys.argv[2])
generator = numpy.random.default_rng(3)
if T > 300:
    weights = numpy.full((4, 2, T, T), 1 / T, "float32")  # large, and packed at once
    weights[:, :, 1, 0] = numpy.arange(4)[:, None] / 8
else:
    weights = generator.random((4, 2, T, T), "float32")
    weights /= weights.sum(-1, keepdims=True)
numpy.savez_compressed(sys.argv[1] + "/packed.npz", **{f"h.{i}.attn": layer for i, layer in enumerate(weights)})
if T <= 300:
    numpy.savez_compressed(sys.argv[1] + "/square.npz", attn=weights[0, 0])
    numpy.savez_compressed(sys.argv[1] + "/table.npz", table=generator.standard_normal((T, T)).astype("float32"))
)";

class Unpacking : public ImportedFiles {
protected:
  void make(int tokens) {
    put_text(folder_ / "make.py", packing_script);
    const std::string command = "/usr/bin/python3 '" + (folder_ / "make.py").string() + "' '" +
                                folder_.path().string() + "' " + std::to_string(tokens);
    ASSERT_EQ(std::system(command.c_str()), 0) << "NumPy writes these files: is python3-numpy installed?";
  }
  void begin(const std::string& name) {
    app_.frames(3);  // the first ones take a while
    app_.session().push([this, name](const Controllers& to) { to.reading.open(folder_ / name); });
    app_.frames(1);
  }
  void go_to(Index layer) {
    app_.session().push([layer](const Controllers& to) {
      to.viewing.change([layer](attnscope::ImportedView& state) { state.layer = layer; });
    });
    app_.frames(1);
  }
};

TEST_F(Unpacking, ShowsTheFileWhenItIsThere) {
  make(300);
  begin("packed.npz");
  settle();
  ASSERT_NE(viewing(), nullptr) << app_.message();
  EXPECT_EQ(viewing()->layers, 4);
  const Tensor last = to_tensor(load(read_arrays(folder_ / "packed.npz"), 3));
  go_to(3);
  settle();
  EXPECT_EQ(viewing()->layer, 3);
  EXPECT_EQ(cell(1, 299, 7), last.matrix(1)(299, 7));
}

TEST_F(Unpacking, KeepsWhatWasShownAndCanBeStopped) {
  make(3000);
  begin("packed.npz");
  ASSERT_EQ(viewing(), nullptr) << "it takes longer than a frame";
  EXPECT_EQ(app_.document(), default_document());
  EXPECT_TRUE(app_.shows("setup/seed"));
  ASSERT_TRUE(app_.shows("status/stop"));
  EXPECT_TRUE(app_.shows("status/progress"));
  EXPECT_NE(app_.session().shown().reading.find("Reading packed.npz"), std::string::npos);
  EXPECT_GT(app_.session().seconds_to_next_change(0), 0) << "its progress is to be seen";
  app_.click("status/stop");
  EXPECT_TRUE(says(app_.message(), {"Stopped reading packed.npz."})) << app_.message();
  settle();
  EXPECT_EQ(viewing(), nullptr);
  EXPECT_EQ(app_.document(), default_document());
  EXPECT_FALSE(app_.shows("status/stop"));
}

TEST_F(Unpacking, TheNewestLayerWins) {
  make(1000);
  begin("packed.npz");
  settle();
  ASSERT_NE(viewing(), nullptr) << app_.message();
  for (const Index layer : {1, 2, 3, 2}) go_to(layer);
  EXPECT_EQ(viewing()->layer, 0) << "the old picture stays meanwhile";
  EXPECT_EQ(app_.session().shown().wanted_layer, 2);
  EXPECT_EQ(app_.session().kept().state.wanted_layer, std::nullopt) << "a picture shows the layer that it is of";
  settle();
  EXPECT_EQ(viewing()->layer, 2);
  EXPECT_EQ(cell(1, 1, 0), 0.25F);
  go_to(3);
  go_to(2);
  EXPECT_FALSE(app_.shows("status/stop")) << "what is shown already is not read again";
  settle();
  EXPECT_EQ(viewing()->layer, 2);
}

TEST_F(Unpacking, TellsASquareOfSharesFromEmbeddings) {
  make(300);
  begin("square.npz");
  settle();
  ASSERT_NE(viewing(), nullptr) << app_.message();
  begin("table.npz");
  settle();
  EXPECT_EQ(viewing(), nullptr) << app_.message();
  EXPECT_EQ(token_count(app_.config()), 300);
}

TEST_F(Unpacking, AsksAboutWhatWasChangedMeanwhile) {
  make(1000);
  begin("packed.npz");
  edit_document(app_.session().queue(), {"seed", [](Document& document) { document.config.seed = 7; }});
  settle();
  EXPECT_EQ(viewing(), nullptr);
  ASSERT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  app_.click("dialog/cancel");
  EXPECT_EQ(app_.config().seed, 7U);
}

TEST_F(Unpacking, AnotherFileTakesItsPlace) {
  make(3000);
  put_text(folder_ / "attn.npy", weights_npy({2, 3, 3}));
  begin("packed.npz");
  drop("attn.npy");
  settle();
  ASSERT_NE(viewing(), nullptr);
  EXPECT_EQ(viewing()->file, folder_ / "attn.npy");
}

TEST_F(Unpacking, WhatWasSavedOfItIsUnpackedToo) {
  make(1000);
  begin("packed.npz");
  settle();
  go_to(2);
  settle();
  app_.session().push([this](const Controllers& to) { to.files.save(folder_ / "x.json"); });
  app_.session().push([](const Controllers& to) { to.reading.new_document(); });
  app_.settle();
  begin("x.json");
  EXPECT_EQ(viewing(), nullptr);
  settle();
  ASSERT_NE(viewing(), nullptr) << app_.message();
  EXPECT_EQ(viewing()->layer, 2);
  EXPECT_EQ(app_.session().window_title(), "x.json – attnscope");
}

TEST_F(Unpacking, OfADamagedFileIsToldOf) {
  make(1000);
  std::string bytes = text_of(folder_ / "packed.npz");
  for (std::size_t i = bytes.size() / 8; i < bytes.size() / 8 + 64; ++i) bytes[i] = static_cast<char>(i);
  put_text(folder_ / "packed.npz", bytes);
  begin("packed.npz");
  settle();
  EXPECT_TRUE(says(app_.message(), {"packed.npz: "})) << app_.message();
  EXPECT_EQ(viewing(), nullptr);
}

}  // namespace
}  // namespace attnscope::test
