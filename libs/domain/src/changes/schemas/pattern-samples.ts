import { matchesPattern } from '../../operations/patterns.ts';

/**
 * Returns texts that match a regular expression of ECMA-262; none if it has parts that are not read here, such as
 * look-ahead.
 */
export const samplesOfPattern = (pattern: string): readonly string[] => {
  if (pattern.length > 1_000) return [];
  const texts = new Set<string>();
  for (let variant = 0; variant < variantsMax; variant++) {
    const text = new PatternReader(pattern, variant).read();
    if (text !== null && text.length <= 1_000 && matchesPattern(pattern, text) === true) texts.add(text);
  }
  return [...texts];
};

const variantsMax = 6;

const classes: Readonly<Record<string, string>> = { d: '0123456789', w: 'aZ0_', s: ' ', D: 'x-', W: '- ', S: 'a0' };
const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

/**
 * Reads a pattern, and writes one text that it matches; the variant selects characters, alternatives and repetitions.
 */
class PatternReader {
  readonly #pattern: string;
  readonly #variant: number;
  #index = 0;
  #picks = 0;
  #isReadable = true;

  constructor(pattern: string, variant: number) {
    this.#pattern = pattern;
    this.#variant = variant;
  }

  read(): string | null {
    const text = this.#readAlternatives();
    return this.#isReadable && this.#index >= this.#pattern.length ? text : null;
  }

  #readAlternatives(): string {
    const alternatives = [this.#readSequence()];
    while (this.#pattern[this.#index] === '|') {
      this.#index++;
      alternatives.push(this.#readSequence());
    }
    return alternatives[this.#variant % alternatives.length] ?? '';
  }

  #readSequence(): string {
    let text = '';
    while (this.#isReadable && this.#index < this.#pattern.length && !'|)'.includes(this.#pattern[this.#index] ?? '')) {
      const start = this.#index;
      const atom = this.#readAtom();
      const end = this.#index;
      const count = this.#readCount();
      if (count === 0) continue;
      text += atom;
      // Reads the atom again for each repetition, so that its characters vary.
      const next = this.#index;
      for (let repetition = 1; repetition < count && this.#isReadable; repetition++) {
        this.#index = start;
        text += this.#readAtom();
      }
      if (count > 1 && this.#index === end) this.#index = next;
    }
    return text;
  }

  #readAtom(): string {
    const character = this.#pattern[this.#index++] ?? '';
    if (character === '^' || character === '$') return '';
    if (character === '.') return this.#pick(['a', 'Z', '0', '-']);
    if (character === '\\') return this.#readEscape();
    if (character === '[') return this.#readClass();
    if (character !== '(') return character;
    const prefix = /^\?(?::|<[A-Za-z]\w*>)/.exec(this.#pattern.slice(this.#index, this.#index + 60))?.[0] ?? '';
    if (this.#pattern[this.#index] === '?' && prefix === '') this.#isReadable = false;
    this.#index += prefix.length;
    const text = this.#readAlternatives();
    if (this.#pattern[this.#index++] !== ')') this.#isReadable = false;
    return text;
  }

  #readEscape(): string {
    const name = this.#pattern[this.#index++] ?? '';
    if (name === 'b' || name === 'B') return '';
    if (/[1-9kpPcuxfvr0]/.test(name)) this.#isReadable = false;
    if (name === 'n') return '\n';
    if (name === 't') return '\t';
    const characters = classes[name];
    return characters === undefined ? name : this.#pick([...characters]);
  }

  #readClass(): string {
    const isNegated = this.#pattern[this.#index] === '^';
    if (isNegated) this.#index++;
    const characters = new Set<string>();
    while (this.#index < this.#pattern.length && this.#pattern[this.#index] !== ']') {
      const first = this.#readClassItem();
      const isRange = this.#pattern[this.#index] === '-' && (this.#pattern[this.#index + 1] ?? ']') !== ']';
      if (!isRange) for (const item of first) characters.add(item);
      else {
        this.#index++;
        const [from, to] = [first.charCodeAt(0), this.#readClassItem().charCodeAt(0)];
        for (const code of [from, Math.min(from + 1, to), to]) characters.add(String.fromCharCode(code));
        if (isNegated)
          for (let code = from; code <= Math.min(to, 126); code++) characters.add(String.fromCharCode(code));
      }
    }
    this.#index++;
    return this.#pick(isNegated ? printable.filter((item) => !characters.has(item)) : [...characters]);
  }

  #readClassItem(): string {
    const character = this.#pattern[this.#index++] ?? '';
    if (character !== '\\') return character;
    const name = this.#pattern[this.#index++] ?? '';
    if (/[pPcuxfvr0b]/.test(name)) this.#isReadable = false;
    return name === 'n' ? '\n' : name === 't' ? '\t' : (classes[name] ?? name);
  }

  /** Reads a quantifier, and returns how often to repeat. */
  #readCount(): number {
    const [text, simple, min = '1', comma, max] =
      /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(this.#pattern.slice(this.#index, this.#index + 20)) ?? [];
    if (text === undefined) return 1;
    this.#index += text.length;
    const extra = this.#variant % 3;
    if (simple === '?') return extra > 0 ? 1 : 0;
    if (simple !== undefined) return (simple === '+' ? 1 : 0) + extra;
    const least = Math.min(Number(min), 500);
    if (comma === undefined) return least;
    return max ? Math.min(least + extra, Number(max)) : least + extra;
  }

  #pick(items: readonly string[]): string {
    if (items.length === 0) this.#isReadable = false;
    return items[(this.#variant + this.#picks++) % items.length] ?? '';
  }
}
