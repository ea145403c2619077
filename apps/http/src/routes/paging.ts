import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { booleanParameter, numberParameter } from '../requests/fields.ts';

export const pageLimitDefault = 100;
const pageLimitMax = 1_000;

/** Of a list that is whole unless a page is asked for. */
export const pageLimit = numberParameter(1, pageLimitMax)
  .optional()
  .meta({
    description: `The page size, ${pageLimitDefault} by default. Without it and \`cursor\`, the answer is the whole list.`,
  });

export const includeTotal = booleanParameter.default(false).meta({
  description: 'Whether the header `X-Total-Count` says how many there are on all pages, under the same filters.',
});

const uuidShape = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const ageShape = new RegExp(String.raw`^(\d{1,15})\.(${uuidShape})$`);

/** A place in a list by time of creation and id. Anything of its shape is one, whether or not anything was ever there. */
export const ageCursor = <Id extends string>() =>
  z
    .string()
    .regex(ageShape, { error: 'is not one that was given out' })
    .transform((given): { readonly createdAt: number; readonly id: Id } => {
      const [, createdAt = '', id = ''] = ageShape.exec(given) ?? [];
      return { createdAt: Number(createdAt), id: id as Id };
    })
    .optional()
    .meta({ description: 'From the `Link` header of the previous page.' });

export const ageCursorOf = ({ createdAt, id }: { readonly createdAt: number; readonly id: string }): string =>
  `${createdAt}.${id}`;

/** A place in a list by a unique text. No stored text contains U+0000, and PostgreSQL cannot compare with it. */
export const textCursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,2000}$/, { error: 'is not one that was given out' })
  .transform((given) => Buffer.from(given, 'base64url').toString('utf8').replaceAll('\0', ''))
  .optional()
  .meta({ description: 'From the `Link` header of the previous page.' });

export const textCursorOf = (text: string): string => Buffer.from(text).toString('base64url');

/** A page of what was found, if one more was asked for than it holds; and its last line, if there is a next page. */
export const pageOf = <Line>(found: readonly Line[], limit: number) => ({
  page: found.slice(0, limit),
  last: found.length > limit ? found[limit - 1] : undefined,
});

/** A page of a list that is whole already, from behind a place on; all of it if no page is asked for. */
export const cut = <Line, Place>(
  whole: readonly Line[],
  behind: (list: readonly Line[], place: Place | null) => readonly Line[],
  {
    limit,
    cursor: after,
    include_total: withTotal,
  }: { readonly limit?: number | undefined; readonly cursor?: Place | undefined; readonly include_total: boolean },
) => {
  const rest = behind(whole, after ?? null);
  const size = limit ?? (after === undefined ? rest.length : pageLimitDefault);
  return { ...pageOf(rest, size), total: withTotal ? whole.length : null };
};

/** The headers of a page: the same query with the place of the next page, and how many there are in all. */
export const pageHeaders = (
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
