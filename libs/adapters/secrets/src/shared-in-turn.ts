import { whenNothingRuns } from '@portico/dependencies';

/** Throws where the text does not open. */
type Open = (sealed: string, context: string) => string;

interface Opened {
  readonly context: string;
  readonly text: string;
}

/** As many as requests are judged at once. Whoever opens thousands in a row does not keep them all. */
const keptMax = 32;

/**
 * Opens a text once for all who ask for it until nothing runs any more: requests of one turn are judged together, and
 * many of them may read the credential of the same collection. None of it outlives the turn, and each has read for
 * itself what it wants opened.
 */
export const sharedInTurn = (open: Open): Open => {
  const kept = new Map<string, Opened>();
  return (sealed, context) => {
    const known = kept.get(sealed);
    // Asked for at another place, it must not open.
    if (known?.context === context) return known.text;
    const text = open(sealed, context);
    if (kept.size === 0) whenNothingRuns(() => kept.clear());
    if (kept.size < keptMax) kept.set(sealed, { context, text });
    return text;
  };
};
