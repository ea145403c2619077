import { PorticoError } from '@portico/domain';
import type { z } from 'zod';

/** Returns the body as its schema reads it; throws `invalid_body` with the place and the reason of the first issue. */
export const validBody = <T extends z.ZodType>(schema: T, value: unknown): z.output<T> => {
  const result = schema.safeParse(value, { error: plainReason });
  if (result.success) return result.data;
  throw new PorticoError('invalid_body', { because: firstIssue(result.error) });
};

/**
 * Returns the query as its schema reads it; throws `invalid_query`. Unknown parameters are ignored, empty ones count as absent,
 * repeated ones are refused.
 */
export const validQuery = <T extends z.ZodObject>(schema: T, url: string): z.output<T> => {
  const start = url.indexOf('?');
  const result = schema.safeParse(start === -1 ? {} : knownParameters(schema, url.slice(start + 1)), {
    error: plainReason,
  });
  if (result.success) return result.data;
  throw new PorticoError('invalid_query', { because: firstIssue(result.error) });
};

const knownParameters = (schema: z.ZodObject, query: string): Record<string, string> => {
  const given = new URLSearchParams(query);
  const known: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const values = given.getAll(name);
    if (values.length > 1) throw new PorticoError('invalid_query', { because: `${name} is given more than once` });
    if (values[0] !== undefined && values[0].trim() !== '') known[name] = values[0];
  }
  return known;
};

const firstIssue = ({ issues: [issue] }: z.ZodError): string => {
  if (!issue) return 'it is not valid';
  const path = issue.path.map((part, at) =>
    typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`,
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

/** The reason, in words that follow the field's name. Never quotes what was sent. */
const plainReason: z.core.$ZodErrorMap = (issue) => {
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
