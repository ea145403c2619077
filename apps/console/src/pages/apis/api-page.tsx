import { useParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { words } from '../../words/words.ts';
import { AdminOfApi } from './admin-of-api.tsx';

export const Component = () => {
  const { api: id = '' } = useParams();
  const summary = useRead('GET /api/collections/:collection_id/summary', { params: { collection_id: id } });
  return (
    <Page title={summary.data?.name ?? words.apis.title}>
      <AdminOfApi id={id} />
    </Page>
  );
};
