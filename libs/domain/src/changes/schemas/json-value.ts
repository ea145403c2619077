import { isJsonArray, isJsonObject, type Json } from '../../json.ts';
import { isNumber, keyOf } from '../../operations/numbers.ts';

/** Returns a text that only equal values have (JSON Schema 2020-12, section 4.2.2). */
export const valueKeyOf = (value: Json): string => {
  if (isNumber(value)) return keyOf(value);
  if (isJsonArray(value)) return `[${value.map(valueKeyOf).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${valueKeyOf(value[name] ?? null)}`).join()}}`;
};

/** Returns a string's length as JSON Schema counts it, in code points. */
export const lengthOf = (text: string): number => {
  let length = text.length;
  for (let index = 1; index < text.length; index++)
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))) length--;
  return length;
};

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;
