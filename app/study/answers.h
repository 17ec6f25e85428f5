#pragma once

#include "study/study.h"

namespace attnscope {

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
