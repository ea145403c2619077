import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Answered } from '../../api/call.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { allAtOnce, DataTable, useSelectedKeys, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { End } from '../../parts/end.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { GrantDialog } from './grant-dialog.tsx';
import type { ListedGroup } from './listed-group.ts';
import { touchedByAccess } from './touched.ts';
import { endOf, isWhole, UntilField, useUntil } from './until.tsx';

const text = words.access.groups;
const acts = words.access.acts;

type GroupApi = Answered<'GET /api/groups/:group_id/collections'>[number];

/** What each member has by the group. */
export const GroupApis = ({ group }: { readonly group: ListedGroup }) => {
  const read = useRead('GET /api/groups/:group_id/collections', { params: { group_id: group.id } });
  const [keys, setKeys] = useSelectedKeys();
  const [asks, setAsks] = useState<'grant' | 'end' | 'revoke' | null>(null);
  const apis = (read.data ?? []).filter(({ id }) => keys.has(id));
  const close = (): void => setAsks(null);
  const done = (): void => {
    close();
    setKeys(new Set());
  };
  return (
    <section>
      <h2 className={styles.hidden}>{text.apis}</h2>
      <div className={styles.acts}>
        <Button onClick={() => setAsks('grant')}>{words.access.grant.open}</Button>
        <Button variant="default" disabled={apis.length === 0} onClick={() => setAsks('end')}>
          {apis.length === 0 ? acts.changeEnd : acts.changeEndMany(apis.length)}
        </Button>
        <Button variant="outline" color="red" disabled={apis.length === 0} onClick={() => setAsks('revoke')}>
          {apis.length === 0 ? acts.revoke : acts.revokeMany(apis.length)}
        </Button>
      </div>
      <DataTable
        label={text.apisOf(group.name)}
        columns={columns}
        pages={allAtOnce(read)}
        keyOf={({ id }) => id}
        empty={text.noApis}
        selection={{ keys, change: setKeys, nameOf: ({ name }: GroupApi) => name }}
      />
      {asks === 'grant' ? <GrantDialog close={close} prefilled={{ groups: [group] }} /> : null}
      {asks === 'revoke' ? <RevokeApisDialog group={group} apis={apis} close={close} done={done} /> : null}
      {asks === 'end' ? <ChangeEndDialog group={group} apis={apis} close={close} done={done} /> : null}
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
  { header: words.access.matrix.until, cell: ({ expires_at: at }) => <End at={at} /> },
];

interface ActFacts {
  readonly group: ListedGroup;
  readonly apis: readonly GroupApi[];
  readonly close: () => void;
  readonly done: () => void;
}

const listsOf = ({ group, apis }: Pick<ActFacts, 'group' | 'apis'>) => ({
  profiles: [],
  groups: [group.id],
  collections: apis.map(({ id }) => id),
});

const RevokeApisDialog = ({ group, apis, close, done }: ActFacts) => {
  const revoke = useChange('DELETE /api/access/grants', { touches: touchedByAccess });
  const act = (): void =>
    revoke.mutate(
      { body: listsOf({ group, apis }) },
      {
        onSuccess: ({ revoked, not_granted: before, not_found: lost }) => {
          const gone = before + lost;
          notify(gone > 0 ? `${acts.revoked(revoked)} ${acts.revokedBefore(gone)}` : acts.revoked(revoked));
          done();
        },
      },
    );
  return (
    <Dialog
      title={acts.revokeTitle}
      open
      close={close}
      act={act}
      actLabel={acts.revokeMany(apis.length)}
      dangerous
      busy={revoke.isPending}
      error={revoke.error}
    >
      <p>{acts.revokeGroupAsk(apis.length, group.name, group.member_count)}</p>
    </Dialog>
  );
};

const ChangeEndDialog = ({ group, apis, close, done }: ActFacts) => {
  const change = useChange('POST /api/access/grants', { touches: touchedByAccess });
  const [until, setUntil] = useUntil('30');
  const act = (): void =>
    change.mutate(
      { body: { ...listsOf({ group, apis }), expires_at: endOf(until) ?? null } },
      {
        onSuccess: ({ changed, already, granted: anew }) => {
          const said = acts.endChanged(changed + already);
          notify(anew > 0 ? `${said} ${acts.grantedAnew(anew)}` : said);
          done();
        },
      },
    );
  return (
    <Dialog
      title={acts.changeEnd}
      open
      close={close}
      act={act}
      actLabel={acts.changeEndMany(apis.length)}
      busy={change.isPending}
      disabled={!isWhole(until)}
      error={change.error}
    >
      <p>{acts.changeEndOf(apis.length)}</p>
      <UntilField value={until} change={setUntil} />
    </Dialog>
  );
};
