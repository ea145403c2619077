import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { call, type CallResult } from '../../api/call.ts';
import { usePages } from '../../api/use-call.ts';
import { DataTable, useSelectedKeys, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { messageOf } from '../../parts/error-note.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { AddMembersDialog } from './group-dialogs.tsx';
import type { ListedGroup } from './listed-group.ts';
import { OutcomeNote } from './outcomes.tsx';
import { useSequence } from './use-sequence.ts';

const text = words.access.groups;

type Member = CallResult<'GET /api/groups/:group_id/members'>[number];

/** Lists the members of a group and who added them. Members from the identity provider cannot be removed. */
export const GroupMembers = ({ group }: { readonly group: ListedGroup }) => {
  const pages = usePages('GET /api/groups/:group_id/members', { params: { group_id: group.id } });
  const [keys, setKeys] = useSelectedKeys();
  const [dialog, setDialog] = useState<'add' | 'remove' | null>(null);
  const selectedMembers = pages.rows.filter(({ profile_id: id }) => keys.has(id));
  const close = (): void => setDialog(null);
  return (
    <section>
      <h2 className={styles.hidden}>{text.members}</h2>
      <div className={styles.actions}>
        <Button onClick={() => setDialog('add')}>{text.add}</Button>
        <Button
          variant="outline"
          color="red"
          disabled={selectedMembers.length === 0}
          onClick={() => setDialog('remove')}
        >
          {selectedMembers.length === 0 ? text.removeMembers : text.removeMany(selectedMembers.length)}
        </Button>
        <span className={styles.quiet}>{text.claimHint}</span>
      </div>
      <DataTable
        label={text.membersOf(group.name)}
        columns={columns}
        pages={pages}
        keyOf={({ profile_id: id }) => id}
        empty={text.noMembers}
        selection={{
          keys,
          change: setKeys,
          nameOf: ({ full_name: name }: Member) => name,
          canSelect: ({ added_at: addedAt }: Member) => addedAt !== null,
        }}
      />
      {dialog === 'add' ? <AddMembersDialog group={group} close={close} /> : null}
      {dialog === 'remove' ? (
        <RemoveMembersDialog group={group} members={selectedMembers} close={close} onDone={() => setKeys(new Set())} />
      ) : null}
    </section>
  );
};

const columns: readonly Column<Member>[] = [
  {
    header: words.access.matrix.person,
    cell: ({ email, full_name: name }) => (
      <Anchor component={Link} to={`/people/${encodeURIComponent(email)}`}>
        {name}
      </Anchor>
    ),
  },
  { header: text.email, cell: ({ email }) => email },
  {
    header: text.source,
    cell: ({ added_at: addedAt, claimed_at: claimedAt }) => (
      <>
        {addedAt === null ? null : <StatusBadge kind="good">{text.manual}</StatusBadge>}{' '}
        {claimedAt === null ? null : <StatusBadge kind="special">{text.fromProvider}</StatusBadge>}
      </>
    ),
  },
  { header: text.since, cell: ({ added_at: addedAt, claimed_at: claimedAt }) => <Moment at={addedAt ?? claimedAt} /> },
];

const RemoveMembersDialog = ({
  group,
  members,
  close,
  onDone,
}: {
  readonly group: ListedGroup;
  readonly members: readonly Member[];
  readonly close: () => void;
  readonly onDone: () => void;
}) => {
  // A copy of the selection: removed members leave the list while others are still pending.
  const [membersToRemove] = useState(members);
  const { state, run, isRunning } = useSequence(({ email }: Member) =>
    call('DELETE /api/groups/:group_id/members/:profile_id', { params: { group_id: group.id, profile_id: email } }),
  );
  const submit = async (): Promise<void> => {
    const failures = await run(membersToRemove);
    if (failures.length > 0) return;
    notify(text.membersRemoved(membersToRemove.length));
    onDone();
    close();
  };
  const closeAndRefresh = (): void => {
    if (state) onDone();
    close();
  };
  if (state && !isRunning && state.failures.length > 0)
    return (
      <Dialog title={text.removeMembersTitle} open close={closeAndRefresh}>
        <OutcomeNote
          sentence={text.membersRemoved(state.total - state.failures.length)}
          reasons={state.failures.map(({ item, error }) => words.access.requests.failed(item.email, messageOf(error)))}
        />
      </Dialog>
    );
  return (
    <Dialog
      title={text.removeMembersTitle}
      open
      close={closeAndRefresh}
      submit={submit}
      submitLabel={text.removeMany(membersToRemove.length)}
      destructive
      busy={isRunning}
    >
      <p>{text.removeMembersConfirm(membersToRemove.length, group.name)}</p>
    </Dialog>
  );
};
