#pragma once

#include "study/study.h"

namespace attnscope {

// One function for each teaching view, each in a file of its own. Private to this folder.
void build_dropout(Board& board, const StudySubject& subject);
void build_mask_routes(Board& board, const StudySubject& subject);
void build_softmax(Board& board, const StudySubject& subject);
void build_scaling(Board& board, const StudySubject& subject);
void build_splitting(Board& board, const StudySubject& subject);
void build_sentence(Board& board, const StudySubject& subject);
void build_mix(Board& board, const StudySubject& subject);
void build_draws(Board& board, const StudySubject& subject);
void build_sharpness(Board& board, const StudySubject& subject);
void build_symmetry(Board& board, const StudySubject& subject);
void build_shapes(Board& board, const StudySubject& subject);
void build_linear(Board& board, const StudySubject& subject);

// One function for each question: two or three sentences with the subject's numbers. Private to this folder.
std::string answer_row_sums(const StudySubject& subject);
std::string answer_other_mask(const StudySubject& subject);
std::string answer_view_transpose(const StudySubject& subject);
std::string answer_hide_or_show(const StudySubject& subject);
std::string answer_softmax_axis(const StudySubject& subject);
std::string answer_scaling(const StudySubject& subject);
std::string answer_query_axis(const StudySubject& subject);
std::string answer_d_out(const StudySubject& subject);
std::string answer_mask_when(const StudySubject& subject);
std::string answer_scores_weights(const StudySubject& subject);
std::string answer_masked_row(const StudySubject& subject);
std::string answer_draws(const StudySubject& subject);
std::string answer_linear(const StudySubject& subject);
std::string answer_average_heads(const StudySubject& subject);

}  // namespace attnscope
