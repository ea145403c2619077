import { lazy, Suspense } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { isProblem } from '../../api/problem.ts';
import { useRead } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useMe } from '../../session/me.ts';
import { words } from '../../words/words.ts';
import styles from './api.module.css';
import { ApiDetails, Downloads } from './api-details.tsx';
import { OperationDetails } from './operation-details.tsx';
import { OperationList } from './operation-list.tsx';

const text = words.api;

/** The administration section of an API's page; only administrators load it. */
const ApiAdministration = lazy(async () => ({
  default: (await import('../apis/api-administration.tsx')).ApiAdministration,
}));

/** The options for a person without access. */
const NoAccess = lazy(async () => ({ default: (await import('../clients/no-access.tsx')).NoAccess }));

/** An API's page for everyone with access: the API's description, how to call it, and its operations. */
export const Component = () => {
  const { api: id = '' } = useParams();
  const { role } = useMe();
  const summary = useRead('GET /api/collections/:collection_id/summary', { params: { collection_id: id } });
  if (!summary.data)
    return (
      <Page title={text.loadingTitle}>
        {summary.isPending ? (
          <Loading />
        ) : isProblem(summary.error, 403) ? (
          <Suspense fallback={<Loading />}>
            <NoAccess id={id} />
          </Suspense>
        ) : (
          <ErrorNote error={summary.error} retry={() => summary.refetch()} />
        )}
      </Page>
    );
  return (
    <Page title={summary.data.name} actions={<Downloads id={id} name={summary.data.name} />}>
      <ApiDetails api={summary.data} />
      {role === 'admin' ? (
        <section aria-label={text.admin}>
          <Suspense fallback={<Loading />}>
            <ApiAdministration id={id} />
          </Suspense>
        </section>
      ) : null}
      <Operations key={id} id={id} />
    </Page>
  );
};

/** The list of operations next to the selected operation, which is in the URL. */
const Operations = ({ id }: { readonly id: string }) => {
  const [search] = useSearchParams();
  const selectedKey = search.get('operation');
  return (
    <section aria-labelledby="operations" className={styles.operations}>
      <h2 id="operations">{text.operations}</h2>
      <div className={styles.panes} data-chosen={selectedKey === null ? undefined : ''}>
        <OperationList id={id} selectedKey={selectedKey} />
        <div className={styles.details}>
          {selectedKey === null ? (
            <p className={styles.quiet}>{text.choose}</p>
          ) : (
            <OperationDetails key={selectedKey} id={id} operation={selectedKey} />
          )}
        </div>
      </div>
    </section>
  );
};
