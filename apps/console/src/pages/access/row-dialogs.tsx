import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { invalidateReads } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import { batchesOf } from './batches.ts';
import type { MatrixRow } from './matrix-columns.tsx';
import { accessReads } from './access-reads.ts';
import { expiresAtOf, isComplete, ExpiryField, useExpiry } from './expiry-field.tsx';

const text = words.access.actions;
const shownMax = 8;

interface RowsProps {
  /** Only direct grants: access through a group is changed on the group's page. */
  readonly rows: readonly MatrixRow[];
  readonly close: () => void;
  readonly onDone: () => void;
}

const toBatches = (rows: readonly MatrixRow[]) =>
  batchesOf(rows.map(({ client_id: profile, collection_id: collection }) => ({ profile, collection })));

/** Asks for confirmation, then revokes exactly the selected grants. */
export const RevokeDialog = ({ rows, close, onDone }: RowsProps) => {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: async () => {
      const sum = { revoked: 0, missing: 0 };
      for (const { profiles, collections } of toBatches(rows)) {
        const body = { profiles: [...profiles], groups: [], collections: [...collections] };
        const {
          revoked,
          not_granted: alreadyRevoked,
          not_found: notFound,
        } = await call('DELETE /api/access/grants', { body });
        sum.revoked += revoked;
        sum.missing += alreadyRevoked + notFound;
      }
      return sum;
    },
    onSuccess: ({ revoked, missing }) => {
      notify(missing > 0 ? `${text.revoked(revoked)} ${text.alreadyRevoked(missing)}` : text.revoked(revoked));
      onDone();
    },
    onSettled: () => invalidateReads(queries, accessReads),
  });
  return (
    <Dialog
      title={text.revokeTitle}
      open
      close={close}
      submit={() => revoke.mutate()}
      submitLabel={text.revokeMany(rows.length)}
      destructive
      busy={revoke.isPending}
      error={revoke.error}
    >
      <p>{text.revokeConfirm(rows.length, new Set(rows.map(({ client_id: id }) => id)).size)}</p>
      <RowNames rows={rows} />
    </Dialog>
  );
};

/** Sets or removes the expiry of the selected grants. */
export const ChangeExpiryDialog = ({ rows, close, onDone }: RowsProps) => {
  const queries = useQueryClient();
  const [expiry, setExpiry] = useExpiry('30');
  const change = useMutation({
    mutationFn: async () => {
      const sum = { changed: 0, regranted: 0 };
      for (const { profiles, collections } of toBatches(rows)) {
        const lists = { profiles: [...profiles], groups: [], collections: [...collections] };
        const body = { ...lists, expires_at: expiresAtOf(expiry) ?? null };
        const { granted, changed, already } = await call('POST /api/access/grants', { body });
        sum.changed += changed + already;
        sum.regranted += granted;
      }
      return sum;
    },
    onSuccess: ({ changed, regranted }) => {
      notify(
        regranted > 0 ? `${text.expiryChanged(changed)} ${text.regranted(regranted)}` : text.expiryChanged(changed),
      );
      onDone();
    },
    onSettled: () => invalidateReads(queries, accessReads),
  });
  return (
    <Dialog
      title={text.changeExpiry}
      open
      close={close}
      submit={() => change.mutate()}
      submitLabel={text.changeExpiryMany(rows.length)}
      busy={change.isPending}
      disabled={!isComplete(expiry)}
      error={change.error}
    >
      <p>{text.changeExpiryOf(rows.length)}</p>
      <RowNames rows={rows} />
      <ExpiryField value={expiry} change={setExpiry} />
    </Dialog>
  );
};

const RowNames = ({ rows }: Pick<RowsProps, 'rows'>) => (
  <ul>
    {rows.slice(0, shownMax).map(({ client_id: person, collection_id: api, email, collection_name: name }) => (
      <li key={`${person} ${api}`}>{words.access.matrix.rowName(email, name)}</li>
    ))}
    {rows.length > shownMax ? <li>{text.moreRows(rows.length - shownMax)}</li> : null}
  </ul>
);
