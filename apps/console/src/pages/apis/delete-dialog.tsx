import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useChange, useRead } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { ApiDialogProps } from './api-dialog.ts';

const text = words.apis.admin;

/** Deletes an API once its name is typed; shows how many people lose access. */
export const DeleteDialog = ({ api: { id, name }, close }: ApiDialogProps) => {
  const [typedName, setTypedName] = useState('');
  const navigate = useNavigate();
  const clients = useRead('GET /api/access/collections/:collection_id/clients', { params: { collection_id: id } });
  const remove = useChange('DELETE /api/collections/:collection_id', {
    invalidates: ['GET /api/collections/', 'GET /api/access/matrix'],
  });
  const submit = (): void =>
    remove.mutate(
      { params: { collection_id: id } },
      {
        onSuccess: () => {
          notify(text.removed(name));
          void navigate('/apis');
        },
      },
    );
  return (
    <Dialog
      title={text.removeTitle}
      open
      close={close}
      submit={submit}
      submitLabel={text.remove}
      destructive
      disabled={typedName.trim() !== name.trim()}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>{text.removeWarning}</p>
      {clients.data ? <p role="status">{text.losingAccess(clients.data.length)}</p> : null}
      <ErrorNote error={clients.error} retry={() => clients.refetch()} />
      <TextInput
        label={text.typeName(name)}
        value={typedName}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => setTypedName(value)}
      />
    </Dialog>
  );
};
