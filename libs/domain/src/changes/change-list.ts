import type { Json } from '../json.ts';
import {
  changeLevels,
  changesMax,
  type Change,
  type ChangedOperation,
  type ChangeLevel,
  type Comparison,
} from './change.ts';

/** Returns a digest of a text in hexadecimal; an argument, because the domain has no hash function. */
export type DigestOf = (text: string) => string;

/** The longest example, in characters of JSON. */
const exampleMax = 100_000;

export interface NewChange {
  readonly rule: string;
  readonly level: ChangeLevel;
  readonly place?: string;
  /** Without a capital letter and a full stop. */
  readonly text: string;
  readonly example?: Json | undefined;
}

/** The changes of one comparison, each once. */
export class ChangeList {
  readonly #digestOf: DigestOf;
  readonly #changes = new Map<string, Change>();

  constructor(digestOf: DigestOf) {
    this.#digestOf = digestOf;
  }

  add(operation: ChangedOperation | null, { rule, level, place = '', text, example }: NewChange): void {
    const name = operation ? `${operation.method} ${operation.path}` : '';
    const key = [rule, name, place, text].join('\n');
    if (this.#changes.has(key)) return;
    const exampleText = example === undefined ? null : JSON.stringify(example);
    this.#changes.set(key, {
      rule,
      level,
      operation,
      place,
      text: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
      example: exampleText !== null && exampleText.length <= exampleMax ? exampleText : null,
      fingerprint: this.#digestOf(key).slice(0, 12),
    });
  }

  toComparison(): Comparison {
    const changes = [...this.#changes.values()];
    const byLevel = changeLevels.map((level) => changes.filter((change) => change.level === level));
    const [breaking = [], warning = [], info = []] = byLevel;
    // Readers of the beginning of a long list have to know that it is not complete.
    const isAboutList = ({ rule }: Change): boolean => rule === 'comparison-incomplete';
    const sorted = byLevel.flat();
    const listed =
      sorted.length > changesMax
        ? [...sorted.filter(isAboutList), ...sorted.filter((change) => !isAboutList(change))]
        : sorted;
    return {
      changes: listed.slice(0, changesMax),
      counts: { breaking: breaking.length, warning: warning.length, info: info.length },
    };
  }
}
