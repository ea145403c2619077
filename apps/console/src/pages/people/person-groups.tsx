import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { call, type CallResult } from '../../api/call.ts';
import { invalidateReads, useChange, useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notifyUndo } from '../../parts/notify-undo.tsx';
import { notify } from '../../parts/notify.ts';
import { GroupsPicker, type PickedItem } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import type { PersonDetails } from './person-details.ts';
import { toExplainedError } from './explained-errors.ts';
import { Section } from './section.tsx';

const text = words.people.person;
const affectedReads = [
  'GET /api/profiles/:user_id/groups',
  'GET /api/access/matrix',
  'GET /api/rate-limits/effective/:client_id',
] as const;

type OwnGroup = CallResult<'GET /api/profiles/:user_id/groups'>[number];

/** The groups of a person, and who added them to each. */
export const PersonGroups = ({ person }: { readonly person: PersonDetails }) => {
  const read = useRead('GET /api/profiles/:user_id/groups', { params: { user_id: person.id } });
  const remove = useChange('DELETE /api/groups/:group_id/members/:profile_id', { invalidates: affectedReads });
  const restore = useChange('POST /api/groups/:group_id/members', { invalidates: affectedReads });
  const removeFrom = ({ id, name }: OwnGroup): void =>
    remove.mutate(
      { params: { group_id: id, profile_id: person.id } },
      {
        onSuccess: () =>
          notifyUndo(text.removedFrom(person.full_name, name), () =>
            restore.mutate(
              { params: { group_id: id }, body: { profiles: [person.id] } },
              { onSuccess: () => notify(text.added(person.full_name)) },
            ),
          ),
      },
    );
  const columns: readonly Column<OwnGroup>[] = [
    {
      header: text.groupName,
      cell: ({ name }) => (
        <Anchor component={Link} to={`/access/groups/${encodeURIComponent(name)}`}>
          {name}
        </Anchor>
      ),
    },
    { header: text.groupSource, cell: sourceOf },
    {
      header: text.since,
      cell: ({ added_at: addedAt, claimed_at: claimedAt }) => <Moment at={addedAt ?? claimedAt} />,
    },
    {
      header: words.frame.actions,
      headerHidden: true,
      // Only the identity provider can remove a member it assigned.
      cell: (group) =>
        group.added_at ? (
          <Button
            variant="default"
            size="xs"
            aria-label={text.removeFrom(group.name)}
            disabled={remove.isPending}
            onClick={() => removeFrom(group)}
          >
            {text.remove}
          </Button>
        ) : null,
    },
  ];
  return (
    <Section title={text.groups} actions={<AddButton person={person} />}>
      <ErrorNote error={toExplainedError(remove.error ?? restore.error)} />
      <DataTable
        label={text.groups}
        columns={columns}
        pages={toSinglePage(read)}
        keyOf={({ id }) => id}
        empty={text.noGroups}
      />
    </Section>
  );
};

const sourceOf = ({ added_at: addedAt, claimed_at: claimedAt }: OwnGroup): string => {
  if (!claimedAt) return text.byAdmin;
  return addedAt ? text.fromBoth : text.fromProvider;
};

const AddButton = ({ person }: { readonly person: PersonDetails }) => {
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [groups, setGroups] = useState<readonly PickedItem[]>([]);
  const close = () => {
    setOpen(false);
    setGroups([]);
    setError(null);
  };
  const submit = async (): Promise<void> => {
    setBusy(true);
    const body = { profiles: [person.id] };
    try {
      await Promise.all(
        groups.map(({ id }) => call('POST /api/groups/:group_id/members', { params: { group_id: id }, body })),
      );
      notify(text.added(person.full_name));
      close();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
    await invalidateReads(queries, affectedReads);
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {text.add}
      </Button>
      <Dialog
        open={open}
        close={close}
        title={text.addTitle(person.full_name)}
        submit={submit}
        submitLabel={text.add}
        busy={busy}
        disabled={groups.length === 0}
        error={toExplainedError(error)}
      >
        <GroupsPicker label={text.groups} value={groups} change={setGroups} />
      </Dialog>
    </>
  );
};
