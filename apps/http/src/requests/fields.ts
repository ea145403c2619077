import {
  toNfc,
  toEmailKey,
  emailMax,
  isPlainLine,
  isPlainName,
  parseDateTime,
  parseExpiry,
  parseId,
  parseDateOrDateTime,
  PorticoError,
  toStoredEmail,
  type CallId,
  type CollectionId,
  type JobId,
  type ProfileId,
} from '@portico/domain';
import { z } from 'zod';

/** Returns the length in Unicode code points, the unit of all limits and of JSON Schema's `maxLength`. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const character of text) length += character.length > 0 ? 1 : 0;
  return length;
};

/** The maximum length of a text, in code points after trimming. */
export interface TextBounds {
  readonly max: number;
}

/** Returns the reason why a text is invalid, worded to follow the field's name; null if it is valid. */
type Validator = (value: string) => string | null;

/** Creates the schema of a trimmed text. */
export const createTextSchema = (validator: Validator) =>
  z
    .string()
    .overwrite((value) => value.trim())
    .check((context) => {
      const message = validator(context.value);
      if (message) context.issues.push({ code: 'custom', message, input: context.value });
    });

/** Returns the reason why a trimmed text cannot be stored; null if there is none. */
export const findTextError = (value: string, max: number): string | null => {
  if (!value.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates';
  if (value.includes('\0')) return 'must not contain U+0000';
  if (value === '') return 'must not be empty';
  return lengthOf(value) > max ? `must have at most ${max} characters` : null;
};

/**
 * Returns a JSON Schema pattern for non-blank text without these characters. It means the same with and without the
 * flag `u`.
 */
export const createNonBlankPattern = (characters: string): string =>
  `^[^${characters}]*[^\\s${characters}][^${characters}]*$`;
/** The characters that `isPlainLine` rejects, except lone surrogates, which can only be escaped in JSON. */
export const controlCharacters = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;

/**
 * Creates the schema of a text: trimmed, not empty, without U+0000 or lone surrogates, at most `max` code points long.
 */
export const text = ({ max }: TextBounds) =>
  createTextSchema((value) => findTextError(value, max)).meta({
    minLength: 1,
    maxLength: max,
    pattern: createNonBlankPattern(String.raw`\u0000`),
  });

const findLineError = (value: string, max: number): string | null =>
  findTextError(value, max) ??
  (isPlainLine(value) ? null : 'must not contain control characters, line separators or bidirectional controls');

/**
 * Creates the schema of a text for emails, headers and terminals: one line, without control characters (`isPlainLine`).
 */
export const line = ({ max }: TextBounds) =>
  createTextSchema((value) => findLineError(value, max)).meta({
    minLength: 1,
    maxLength: max,
    pattern: createNonBlankPattern(controlCharacters),
  });

/** The additional characters of the Basic Multilingual Plane that `isPlainName` rejects, except joiners. */
const invisibleCharacters = String.raw`\u00ad\u034f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb`;

/**
 * Creates the schema of the name of a person, company, group, service account or collection: a line in NFC without
 * invisible characters.
 */
export const plainName = ({ max }: TextBounds) =>
  z
    .string()
    .overwrite(toNfc)
    .pipe(
      createTextSchema(
        (value) =>
          findLineError(value, max) ?? (isPlainName(value) ? null : 'must not contain characters that cannot be seen'),
      ),
    )
    .meta({ minLength: 1, maxLength: max, pattern: createNonBlankPattern(controlCharacters + invisibleCharacters) });

const createUuidSchema = (noun: string) =>
  createTextSchema((value) => (parseId(value) ? null : `must be the id of a ${noun}`)).meta({ format: 'uuid' });

/** A UUID, in upper or lower case. */
export const jobId = createUuidSchema('job').transform((value) => parseId<JobId>(value) as JobId);

/** A UUID, in upper or lower case. */
export const profileId = createUuidSchema('profile').transform((value) => parseId<ProfileId>(value));
/** A UUID, in upper or lower case. */
export const collectionId = createUuidSchema('collection').transform((value) => parseId<CollectionId>(value));
/** A UUID, in upper or lower case. */
export const callId = createUuidSchema('call').transform((value) => parseId<CallId>(value));

const momentMax = 100;
const findMomentError = (value: string, parse: (value: string) => number | null, expected: string): string | null =>
  findTextError(value, momentMax) ?? (parse(value) === null ? `must be ${expected}` : null);

/** An ISO 8601 date-time, stored as sent. JSON Schema's `date-time` is RFC 3339's, a subset. */
export const dateTime = createTextSchema((value) =>
  findMomentError(value, parseDateTime, 'an ISO 8601 date-time'),
).meta({
  format: 'date-time',
  maxLength: momentMax,
});

/** The instant of an ISO 8601 date-time. A date without a time is the first instant of that day in UTC. */
export const moment = createTextSchema((value) =>
  findMomentError(value, parseDateOrDateTime, 'an ISO 8601 date-time or date'),
)
  .meta({ anyOf: [{ format: 'date-time' }, { format: 'date' }], maxLength: momentMax })
  .transform(parseDateOrDateTime);

/**
 * An expiry: the instant of an ISO 8601 date-time. A date without a time is the last valid day in UTC, so access
 * expires at the start of the next day.
 */
export const expiryTime = createTextSchema((value) =>
  findMomentError(value, parseExpiry, 'an ISO 8601 date-time or date'),
)
  .meta({ anyOf: [{ format: 'date-time' }, { format: 'date' }], maxLength: momentMax, examples: ['2026-12-31'] })
  .transform(parseExpiry);

/** A required `expiryTime`; null means none. */
export const expiryTimeOrNull = z.union([expiryTime, z.null()], {
  error: 'must be an ISO 8601 date-time or date, or null',
});

const isBlank = (value: unknown): boolean => value === null || (typeof value === 'string' && value.trim() === '');
const replaceBlank = (replacement: null | undefined) => (value: unknown) => (isBlank(value) ? replacement : value);
const replaceBlankText = (value: unknown): unknown => (value !== null && isBlank(value) ? undefined : value);

/** The fields whose JSON Schema has to allow `""`, which also counts as absent. */
const blankableSchemas = z.registry<{ readonly blank: true }>();
export const acceptsBlank = (schema: z.core.$ZodType): boolean => blankableSchemas.get(schema) !== undefined;

/** Creates an optional field: null and `""` count as absent (specification, section 1). */
export const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess(replaceBlank(undefined), schema.nullish()).register(blankableSchemas, { blank: true });

/** Creates an optional text field that null and `""` clear: undefined if absent, null if cleared. */
export const clearable = <T extends z.ZodType>(schema: T) =>
  z.preprocess(replaceBlank(null), schema.nullish()).register(blankableSchemas, { blank: true });

/** Creates an optional field that only null removes: undefined if absent or `""`, null if removed. */
export const removable = <T extends z.ZodType>(schema: T) =>
  z.preprocess(replaceBlankText, schema.nullish()).register(blankableSchemas, { blank: true });

/** Creates the schema of a whole number in a JSON body. */
export const wholeNumber = (min: number, max: number) => z.int().min(min).max(max);

/**
 * Any character except ASCII, spaces, control and format characters, and other scripts' dots (RFC 3490, section 3.1).
 */
const nonAscii = String.raw`[^\u0000-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u206f\u3000-\u3002\ufeff\uff0e\uff61\ufff0-\uffff]`;
const atom = String.raw`(?:[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]|${nonAscii})+`;
const alphanumeric = `(?:[A-Za-z0-9]|${nonAscii})`;
const label = `${alphanumeric}(?:(?:[A-Za-z0-9-]|${nonAscii})*${alphanumeric})?`;
const localhost = '[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]';
/** The pattern means the same with and without the flag `u`, because readers of the OpenAPI document use either. */
const mailAddress = new RegExp(String.raw`^${atom}(?:\.${atom})*@(?:${label}(?:\.${label})+|${localhost})$`, 'u');

/**
 * An email address (RFC 5321 and RFC 6531, without quoted local parts and address literals), in its stored form. A
 * character that NFC turns into an ASCII letter, such as the Kelvin sign, is rejected, which JSON Schema cannot
 * express.
 */
export const email = createTextSchema(
  (value) =>
    findTextError(value, emailMax) ??
    (mailAddress.test(value) && toEmailKey(value) !== null ? null : 'must be an email address'),
)
  .overwrite(toStoredEmail)
  .meta({
    format: 'idn-email',
    minLength: 1,
    maxLength: emailMax,
    pattern: mailAddress.source,
    examples: ['alice@example.com'],
  });

/** Creates the schema of a whole number in a query string. A number above the largest safe integer is reduced to it. */
export const numberParameter = (min: number, max?: number) => {
  const integer = z.int().min(min);
  // Numbers above the largest safe integer are reduced, not rejected, so there is no maximum to document.
  const unboundedInteger = integer.meta({ maximum: undefined });
  return z.preprocess(
    (value) =>
      typeof value === 'string' && /^\d+$/.test(value) ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value,
    max === undefined ? unboundedInteger : integer.max(max),
  );
};

/** A fraction from 0 to 1 in a query string, in JSON syntax. */
export const shareParameter = z.preprocess(
  (value) => (typeof value === 'string' && /^\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? Number(value) : value),
  z.number().min(0).max(1),
);

/** Creates the schema of a comma-separated list of these words; repeated words count once. */
export const wordsParameter = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? [...new Set(value.split(',').map((word) => word.trim()))] : value),
    z.array(z.enum(words)),
  );

