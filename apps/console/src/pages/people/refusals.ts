import { isProblem, Problem } from '../../api/problem.ts';
import { messageOf } from '../../parts/error-note.tsx';
import { words } from '../../words/words.ts';

const { refusals } = words.people.bulk;

/** Explains why an action on people failed: often, another administrator was faster. */
export const explanationOf = (error: unknown): string =>
  (isProblem(error) && error.detail && refusals[error.detail]) || messageOf(error);

/** Returns the error with that explanation, for an `ErrorNote`. */
export const explained = (error: unknown): unknown => {
  const explanation = isProblem(error) && error.detail ? refusals[error.detail] : undefined;
  if (!isProblem(error) || explanation === undefined) return error;
  return new Problem(error.status, `${explanation.charAt(0).toUpperCase()}${explanation.slice(1)}.`, error.requestId);
};
