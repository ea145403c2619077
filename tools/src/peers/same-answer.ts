import { isDeepStrictEqual } from 'node:util';
import type { ReadName, ReadWay, Row } from './peer.ts';

const listLength = 100;

/** Rejects unless the answer holds what was asked for: the row with its document, or so many rows without. */
export const checkAnswer = async (way: ReadWay, read: ReadName, row: Row | null): Promise<void> => {
  const { path, headers = {} } = way.request;
  const response = await fetch(`${way.subject.address}${path}`, { headers });
  const body: unknown = await response.json();
  if (!response.ok || !holds(body, row))
    throw new Error(`${way.name}, ${read}: ${response.status} ${JSON.stringify(body).slice(0, 300)}`);
};

/** Whether a body, which may be wrapped in `data`, is the row, or without a row a list of 100 with names. */
export const holds = (body: unknown, row: Row | null): boolean => {
  const data = membersOf(body).data ?? body;
  if (row === null)
    return Array.isArray(data) && data.length === listLength && data.every((item) => 'name' in membersOf(item));
  const { name, description, openapi_spec, document = openapi_spec, text } = membersOf(data);
  const wanted: unknown = JSON.parse(row.document);
  const isDocument =
    typeof text === 'string' ? isDeepStrictEqual(JSON.parse(text), wanted) : isDeepStrictEqual(document, wanted);
  return name === row.name && description === row.description && isDocument;
};

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
