import { createHash } from 'node:crypto';
import { textUnitsMax, textUnitsMin } from './model-text.ts';

const textsMax = 1_000;

/**
 * Texts that a working server cannot embed in time: after each timeout a text is cut to half of its last length, until
 * it is embedded in time or too short to cut. Remembers the last 1,000, so that a text has the same vector the next
 * time.
 */
export class SlowTexts {
  /** Length in UTF-16 units that a text is cut to, by its hash; 0 if cutting did not help. */
  readonly #unitsMax = new Map<string, number>();

  has(text: string): boolean {
    return this.#unitsMax.has(hashOf(text));
  }

  /** Length in UTF-16 units that a text is cut to; 0 if cutting did not help. */
  unitsMaxOf(text: string): number {
    return this.#unitsMax.get(hashOf(text)) ?? textUnitsMax;
  }

  /** Returns the length it is cut to from now on. The first time nothing changes, since other texts may have caused it. */
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

  /** It was embedded in time, or is given up: forget it, unless it had to be cut. */
  settle(text: string): void {
    const units = this.unitsMaxOf(text);
    if (units === 0 || units >= text.length) this.#unitsMax.delete(hashOf(text));
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
