import { Alert, Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { Loading } from '../../parts/loading.tsx';
import { words } from '../../words/words.ts';
import { AskDialog } from './ask-dialog.tsx';

const text = words.clients.accessRequests;

/** The catalog's maximum page size. An API beyond this number is treated as not being in the catalog. */
const catalogMax = 1_000;

/**
 * Shown in place of an API that the user has no access to: explains how to ask for access, if the API is in the
 * catalog.
 */
export const NoAccess = ({ id }: { readonly id: string }) => {
  const catalog = useRead('GET /api/catalog', { query: { limit: catalogMax } });
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  if (catalog.isPending) return <Loading />;
  const entry = catalog.data?.find((candidate) => candidate.id === id);
  return (
    <Alert color="yellow" title={entry ? text.noAccessTo(entry.name) : text.noAccess}>
      {entry?.access === 'requested' ? <p>{text.alreadyAsked}</p> : null}
      {entry?.access === 'none' ? <Button onClick={() => setIsDialogOpen(true)}>{text.askAccess}</Button> : null}
      {entry ? null : (
        <p>
          {text.notInCatalog}{' '}
          <Anchor component={Link} to="/ask" underline="always">
            {text.browseCatalog}
          </Anchor>
        </p>
      )}
      {entry && isDialogOpen ? <AskDialog id={id} name={entry.name} close={() => setIsDialogOpen(false)} /> : null}
    </Alert>
  );
};
