import { Anchor, Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { call, type CallResult } from '../../api/call.ts';
import { Page } from '../../layout/page.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { Loading } from '../../parts/loading.tsx';
import { MethodBadge } from '../../parts/method-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './clients.module.css';
import { confidenceOf } from './confidence.ts';

const text = words.clients.find;

const searchOperations = 'POST /api/operations/search';
type SearchResult = CallResult<typeof searchOperations>[number];

const resultsMax = 20;
const queryMax = 2_000;

/**
 * Finds operations by their purpose. Each search counts as usage, so a search is sent only on Enter, and its result is
 * cached.
 */
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
    const newQuery = fieldOf(new FormData(event.currentTarget), 'q');
    if (newQuery !== query) setSearch(newQuery ? { q: newQuery } : {});
    else if (newQuery && results.error) void results.refetch();
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
          {text.submit}
        </Button>
      </form>
      {query === '' ? <p className={styles.quiet}>{text.intro}</p> : null}
      {results.isLoading ? <Loading /> : null}
      <ErrorNote error={results.error} retry={() => results.refetch()} />
      {results.data ? <Results results={results.data} /> : null}
    </Page>
  );
};

const Results = ({ results }: { readonly results: readonly SearchResult[] }) => {
  const [firstResult] = results;
  if (!firstResult)
    return (
      <div role="status">
        <p>
          <strong>{text.none}</strong> {text.noneHint}
        </p>
      </div>
    );
  return (
    <section aria-label={text.results}>
      <p role="status">{text.summary[confidenceOf(firstResult.score)]}</p>
      <ol className={styles.results}>
        {results.map((result) => (
          <Result key={`${result.collection_id} ${result.operation_key}`} result={result} />
        ))}
      </ol>
    </section>
  );
};

const Result = ({ result }: { readonly result: SearchResult }) => (
  <li>
    <MethodBadge method={result.method} />
    <div className={styles.result}>
      <Anchor
        component={Link}
        to={`/apis/${result.collection_id}?operation=${result.operation_key}`}
        className={styles.path}
      >
        {result.path}
      </Anchor>
      <span>
        {result.deprecated ? <strong>{text.deprecated} </strong> : null}
        {result.summary ?? result.operation_id ?? ''}
      </span>
      <span className={styles.quiet}>
        {text.inApi(result.collection_name)} · {text.confidence[confidenceOf(result.score)]}
      </span>
    </div>
  </li>
);
