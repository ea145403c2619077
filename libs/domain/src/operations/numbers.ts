import { ExactNumber, type Json } from '../json.ts';

/** Whether a value is a number, with or without its original text. */
export const isNumber = (value: Json | undefined): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

/** Returns the closest number. */
export const toNumber = (value: number | ExactNumber): number =>
  typeof value === 'number' ? value : Number(value.text);

/** Returns a negative number, zero or a positive number, as integers of any size compare. */
export const compareNumbers = (a: number | ExactNumber, b: number | ExactNumber): number => {
  const [first, second] = [a, b].map((value) => (typeof value === 'number' ? `${value}` : value.text));
  const isInteger = (text: string | undefined): text is string => text !== undefined && /^-?\d+$/.test(text);
  if (isInteger(first) && isInteger(second)) {
    const difference = BigInt(first) - BigInt(second);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  return toNumber(a) - toNumber(b);
};

/** Whether a number is an integer in the sense of JSON Schema: `1.0` is one. */
export const isInteger = (value: number | ExactNumber): boolean =>
  typeof value === 'number'
    ? Number.isInteger(value)
    : /^-?\d+(\.0+)?$/.test(value.text) || Number.isInteger(toNumber(value));

/** Whether two values are equal (JSON Schema 2020-12, section 4.2.2), apart from the order of members. */
export const isSameValue = (a: Json, b: Json): boolean =>
  isNumber(a) && isNumber(b) ? compareNumbers(a, b) === 0 : JSON.stringify(a) === JSON.stringify(b);
