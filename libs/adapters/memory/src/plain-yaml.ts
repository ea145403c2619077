import { PorticoError } from '@portico/domain';

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

/**
 * The JSON text that a YAML text of the plainest kind means: blocks of mappings and sequences, scalars on one line, and JSON where a
 * flow is needed. Whatever goes beyond is refused as `invalid_body`, by its line.
 */
export function jsonOfPlainYaml(text: string): string {
  const lines = text.split(/\r?\n/).flatMap((line, i): Line[] => {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) return [];
    return [{ number: i + 1, indent: line.length - line.trimStart().length, text: content }];
  });
  const json = block(lines, 0);
  const rest = lines[0];
  if (rest) throw refused(rest, 'a line that belongs to no block');
  return json;
}

const refused = (line: Line, what: string): PorticoError =>
  new PorticoError('invalid_body', {
    because: `not valid YAML: ${what} at line ${line.number}, column ${line.indent + 1}`,
  });

/** Takes the lines of one block away and answers the JSON that it means. */
function block(lines: Line[], indentMin: number): string {
  const first = lines[0];
  if (!first || first.indent < indentMin) return 'null';
  if (isItem(first)) return sequence(lines, first.indent);
  if (keyOf(first)) return mapping(lines, first.indent);
  lines.shift();
  return scalar(first, first.text);
}

const isItem = (line: Line): boolean => line.text === '-' || line.text.startsWith('- ');
const keyOf = (line: Line): RegExpExecArray | null => /^([^\s"'{[][^:]*):(?:\s+(.*))?$/.exec(line.text);

function sequence(lines: Line[], indent: number): string {
  const items: string[] = [];
  for (let line = lines[0]; line && line.indent === indent && isItem(line); line = lines[0]) {
    const inner = line.text.slice(1).trim();
    // What follows the dash begins a block of its own, as far in as it stands.
    if (inner === '') lines.shift();
    else lines[0] = { ...line, indent: indent + 2, text: inner };
    items.push(block(lines, indent + 1));
  }
  return `[${items.join()}]`;
}

function mapping(lines: Line[], indent: number): string {
  const members = new Map<string, string>();
  for (let line = lines[0]; line && line.indent === indent; line = lines[0]) {
    const [, key = '', value = ''] = keyOf(line) ?? [];
    if (!key) throw refused(line, 'a line that is no member of the mapping');
    if (members.has(key)) throw refused(line, `the key ${JSON.stringify(key)} a second time`);
    lines.shift();
    members.set(key, value === '' ? block(lines, indent + 1) : scalar(line, value));
  }
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
}

function scalar(line: Line, text: string): string {
  if (/^'.*'$/.test(text)) return JSON.stringify(text.slice(1, -1).replaceAll("''", "'"));
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // No JSON, so a plain scalar, or nothing that is understood here.
  }
  if (/^[[{&*!|>%@`"']/.test(text) || /:\s|\s#/.test(text)) throw refused(line, 'a value that is no plain scalar');
  return JSON.stringify(text);
}
