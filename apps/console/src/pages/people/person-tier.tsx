import { NativeSelect } from '@mantine/core';
import { useId, useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { notifyUndo } from '../../parts/notify-undo.tsx';
import { words } from '../../words/words.ts';
import type { WholePerson } from './whole-person.ts';
import { inWords } from './refusals.ts';
import { standingReads } from './standing-acts.tsx';
import { useTierOptions } from './tier-options.ts';

const text = words.people;

/** The tier of a person, changed where it stands: the choice is shown at once, and can be taken back as easily. */
export const PersonTier = ({ person }: { readonly person: WholePerson }) => {
  const id = useId();
  const change = useChange('PUT /api/profiles/:user_id/tier', {
    touches: [...standingReads, 'GET /api/rate-limits/effective/:client_id'],
  });
  const [wanted, setWanted] = useState<string | null>(null);
  const current = change.isPending ? wanted : (person.tier ?? null);
  const options = useTierOptions(current);
  const choose = (tier: string | null, done: () => void): void => {
    setWanted(tier);
    change.mutate({ params: { user_id: person.id }, body: { tier } }, { onSuccess: done });
  };
  const say = (tier: string | null, before: string | null) => (): void =>
    notifyUndo(text.person.tierSet(person.full_name, tier), () => choose(before, say(before, tier)));
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
            choose(tier, say(tier, current));
          }}
        />
        <ErrorNote error={inWords(change.error)} />
      </dd>
    </>
  );
};
