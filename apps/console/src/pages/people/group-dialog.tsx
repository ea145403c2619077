import { useState } from 'react';
import { call } from '../../api/call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { GroupsPicker, type Picked } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import type { DialogFacts } from './many-dialogs.tsx';
import type { Person } from './listed-person.ts';

const text = words.people;
const nameOf = ({ full_name: name }: Person): string => name;

/** As many as the service adds at once. */
const addedAtOnce = 10_000;

export const GroupDialog = ({ count, close, act }: DialogFacts) => {
  const [groups, setGroups] = useState<readonly Picked[]>([]);
  const send = (): void =>
    act({
      lotSize: addedAtOnce,
      nameOf,
      done: text.many.groupMany,
      send: async (lot) => {
        const body = { profiles: lot.map(({ email }) => email) };
        const answers = await Promise.all(
          groups.map(({ id }) => call('POST /api/groups/:group_id/members', { params: { group_id: id }, body })),
        );
        return lot.map((person, at) => {
          const results = answers.map(({ outcomes }) => outcomes[at]?.outcome ?? 'not_found');
          const what = results.find((result) => result !== 'added') ?? 'added';
          return { name: nameOf(person), isDone: what !== 'not_found', what: text.many.outcome[what] };
        });
      },
    });
  return (
    <Dialog
      open
      title={text.many.groupTitle(count)}
      close={close}
      act={send}
      actLabel={text.many.addToGroup}
      disabled={groups.length === 0}
    >
      <GroupsPicker label={text.many.group} description={text.many.whatGroup} value={groups} change={setGroups} />
    </Dialog>
  );
};
