import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, useSelectedKeys, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Expiry } from '../../parts/expiry.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { GrantDialog } from './grant-dialog.tsx';
import type { ListedGroup } from './listed-group.ts';
import { accessReads } from './access-reads.ts';
import { expiresAtOf, isComplete, ExpiryField, useExpiry } from './expiry-field.tsx';

const text = words.access.groups;
const actions = words.access.actions;

type GroupApi = CallResult<'GET /api/groups/:group_id/collections'>[number];

/** The APIs that each member has through the group. */
export const GroupApis = ({ group }: { readonly group: ListedGroup }) => {
  const read = useRead('GET /api/groups/:group_id/collections', { params: { group_id: group.id } });
  const [keys, setKeys] = useSelectedKeys();
  const [dialog, setDialog] = useState<'grant' | 'expiry' | 'revoke' | null>(null);
  const apis = (read.data ?? []).filter(({ id }) => keys.has(id));
  const close = (): void => setDialog(null);
  const finish = (): void => {
    close();
    setKeys(new Set());
  };
  return (
    <section>
      <h2 className={styles.hidden}>{text.apis}</h2>
      <div className={styles.actions}>
        <Button onClick={() => setDialog('grant')}>{words.access.grant.open}</Button>
        <Button variant="default" disabled={apis.length === 0} onClick={() => setDialog('expiry')}>
          {apis.length === 0 ? actions.changeExpiry : actions.changeExpiryMany(apis.length)}
        </Button>
        <Button variant="outline" color="red" disabled={apis.length === 0} onClick={() => setDialog('revoke')}>
          {apis.length === 0 ? actions.revoke : actions.revokeMany(apis.length)}
        </Button>
      </div>
      <DataTable
        label={text.apisOf(group.name)}
        columns={columns}
        pages={toSinglePage(read)}
        keyOf={({ id }) => id}
        empty={text.noApis}
        selection={{ keys, change: setKeys, nameOf: ({ name }: GroupApi) => name }}
      />
      {dialog === 'grant' ? <GrantDialog close={close} initialValues={{ groups: [group] }} /> : null}
      {dialog === 'revoke' ? <RevokeApisDialog group={group} apis={apis} close={close} onDone={finish} /> : null}
      {dialog === 'expiry' ? <ChangeExpiryDialog group={group} apis={apis} close={close} onDone={finish} /> : null}
    </section>
  );
};

const columns: readonly Column<GroupApi>[] = [
  {
    header: words.access.matrix.api,
    cell: ({ id, name }) => (
      <Anchor component={Link} to={`/apis/${id}`}>
        {name}
      </Anchor>
    ),
  },
  { header: text.grantedSince, cell: ({ granted_at: at }) => <Moment at={at} /> },
  { header: words.access.matrix.until, cell: ({ expires_at: at }) => <Expiry at={at} /> },
];

interface DialogProps {
  readonly group: ListedGroup;
  readonly apis: readonly GroupApi[];
  readonly close: () => void;
  readonly onDone: () => void;
}

const listsOf = ({ group, apis }: Pick<DialogProps, 'group' | 'apis'>) => ({
  profiles: [],
  groups: [group.id],
  collections: apis.map(({ id }) => id),
});

const RevokeApisDialog = ({ group, apis, close, onDone }: DialogProps) => {
  const revoke = useChange('DELETE /api/access/grants', { invalidates: accessReads });
  const submit = (): void =>
    revoke.mutate(
      { body: listsOf({ group, apis }) },
      {
        onSuccess: ({ revoked, not_granted: alreadyRevoked, not_found: notFound }) => {
          const missingCount = alreadyRevoked + notFound;
          notify(
            missingCount > 0
              ? `${actions.revoked(revoked)} ${actions.alreadyRevoked(missingCount)}`
              : actions.revoked(revoked),
          );
          onDone();
        },
      },
    );
  return (
    <Dialog
      title={actions.revokeTitle}
      open
      close={close}
      submit={submit}
      submitLabel={actions.revokeMany(apis.length)}
      destructive
      busy={revoke.isPending}
      error={revoke.error}
    >
      <p>{actions.revokeGroupConfirm(apis.length, group.name, group.member_count)}</p>
    </Dialog>
  );
};

const ChangeExpiryDialog = ({ group, apis, close, onDone }: DialogProps) => {
  const change = useChange('POST /api/access/grants', { invalidates: accessReads });
  const [expiry, setExpiry] = useExpiry('30');
  const submit = (): void =>
    change.mutate(
      { body: { ...listsOf({ group, apis }), expires_at: expiresAtOf(expiry) ?? null } },
      {
        onSuccess: ({ changed, already, granted: regranted }) => {
          const message = actions.expiryChanged(changed + already);
          notify(regranted > 0 ? `${message} ${actions.regranted(regranted)}` : message);
          onDone();
        },
      },
    );
  return (
    <Dialog
      title={actions.changeExpiry}
      open
      close={close}
      submit={submit}
      submitLabel={actions.changeExpiryMany(apis.length)}
      busy={change.isPending}
      disabled={!isComplete(expiry)}
      error={change.error}
    >
      <p>{actions.changeExpiryOf(apis.length)}</p>
      <ExpiryField value={expiry} change={setExpiry} />
    </Dialog>
  );
};
