// Teaching views as figures.

#include <gtest/gtest.h>

#include "figure_support.h"
#include "paint/file/figure.h"
#include "teach/teaching_view.h"

namespace attnscope::test {
namespace {

TEST(BoardFigure, EveryViewIsAFigureWithItsQuestionAndNothingBesideThePage) {
  const Document document = default_document();
  const auto result = std::make_shared<const Result>(evaluate(document.config));
  for (const TeachingViewInfo& study : studies()) {
    SCOPED_TRACE(study.id);
    for (const FigureTheme theme : {FigureTheme::light, FigureTheme::dark}) {
      FigureOptions options;
      options.theme = theme;
      options.study.id = study.id;
      const Figure figure = make_figure(result, token_labels(document.tokens), options);
      const TextShaper shaper;
      for (const picture::Word* const word : figure.picture.all<picture::Word>()) {
        const Box box = picture::box_of(*word, shaper.text_measure());
        EXPECT_GE(box.x, 0) << word->text;
        EXPECT_LE(box.right(), figure.width + 1) << word->text;
        EXPECT_LE(box.bottom(), figure.height + 1) << word->text;
      }
      EXPECT_NE(word_in(figure, std::string(study.question)), nullptr);
      EXPECT_FALSE(figure.picture.all<picture::Fill>().empty() && figure.picture.all<picture::Stroke>().empty());
    }
  }
}

TEST(BoardFigure, IsWrittenInEveryFormat) {
  const Document document = default_document();
  const auto result = std::make_shared<const Result>(evaluate(document.config));
  FigureOptions options;
  options.scale = 1;
  options.study = {.id = "softmax", .values = {{"temperature", 0.5}}, .query = 2};
  const Figure figure = make_figure(result, token_labels(document.tokens), options);
  EXPECT_NE(render_svg(figure).find(">Over which axis does softmax run?<"), std::string::npos);
  options.study.values.clear();
  EXPECT_NE(render_svg(figure), render_svg(make_figure(result, token_labels(document.tokens), options)));
  EXPECT_TRUE(render_png(figure).starts_with("\x89PNG"));
  EXPECT_TRUE(render_pdf(figure).starts_with("%PDF"));
}

// The dialog keeps what was chosen for the document before.
TEST(BoardFigure, OfAHeadOrBatchEntryThatIsGoneIsThatOfTheLast) {
  const Document document = default_document();
  const auto result = std::make_shared<const Result>(evaluate(document.config));
  FigureOptions options;
  options.study = {.id = "softmax", .values = {}, .query = 99};
  options.head = 99;
  options.batch = 99;
  const std::string gone = render_svg(make_figure(result, token_labels(document.tokens), options));
  options.study.query = 5;
  options.head = 1;
  options.batch = 0;
  EXPECT_EQ(gone, render_svg(make_figure(result, token_labels(document.tokens), options)));
}

TEST(BoardFigure, APageThatIsTooSmallIsRefused) {
  const Document document = default_document();
  const auto result = std::make_shared<const Result>(evaluate(document.config));
  FigureOptions options;
  options.width = {60, LengthUnit::millimetres};
  options.height = 30;
  options.study.id = "dropout";
  try {
    make_figure(result, token_labels(document.tokens), options);
    FAIL() << "it has no room";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("has no room"), std::string::npos) << error.what();
  }
}

// The size that the message of a page names is one that works.
TEST(BoardFigure, APageWithLettersThatAreTooLargeIsToldWhichAreNot) {
  const Document document = default_document();
  const auto result = std::make_shared<const Result>(evaluate(document.config));
  FigureOptions options;
  set_page_size(options, *page_size_named("slide-4x3"));
  options.study.id = "dropout";
  options.font_size = 36;
  try {
    make_figure(result, token_labels(document.tokens), options);
    FAIL() << "36 points have no room";
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::size_t at = message.find("With ");
    ASSERT_NE(at, std::string::npos) << message;
    options.font_size = std::stod(message.substr(at + 5));
  }
  EXPECT_NO_THROW(make_figure(result, token_labels(document.tokens), options));
}

TEST(BoardFigure, EveryViewHasRoomOnEverySlideAndInAColumn) {
  for (const double dropout : {0.0, 0.5}) {
    Document document = default_document();
    document.config.dropout = dropout;
    const auto result = std::make_shared<const Result>(evaluate(document.config));
    for (const PageSize& size : page_sizes) {
      for (const TeachingViewInfo& study : studies()) {
        FigureOptions options;
        set_page_size(options, size);
        options.study.id = study.id;
        EXPECT_NO_THROW(make_figure(result, token_labels(document.tokens), options)) << size.id << ", " << study.id;
      }
    }
  }
}

TEST(BoardFigure, AViewThatShowsNothingOfADocumentIsRefused) {
  Document document = default_document();
  document.config.mechanism = Mechanism::causal_attention;
  const auto result = std::make_shared<const Result>(evaluate(document.config));
  FigureOptions options;
  options.study.id = "splitting";
  try {
    make_figure(result, token_labels(document.tokens), options);
    FAIL() << "a picture of a sentence";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Only multi-head attention splits"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace attnscope::test
