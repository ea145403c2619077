import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { touch } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import { batchesOf } from './batches.ts';
import type { MatrixRow } from './matrix-columns.tsx';
import { touchedByAccess } from './touched.ts';
import { endOf, isWhole, UntilField, useUntil } from './until.tsx';

const text = words.access.acts;
const shownMax = 8;

interface RowsFacts {
  /** Direct grants alone: what comes by a group is changed there. */
  readonly rows: readonly MatrixRow[];
  readonly close: () => void;
  readonly done: () => void;
}

const batches = (rows: readonly MatrixRow[]) =>
  batchesOf(rows.map(({ client_id: profile, collection_id: collection }) => ({ profile, collection })));

/** Asks, then revokes exactly the chosen grants. */
export const RevokeDialog = ({ rows, close, done }: RowsFacts) => {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: async () => {
      const sum = { revoked: 0, gone: 0 };
      for (const { profiles, collections } of batches(rows)) {
        const body = { profiles: [...profiles], groups: [], collections: [...collections] };
        const { revoked, not_granted: before, not_found: lost } = await call('DELETE /api/access/grants', { body });
        sum.revoked += revoked;
        sum.gone += before + lost;
      }
      return sum;
    },
    onSuccess: ({ revoked, gone }) => {
      notify(gone > 0 ? `${text.revoked(revoked)} ${text.revokedBefore(gone)}` : text.revoked(revoked));
      done();
    },
    onSettled: () => touch(queries, touchedByAccess),
  });
  return (
    <Dialog
      title={text.revokeTitle}
      open
      close={close}
      act={() => revoke.mutate()}
      actLabel={text.revokeMany(rows.length)}
      dangerous
      busy={revoke.isPending}
      error={revoke.error}
    >
      <p>{text.revokeAsk(rows.length, new Set(rows.map(({ client_id: id }) => id)).size)}</p>
      <RowNames rows={rows} />
    </Dialog>
  );
};

/** Gives the chosen grants another end, or none. */
export const ChangeEndDialog = ({ rows, close, done }: RowsFacts) => {
  const queries = useQueryClient();
  const [until, setUntil] = useUntil('30');
  const change = useMutation({
    mutationFn: async () => {
      const sum = { changed: 0, anew: 0 };
      for (const { profiles, collections } of batches(rows)) {
        const lists = { profiles: [...profiles], groups: [], collections: [...collections] };
        const body = { ...lists, expires_at: endOf(until) ?? null };
        const { granted, changed, already } = await call('POST /api/access/grants', { body });
        sum.changed += changed + already;
        sum.anew += granted;
      }
      return sum;
    },
    onSuccess: ({ changed, anew }) => {
      notify(anew > 0 ? `${text.endChanged(changed)} ${text.grantedAnew(anew)}` : text.endChanged(changed));
      done();
    },
    onSettled: () => touch(queries, touchedByAccess),
  });
  return (
    <Dialog
      title={text.changeEnd}
      open
      close={close}
      act={() => change.mutate()}
      actLabel={text.changeEndMany(rows.length)}
      busy={change.isPending}
      disabled={!isWhole(until)}
      error={change.error}
    >
      <p>{text.changeEndOf(rows.length)}</p>
      <RowNames rows={rows} />
      <UntilField value={until} change={setUntil} />
    </Dialog>
  );
};

const RowNames = ({ rows }: Pick<RowsFacts, 'rows'>) => (
  <ul>
    {rows.slice(0, shownMax).map(({ client_id: person, collection_id: api, email, collection_name: name }) => (
      <li key={`${person} ${api}`}>{words.access.matrix.rowName(email, name)}</li>
    ))}
    {rows.length > shownMax ? <li>{text.furtherRows(rows.length - shownMax)}</li> : null}
  </ul>
);
