import { Alert, Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { Loading } from '../../parts/loading.tsx';
import { words } from '../../words/words.ts';
import { AskDialog } from './ask-dialog.tsx';

const text = words.clients.asking;

/** The catalog's maximum page size. An API beyond this number is treated as not being in the catalog. */
const catalogMax = 1_000;

/**
 * Shown in place of an API that the user has no access to: explains how to ask for access, if the API is in the
 * catalog.
 */
export const NoAccess = ({ id }: { readonly id: string }) => {
  const catalog = useRead('GET /api/catalog', { query: { limit: catalogMax } });
  const [isAsking, setAsking] = useState(false);
  if (catalog.isPending) return <Loading />;
  const line = catalog.data?.find((one) => one.id === id);
  return (
    <Alert color="yellow" title={line ? text.noAccessTo(line.name) : text.noAccess}>
      {line?.access === 'requested' ? <p>{text.alreadyAsked}</p> : null}
      {line?.access === 'none' ? <Button onClick={() => setAsking(true)}>{text.askAccess}</Button> : null}
      {line ? null : (
        <p>
          {text.notInCatalog}{' '}
          <Anchor component={Link} to="/ask" underline="always">
            {text.toCatalog}
          </Anchor>
        </p>
      )}
      {line && isAsking ? <AskDialog id={id} name={line.name} close={() => setAsking(false)} /> : null}
    </Alert>
  );
};
