import { createFormatError, createValidationError } from './request-error.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// These readers are as strict as the real server: they reject a number in a string, or a float as an index.
export const objectOf = (value: Json | undefined, expected: string): JsonObject => {
  if (!isObject(value)) throw createFormatError(`invalid type, expected ${expected}`);
  return value;
};

export const listOf = (value: Json | undefined, expected: string): readonly Json[] => {
  if (!Array.isArray(value)) throw createFormatError(`invalid type, expected a sequence of ${expected}`);
  return value as readonly Json[];
};

export const textOf = (value: Json | undefined, expected: string): string => {
  if (typeof value !== 'string') throw createFormatError(`invalid type, expected a string as ${expected}`);
  return value;
};

export const countOf = (value: Json | undefined, expected: string): number => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw createFormatError(`invalid value, expected an unsigned integer as ${expected}`);
  }
  return value;
};

export const limitOf = (value: Json): number => {
  const limit = countOf(value, 'limit');
  if (limit === 0) throw createValidationError('limit', 'value 0 invalid, must be 1 or larger');
  return limit;
};

export const flagOf = (value: Json | undefined, expected: string): boolean => {
  if (typeof value !== 'boolean') throw createFormatError(`invalid type, expected a boolean as ${expected}`);
  return value;
};

export const numbersOf = (value: Json | undefined): readonly number[] => {
  const list = listOf(value, 'floats');
  if (!list.every((item) => typeof item === 'number')) throw createFormatError('invalid type, expected f32');
  return list;
};

/** Reads an id: an unsigned integer, or a UUID, which is returned in lower case with hyphens. */
export const idOf = (value: Json | undefined): string | number => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  if (typeof value === 'string') {
    const digits = value.toLowerCase().replace(/^urn:uuid:/, '');
    const hex = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(digits) ? digits.replaceAll('-', '') : digits;
    if (/^[0-9a-f]{32}$/.test(hex)) return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
  throw createFormatError(
    `value ${typeof value === 'string' ? value : JSON.stringify(value)} is not a valid point ID, valid values are either an unsigned integer or a UUID`,
  );
};
