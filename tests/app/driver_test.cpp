// The program with graphics drivers that are worse than the computer's own: each either draws the same picture, or one
// sentence says what is missing.

#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <ostream>

#include "platform/window.h"
#include "program.h"
#include "support.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

struct Difference {
  int largest = 0;   // of any colour of a pixel
  double share = 0;  // of the numbers of the picture, of those that differ clearly
};

Difference difference(const Image& image, const Image& other) {
  constexpr int clearly = 40;
  Difference found;
  if (image.width != other.width || image.height != other.height) return {255, 1};
  std::ptrdiff_t count = 0;
  for (std::size_t at = 0; at < image.pixels.size(); ++at) {
    const int step = std::abs(image.pixels[at] - other.pixels[at]);
    found.largest = std::max(found.largest, step);
    if (step > clearly) ++count;
  }
  found.share = static_cast<double>(count) / static_cast<double>(image.pixels.size());
  return found;
}

std::string bad_driver(const std::string& settings) {
  return "export LD_PRELOAD=" ATTNSCOPE_BAD_DRIVER " " + settings + "; ";
}

class Driver : public testing::Test {
protected:
  ProgramRun draw(const std::string& environment, const std::string& file) {
    return run_program(
        {"screenshot", builtin_path("causal_dropout"), "-o", (folder_ / file).string(), "--size", "1000x700"}, "",
        environment);
  }

  // A diagram and a stage that fills the window, of so many tokens.
  void draw_long(const std::string& environment, const std::string& name, int tokens, int scale) {
    put_text(
        folder_ / "script.json",
        fmt::format(R"({{"document": {{"inputs": {{"randn": [{}, 8]}}, "d_out": 8, "num_heads": 1, "dropout": 0.5}},
                   "size": [1000, 700], "scale": {}, "interface_scale": 0.75,
                   "steps": [{{"screenshot": "{}-diagram.png"}}, {{"click": "menu/view/focus"}},
                             {{"screenshot": "{}-focus.png"}}]}})",
                    tokens, scale, name, name));
    const ProgramRun run =
        run_program({"drive", (folder_ / "script.json").string(), "-o", folder_.path().string()}, "", environment);
    ASSERT_EQ(run.status, 0) << run.err;
  }

  Image picture(const std::string& file) { return read_png(folder_ / file); }

  void expect_refused(const std::string& environment, const std::vector<std::string>& fragments) {
    const ProgramRun run = draw(environment, "refused.png");
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(says(run.err.substr(0, run.err.find('\n')), fragments));
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "refused.png"));
  }

  TemporaryFolder folder_;
};

struct Limit {
  int side = 0;
  int scale = 0;
  int tokens = 0;
};

void PrintTo(const Limit& limit, std::ostream* out) {
  *out << limit.side << " pixels a side, scale " << limit.scale << ", " << limit.tokens << " tokens";
}

class DriverOfSmallTextures : public Driver, public testing::WithParamInterface<Limit> {};

// The sides leave room for the letters of every size, because a diagram with fewer sizes has other places. Where
// letters stand in their texture shows in the rounding of their edges.
TEST_P(DriverOfSmallTextures, DrawsLongDocumentsLikeAnyOther) {
  const auto [side, scale, tokens] = GetParam();
  draw_long("", "usual", tokens, scale);
  draw_long(bad_driver(fmt::format("BAD_DRIVER_SIDE={}", side)), "small", tokens, scale);
  for (const char* const shown : {"diagram", "focus"}) {
    const Image usual = picture(fmt::format("usual-{}.png", shown));
    EXPECT_EQ(usual.width, 1000 * scale);
    EXPECT_LE(difference(usual, picture(fmt::format("small-{}.png", shown))).largest, 3) << shown;
  }
}

INSTANTIATE_TEST_SUITE_P(Sides, DriverOfSmallTextures,
                         testing::Values(Limit{2048, 1, 4096}, Limit{2048, 1, 2049}, Limit{4096, 2, 4095}));

TEST_F(Driver, RefusesAPictureThatIsLargerThanItAllows) {
  const ProgramRun run = run_program({"screenshot", builtin_path("causal_dropout"), "-o",
                                      (folder_ / "large.png").string(), "--size", "1000x700", "--scale", "1.5"},
                                     "", bad_driver("BAD_DRIVER_SIDE=1024"));
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("A picture of 1500 x 1050 pixels cannot be drawn: this graphics driver allows 1 to 1024"),
            std::string::npos)
      << run.err;
}

// There are fewer of them, and lines have other lengths; without any all would be black.
TEST_F(Driver, WithLessRoomForLettersDrawsThem) {
  ASSERT_EQ(draw("", "usual.png").status, 0);
  for (const char* const less : {"BAD_DRIVER_SIDE=1024", "BAD_DRIVER_ROOM=1100000"}) {
    ASSERT_EQ(draw(bad_driver(less), "letters.png").status, 0) << less;
    EXPECT_LE(difference(picture("letters.png"), picture("usual.png")).share, 0.2) << less;
  }
}

TEST_F(Driver, WithoutMemorySaysWhatItHasNoRoomFor) {
  expect_refused(bad_driver("BAD_DRIVER_ROOM=5000"), {"no memory for"});
  expect_refused(bad_driver("BAD_DRIVER_MATRIX_ROOM=10"), {"no room for a texture of", "pixels"});
}

TEST_F(Driver, ThatIsResetLeavesNoPicture) {
  put_text(folder_ / "reset", "");
  expect_refused(bad_driver("BAD_DRIVER_RESET=" + (folder_ / "reset").string()), {"driver was reset", "Try again"});
  EXPECT_EQ(draw(bad_driver("BAD_DRIVER_RESET=" + (folder_ / "reset").string()), "again.png").status, 0);
}

