/**
 * Writes a JSON text as YAML (1.2, core schema) in block style, piece by piece. Preserves the order of members,
 * duplicate members and the digits of numbers. The text must have been scanned already, so it is valid and has at most
 * 100 nesting levels.
 */
export function writeYaml(json: string, write: (piece: string) => void): void {
  new Converter(json, write).writeValue('', '', '');
  write('\n');
}

/** Keys longer than this must be explicit, that is, start with `?` (YAML 1.2, section 7.4.2). */
const implicitKeyMax = 1_000;

/** Strings that every YAML reader recognizes as strings even without quotes. */
const plainPattern = /^[A-Za-z_](?:[A-Za-z0-9_./ -]{0,200}[A-Za-z0-9_/])?$/;
/** Reserved words, including those of YAML 1.1, which many readers still follow. */
const reservedPattern = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

class Converter {
  readonly #json: string;
  readonly #write: (piece: string) => void;
  #position = 0;

  constructor(json: string, write: (piece: string) => void) {
    this.#json = json;
    this.#write = write;
  }

  /**
   * Writes the next value, either on the current line after `inlinePrefix`, or as lines with this indentation, the first of
   * which begins with `blockPrefix`.
   */
  writeValue(indent: string, inlinePrefix: string, blockPrefix: string): void {
    switch (this.#peek()) {
      case '{':
        return this.#writeEntries('{}', indent, inlinePrefix, blockPrefix, () => this.#writeMember(indent));
      case '[':
        return this.#writeEntries('[]', indent, inlinePrefix, blockPrefix, () => this.#writeItem(indent));
      case '"':
        return this.#write(inlinePrefix + scalarOf(this.#readText()));
      default:
        return this.#write(inlinePrefix + this.#readLiteral());
    }
  }

  #writeEntries(
    brackets: '{}' | '[]',
    indent: string,
    inlinePrefix: string,
    blockPrefix: string,
    writeEntry: () => void,
  ): void {
    this.#position += 1;
    if (this.#peek() === brackets[1]) this.#write(inlinePrefix + brackets);
    for (let prefix = blockPrefix; this.#peek() !== brackets[1]; prefix = `\n${indent}`) {
      this.#write(prefix);
      writeEntry();
      if (this.#peek() === ',') this.#position += 1;
    }
    this.#position += 1;
  }

  #writeMember(indent: string): void {
    this.#peek();
    const name = scalarOf(this.#readText());
    this.#peek();
    this.#position += 1;
    this.#write(name.length > implicitKeyMax ? `? ${name}\n${indent}:` : `${name}:`);
    this.writeValue(`${indent}  `, ' ', `\n${indent}  `);
  }

  /** Writes an item. Its first nested line follows the dash on the same line. */
  #writeItem(indent: string): void {
    this.#write('- ');
    this.writeValue(`${indent}  `, '', '');
  }

  /** Skips white space, and returns the next character without consuming it. */
  #peek(): string {
    while (/[ \t\r\n]/.test(this.#json[this.#position] ?? '')) this.#position += 1;
    return this.#json[this.#position] ?? '';
  }

  #readText(): string {
    const start = this.#position;
    this.#position += 1;
    for (let character = this.#json[this.#position]; character !== '"'; character = this.#json[this.#position]) {
      if (character === undefined) throw new Error('The text ends within a string');
      this.#position += character === '\\' ? 2 : 1;
    }
    this.#position += 1;
    return JSON.parse(this.#json.slice(start, this.#position)) as string;
  }

  /** Reads a number, `true`, `false` or `null`, which are written the same way in YAML. */
  #readLiteral(): string {
    const start = this.#position;
    while (/[-+.0-9A-Za-z]/.test(this.#json[this.#position] ?? '')) this.#position += 1;
    if (this.#position === start) throw new Error('The text is not valid JSON');
    return this.#json.slice(start, this.#position);
  }
}

/** Returns the scalar for a text. A JSON string is also a double-quoted YAML scalar (YAML 1.2, section 7.3.1). */
const scalarOf = (text: string): string =>
  plainPattern.test(text) && !reservedPattern.test(text) ? text : JSON.stringify(text);
