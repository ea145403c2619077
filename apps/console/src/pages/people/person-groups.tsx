import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { call, type Answered } from '../../api/call.ts';
import { touch, useChange, useRead } from '../../api/use-call.ts';
import { allAtOnce, DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notifyUndo } from '../../parts/notify-undo.tsx';
import { notify } from '../../parts/notify.ts';
import { GroupsPicker, type Picked } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import type { WholePerson } from './whole-person.ts';
import { inWords } from './refusals.ts';
import { Section } from './section.tsx';

const text = words.people.person;
const touches = [
  'GET /api/profiles/:user_id/groups',
  'GET /api/access/matrix',
  'GET /api/rate-limits/effective/:client_id',
] as const;

type OwnGroup = Answered<'GET /api/profiles/:user_id/groups'>[number];

/** The groups of a person, and how they came into each. */
export const PersonGroups = ({ person }: { readonly person: WholePerson }) => {
  const read = useRead('GET /api/profiles/:user_id/groups', { params: { user_id: person.id } });
  const remove = useChange('DELETE /api/groups/:group_id/members/:profile_id', { touches });
  const putBack = useChange('POST /api/groups/:group_id/members', { touches });
  const removeFrom = ({ id, name }: OwnGroup): void =>
    remove.mutate(
      { params: { group_id: id, profile_id: person.id } },
      {
        onSuccess: () =>
          notifyUndo(text.removedFrom(person.full_name, name), () =>
            putBack.mutate(
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
    { header: text.groupHow, cell: howOf },
    { header: text.since, cell: ({ added_at: added, claimed_at: claimed }) => <Moment at={added ?? claimed} /> },
    {
      header: words.frame.actions,
      headerHidden: true,
      // Whom the identity provider puts into a group, it alone takes out.
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
    <Section title={text.groups} actions={<AddAct person={person} />}>
      <ErrorNote error={inWords(remove.error ?? putBack.error)} />
      <DataTable
        label={text.groups}
        columns={columns}
        pages={allAtOnce(read)}
        keyOf={({ id }) => id}
        empty={text.noGroups}
      />
    </Section>
  );
};

const howOf = ({ added_at: added, claimed_at: claimed }: OwnGroup): string => {
  if (!claimed) return text.byAdmin;
  return added ? text.byBoth : text.byClaim;
};

const AddAct = ({ person }: { readonly person: WholePerson }) => {
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [groups, setGroups] = useState<readonly Picked[]>([]);
  const close = () => {
    setOpen(false);
    setGroups([]);
    setError(null);
  };
  const act = async (): Promise<void> => {
    setBusy(true);
    const body = { profiles: [person.id] };
    try {
      await Promise.all(
        groups.map(({ id }) => call('POST /api/groups/:group_id/members', { params: { group_id: id }, body })),
      );
      notify(text.added(person.full_name));
      close();
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
    await touch(queries, touches);
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
        act={act}
        actLabel={text.add}
        busy={busy}
        disabled={groups.length === 0}
        error={inWords(error)}
      >
        <GroupsPicker label={text.groups} value={groups} change={setGroups} />
      </Dialog>
    </>
  );
};
