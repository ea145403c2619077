import { isProblem, Problem } from '../../api/problem.ts';
import { sentenceOf } from '../../parts/error-note.tsx';
import { words } from '../../words/words.ts';

const { refusals } = words.people.many;

/** A refusal in the words of this room, which know that somebody else may have been quicker. */
export const whyOf = (error: unknown): string =>
  (isProblem(error) && error.detail && refusals[error.detail]) || sentenceOf(error);

/** The same for an `ErrorNote`. */
export const inWords = (error: unknown): unknown => {
  const meant = isProblem(error) && error.detail ? refusals[error.detail] : undefined;
  if (!isProblem(error) || meant === undefined) return error;
  return new Problem(error.status, `${meant.charAt(0).toUpperCase()}${meant.slice(1)}.`, error.requestId);
};
