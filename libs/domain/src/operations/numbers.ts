import { ExactNumber, type Json } from '../json.ts';

/** Whether a value is a number, with or without its original text. */
export const isNumber = (value: Json | undefined): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

/** Returns the closest number. */
export const toNumber = (value: number | ExactNumber): number =>
  typeof value === 'number' ? value : Number(value.text);

/** A number other than zero as `0.DIGITS` times ten to the power of `exponent`, without zeros at either end. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly exponent: number;
}

function toDecimal(value: number | ExactNumber): Decimal {
  const text = typeof value === 'number' ? `${value}` : value.text;
  const [, minus, integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const significant = `${integer}${fraction}`.replace(/^0+/, '');
  const leadingZeros = integer.length + fraction.length - significant.length;
  let end = significant.length;
  while (significant[end - 1] === '0') end--;
  if (end === 0) return { sign: 0, digits: '', exponent: 0 };
  return {
    sign: minus === '-' ? -1 : 1,
    digits: significant.slice(0, end),
    exponent: Number(exponent) + integer.length - leadingZeros,
  };
}

/** Returns a negative number, zero or a positive number: numbers of any size and precision are compared exactly. */
export const compareNumbers = (a: number | ExactNumber, b: number | ExactNumber): number => {
  const [first, second] = [toDecimal(a), toDecimal(b)];
  if (first.sign !== second.sign) return first.sign - second.sign;
  if (first.exponent !== second.exponent) return first.exponent < second.exponent ? -first.sign : first.sign;
  return first.digits === second.digits ? 0 : first.digits < second.digits ? -first.sign : first.sign;
};

/** Whether a number is an integer in the sense of JSON Schema: `1.0` is one. */
export const isInteger = (value: number | ExactNumber): boolean => {
  if (typeof value === 'number') return Number.isInteger(value);
  const { digits, exponent } = toDecimal(value);
  return digits.length <= exponent || digits === '';
};

/** Returns a text that only equal values have (JSON Schema 2020-12, section 4.2.2), apart from the order of members. */
export const keyOf = (value: Json): string => {
  if (!isNumber(value)) return JSON.stringify(value);
  const { sign, digits, exponent } = toDecimal(value);
  return `${sign}.${digits}e${exponent}`;
};

export const isSameValue = (a: Json, b: Json): boolean => keyOf(a) === keyOf(b);
