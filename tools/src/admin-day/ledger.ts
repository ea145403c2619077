/** What an administrator types in a day: calls and commands, counted as they are made. */
export interface Ledger {
  /** Prints one with its number; throws if somebody would have had to copy an id for it. */
  readonly typed: (text: string) => void;
  readonly count: () => number;
}

/** The most calls or commands that a day may take. */
export const typedMax = 15;

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const shownMax = 110;

export const createLedger = (say: (line: string) => void): Ledger => {
  let count = 0;
  return {
    typed: (text) => {
      count += 1;
      say(`  ${String(count).padStart(2)}  ${text.length > shownMax ? `${text.slice(0, shownMax)} …` : text}`);
      if (uuid.test(text)) throw new Error(`An id must be copied for: ${text}`);
      if (count > typedMax) throw new Error(`The day takes more than ${typedMax} calls or commands`);
    },
    count: () => count,
  };
};
