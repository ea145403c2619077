import { readFileSync } from 'node:fs';
import { isSecretVariable, type Environment } from '../environment.ts';

/** Shorter ones are words of sentences. */
const lengthMin = 4;

/**
 * Replaces every secret of the environment in a text, wherever it stands alone: the checks quote none, but some quote
 * what a driver or a server said.
 */
export const createCensor = (environment: Environment): ((text: string) => string) => {
  const patterns = [...new Set(Object.entries(environment).flatMap(secretsIn))]
    .filter(({ length }) => length >= lengthMin)
    .toSorted((one, other) => other.length - one.length)
    .map((secret) => new RegExp(`(?<![0-9A-Za-z])${escaped(secret)}(?![0-9A-Za-z])`, 'g'));
  return (text) => patterns.reduce((line, pattern) => line.replaceAll(pattern, '***'), text);
};

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const secretsIn = ([name, value = '']: readonly [string, string | undefined]): readonly string[] => {
  const isFile = name.endsWith('_FILE') && isSecretVariable(name.slice(0, -'_FILE'.length));
  const text = isFile ? textOf(value) : value;
  const whole = isFile || isSecretVariable(name) ? text.split(',').map((part) => part.trim()) : [];
  return [...whole.filter((part) => !URL.canParse(part)), ...passwordsIn(text)];
};

/** A missing file has no secret; the check of the configuration reports it. */
const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** As it is written, and as it is meant. */
const passwordsIn = (text: string): readonly string[] => {
  const password = URL.parse(text.trim())?.password ?? '';
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
};
