import { isProblem, Problem } from '../../api/problem.ts';
import { messageOf } from '../../parts/error-note.tsx';
import { words } from '../../words/words.ts';

const { errorTexts } = words.people.bulk;

/** Explains why an action on people failed: often because another administrator got there first. */
export const explanationOf = (error: unknown): string =>
  (isProblem(error) && error.detail && errorTexts[error.detail]) || messageOf(error);

/** Returns the error with that explanation, for an `ErrorNote`. */
export const toExplainedError = (error: unknown): unknown => {
  const explanation = isProblem(error) && error.detail ? errorTexts[error.detail] : undefined;
  if (!isProblem(error) || explanation === undefined) return error;
  return new Problem(error.status, `${explanation.charAt(0).toUpperCase()}${explanation.slice(1)}.`, error.requestId);
};
