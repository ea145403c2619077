import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { GroupApis } from './group-apis.tsx';
import { EditGroupDialog, RemoveGroupDialog } from './group-dialogs.tsx';
import { GroupMembers } from './group-members.tsx';
import { pathOfGroup, type ListedGroup } from './listed-group.ts';
import { Room } from './room.tsx';

const text = words.access.groups;

/** A group, which the address names: its members, or its APIs. */
export const Component = () => {
  const { group: named = '' } = useParams();
  const { state } = useLocation() as { state: { readonly renamed?: string } | null };
  const read = useRead('GET /api/groups', {});
  // The list counts members; a group that is read alone brings up to a thousand of them.
  const group = read.data?.find(({ id, name }) => name === named || id === named || id === state?.renamed);
  if (group) return <GroupRoom key={group.id} group={group} />;
  return (
    <Room title={text.title}>
      {read.isPending ? <Loading /> : <ErrorNote error={read.error} retry={read.refetch} />}
      {read.data ? <p>{text.missing}</p> : null}
    </Room>
  );
};

const GroupRoom = ({ group }: { readonly group: ListedGroup }) => {
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const [asks, setAsks] = useState<'edit' | 'remove' | null>(null);
  const close = (): void => setAsks(null);
  const saved = async (name: string): Promise<void> => {
    close();
    // The list still has the old name.
    if (name !== group.name) await navigate(pathOfGroup(name), { replace: true, state: { renamed: group.id } });
  };
  const shows = search.get('show') === 'apis' ? 'apis' : 'members';
  return (
    <Room
      title={group.name}
      actions={
        <div className={styles.acts}>
          <Button variant="default" onClick={() => setAsks('edit')}>
            {text.edit}
          </Button>
          <Button variant="outline" color="red" onClick={() => setAsks('remove')}>
            {text.remove}
          </Button>
        </div>
      }
    >
      {group.description ? <p>{group.description}</p> : null}
      <dl className={styles.facts}>
        <dt>{text.tier}</dt>
        <dd>{group.tier ?? text.noTier}</dd>
      </dl>
      <SegmentedControl
        aria-label={text.show}
        value={shows}
        onChange={(show) => setSearch(show === 'apis' ? { show } : {}, { replace: true })}
        data={[
          { value: 'members', label: text.memberCount(group.member_count) },
          { value: 'apis', label: text.apiCount(group.collection_count) },
        ]}
        mb="md"
      />
      {shows === 'apis' ? <GroupApis group={group} /> : <GroupMembers group={group} />}
      {asks === 'edit' ? <EditGroupDialog group={group} close={close} saved={saved} /> : null}
      {asks === 'remove' ? (
        <RemoveGroupDialog group={group} close={close} removed={async () => navigate('/access/groups')} />
      ) : null}
    </Room>
  );
};
