import { readFileSync } from 'node:fs';
import { isSecretVariable, type Environment } from '../environment.ts';

/** Shorter ones would blot out words of any sentence. */
const lengthMin = 4;

/**
 * Replaces every secret of the environment in a text: the checks quote none, but some quote what a driver or a server
 * said.
 */
export const createCensor = (environment: Environment): ((text: string) => string) => {
  const texts = [...new Set(Object.entries(environment).flatMap(secretsIn))]
    .filter(({ length }) => length >= lengthMin)
    .toSorted((one, other) => other.length - one.length);
  return (text) => texts.reduce((line, secret) => line.replaceAll(secret, '***'), text);
};

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
