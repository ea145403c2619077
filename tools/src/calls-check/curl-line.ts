/** The request that a `curl` command line sends. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The text of `-d`, or the name of the file after `--data-binary @`. */
  readonly body: string | null;
  /** The arguments of `-F` and `--form-string`. */
  readonly fields: readonly { readonly name: string; readonly value: string; readonly isText: boolean }[];
}

/** Splits a command line into words, as a POSIX shell does. Throws if it has expansions, operators or open quotes. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let [word, rest] = [null as string | null, line];
  while (rest !== '') {
    const match = /^(?:\s+|'[^']*'|"(?:[^"\\$`]|\\[\s\S])*"|\\[\s\S]|[^\s'"\\$`|&;<>()*?[\]{}~#!]+)/.exec(rest);
    if (!match) throw new Error(`the shell would interpret ${JSON.stringify(rest.slice(0, 20))}`);
    const [token] = match;
    rest = rest.slice(token.length);
    if (/^\s/.test(token)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (token.startsWith("'")) word = (word ?? '') + token.slice(1, -1);
    else if (token.startsWith('"')) word = (word ?? '') + token.slice(1, -1).replace(/\\([\\"$`\n])/g, '$1');
    else word = (word ?? '') + (token.startsWith('\\') ? token.slice(1) : token);
  }
  return word === null ? words : [...words, word];
}

const optionNames: Readonly<Record<string, string>> = {
  '-X': '--request',
  '-I': '--head',
  '-G': '--get',
  '-H': '--header',
  '-d': '--data',
  '-F': '--form',
  '-b': '--cookie',
  '-g': '--globoff',
  '-s': '--silent',
};
const flags = ['--head', '--get', '--globoff', '--silent', '--path-as-is'];

/** Returns the request that curl would send. Throws for options that the described requests do not need. */
export function parseCurl(line: string): CurlRequest {
  const [program, ...words] = splitWords(line);
  if (program !== 'curl') throw new Error(`the command is "${program}", not curl`);
  const { urls, options } = readOptions(words);
  if (urls.length !== 1) throw new Error(`there are ${urls.length} URLs`);
  const valuesOf = (...names: string[]): string[] =>
    options.filter(([name]) => names.includes(name)).map(([, value]) => value);
  const has = (name: string): boolean => valuesOf(name).length > 0;
  const data = valuesOf('--data', '--data-raw', '--data-binary', '--data-ascii', '--json');
  const fields = options.filter(([name]) => name.startsWith('--form')).map(([name, value]) => readField(name, value));
  const hasBody = data.length > 0 || fields.length > 0;
  if (has('--head') && hasBody) throw new Error('curl refuses --head together with a body');
  const [method = has('--head') ? 'HEAD' : hasBody && !has('--get') ? 'POST' : 'GET'] = valuesOf('--request');
  const headers = valuesOf('--header').map((header): readonly [string, string] => {
    const colon = header.indexOf(':');
    return [header.slice(0, colon), header.slice(colon + 1).trim()];
  });
  const defaultType =
    data.length > 0 && !headers.some(([name]) => name.toLowerCase() === 'content-type')
      ? [['Content-Type', has('--json') ? 'application/json' : 'application/x-www-form-urlencoded'] as const]
      : [];
  const cookies = valuesOf('--cookie').map((value) => ['Cookie', value] as const);
  const [url = ''] = urls;
  return {
    method,
    url: has('--get') && data.length > 0 ? `${url}${url.includes('?') ? '&' : '?'}${data.join('&')}` : url,
    headers: [...headers, ...(has('--get') ? [] : defaultType), ...cookies],
    body: data.length > 0 && !has('--get') ? data.join('&') : null,
    fields,
  };
}

function readOptions(words: readonly string[]) {
  const [urls, options]: [string[], (readonly [name: string, value: string])[]] = [[], []];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const name = optionNames[word] ?? word;
    if (!name.startsWith('-')) urls.push(word);
    else if (flags.includes(name)) options.push([name, '']);
    else if (/^--(request|header|data|data-raw|data-binary|data-ascii|json|form|form-string|cookie|url)$/.test(name)) {
      const value = words[++index];
      if (value === undefined) throw new Error(`${word} has no value`);
      if (name === '--url') urls.push(value);
      else options.push([name, value]);
    } else throw new Error(`unexpected option ${word}`);
  }
  return { urls, options };
}

const readField = (option: string, field: string): CurlRequest['fields'][number] => {
  const equals = field.indexOf('=');
  return { name: field.slice(0, equals), value: field.slice(equals + 1), isText: option === '--form-string' };
};
