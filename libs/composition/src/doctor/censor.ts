import { readFileSync } from 'node:fs';
import { isSecretVariable, type Environment } from '../environment.ts';

/** Shorter secrets are not replaced, because they could be words in sentences. */
const lengthMin = 4;

/**
 * Returns a function that replaces every secret from the environment that occurs as a word in a text. The checks
 * themselves quote no secrets, but some quote messages from drivers or servers.
 */
export const createCensor = (environment: Environment): ((text: string) => string) => {
  const patterns = [...new Set(Object.entries(environment).flatMap(secretsIn))]
    .filter(({ length }) => length >= lengthMin)
    .toSorted((left, right) => right.length - left.length)
    .map((secret) => new RegExp(`(?<![0-9A-Za-z])${escape(secret)}(?![0-9A-Za-z])`, 'g'));
  return (text) => patterns.reduce((line, pattern) => line.replaceAll(pattern, '***'), text);
};

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const secretsIn = ([name, value = '']: readonly [string, string | undefined]): readonly string[] => {
  const isFile = name.endsWith('_FILE') && isSecretVariable(name.slice(0, -'_FILE'.length));
  const text = isFile ? readText(value) : value;
  const secrets = isFile || isSecretVariable(name) ? text.split(',').map((part) => part.trim()) : [];
  return [...secrets.filter((part) => !URL.canParse(part)), ...passwordsIn(text)];
};

/** Reads a file. A missing file contains no secret; the configuration check reports it. */
const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Returns the password both encoded and decoded. */
const passwordsIn = (text: string): readonly string[] => {
  const password = URL.parse(text.trim())?.password ?? '';
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
};
