import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type CallResult } from '../../api/call.ts';
import { invalidateReads } from '../../api/use-call.ts';
import { CopyBlock } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { words } from '../../words/words.ts';

const text = words.clients.keys;

type Credentials = CallResult<'POST /api/profiles/me/credentials'>;

/**
 * Creates a new secret and shows it once. The secret exists only in this component's state, until the dialog closes.
 */
export const NewSecret = () => {
  const queries = useQueryClient();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [credentials, setCredentials] = useState<Credentials | null>(null);
  const rotate = (fields: FormData): void => {
    setBusy(true);
    setFailure(null);
    // This is not a mutation of the query library, because that would cache the response.
    call('POST /api/profiles/me/credentials', { body: { grace_seconds: Number(fieldOf(fields, 'grace')) } })
      .then((credentials) => {
        setCredentials(credentials);
        setIsDialogOpen(false);
        void invalidateReads(queries, ['GET /api/profiles/me']);
      }, setFailure)
      .finally(() => setBusy(false));
  };
  return (
    <>
      <Button variant="default" onClick={() => setIsDialogOpen(true)}>
        {text.rotate}
      </Button>
      <Dialog
        title={text.rotateTitle}
        open={isDialogOpen}
        close={() => setIsDialogOpen(false)}
        submit={rotate}
        submitLabel={text.rotate}
        destructive
        busy={busy}
        error={failure}
      >
        <p>{text.rotateHint}</p>
        <NativeSelect
          name="grace"
          label={text.grace}
          defaultValue="86400"
          data={Object.entries(text.graceOptions).map(([value, label]) => ({ value, label }))}
        />
      </Dialog>
      {credentials ? <NewSecretDialog credentials={credentials} close={() => setCredentials(null)} /> : null}
    </>
  );
};

const NewSecretDialog = ({ credentials, close }: { readonly credentials: Credentials; readonly close: () => void }) => {
  const { client_id: clientId, client_secret: secret } = credentials;
  return (
    <Dialog title={text.newTitle} open close={close} isShownOnce>
      <p>{text.newHint}</p>
      <CopyBlock label={text.headers} text={`X-Client-ID: ${clientId}\nX-API-Key: ${secret}`} />
      <CopyBlock label={text.oneHeader} text={`X-API-Key: ${clientId}.${secret}`} />
      <CopyBlock label={text.secretOnly} text={secret} />
    </Dialog>
  );
};