/** `true` or `false`, case-insensitive. */
export const booleanParameter = z.preprocess((value) => {
  const normalizedValue = typeof value === 'string' ? value.toLowerCase() : value;
  return normalizedValue === 'true' ? true : normalizedValue === 'false' ? false : normalizedValue;
}, z.boolean());

/** Returns the parsed body; throws `invalid_body` with the first issue's path and reason. */
export const validateBody = <T extends z.ZodType>(schema: T, value: unknown): z.output<T> => {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  throw new PorticoError('invalid_body', { reason: describeFirstIssue(result.error) });
};

/**
 * Returns the parsed query; throws `invalid_query`. Unknown parameters are ignored or rejected. Known parameters count
 * as absent if they are empty, and are rejected if they are repeated.
 */
export const validateQuery = <T extends z.ZodObject>(
  schema: T,
  url: string,
  { rejectsUnknownParameters }: { readonly rejectsUnknownParameters: boolean },
): z.output<T> => {
  const start = url.indexOf('?');
  const parameters = new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
  if (rejectsUnknownParameters) rejectUnknownNames('invalid_query', schema, parameters.keys());
  const result = schema.safeParse(readKnownParameters(schema, parameters), { error: describeIssue });
  if (result.success) return result.data;
  throw new PorticoError('invalid_query', { reason: describeFirstIssue(result.error) });
};

