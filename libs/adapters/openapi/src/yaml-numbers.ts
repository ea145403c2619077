import type { ScalarTag, Tags } from 'yaml';

/** A number as a JSON text: a binary float would lose digits, such as the second decimal of `1.10`. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns the tag; if it resolves decimal numbers, it resolves them to a `NumberText`. */
export const keepNumberTexts = (tag: Tags[number]): Tags[number] => {
  if (typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:float') return tag;
  // Safe: numbers are scalars.
  const numberTag = tag as ScalarTag;
  const resolve: ScalarTag['resolve'] = (text, onError, options) => {
    const json = toJsonNumber(text);
    return json === null ? numberTag.resolve(text, onError, options) : new NumberText(json);
  };
  return { ...numberTag, resolve };
};

/**
 * Returns a decimal number of YAML (1.2, section 10.3.2; 1.1 also allows underscores) as an equal number of JSON
 * (RFC 8259, section 6), with all its digits; null for any other text, such as `.inf`.
 */
export const toJsonNumber = (text: string): string | null => {
  const match = decimalNumber.exec(text.replaceAll('_', ''));
  if (!match) return null;
  const { sign = '', integer = '', fraction = '', exponent = '' } = match.groups ?? {};
  if (integer === '' && fraction === '') return null;
  const digits = integer.replace(/^0+(?=\d)/, '') || '0';
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
};

const decimalNumber = /^(?<sign>[-+]?)(?<integer>\d*)(?:\.(?<fraction>\d*))?(?<exponent>(?:[eE][-+]?\d+)?)$/;
