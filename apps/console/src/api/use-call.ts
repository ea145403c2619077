import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { call, callInFull, type Answered, type CallInput, type CallName } from './call.ts';

export type Reads = Extract<CallName, `GET ${string}`>;

/** The key of everything that a call has answered, and of one input of it. */
const keyOf = (name: CallName, input?: unknown): readonly unknown[] => (input === undefined ? [name] : [name, input]);

interface ReadOptions<Answer = unknown> {
  readonly enabled?: boolean;
  /** Shows the last answer while another input is asked for, as lists do while one types a filter. */
  readonly keep?: boolean;
  /** In milliseconds, maybe by what was answered last. It rests while the page is not visible. */
  readonly refetchInterval?: number | false | ((answered: Answer | undefined) => number | false);
}

/** Reads once, and again where it was changed; shown from memory in between. */
export const useRead = <const Name extends Reads>(
  name: Name,
  input: CallInput<Name>,
  options: ReadOptions<Answered<Name>> = {},
) => {
  const { refetchInterval = false } = options;
  return useQuery({
    queryKey: keyOf(name, input),
    queryFn: async ({ signal }): Promise<Answered<Name>> => (await callInFull(name, { ...input, signal })).answered,
    enabled: options.enabled ?? true,
    refetchInterval:
      typeof refetchInterval === 'function' ? ({ state }) => refetchInterval(state.data) : refetchInterval,
    ...(options.keep ? { placeholderData: keepPreviousData } : {}),
  });
};

type Rows<Name extends Reads> = Answered<Name> extends readonly (infer Row)[] ? Row : never;

/** How many rows a page has. */
export const pageSize = 100;

/** Reads a list page by page, by the cursor that each answer names in `Link` (RFC 8288). */
export const usePages = <const Name extends Reads>(name: Name, input: CallInput<Name>, options: ReadOptions = {}) => {
  const pages = useInfiniteQuery({
    queryKey: [name, input, 'pages'],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...input.query, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) };
      const { answered, headers } = await callInFull(name, { ...input, query, signal });
      return { rows: answered as readonly Rows<Name>[], next: nextCursorOf(headers), total: totalOf(headers) };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: options.enabled ?? true,
    ...(options.keep ? { placeholderData: keepPreviousData } : {}),
  });
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  return { ...pages, rows, total: pages.data?.pages[0]?.total ?? null };
};

/** How many rows a list has under a filter; null until it is known. */
export const useTotal = <const Name extends Reads>(
  name: Name,
  input: CallInput<Name>,
  { refetchInterval = false }: Pick<ReadOptions, 'refetchInterval'> = {},
): number | null => {
  const read = useQuery({
    queryKey: [name, input, 'total'],
    queryFn: async ({ signal }) => {
      const query = { ...input.query, limit: 1, include_total: true };
      return totalOf((await callInFull(name, { ...input, query, signal })).headers);
    },
    refetchInterval,
  });
  return read.data ?? null;
};

/** RFC 8288: `Link: <…?cursor=…>; rel="next"`. */
const nextCursorOf = (headers: Headers): string | null => {
  const link = /<([^>]+)>;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  return link ? new URL(link, window.location.origin).searchParams.get('cursor') : null;
};

const totalOf = (headers: Headers): number | null => {
  const total = headers.get('X-Total-Count');
  return total === null ? null : Number(total);
};

/** Sends a change, and lets the named reads be asked anew. */
export const useChange = <const Name extends CallName>(
  name: Name,
  { touches }: { readonly touches: readonly Reads[] },
) => {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (input: CallInput<Name>): Promise<Answered<Name>> => call(name, ...([input] as never)),
    onSettled: () => touch(queries, touches),
  });
  const { mutateAsync } = change;
  // What was read anew may have taken away the part of the page that sent the change, and with it the callbacks of
  // TanStack's own `mutate`: whoever suspends somebody would not be told that it was done.
  const mutate = (
    input: CallInput<Name>,
    { onSuccess }: { readonly onSuccess?: (answered: Answered<Name>) => void } = {},
  ): void => {
    void mutateAsync(input).then(
      (answered) => onSuccess?.(answered),
      // The error is shown from the state of the change.
      () => undefined,
    );
  };
  return { ...change, mutate };
};

/** Marks what these reads have answered as old. */
export const touch = (queries: QueryClient, names: readonly Reads[]): Promise<unknown> =>
  Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: keyOf(name) })));
