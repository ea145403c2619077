import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { words } from '../../words/words.ts';
import styles from './apis.module.css';
import { AuthenticationDialog } from './authentication-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { ReplaceDialog } from './replace-dialog.tsx';
import { AccessTable, UsageTable } from './access-and-usage.tsx';

const text = words.apis.admin;

type View = 'rights' | 'uses';
type Act = 'edit' | 'authentication' | 'replace' | 'remove';

const dialogs = {
  edit: EditDialog,
  authentication: AuthenticationDialog,
  replace: ReplaceDialog,
  remove: DeleteDialog,
} as const satisfies Record<Act, unknown>;

/** The access and usage of an API, and the actions on it. Each part is loaded when it is opened. */
export const ApiAdministration = ({ id }: { readonly id: string }) => {
  const { data: api } = useRead('GET /api/collections/:collection_id/summary', { params: { collection_id: id } });
  const [view, setView] = useState<View | null>(null);
  const [act, setAct] = useState<Act | null>(null);
  if (!api) return null;
  const ActDialog = act ? dialogs[act] : null;
  return (
    <>
      <h2>{text.title}</h2>
      <div className={styles.actions}>
        <Button onClick={() => setAct('edit')}>{text.edit}</Button>
        {(['authentication', 'replace'] as const).map((one) => (
          <Button key={one} variant="default" onClick={() => setAct(one)}>
            {text[one]}
          </Button>
        ))}
        <Button component={Link} variant="default" to={`/access?grant=1&api=${encodeURIComponent(id)}`}>
          {text.grant}
        </Button>
        <Button variant="outline" color="red" onClick={() => setAct('remove')}>
          {text.remove}
        </Button>
      </div>
      <div className={styles.actions}>
        {(['rights', 'uses'] as const).map((one) => (
          <Button
            key={one}
            variant="default"
            size="xs"
            aria-expanded={view === one}
            onClick={() => setView(view === one ? null : one)}
          >
            {text[one]}
          </Button>
        ))}
      </div>
      {view === 'rights' ? <AccessTable id={id} /> : null}
      {view === 'uses' ? <UsageTable id={id} /> : null}
      {ActDialog ? <ActDialog api={api} close={() => setAct(null)} /> : null}
    </>
  );
};
