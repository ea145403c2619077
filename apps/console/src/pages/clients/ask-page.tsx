import { SegmentedControl } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { Page } from '../../layout/page.tsx';
import { Toolbar } from '../../parts/toolbar.tsx';
import { words } from '../../words/words.ts';
import { Catalog } from './catalog.tsx';
import { OwnRequests } from './own-requests.tsx';

const text = words.clients.accessRequests;

/** The catalog, and the user's own access requests. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const view = search.get('view') === 'requests' ? 'requests' : 'catalog';
  return (
    <Page title={words.clients.ask}>
      <Toolbar>
        <SegmentedControl
          aria-label={text.view}
          value={view}
          onChange={(value) => setSearch(value === 'requests' ? { view: value } : {}, { replace: true })}
          data={Object.entries(text.views).map(([value, label]) => ({ value, label }))}
        />
      </Toolbar>
      {view === 'requests' ? <OwnRequests /> : <Catalog />}
    </Page>
  );
};
