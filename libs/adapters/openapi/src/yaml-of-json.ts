/**
 * Writes a JSON text as YAML (1.2, core schema) in block style, piece by piece. Preserves the order of members,
 * duplicate members and the digits of numbers. The text must have been scanned already, so it is valid and has at most
 * 100 nesting levels.
 */
export function yamlOfJson(json: string, write: (piece: string) => void): void {
  new Converter(json, write).value('', '', '');
  write('\n');
}

/** Keys longer than this must be explicit, that is, start with `?` (YAML 1.2, section 7.4.2). */
const implicitKeyMax = 1_000;

/** Strings that every YAML reader recognizes as strings even without quotes. */
const plain = /^[A-Za-z_](?:[A-Za-z0-9_./ -]{0,200}[A-Za-z0-9_/])?$/;
/** Reserved words, including those of YAML 1.1, which many readers still follow. */
const notPlain = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

class Converter {
  readonly #json: string;
  readonly #write: (piece: string) => void;
  #at = 0;

  constructor(json: string, write: (piece: string) => void) {
    this.#json = json;
    this.#write = write;
  }

  /**
   * Writes the next value, either on the current line after `before`, or as lines with this indentation, the first of
   * which begins with `first`.
   */
  value(indent: string, before: string, first: string): void {
    switch (this.#next()) {
      case '{':
        return this.#entries('{}', indent, before, first, () => this.#member(indent));
      case '[':
        return this.#entries('[]', indent, before, first, () => this.#item(indent));
      case '"':
        return this.#write(before + scalarOf(this.#text()));
      default:
        return this.#write(before + this.#literal());
    }
  }

  #entries(brackets: '{}' | '[]', indent: string, before: string, first: string, entry: () => void): void {
    this.#at += 1;
    if (this.#next() === brackets[1]) this.#write(before + brackets);
    for (let lead = first; this.#next() !== brackets[1]; lead = `\n${indent}`) {
      this.#write(lead);
      entry();
      if (this.#next() === ',') this.#at += 1;
    }
    this.#at += 1;
  }

  #member(indent: string): void {
    this.#next();
    const name = scalarOf(this.#text());
    this.#next();
    this.#at += 1;
    this.#write(name.length > implicitKeyMax ? `? ${name}\n${indent}:` : `${name}:`);
    this.value(`${indent}  `, ' ', `\n${indent}  `);
  }

  /** Writes an item. Its first nested line follows the dash on the same line. */
  #item(indent: string): void {
    this.#write('- ');
    this.value(`${indent}  `, '', '');
  }

  /** Skips white space, and returns the next character without consuming it. */
  #next(): string {
    while (/[ \t\r\n]/.test(this.#json[this.#at] ?? '')) this.#at += 1;
    return this.#json[this.#at] ?? '';
  }

  #text(): string {
    const start = this.#at;
    this.#at += 1;
    for (let sign = this.#json[this.#at]; sign !== '"'; sign = this.#json[this.#at]) {
      if (sign === undefined) throw new Error('The text ends within a string');
      this.#at += sign === '\\' ? 2 : 1;
    }
    this.#at += 1;
    return JSON.parse(this.#json.slice(start, this.#at)) as string;
  }

  /** Reads a number, `true`, `false` or `null`, which are written the same way in YAML. */
  #literal(): string {
    const start = this.#at;
    while (/[-+.0-9A-Za-z]/.test(this.#json[this.#at] ?? '')) this.#at += 1;
    if (this.#at === start) throw new Error('The text is not valid JSON');
    return this.#json.slice(start, this.#at);
  }
}

/** Returns the scalar for a text. A JSON string is also a double-quoted YAML scalar (YAML 1.2, section 7.3.1). */
const scalarOf = (text: string): string => (plain.test(text) && !notPlain.test(text) ? text : JSON.stringify(text));