TEST_F(Driver, OlderThanOpenGl33IsNamedInOneSentence) {
  for (const char* const version : {"2.1", "3.0", "3.2"})
    expect_refused(fmt::format("export MESA_GL_VERSION_OVERRIDE={}; ", version), {"OpenGL 3.3"});
}

// Extensions that OpenGL has come to have by 3.3; Mesa takes those away from OpenGL itself.
constexpr const char* parts_of_opengl_33[] = {"ARB_blend_func_extended",
                                              "ARB_color_buffer_float",
                                              "ARB_copy_buffer",
                                              "ARB_depth_buffer_float",
                                              "ARB_depth_clamp",
                                              "ARB_depth_texture",
                                              "ARB_draw_buffers",
                                              "ARB_draw_elements_base_vertex",
                                              "ARB_draw_instanced",
                                              "ARB_explicit_attrib_location",
                                              "ARB_fragment_coord_conventions",
                                              "ARB_fragment_shader",
                                              "ARB_framebuffer_object",
                                              "ARB_framebuffer_sRGB",
                                              "ARB_geometry_shader4",
                                              "ARB_half_float_pixel",
                                              "ARB_half_float_vertex",
                                              "ARB_instanced_arrays",
                                              "ARB_map_buffer_range",
                                              "ARB_multisample",
                                              "ARB_occlusion_query",
                                              "ARB_occlusion_query2",
                                              "ARB_point_sprite",
                                              "ARB_provoking_vertex",
                                              "ARB_sampler_objects",
                                              "ARB_seamless_cube_map",
                                              "ARB_shader_bit_encoding",
                                              "ARB_shader_objects",
                                              "ARB_shading_language_100",
                                              "ARB_shadow",
                                              "ARB_sync",
                                              "ARB_texture_border_clamp",
                                              "ARB_texture_buffer_object",
                                              "ARB_texture_compression",
                                              "ARB_texture_compression_rgtc",
                                              "ARB_texture_cube_map",
                                              "ARB_texture_float",
                                              "ARB_texture_multisample",
                                              "ARB_texture_non_power_of_two",
                                              "ARB_texture_rectangle",
                                              "ARB_texture_rg",
                                              "ARB_texture_rgb10_a2ui",
                                              "ARB_texture_swizzle",
                                              "ARB_timer_query",
                                              "ARB_uniform_buffer_object",
                                              "ARB_vertex_array_bgra",
                                              "ARB_vertex_array_object",
                                              "ARB_vertex_buffer_object",
                                              "ARB_vertex_shader",
                                              "ARB_vertex_type_2_10_10_10_rev",
                                              "ATI_blend_equation_separate",
                                              "ATI_texture_float",
                                              "EXT_blend_equation_separate",
                                              "EXT_draw_buffers2",
                                              "EXT_draw_instanced",
                                              "EXT_framebuffer_blit",
                                              "EXT_framebuffer_multisample",
                                              "EXT_framebuffer_object",
                                              "EXT_framebuffer_sRGB",
                                              "EXT_packed_depth_stencil",
                                              "EXT_packed_float",
                                              "EXT_pixel_buffer_object",
                                              "EXT_provoking_vertex",
                                              "EXT_texture_array",
                                              "EXT_texture_compression_rgtc",
                                              "EXT_texture_integer",
                                              "EXT_texture_sRGB",
                                              "EXT_texture_shared_exponent",
                                              "EXT_texture_snorm",
                                              "EXT_texture_swizzle",
                                              "EXT_timer_query",
                                              "EXT_transform_feedback",
                                              "EXT_vertex_array_bgra",
                                              "NV_conditional_render",
                                              "NV_depth_clamp",
                                              "NV_packed_depth_stencil",
                                              "NV_primitive_restart"};

// "-GL_KHR_robustness -GL_…": all that this driver has beyond OpenGL 3.3.
std::string no_extensions() {
  const WindowlessContext context;
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  std::string all;
  for (GLint i = 0; i < count; ++i) {
    const std::string name = reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
    if (std::ranges::find(parts_of_opengl_33, name.substr(3)) == std::end(parts_of_opengl_33)) all += "-" + name + " ";
  }
  return all;
}

TEST_F(Driver, WithoutAnyExtensionDrawsTheSame) {
  ASSERT_EQ(draw("", "usual.png").status, 0);
  const std::string names = no_extensions();
  EXPECT_NE(names.find("-GL_ARB_texture_storage "), std::string::npos) << "the list is of no driver that there is";
  const ProgramRun run = draw(
      "export MESA_GL_VERSION_OVERRIDE=3.3 MESA_GLSL_VERSION_OVERRIDE=330 "
      "MESA_EXTENSION_OVERRIDE='" +
          names + "'; ",
      "bare.png");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(difference(picture("usual.png"), picture("bare.png")).largest, 0);
}

// Another of Mesa's drivers, written by other people in another way.
TEST_F(Driver, OfAnotherMakeDrawsTheSameButForEdges) {
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
  setenv("GALLIUM_DRIVER", "softpipe", 1);
  {
    const WindowlessContext context;
    const std::string name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    if (name.find("softpipe") == std::string::npos) GTEST_SKIP() << "no other driver is here: " << name;
  }
  ASSERT_EQ(draw("", "other.png").status, 0);
  setenv("GALLIUM_DRIVER", "llvmpipe", 1);
  ASSERT_EQ(draw("", "usual.png").status, 0);
  EXPECT_LE(difference(picture("usual.png"), picture("other.png")).share, 0.0005);
}

}  // namespace
}  // namespace attnscope::test
