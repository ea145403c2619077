import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { booleanParameter, numberParameter } from '../requests/fields.ts';

export const pageLimitDefault = 100;
const pageLimitMax = 1_000;

/** The page size for a list that is complete unless a page is requested. */
export const pageLimit = numberParameter(1, pageLimitMax)
  .optional()
  .meta({
    description: `The page size, ${pageLimitDefault} by default. Without it and without \`cursor\`, returns the complete list.`,
  });

export const includeTotal = booleanParameter.default(false).meta({
  description:
    'Whether to return the total number of items on all pages, with the same filters, in the header `X-Total-Count`.',
});

const uuidShape = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const ageShape = new RegExp(String.raw`^(\d{1,15})\.(${uuidShape})$`);

/**
 * Creates the schema of a position in a list, by creation time and id. Any text of this form is a position, even if no
 * item was ever there.
 */
export const createAgeCursor = <Id extends string>() =>
  z
    .string()
    .regex(ageShape, { error: 'was not issued by this service' })
    .transform((cursorText): { readonly createdAt: number; readonly id: Id } => {
      const [, createdAt = '', id = ''] = ageShape.exec(cursorText) ?? [];
      return { createdAt: Number(createdAt), id: id as Id };
    })
    .optional()
    .meta({ description: 'From the `Link` header of the previous page.' });

export const ageCursorOf = ({ createdAt, id }: { readonly createdAt: number; readonly id: string }): string =>
  `${createdAt}.${id}`;

/**
 * A position in a list, by a unique text. U+0000 is removed: no stored text contains it, and PostgreSQL cannot compare
 * it.
 */
export const textCursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,2000}$/, { error: 'was not issued by this service' })
  .transform((cursorText) => Buffer.from(cursorText, 'base64url').toString('utf8').replaceAll('\0', ''))
  .optional()
  .meta({ description: 'From the `Link` header of the previous page.' });

export const textCursorOf = (text: string): string => Buffer.from(text).toString('base64url');

/** Returns the page from a result that was read with `limit + 1`, and the page's last line if there is a next page. */
export const pageOf = <Line>(lines: readonly Line[], limit: number) => ({
  page: lines.slice(0, limit),
  last: lines.length > limit ? lines[limit - 1] : undefined,
});

/** Returns a page of a complete list, starting after a position; the whole list if no page is requested. */
export const pageFrom = <Line, Position>(
  lines: readonly Line[],
  filterAfter: (list: readonly Line[], position: Position | null) => readonly Line[],
  {
    limit,
    cursor: after,
    include_total: includesTotal,
  }: { readonly limit?: number | undefined; readonly cursor?: Position | undefined; readonly include_total: boolean },
) => {
  const remaining = filterAfter(lines, after ?? null);
  const size = limit ?? (after === undefined ? remaining.length : pageLimitDefault);
  return { ...pageOf(remaining, size), total: includesTotal ? lines.length : null };
};

/** Returns the headers of a page: a link with the same query and the cursor of the next page, and the total count. */
export const createPageHeaders = (
  { url = '' }: IncomingMessage,
  cursor: string | undefined,
  total: number | null,
): Record<string, string> => {
  const [path = '', query = ''] = url.split('?', 2);
  const next = new URLSearchParams(query);
  if (cursor !== undefined) next.set('cursor', cursor);
  return {
    ...(cursor === undefined ? {} : { Link: `<${path}?${next.toString()}>; rel="next"` }),
    ...(total === null ? {} : { 'X-Total-Count': `${total}` }),
  };
};
