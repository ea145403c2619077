import { Button } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notify.ts';
import { useMe } from '../../session/me.ts';
import { words } from '../../words/words.ts';
import type { PersonDetails } from './person-details.ts';
import { toExplainedError } from './explained-errors.ts';
import { statusReads } from './status-actions.tsx';

const text = words.people.actions;

/** Makes a client an administrator or vice versa; not available for rejected people. */
export const RoleButton = ({
  person,
  warn,
}: {
  readonly person: PersonDetails;
  /** Called with a warning if the new administrator has never signed in. */
  readonly warn: (warning: string | null) => void;
}) => {
  const me = useMe();
  const [open, setOpen] = useState(false);
  const change = useChange('PUT /api/profiles/:user_id/role', {
    invalidates: [...statusReads, 'GET /api/rate-limits/effective/:client_id', 'GET /api/access/matrix'],
  });
  const close = () => {
    setOpen(false);
    change.reset();
  };
  const name = person.full_name;
  const isPromotion = person.role === 'client';
  const submit = (): void =>
    change.mutate(
      { params: { user_id: person.id }, body: { role: isPromotion ? 'admin' : 'client' } },
      {
        onSuccess: ({ warning }) => {
          warn(warning ?? null);
          notify(isPromotion ? text.nowAdmin(name) : text.nowClient(name));
          close();
        },
      },
    );
  if (person.registration_status === 'rejected') return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {isPromotion ? text.makeAdmin : text.makeClient}
      </Button>
      <Dialog
        open={open}
        close={close}
        title={isPromotion ? text.makeAdminTitle(name) : text.makeClientTitle(name)}
        submit={submit}
        submitLabel={isPromotion ? text.makeAdmin : text.makeClient}
        busy={change.isPending}
        error={toExplainedError(change.error)}
      >
        <p>{isPromotion ? text.adminHint : text.clientHint}</p>
        {me.id === person.id ? <p>{text.yourself}</p> : null}
      </Dialog>
    </>
  );
};
