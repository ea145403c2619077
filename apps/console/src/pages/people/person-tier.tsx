import { NativeSelect } from '@mantine/core';
import { useId } from 'react';
import { useChange } from '../../api/use-call.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { words } from '../../words/words.ts';
import type { WholePerson } from './person-page.tsx';
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
  const current = change.isPending ? (change.variables.body?.tier ?? null) : (person.tier ?? null);
  const options = useTierOptions(current);
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
          onChange={({ currentTarget: { value } }) =>
            change.mutate({ params: { user_id: person.id }, body: { tier: value === '' ? null : value } })
          }
        />
        <ErrorNote error={inWords(change.error)} />
      </dd>
    </>
  );
};
