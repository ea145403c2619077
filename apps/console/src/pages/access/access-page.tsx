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
import { keyOfRow, matrixColumns, type MatrixRow } from './matrix-columns.tsx';
import { Room } from './room.tsx';
import { ChangeEndDialog, RevokeDialog } from './row-dialogs.tsx';

const text = words.access.matrix;

/** What the address says: whose access is shown, by names. */
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

/** Who may what, how, and until when. `?grant=1` opens the dialog to grant, for what the filters name. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const apiName = useApiName(filters.api);
  const pages = usePages('GET /api/access/matrix', { query: queryOf(filters) }, { keep: true });
  const [keys, setKeys] = useSelectedKeys();
  const set = (changes: Readonly<Record<string, string>>): void =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes))
          if (value) next.set(name, value);
          else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const narrow = (changes: Readonly<Record<string, string>>): void => {
    setKeys(new Set());
    set(changes);
  };
  const chosen = pages.rows.filter((row) => keys.has(keyOfRow(row)));
  const open = (): void => set({ grant: '1' });
  return (
    <Room title={text.title} actions={<Button onClick={open}>{words.access.grant.open}</Button>}>
      <FilterFields filters={filters} narrow={narrow} />
      <div className={styles.acts}>
        <RowActs rows={chosen} done={() => setKeys(new Set())} />
        <ExportButton filters={filters} />
        <span className={styles.quiet}>{text.byGroupHint}</span>
      </div>
      <DataTable
        label={text.title}
        columns={matrixColumns}
        pages={pages}
        keyOf={keyOfRow}
        empty={text.nobody}
        selection={{
          keys,
          change: setKeys,
          nameOf: ({ full_name: name, collection_name: api }: MatrixRow) => text.rowName(name, api),
          canSelect: ({ via }: MatrixRow) => via === 'direct',
        }}
      />
      {search.get('grant') === '1' && apiName !== null ? (
        <GrantDialog close={() => set({ grant: '' })} prefilled={prefilledBy(filters, apiName)} />
      ) : null}
    </Room>
  );
};

const idShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The address may name an API by its id, as the API's page does: two may have one name. Null until its name is known. */
const useApiName = (api: string): string | null => {
  const isId = idShape.test(api);
  const params = { collection_id: api };
  const read = useRead('GET /api/collections/:collection_id/summary', { params }, { enabled: isId });
  if (!isId) return api;
  return read.error ? text.missingApi : (read.data?.name ?? null);
};

const prefilledBy = ({ person, group, api }: Filters, apiName: string) => ({
  people: named(person),
  groups: named(group),
  apis: named(api, apiName),
});

/** The service takes names for ids. */
const named = (id: string, name = id) => (id === '' ? [] : [{ id, name }]);

const FilterFields = ({
  filters,
  narrow,
}: {
  readonly filters: Filters;
  readonly narrow: (changes: Readonly<Record<string, string>>) => void;
}) => (
  <fieldset className={styles.filters}>
    <legend className={styles.hidden}>{text.filters}</legend>
    <PersonChoice
      label={text.person}
      placeholder={text.anybody}
      value={filters.person}
      change={(person) => narrow({ person })}
    />
    <ApiChoice label={text.api} placeholder={text.anyApi} value={filters.api} change={(api) => narrow({ api })} />
    <GroupChoice
      label={text.group}
      placeholder={text.anyGroup}
      value={filters.group}
      change={(group) => narrow({ group })}
    />
    <TextInput
      type="date"
      label={text.endsBefore}
      value={filters.before}
      onChange={({ currentTarget }) => narrow({ before: currentTarget.value })}
    />
    <Checkbox
      label={text.includeExpired}
      checked={filters.expired}
      onChange={({ currentTarget }) => narrow({ expired: currentTarget.checked ? '1' : '' })}
    />
  </fieldset>
);

const RowActs = ({ rows, done }: { readonly rows: readonly MatrixRow[]; readonly done: () => void }) => {
  const [asks, setAsks] = useState<'revoke' | 'end' | null>(null);
  const close = (): void => setAsks(null);
  const finish = (): void => {
    close();
    done();
  };
  const none = rows.length === 0;
  return (
    <>
      <Button variant="default" disabled={none} onClick={() => setAsks('end')}>
        {none ? words.access.acts.changeEnd : words.access.acts.changeEndMany(rows.length)}
      </Button>
      <Button variant="outline" color="red" disabled={none} onClick={() => setAsks('revoke')}>
        {none ? words.access.acts.revoke : words.access.acts.revokeMany(rows.length)}
      </Button>
      {asks === 'revoke' ? <RevokeDialog rows={rows} close={close} done={finish} /> : null}
      {asks === 'end' ? <ChangeEndDialog rows={rows} close={close} done={finish} /> : null}
    </>
  );
};

/** The whole filtered matrix as a file, however many rows it has. */
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
