import { useState } from 'react';
import { call } from '../../api/call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { GroupsPicker, PeoplePicker, type Picked } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import { oneByOne, type BulkAction } from '../people/use-batches.ts';

const text = words.limits;

/** A person or a group that is assigned a tier. */
export interface Assignee extends Picked {
  readonly isGroup: boolean;
}

/** Assigns a tier to any number of people and groups. */
export const AssignDialog = ({
  tier,
  close,
  act,
}: {
  readonly tier: string;
  readonly close: () => void;
  readonly act: (who: readonly Assignee[], action: BulkAction<Assignee>) => void;
}) => {
  const [people, setPeople] = useState<readonly Picked[]>([]);
  const [groups, setGroups] = useState<readonly Picked[]>([]);
  const assign = ({ id, isGroup }: Assignee): Promise<unknown> =>
    isGroup
      ? call('PUT /api/groups/:group_id/tier', { params: { group_id: id }, body: { tier } })
      : call('PUT /api/profiles/:user_id/tier', { params: { user_id: id }, body: { tier } });
  const send = (): void => {
    const who = [
      ...people.map((one) => ({ ...one, isGroup: false })),
      ...groups.map((one) => ({ ...one, isGroup: true })),
    ];
    act(who, { ...oneByOne(({ name }) => name, text.hasTier, assign), done: text.assigned });
  };
  return (
    <Dialog
      open
      title={text.assignTitle(tier)}
      close={close}
      act={send}
      actLabel={text.assign}
      disabled={people.length + groups.length === 0}
    >
      <PeoplePicker label={text.people} description={text.peopleHint} value={people} change={setPeople} pastes />
      <GroupsPicker label={text.groups} description={text.groupsHint} value={groups} change={setGroups} />
    </Dialog>
  );
};
