import { useState } from 'react';
import { call } from '../../api/call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { GroupsPicker, type PickedItem } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import type { DialogProps } from './bulk-dialogs.tsx';
import type { Person } from './listed-person.ts';

const text = words.people;
const nameOf = ({ full_name: name }: Person): string => name;

/** The maximum number of members that the service adds in one call. */
const membersBatchMax = 10_000;

export const GroupDialog = ({ count, close, run }: DialogProps) => {
  const [groups, setGroups] = useState<readonly PickedItem[]>([]);
  const send = (): void =>
    run({
      batchSize: membersBatchMax,
      nameOf,
      formatDone: text.bulk.groupMany,
      send: async (batch) => {
        const body = { profiles: batch.map(({ email }) => email) };
        const responses = await Promise.all(
          groups.map(({ id }) => call('POST /api/groups/:group_id/members', { params: { group_id: id }, body })),
        );
        return batch.map((person, index) => {
          const results = responses.map(({ outcomes }) => outcomes[index]?.outcome ?? 'not_found');
          const outcome = results.find((result) => result !== 'added') ?? 'added';
          return { name: nameOf(person), isDone: outcome !== 'not_found', result: text.bulk.outcome[outcome] };
        });
      },
    });
  return (
    <Dialog
      open
      title={text.bulk.groupTitle(count)}
      close={close}
      submit={send}
      submitLabel={text.bulk.addToGroup}
      disabled={groups.length === 0}
    >
      <GroupsPicker label={text.bulk.group} description={text.bulk.groupHint} value={groups} change={setGroups} />
    </Dialog>
  );
};
