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
import { groupPathOf, type ListedGroup } from './listed-group.ts';
import { AccessLayout } from './access-layout.tsx';

const text = words.access.groups;

/** Shows the members or the APIs of the group in the URL. */
export const Component = () => {
  const { group: idOrName = '' } = useParams();
  const { state } = useLocation() as { state: { readonly renamed?: string } | null };
  const read = useRead('GET /api/groups', {});
  // The list has only member counts; reading a single group returns up to a thousand members.
  const group = read.data?.find(({ id, name }) => name === idOrName || id === idOrName || id === state?.renamed);
  if (group) return <GroupDetails key={group.id} group={group} />;
  return (
    <AccessLayout title={text.title}>
      {read.isPending ? <Loading /> : <ErrorNote error={read.error} retry={read.refetch} />}
      {read.data ? <p>{text.groupNotFound}</p> : null}
    </AccessLayout>
  );
};

const GroupDetails = ({ group }: { readonly group: ListedGroup }) => {
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'edit' | 'remove' | null>(null);
  const close = (): void => setDialog(null);
  const handleSaved = async (name: string): Promise<void> => {
    close();
    // The list still has the old name.
    if (name !== group.name) await navigate(groupPathOf(name), { replace: true, state: { renamed: group.id } });
  };
  const view = search.get('show') === 'apis' ? 'apis' : 'members';
  return (
    <AccessLayout
      title={group.name}
      actions={
        <div className={styles.actions}>
          <Button variant="default" onClick={() => setDialog('edit')}>
            {text.edit}
          </Button>
          <Button variant="outline" color="red" onClick={() => setDialog('remove')}>
            {text.remove}
          </Button>
        </div>
      }
    >
      {group.description ? <p>{group.description}</p> : null}
      <dl className={styles.properties}>
        <dt>{text.tier}</dt>
        <dd>{group.tier ?? text.noTier}</dd>
      </dl>
      <SegmentedControl
        aria-label={text.show}
        value={view}
        onChange={(show) => setSearch(show === 'apis' ? { show } : {}, { replace: true })}
        data={[
          { value: 'members', label: text.memberCount(group.member_count) },
          { value: 'apis', label: text.apiCount(group.collection_count) },
        ]}
        mb="md"
      />
      {view === 'apis' ? <GroupApis group={group} /> : <GroupMembers group={group} />}
      {dialog === 'edit' ? <EditGroupDialog group={group} close={close} onSaved={handleSaved} /> : null}
      {dialog === 'remove' ? (
        <RemoveGroupDialog group={group} close={close} onRemoved={async () => navigate('/access/groups')} />
      ) : null}
    </AccessLayout>
  );
};
