import { isJsonObject, type Json } from '../../json.ts';
import { isInteger, isNumber, toNumber } from '../../operations/numbers.ts';

interface Format {
  /** Matches only valid texts, not necessarily all of them. */
  readonly valid: RegExp;
  /** Matches all valid texts, and perhaps others. */
  readonly possible: RegExp;
  readonly sample: string;
}

const day = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])`;
const time = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)`;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/**
 * The formats of strings that validators check (JSON Schema 2020-12, validation, section 7.3; OpenAPI 3.0, section
 * 4.4).
 */
const formats: Readonly<Record<string, Format>> = {
  'date-time': {
    valid: new RegExp(`^${day}T${time}$`),
    possible: /^\d{4}-\d\d-\d\d[tT\s]\d\d:\d\d/,
    sample: '2024-01-15T10:30:00Z',
  },
  date: { valid: new RegExp(`^${day}$`), possible: /^\d{4}-\d\d-\d\d$/, sample: '2024-01-15' },
  time: { valid: new RegExp(`^${time}$`), possible: /^\d\d:\d\d/, sample: '10:30:00Z' },
  duration: { valid: /^P\d{1,4}D$/, possible: /^P/, sample: 'P3D' },
  email: { valid: /^[a-z0-9]{1,20}@[a-z0-9]{1,20}\.[a-z]{2,10}$/i, possible: /@/, sample: 'a@example.com' },
  hostname: { valid: /^[a-z0-9]{1,20}(\.[a-z0-9]{1,20}){0,4}$/i, possible: /^[^\s/@:]+$/, sample: 'example.com' },
  ipv4: { valid: ipv4, possible: ipv4, sample: '192.0.2.1' },
  ipv6: { valid: /^2001:db8::[0-9a-f]{1,4}$/i, possible: /:/, sample: '2001:db8::1' },
  uri: {
    valid: /^https?:\/\/[a-z0-9]+(\.[a-z0-9]+)*(\/[a-z0-9]+)*$/i,
    possible: /^[a-z][a-z0-9+.-]*:/i,
    sample: 'https://example.com/a',
  },
  url: {
    valid: /^https:\/\/example\.com(\/[a-z0-9]+)*$/,
    possible: /^(https?|ftp):\/\//i,
    sample: 'https://example.com/a',
  },
  uuid: {
    valid: uuid,
    possible: new RegExp(`^(urn:uuid:)?${uuid.source.slice(1)}`, 'i'),
    sample: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  },
  byte: { valid: /^([A-Za-z0-9+/]{4})*$/, possible: /^[A-Za-z0-9+/=\n\r]*$/, sample: 'QUJD' },
  'json-pointer': { valid: /^(\/[a-z0-9]*)*$/i, possible: /^(\/|$)/, sample: '/a' },
};

/** Formats that validators check and this module does not: whether a text has one is unknown. */
const uncheckedFormats = new Set([
  'iri',
  'iri-reference',
  'idn-email',
  'idn-hostname',
  'uri-reference',
  'uri-template',
  'regex',
  'relative-json-pointer',
  'json-pointer-uri-fragment',
  'iso-time',
  'iso-date-time',
]);

/** Whether a format limits values, or only describes them. */
export const isCheckedFormat = (format: string): boolean =>
  Object.hasOwn(formats, format) || uncheckedFormats.has(format) || ['int32', 'int64'].includes(format);

/** Whether the values of one format all have the other as well. */
export const impliesFormat = (format: string, other: string): boolean =>
  format === other || !isCheckedFormat(other) || (format === 'int32' && other === 'int64');

/** Whether a value has a format; null if that is unknown. */
export const hasFormat = (format: string, value: Json): boolean | null => {
  if (isNumber(value)) {
    if (format === 'int64') return isInteger(value);
    if (format === 'int32') return isInteger(value) && toNumber(value) >= -(2 ** 31) && toNumber(value) < 2 ** 31;
    return true;
  }
  if (typeof value !== 'string' || isJsonObject(value)) return true;
  if (uncheckedFormats.has(format)) return null;
  const entry = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (!entry || entry.valid.test(value)) return true;
  return entry.possible.test(value) ? null : false;
};

/** Texts with each format, as samples. */
export const formatSamples: readonly string[] = Object.values(formats).map(({ sample }) => sample);

export const sampleOfFormat = (format: string): string | undefined =>
  Object.hasOwn(formats, format) ? formats[format]?.sample : undefined;
