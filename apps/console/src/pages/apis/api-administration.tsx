import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { words } from '../../words/words.ts';
import { AddressDialog } from './address-dialog.tsx';
import styles from './apis.module.css';
import { AuthenticationDialog } from './authentication-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { ReplaceDialog } from './replace-dialog.tsx';
import { AccessTable, UsageTable } from './access-and-usage.tsx';

const text = words.apis.admin;

type View = 'access' | 'usage';
type DialogName = 'edit' | 'address' | 'authentication' | 'replace' | 'remove';

const dialogs = {
  edit: EditDialog,
  address: AddressDialog,
  authentication: AuthenticationDialog,
  replace: ReplaceDialog,
  remove: DeleteDialog,
} as const satisfies Record<DialogName, unknown>;

/** The access and usage of an API, and the actions on it. Each part is loaded when it is opened. */
export const ApiAdministration = ({ id }: { readonly id: string }) => {
  const { data: api } = useRead('GET /api/collections/:collection_id/summary', { params: { collection_id: id } });
  const [view, setView] = useState<View | null>(null);
  const [dialog, setDialog] = useState<DialogName | null>(null);
  if (!api) return null;
  const OpenDialog = dialog ? dialogs[dialog] : null;
  return (
    <>
      <h2>{text.title}</h2>
      <div className={styles.actions}>
        <Button onClick={() => setDialog('edit')}>{text.edit}</Button>
        {(['address', 'authentication', 'replace'] as const).map((name) => (
          <Button key={name} variant="default" onClick={() => setDialog(name)}>
            {text[name]}
          </Button>
        ))}
        <Button component={Link} variant="default" to={`/access?grant=1&api=${encodeURIComponent(id)}`}>
          {text.grant}
        </Button>
        <Button variant="outline" color="red" onClick={() => setDialog('remove')}>
          {text.remove}
        </Button>
      </div>
      <div className={styles.actions}>
        {(['access', 'usage'] as const).map((name) => (
          <Button
            key={name}
            variant="default"
            size="xs"
            aria-expanded={view === name}
            onClick={() => setView(view === name ? null : name)}
          >
            {text[name]}
          </Button>
        ))}
      </div>
      {view === 'access' ? <AccessTable id={id} /> : null}
      {view === 'usage' ? <UsageTable id={id} /> : null}
      {OpenDialog ? <OpenDialog api={api} close={() => setDialog(null)} /> : null}
    </>
  );
};
