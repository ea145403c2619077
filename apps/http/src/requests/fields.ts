import { z } from 'zod';

/** The length that limits are stated in: Unicode code points, as in JSON Schema's `maxLength`. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const character of text) length += character.length > 0 ? 1 : 0;
  return length;
};

/** In code points, once trimmed. `min` is 1 by default. */
export interface TextBounds {
  readonly min?: number;
  readonly max: number;
}

/** A text: trimmed, without U+0000 and lone surrogates, of `min` to `max` code points. */
export const text = ({ min = 1, max }: TextBounds) =>
  z
    .string()
    .overwrite((value) => value.trim())
    .check((context) => {
      const fault = textFault(context.value, min, max);
      if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
    })
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });

const textFault = (value: string, min: number, max: number): string | null => {
  if (!value.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates';
  if (value.includes('\0')) return 'must not contain U+0000';
  const length = lengthOf(value);
  if (length < min) return min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  return length > max ? `must have at most ${max} characters` : null;
};

const absentIfBlank = (value: unknown): unknown =>
  value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value;
const nullIfBlank = (value: unknown): unknown => (typeof value === 'string' && value.trim() === '' ? null : value);

/** An optional field: null and `""` count as absent. */
export const optional = <T extends z.ZodType>(schema: T) => z.preprocess(absentIfBlank, schema.nullish());

/** An optional field that null and `""` clear: absent it is undefined, cleared it is null. */
export const clearable = <T extends z.ZodType>(schema: T) => z.preprocess(nullIfBlank, schema.nullish());

/** A whole number of a JSON body. */
export const wholeNumber = (min: number, max: number) => z.int().min(min).max(max);

const localPart = String.raw`[\p{L}\p{N}!#$%&'*+/=?^_\x60{|}~\-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_\x60{|}~\-]+)*`;
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\-]*[\p{L}\p{N}])?`;
const mailAddress = new RegExp(String.raw`^${localPart}@(?:${label}(?:\.${label})+|localhost)$`, 'u');

/** An e-mail address (RFC 5321, without quoted local parts and address literals), in lower case. */
export const email = z
  .string()
  .overwrite((value) => value.trim().toLowerCase())
  .check((context) => {
    const { value } = context;
    const fault = textFault(value, 1, 254) ?? (mailAddress.test(value) ? null : 'must be an e-mail address');
    if (fault) context.issues.push({ code: 'custom', message: fault, input: value });
  })
  .meta({ format: 'email', minLength: 1, maxLength: 254, examples: ['alice@example.com'] });

/** A whole number of a query string; what is beyond exact integers counts as the largest of them. */
export const numberParameter = (min: number, max: number) =>
  z.preprocess(
    (value) =>
      typeof value === 'string' && /^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value,
    z.int().min(min).max(max),
  );

/** Some of these words, separated by commas; each counts once. */
export const wordsParameter = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? [...new Set(value.split(',').map((word) => word.trim()))] : value),
    z.array(z.enum(words)),
  );

/** `true` or `false`, in any case. */
export const booleanParameter = z.preprocess((value) => {
  const lower = typeof value === 'string' ? value.toLowerCase() : value;
  return lower === 'true' ? true : lower === 'false' ? false : lower;
}, z.boolean());