/** Throws an error for a name that is not in the schema; the error lists the names that are. */
export const rejectUnknownNames = (
  code: 'invalid_query' | 'invalid_body',
  { shape }: z.ZodObject,
  names: Iterable<string>,
): void => {
  for (const name of names) {
    if (Object.hasOwn(shape, name)) continue;
    const knownNames = Object.keys(shape);
    const quotedName = /^[\w.-]{1,64}$/.test(name) ? name : 'one of the names';
    const knownNamesText = knownNames.length > 0 ? `There are: ${knownNames.join(', ')}` : 'There are none';
    throw new PorticoError(code, { reason: `${quotedName} is unknown. ${knownNamesText}` });
  }
};

const readKnownParameters = (schema: z.ZodObject, parameters: URLSearchParams): Record<string, string> => {
  const knownValues: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const values = parameters.getAll(name);
    if (values.length > 1) throw new PorticoError('invalid_query', { reason: `${name} is given more than once` });
    if (values[0] !== undefined && values[0].trim() !== '') knownValues[name] = values[0];
  }
  return knownValues;
};

const describeFirstIssue = ({ issues: [issue] }: z.ZodError): string => {
  if (!issue) return 'it is not valid';
  const path = issue.path.map((part, index) =>
    typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`,
  );
  return path.length > 0 ? `${path.join('')} ${issue.message}` : issue.message;
};

const typeReasons: Readonly<Record<string, string>> = {
  string: 'must be a string',
  int: 'must be a whole number',
  number: 'must be a number',
  boolean: 'must be true or false',
  object: 'must be an object',
  record: 'must be an object',
  array: 'must be an array',
};

/** Returns the reason for an issue, worded to follow the field's name. Never quotes the input. */
const describeIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : (typeReasons[issue.expected] ?? 'is of the wrong type');
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return issue.message ?? 'is not valid';
  }
};
