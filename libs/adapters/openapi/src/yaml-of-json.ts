/**
 * Returns a JSON text as YAML (1.2, core schema) in block style. Members keep their order, also duplicates, and numbers
 * their digits. The text was scanned before, so that it is valid and nests at most 100 levels.
 */
export function yamlOfJson(json: string): string {
  return `${new Converter(json).value('').replace(/^\n/, '')}\n`;
}

/** Longer keys must be marked as such (YAML 1.2, section 7.4.2). */
const implicitKeyMax = 1_000;

/** Texts that no YAML reader takes for anything else. */
const plain = /^[A-Za-z_](?:[A-Za-z0-9_./ -]{0,200}[A-Za-z0-9_/])?$/;
/** Those of YAML 1.1 too, which many readers still follow. */
const notPlain = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

class Converter {
  readonly #json: string;
  #at = 0;

  constructor(json: string) {
    this.#json = json;
  }

  /** The next value: a scalar, or lines that begin with a line break, each with this indentation. */
  value(indent: string): string {
    switch (this.#next()) {
      case '{':
        return this.#entries('}', indent, () => this.#member(indent)) || '{}';
      case '[':
        return this.#entries(']', indent, () => `- ${this.#item(indent)}`) || '[]';
      case '"':
        return scalarOf(this.#text());
      default:
        return this.#literal();
    }
  }

  #entries(end: string, indent: string, entry: () => string): string {
    const lines: string[] = [];
    this.#at += 1;
    while (this.#next() !== end) {
      lines.push(`\n${indent}${entry()}`);
      if (this.#next() === ',') this.#at += 1;
    }
    this.#at += 1;
    return lines.join('');
  }

  #member(indent: string): string {
    this.#next();
    const name = scalarOf(this.#text());
    this.#next();
    this.#at += 1;
    const value = this.value(`${indent}  `);
    const joined = value.startsWith('\n') ? value : ` ${value}`;
    return name.length > implicitKeyMax ? `? ${name}\n${indent}:${joined}` : `${name}:${joined}`;
  }

  /** The first line of nested lines stands beside the dash. */
  #item(indent: string): string {
    const inner = `${indent}  `;
    const value = this.value(inner);
    return value.startsWith('\n') ? value.slice(1 + inner.length) : value;
  }

  /** The next sign that is no white space, at which it stops. */
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

  /** A number, `true`, `false` or `null`, which YAML writes alike. */
  #literal(): string {
    const start = this.#at;
    while (/[-+.0-9A-Za-z]/.test(this.#json[this.#at] ?? '')) this.#at += 1;
    if (this.#at === start) throw new Error('The text is not valid JSON');
    return this.#json.slice(start, this.#at);
  }
}

/** A JSON string is a double-quoted scalar (YAML 1.2, section 7.3.1). */
const scalarOf = (text: string): string => (plain.test(text) && !notPlain.test(text) ? text : JSON.stringify(text));
