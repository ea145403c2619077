import { Autocomplete, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { ApiChoice, isId, PersonChoice } from '../../parts/choices.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { words } from '../../words/words.ts';
import { filtersOf, queryOf, type AuditFilters } from './audit-query.ts';
import styles from './audit.module.css';
import { About, Details, Action, When, Who } from './entry-cells.tsx';
import { ExportButton } from './export-button.tsx';
import { useAuditPages, type Entry } from './use-audit-pages.ts';

const text = words.audit;

type Change = (changes: Readonly<Record<string, string>>) => void;

/** The audit log, newest entries first. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const set: Change = (changes) =>
    setSearch(
      () => {
        // Uses the current URL, not the rendered one: the user may click again before the page has rendered the first
        // change.
        const next = new URLSearchParams(window.location.search);
        for (const [name, value] of Object.entries(changes))
          if (value) next.set(name, value);
          else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const api = useApi(filters.api);
  const query = queryOf(filters, api.id);
  const isKnown = filters.api === '' || api.id !== null;
  const pages = useAuditPages(query, isKnown);
  return (
    <Page
      title={text.title}
      actions={
        pages.total === null || !isKnown ? null : (
          <div className={styles.actions}>
            <span role="status">{text.count(pages.total)}</span>
            <ExportButton query={query} total={pages.total} />
          </div>
        )
      }
    >
      <FilterFields filters={filters} set={set} />
      <p className={styles.note}>{text.utc}</p>
      <ErrorNote error={api.error} />
      {isKnown ? (
        <DataTable label={text.title} columns={columns} pages={pages} keyOf={({ id }) => id} empty={text.none} />
      ) : null}
      {api.isMissing ? <p role="status">{text.noSuchApi(filters.api)}</p> : null}
    </Page>
  );
};

const columns: readonly Column<Entry>[] = [
  { header: text.when, cell: (entry) => <When entry={entry} /> },
  { header: text.who, cell: (entry) => <Who entry={entry} /> },
  { header: text.event, cell: (entry) => <Action entry={entry} /> },
  { header: text.about, cell: (entry) => <About entry={entry} /> },
  { header: text.details, cell: (entry) => <Details entry={entry} /> },
];

/** Resolves an API's name to its id, because the log contains only ids. */
const useApi = (nameOrId: string) => {
  const isName = nameOrId !== '' && !isId(nameOrId);
  const read = useRead('GET /api/collections/', { query: { q: nameOrId, limit: 1_000 } }, { enabled: isName });
  if (!isName) return { id: nameOrId || null, error: null, isMissing: false };
  const id = (read.data ?? []).find(({ name }) => name === nameOrId)?.id ?? null;
  return { id, error: read.error, isMissing: read.isSuccess && id === null };
};

const FilterFields = ({ filters, set }: { readonly filters: AuditFilters; readonly set: Change }) => (
  <fieldset className={styles.filters}>
    <legend className={styles.hidden}>{text.filters}</legend>
    <NativeSelect
      label={text.source}
      value={filters.source}
      onChange={({ currentTarget }) => set({ source: currentTarget.value === 'all' ? '' : currentTarget.value })}
      data={Object.entries(text.sources).map(([value, label]) => ({ value, label }))}
    />
    <PersonChoice
      label={text.person}
      placeholder={text.anyone}
      value={filters.person}
      change={(actor) => set({ actor })}
    />
    <ApiChoice label={text.api} placeholder={text.anyApi} value={filters.api} change={(api) => set({ api })} />
    <ActionField action={filters.action} set={set} />
    <TextInput
      type="date"
      label={text.from}
      value={filters.from}
      onChange={({ currentTarget }) => set({ from: currentTarget.value })}
    />
    <TextInput
      type="date"
      label={text.to}
      value={filters.to}
      onChange={({ currentTarget }) => set({ to: currentTarget.value })}
    />
  </fieldset>
);

const knownActions = Object.keys(text.actions);
const pauseMs = 400;

/** Filters by one of the service's actions, or by any other action that callers report. */
const ActionField = ({ action, set }: { readonly action: string; readonly set: Change }) => {
  const [inputText, setInputText] = useState(action);
  const setActionDebounced = useDebouncedCallback((value: string) => set({ action: value.trim() }), pauseMs);
  return (
    <Autocomplete
      label={text.action}
      placeholder={text.anyAction}
      data={knownActions}
      limit={50}
      maxLength={200}
      value={inputText}
      onChange={(value) => {
        setInputText(value);
        setActionDebounced(value);
      }}
      renderOption={({ option: { value } }) => (
        <span>
          {text.actions[value]} <code className={styles.raw}>{value}</code>
        </span>
      )}
      filter={({ options, search }) => options.filter((option) => 'value' in option && isNamed(option.value, search))}
      clearable
      clearButtonProps={{ 'aria-label': `${words.frame.clear}: ${text.action}` }}
    />
  );
};

const isNamed = (action: string, search: string): boolean =>
  `${action} ${text.actions[action] ?? ''}`.toLowerCase().includes(search.trim().toLowerCase());
