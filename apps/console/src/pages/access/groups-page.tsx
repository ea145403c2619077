import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Toolbar } from '../../parts/toolbar.tsx';
import { words } from '../../words/words.ts';
import { CreateGroupDialog } from './group-dialogs.tsx';
import { groupPathOf, type ListedGroup } from './listed-group.ts';
import { AccessLayout } from './access-layout.tsx';

const text = words.access.groups;

/** Lists all groups. They are filtered in the browser, because there are only a few. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const [isCreating, setIsCreating] = useState(false);
  const q = search.get('q') ?? '';
  const read = useRead('GET /api/groups', {});
  const query = q.toLowerCase();
  const data = read.data?.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(query));
  return (
    <AccessLayout title={text.title} actions={<Button onClick={() => setIsCreating(true)}>{text.create}</Button>}>
      <Toolbar>
        <SearchField
          label={text.filter}
          value={q}
          change={(value) => setSearch(value ? { q: value } : {}, { replace: true })}
        />
        {data ? <span role="status">{text.count(data.length)}</span> : null}
      </Toolbar>
      <DataTable
        label={text.title}
        columns={columns}
        pages={toSinglePage({ ...read, data })}
        keyOf={({ id }) => id}
        empty={q ? text.noneFound : text.none}
      />
      {isCreating ? (
        <CreateGroupDialog close={() => setIsCreating(false)} onCreated={(name) => void navigate(groupPathOf(name))} />
      ) : null}
    </AccessLayout>
  );
};

const columns: readonly Column<ListedGroup>[] = [
  {
    header: text.name,
    cell: ({ name }) => (
      <Anchor component={Link} to={groupPathOf(name)}>
        {name}
      </Anchor>
    ),
  },
  { header: text.description, cell: ({ description }) => description },
  { header: text.members, cell: ({ member_count: count }) => words.formats.number(count) },
  { header: text.apis, cell: ({ collection_count: count }) => words.formats.number(count) },
  { header: text.tier, cell: ({ tier }) => tier ?? text.noTier },
];
