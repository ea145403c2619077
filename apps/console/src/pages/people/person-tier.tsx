import { NativeSelect } from '@mantine/core';
import { useId, useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { notifyUndo } from '../../parts/notify-undo.tsx';
import { words } from '../../words/words.ts';
import type { PersonDetails } from './person-details.ts';
import { toExplainedError } from './explained-errors.ts';
import { statusReads } from './status-actions.tsx';
import { useTierOptions } from './tier-options.ts';

const text = words.people;

/** The tier of a person, edited in place: a change is shown immediately and is easy to undo. */
export const PersonTier = ({ person }: { readonly person: PersonDetails }) => {
  const id = useId();
  const change = useChange('PUT /api/profiles/:user_id/tier', {
    invalidates: [...statusReads, 'GET /api/rate-limits/effective/:client_id'],
  });
  const [pendingTier, setPendingTier] = useState<string | null>(null);
  const current = change.isPending ? pendingTier : (person.tier ?? null);
  const options = useTierOptions(current);
  const changeTier = (tier: string | null, onDone: () => void): void => {
    setPendingTier(tier);
    change.mutate({ params: { user_id: person.id }, body: { tier } }, { onSuccess: onDone });
  };
  const notifyChange = (tier: string | null, previousTier: string | null) => (): void =>
    notifyUndo(text.person.tierSet(person.full_name, tier), () =>
      changeTier(previousTier, notifyChange(previousTier, tier)),
    );
  return (
    <>
      <dt>
        <label htmlFor={id}>{text.tier}</label>
      </dt>
      <dd>
        <NativeSelect
          id={id}
          value={current ?? ''}
          data={[...options]}
          description={text.person.tierHint}
          inputWrapperOrder={['input', 'description']}
          onChange={({ currentTarget: { value } }) => {
            const tier = value === '' ? null : value;
            changeTier(tier, notifyChange(tier, current));
          }}
        />
        <ErrorNote error={toExplainedError(change.error)} />
      </dd>
    </>
  );
};
