import { Button, Checkbox, TextInput } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { callForFile } from '../../api/call.ts';
import { usePages, useRead } from '../../api/use-call.ts';
import { ApiChoice, GroupChoice, PersonChoice } from '../../parts/choices.tsx';
import { DataTable, useSelectedKeys } from '../../parts/data-table.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { GrantDialog } from './grant-dialog.tsx';
import { rowKeyOf, matrixColumns, type MatrixRow } from './matrix-columns.tsx';
import { AccessLayout } from './access-layout.tsx';
import { ChangeExpiryDialog, RevokeDialog } from './row-dialogs.tsx';

const text = words.access.matrix;

/** Reads the filters from the URL, by name. */
const filtersOf = (search: URLSearchParams) => ({
  person: search.get('person') ?? '',
  group: search.get('group') ?? '',
  api: search.get('api') ?? '',
  before: search.get('before') ?? '',
  expired: search.get('expired') === '1',
});
type Filters = ReturnType<typeof filtersOf>;

const queryOf = ({ person, group, api, before, expired }: Filters) => ({
  profile: person,
  group,
  collection: api,
  expiring_before: before,
  ...(expired ? { include_expired: true } : {}),
});

/**
 * Shows who has access to which API, why, and until when. `?grant=1` opens the grant dialog, prefilled from the
 * filters.
 */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const apiName = useApiName(filters.api);
  const pages = usePages('GET /api/access/matrix', { query: queryOf(filters) }, { keepPrevious: true });
  const [keys, setKeys] = useSelectedKeys();
  const set = (changes: Readonly<Record<string, string>>): void =>
    setSearch(
      (previous) => {
        const next = new URLSearchParams(previous);
        for (const [name, value] of Object.entries(changes))
          if (value) next.set(name, value);
          else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const filterBy = (changes: Readonly<Record<string, string>>): void => {
    setKeys(new Set());
    set(changes);
  };
  const selectedRows = pages.rows.filter((row) => keys.has(rowKeyOf(row)));
  const openGrantDialog = (): void => set({ grant: '1' });
  return (
    <AccessLayout title={text.title} actions={<Button onClick={openGrantDialog}>{words.access.grant.open}</Button>}>
      <FilterFields filters={filters} changeFilters={filterBy} />
      <div className={styles.actions}>
        <RowActions rows={selectedRows} onDone={() => setKeys(new Set())} />
        <ExportButton filters={filters} />
        <span className={styles.quiet}>{text.byGroupHint}</span>
      </div>
      <DataTable
        label={text.title}
        columns={matrixColumns}
        pages={pages}
        keyOf={rowKeyOf}
        empty={text.noMatches}
        selection={{
          keys,
          change: setKeys,
          nameOf: ({ full_name: name, collection_name: api }: MatrixRow) => text.rowName(name, api),
          canSelect: ({ via }: MatrixRow) => via === 'direct',
        }}
      />
      {search.get('grant') === '1' && apiName !== null ? (
        <GrantDialog close={() => set({ grant: '' })} initialValues={initialValuesOf(filters, apiName)} />
      ) : null}
    </AccessLayout>
  );
};

const idShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the name of the API in the URL; null until it is known. The URL may contain the API's id instead of its name,
 * since two APIs may have the same name.
 */
const useApiName = (api: string): string | null => {
  const isId = idShape.test(api);
  const params = { collection_id: api };
  const read = useRead('GET /api/collections/:collection_id/summary', { params }, { enabled: isId });
  if (!isId) return api;
  return read.error ? text.missingApi : (read.data?.name ?? null);
};

const initialValuesOf = ({ person, group, api }: Filters, apiName: string) => ({
  people: toPicked(person),
  groups: toPicked(group),
  apis: toPicked(api, apiName),
});

/** The service accepts names in place of ids. */
const toPicked = (id: string, name = id) => (id === '' ? [] : [{ id, name }]);

const FilterFields = ({
  filters,
  changeFilters,
}: {
  readonly filters: Filters;
  readonly changeFilters: (changes: Readonly<Record<string, string>>) => void;
}) => (
  <fieldset className={styles.filters}>
    <legend className={styles.hidden}>{text.filters}</legend>
    <PersonChoice
      label={text.person}
      placeholder={text.anyone}
      value={filters.person}
      change={(person) => changeFilters({ person })}
    />
    <ApiChoice
      label={text.api}
      placeholder={text.anyApi}
      value={filters.api}
      change={(api) => changeFilters({ api })}
    />
    <GroupChoice
      label={text.group}
      placeholder={text.anyGroup}
      value={filters.group}
      change={(group) => changeFilters({ group })}
    />
    <TextInput
      type="date"
      label={text.expiresBefore}
      value={filters.before}
      onChange={({ currentTarget }) => changeFilters({ before: currentTarget.value })}
    />
    <Checkbox
      label={text.includeExpired}
      checked={filters.expired}
      onChange={({ currentTarget }) => changeFilters({ expired: currentTarget.checked ? '1' : '' })}
    />
  </fieldset>
);

const RowActions = ({ rows, onDone }: { readonly rows: readonly MatrixRow[]; readonly onDone: () => void }) => {
  const [dialog, setDialog] = useState<'revoke' | 'expiry' | null>(null);
  const close = (): void => setDialog(null);
  const finish = (): void => {
    close();
    onDone();
  };
  const isEmpty = rows.length === 0;
  return (
    <>
      <Button variant="default" disabled={isEmpty} onClick={() => setDialog('expiry')}>
        {isEmpty ? words.access.actions.changeExpiry : words.access.actions.changeExpiryMany(rows.length)}
      </Button>
      <Button variant="outline" color="red" disabled={isEmpty} onClick={() => setDialog('revoke')}>
        {isEmpty ? words.access.actions.revoke : words.access.actions.revokeMany(rows.length)}
      </Button>
      {dialog === 'revoke' ? <RevokeDialog rows={rows} close={close} onDone={finish} /> : null}
      {dialog === 'expiry' ? <ChangeExpiryDialog rows={rows} close={close} onDone={finish} /> : null}
    </>
  );
};

/** Exports the whole filtered matrix as a file, not only the loaded rows. */
const ExportButton = ({ filters }: { readonly filters: Filters }) => {
  const file = useMutation({
    mutationFn: () => callForFile('GET /api/access/matrix', { query: queryOf(filters), accept: 'text/csv' }),
    onSuccess: (bytes) => saveFile(bytes, text.csvName),
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Download size={16} aria-hidden />}
        loading={file.isPending}
        onClick={() => file.mutate()}
      >
        {text.exportCsv}
      </Button>
      <ErrorNote error={file.error} />
    </>
  );
};
