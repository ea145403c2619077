import { useState } from 'react';
import { call } from '../../api/call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { GroupsPicker, PeoplePicker, type PickedItem } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import { createSingleItemAction, type BulkAction } from '../people/use-batches.ts';

const text = words.limits;

/** A person or a group that is assigned a tier. */
export interface Assignee extends PickedItem {
  readonly isGroup: boolean;
}

/** Assigns a tier to any number of people and groups. */
export const AssignDialog = ({
  tier,
  close,
  run,
}: {
  readonly tier: string;
  readonly close: () => void;
  readonly run: (assignees: readonly Assignee[], action: BulkAction<Assignee>) => void;
}) => {
  const [people, setPeople] = useState<readonly PickedItem[]>([]);
  const [groups, setGroups] = useState<readonly PickedItem[]>([]);
  const assign = ({ id, isGroup }: Assignee): Promise<unknown> =>
    isGroup
      ? call('PUT /api/groups/:group_id/tier', { params: { group_id: id }, body: { tier } })
      : call('PUT /api/profiles/:user_id/tier', { params: { user_id: id }, body: { tier } });
  const send = (): void => {
    const assignees = [
      ...people.map((person) => ({ ...person, isGroup: false })),
      ...groups.map((group) => ({ ...group, isGroup: true })),
    ];
    run(assignees, { ...createSingleItemAction(({ name }) => name, text.hasTier, assign), formatDone: text.assigned });
  };
  return (
    <Dialog
      open
      title={text.assignTitle(tier)}
      close={close}
      submit={send}
      submitLabel={text.assign}
      disabled={people.length + groups.length === 0}
    >
      <PeoplePicker label={text.people} description={text.peopleHint} value={people} change={setPeople} acceptsPaste />
      <GroupsPicker label={text.groups} description={text.groupsHint} value={groups} change={setGroups} />
    </Dialog>
  );
};
