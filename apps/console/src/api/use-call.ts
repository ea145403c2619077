import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { call, callWithHeaders, type CallResult, type CallInput, type CallName } from './call.ts';

export type ReadName = Extract<CallName, `GET ${string}`>;

/** The query key of all results of a call, or of its result for one input. */
const keyOf = (name: CallName, input?: unknown): readonly unknown[] => (input === undefined ? [name] : [name, input]);

interface ReadOptions<Result = unknown> {
  readonly enabled?: boolean;
  /**
   * Shows the previous result while the one for a new input loads, for example in lists while the user types a filter.
   */
  readonly keepPrevious?: boolean;
  /** The interval in milliseconds; may depend on the last result. Refetching is paused while the page is hidden. */
  readonly refetchInterval?: number | false | ((result: Result | undefined) => number | false);
}

/** Reads a result once, and again after a change. The result is cached in between. */
export const useRead = <const Name extends ReadName>(
  name: Name,
  input: CallInput<Name>,
  options: ReadOptions<CallResult<Name>> = {},
) => {
  const { refetchInterval = false } = options;
  return useQuery({
    queryKey: keyOf(name, input),
    queryFn: async ({ signal }): Promise<CallResult<Name>> => (await callWithHeaders(name, { ...input, signal })).body,
    enabled: options.enabled ?? true,
    refetchInterval:
      typeof refetchInterval === 'function' ? ({ state }) => refetchInterval(state.data) : refetchInterval,
    ...(options.keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
};

/** Like `useRead`, with the text of the body, which has the digits of all numbers. */
export const useReadWithText = <const Name extends ReadName>(name: Name, input: CallInput<Name>) =>
  useQuery({
    queryKey: [name, input, 'text'],
    queryFn: async ({ signal }): Promise<{ readonly body: CallResult<Name>; readonly text: string }> => {
      const { body, text } = await callWithHeaders(name, { ...input, signal });
      return { body, text };
    },
  });

type Rows<Name extends ReadName> = CallResult<Name> extends readonly (infer Row)[] ? Row : never;

/** The number of rows on a page. */
export const pageSize = 100;

/** Reads a list page by page, using the cursor in each response's `Link` header (RFC 8288). */
export const usePages = <const Name extends ReadName>(
  name: Name,
  input: CallInput<Name>,
  options: ReadOptions = {},
) => {
  const pages = useInfiniteQuery({
    queryKey: [name, input, 'pages'],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...input.query, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) };
      const { body: responseBody, headers } = await callWithHeaders(name, { ...input, query, signal });
      return { rows: responseBody as readonly Rows<Name>[], next: nextCursorOf(headers), total: totalOf(headers) };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: options.enabled ?? true,
    ...(options.keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  return { ...pages, rows, total: pages.data?.pages[0]?.total ?? null };
};

/** Returns the number of rows that match a filter; null until it is known. */
export const useTotal = <const Name extends ReadName>(
  name: Name,
  input: CallInput<Name>,
  { refetchInterval = false }: Pick<ReadOptions, 'refetchInterval'> = {},
): number | null => {
  const read = useQuery({
    queryKey: [name, input, 'total'],
    queryFn: async ({ signal }) => {
      const query = { ...input.query, limit: 1, include_total: true };
      return totalOf((await callWithHeaders(name, { ...input, query, signal })).headers);
    },
    refetchInterval,
  });
  return read.data ?? null;
};

/** Returns the next page's cursor from `Link: <…?cursor=…>; rel="next"` (RFC 8288); null if there is none. */
const nextCursorOf = (headers: Headers): string | null => {
  const link = /<([^>]+)>;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  return link ? new URL(link, window.location.origin).searchParams.get('cursor') : null;
};

const totalOf = (headers: Headers): number | null => {
  const total = headers.get('X-Total-Count');
  return total === null ? null : Number(total);
};

/** Sends a change, and refreshes the given reads afterwards. */
export const useChange = <const Name extends CallName>(
  name: Name,
  { invalidates: names }: { readonly invalidates: readonly ReadName[] },
) => {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (input: CallInput<Name>): Promise<CallResult<Name>> => call(name, ...([input] as never)),
    onSettled: () => invalidateReads(queries, names),
  });
  const { mutateAsync } = change;
  // The refresh may unmount the component that sent the change. TanStack's own `mutate` would then drop its callbacks,
  // and an administrator would not see a suspension confirmed, for example.
  const mutate = (
    input: CallInput<Name>,
    { onSuccess }: { readonly onSuccess?: (result: CallResult<Name>) => void } = {},
  ): void => {
    void mutateAsync(input).then(
      (result) => onSuccess?.(result),
      // The component shows the error from the mutation's state.
      () => undefined,
    );
  };
  return { ...change, mutate };
};

/** Marks the results of these reads as stale. */
export const invalidateReads = (queries: QueryClient, names: readonly ReadName[]): Promise<unknown> =>
  Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: keyOf(name) })));
