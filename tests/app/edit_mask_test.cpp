// Masks that a user edits: cells, presets, and what becomes of them when tokens come and go.

#include "core/visibility.h"
#include "document/edit.h"
#include "document/json.h"
#include "support.h"

namespace attnscope::test {
namespace {

void expect_hidden(const Document& document, const std::vector<std::vector<KeyRange>>& ranges) {
  EXPECT_EQ(document.config.mask, MaskRoute::custom);
  EXPECT_EQ(document.config.hidden, HiddenKeys(ranges));
  EXPECT_NO_THROW(check(document));
  EXPECT_EQ(parse_document(to_json(document)), document);
}

Document three_tokens() {
  Document document = default_document();
  while (document.tokens.size() > 3) delete_token(document, 0);
  return document;
}

TEST(EditMask, ACellMakesAnyMaskACustomOne) {
  for (const MaskRoute mask : {MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
    Document document = three_tokens();
    set_mask(document, mask);
    set_hidden(document, 2, 0, true);
    expect_hidden(document, {{{1, 3}}, {{2, 3}}, {{0, 1}}});
    set_hidden(document, 0, 1, false);
    expect_hidden(document, {{{2, 3}}, {{2, 3}}, {{0, 1}}});
  }
  Document document = three_tokens();
  set_mask(document, MaskRoute::none);
  set_hidden(document, 0, 0, true);
  expect_hidden(document, {{{0, 1}}, {}, {}});
}

TEST(EditMask, PresetsAreMasks) {
  Document document = three_tokens();
  set_mask_preset(document, {.preset = MaskPreset::window, .amount = 2});
  expect_hidden(document, {{{1, 3}}, {{2, 3}}, {{0, 1}}});
  set_mask_preset(document, {.preset = MaskPreset::first_visible});
  expect_hidden(document, {{{1, 3}}, {{2, 3}}, {}});
  set_mask_preset(document, {.preset = MaskPreset::blocks, .starts = {1}, .is_causal = false});
  expect_hidden(document, {{{1, 3}}, {{0, 1}}, {{0, 1}}});
  set_mask_preset(document, {.preset = MaskPreset::padding, .amount = 2});
  expect_hidden(document, {{{1, 3}}, {{0, 1}, {2, 3}}, {{0, 1}, {2, 3}}});
  set_mask_preset(document, {.preset = MaskPreset::causal});
  EXPECT_EQ(document.config.mask, MaskRoute::causal);
  EXPECT_TRUE(document.config.hidden.is_empty());
  set_mask_preset(document, {.preset = MaskPreset::none});
  EXPECT_EQ(document.config.mask, MaskRoute::none);
}

TEST(EditMask, WhatCannotBeIsRefusedAndChangesNothing) {
  Document document = three_tokens();
  const Document before = document;
  EXPECT_THROW(set_hidden(document, 3, 0, true), Error);
  EXPECT_THROW(set_hidden(document, 0, -1, true), Error);
  EXPECT_THROW(set_mask_preset(document, {.preset = MaskPreset::window, .amount = 0}), Error);
  EXPECT_THROW(set_mask_preset(document, {.preset = MaskPreset::padding, .amount = 4}), Error);
  EXPECT_THROW(set_mask_preset(document, {.preset = MaskPreset::blocks, .starts = {3}}), Error);
  EXPECT_EQ(document, before);
}

TEST(EditMask, FollowsItsTokens) {
  Document document = three_tokens();
  set_hidden(document, 2, 0, true);
  delete_token(document, 0);
  expect_hidden(document, {{{1, 2}}, {}});
  add_token(document);
  expect_hidden(document, {{{1, 3}}, {{2, 3}}, {}});
  set_sentence(document, "One two three four");
  expect_hidden(document, {{{1, 4}}, {{2, 4}}, {{3, 4}}, {}});
  set_inputs(document, {{1, 2, 3}, {4, 5, 6}});
  expect_hidden(document, {{{1, 2}}, {}});
}

TEST(EditMask, LeavesForAnotherMaskWhole) {
  Document document = three_tokens();
  set_hidden(document, 2, 0, true);
  set_mask(document, MaskRoute::causal_after_softmax);
  EXPECT_TRUE(document.config.hidden.is_empty());
  EXPECT_EQ(parse_document(to_json(document)), document);
}

}  // namespace
}  // namespace attnscope::test
