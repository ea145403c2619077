import { createHash } from 'node:crypto';
import { textUnitsMax, textUnitsMin } from './model-text.ts';

const textsMax = 1_000;

/**
 * Texts of which the server, though it works, makes no vector in time: each is embedded by half of what was tried before, until
 * it is done in time or too short to be cut. What is known of the last 1,000 is kept, so that a text has the same vector the next
 * time.
 */
export class SlowTexts {
  /** By the hash of a text: what it is cut to, in UTF-16 units; 0 where that did not help. */
  readonly #unitsMax = new Map<string, number>();

  has(text: string): boolean {
    return this.#unitsMax.has(hashOf(text));
  }

  /** What a text is cut to, in UTF-16 units; 0 where no cutting helped. */
  unitsMaxOf(text: string): number {
    return this.#unitsMax.get(hashOf(text)) ?? textUnitsMax;
  }

  /** Returns what it is cut to from now on: as before the first time, which may have been the fault of others. */
  tookTooLong(text: string): number {
    const key = hashOf(text);
    const known = this.#unitsMax.get(key);
    const tried = Math.min(text.length, known ?? textUnitsMax);
    const next = known === undefined ? tried : tried <= textUnitsMin ? 0 : Math.max(textUnitsMin, tried >> 1);
    this.#unitsMax.delete(key);
    this.#unitsMax.set(key, next);
    const oldest = this.#unitsMax.keys().next();
    if (this.#unitsMax.size > textsMax && !oldest.done) this.#unitsMax.delete(oldest.value);
    return next;
  }

  /** It was embedded in time, or is given up: nothing is held against it, unless it is its length. */
  settle(text: string): void {
    const units = this.unitsMaxOf(text);
    if (units === 0 || units >= text.length) this.#unitsMax.delete(hashOf(text));
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
