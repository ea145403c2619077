import { Anchor, Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { call, type Answered } from '../../api/call.ts';
import { Page } from '../../layout/page.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { Loading } from '../../parts/loading.tsx';
import { MethodBadge } from '../../parts/method-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './clients.module.css';
import { surenessOf } from './how-sure.ts';

const text = words.clients.find;

const searchOperations = 'POST /api/operations/search';
type Found = Answered<typeof searchOperations>[number];

const resultsMax = 20;
const queryMax = 2_000;

/** Finds operations by what they should do. Each search is counted, so it waits for Enter, and is kept for a while. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const query = search.get('q') ?? '';
  const results = useQuery({
    queryKey: [searchOperations, query],
    queryFn: ({ signal }) => call(searchOperations, { body: { query, k_limit: resultsMax }, signal }),
    enabled: query !== '',
    staleTime: 5 * 60_000,
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wanted = fieldOf(new FormData(event.currentTarget), 'q');
    if (wanted !== query) setSearch(wanted ? { q: wanted } : {});
    else if (wanted && results.error) void results.refetch();
  };
  return (
    <Page title={words.clients.search}>
      <form role="search" onSubmit={submit} className={styles.find}>
        <TextInput
          key={query}
          name="q"
          type="search"
          label={text.label}
          description={text.hint}
          defaultValue={query}
          maxLength={queryMax}
          autoFocus
        />
        <Button type="submit" loading={results.isFetching}>
          {text.act}
        </Button>
      </form>
      {query === '' ? <p className={styles.quiet}>{text.begin}</p> : null}
      {results.isLoading ? <Loading /> : null}
      <ErrorNote error={results.error} retry={() => results.refetch()} />
      {results.data ? <Results found={results.data} /> : null}
    </Page>
  );
};

const Results = ({ found }: { readonly found: readonly Found[] }) => {
  const [first] = found;
  if (!first)
    return (
      <div role="status">
        <p>
          <strong>{text.none}</strong> {text.noneHint}
        </p>
      </div>
    );
  return (
    <section aria-label={text.results}>
      <p role="status">{text.summary[surenessOf(first.score)]}</p>
      <ol className={styles.results}>
        {found.map((one) => (
          <Result key={`${one.collection_id} ${one.operation_key}`} one={one} />
        ))}
      </ol>
    </section>
  );
};

const Result = ({ one }: { readonly one: Found }) => (
  <li>
    <MethodBadge method={one.method} />
    <div className={styles.found}>
      <Anchor component={Link} to={`/apis/${one.collection_id}?operation=${one.operation_key}`} className={styles.path}>
        {one.path}
      </Anchor>
      <span>
        {one.deprecated ? <strong>{text.deprecated} </strong> : null}
        {one.summary ?? one.operation_id ?? ''}
      </span>
      <span className={styles.quiet}>
        {text.of(one.collection_name)} · {text.sure[surenessOf(one.score)]}
      </span>
    </div>
  </li>
);
