import { useMutation, useQueryClient } from '@tanstack/react-query';
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { touch, useChange, useRead } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { notify } from '../../parts/notify.ts';
import { PeoplePicker, type Picked } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import type { ListedGroup } from './listed-group.ts';
import { OutcomeNote } from './outcomes.tsx';
import { touchedByAccess, touchedByGroupEnd } from './touched.ts';

const text = words.access.groups;

const nameMax = 200;
const descriptionMax = 1_000;

const GroupFields = ({ group }: { readonly group?: ListedGroup }) => {
  const tiers = useRead('GET /api/rate-limits/tiers/active/all', {});
  const names = new Set([...(group?.tier ? [group.tier] : []), ...(tiers.data ?? []).map(({ tier }) => tier)]);
  return (
    <>
      <TextInput
        name="name"
        label={text.name}
        description={group ? text.renames : text.nameHint}
        defaultValue={group?.name ?? ''}
        required
        maxLength={nameMax}
        mb="sm"
      />
      <Textarea
        name="description"
        label={text.description}
        defaultValue={group?.description ?? ''}
        maxLength={descriptionMax}
        autosize
        minRows={2}
        mb="sm"
      />
      <NativeSelect
        // The choice is made anew once the tiers are there: an option that is not there yet cannot be chosen.
        key={names.size}
        name="tier"
        label={text.tier}
        description={text.tierHint}
        defaultValue={group?.tier ?? ''}
        data={[{ value: '', label: text.noTier }, ...[...names].map((tier) => ({ value: tier, label: tier }))]}
      />
    </>
  );
};

const bodyOf = (fields: FormData) => ({
  name: fieldOf(fields, 'name'),
  description: fieldOf(fields, 'description'),
  tier: fieldOf(fields, 'tier') || null,
});

export const CreateGroupDialog = ({
  close,
  made,
}: {
  readonly close: () => void;
  readonly made: (name: string) => void;
}) => {
  const create = useChange('POST /api/groups', { touches: touchedByAccess });
  return (
    <Dialog
      title={text.create}
      open
      close={close}
      actLabel={text.createAct}
      busy={create.isPending}
      error={create.error}
      act={(fields) =>
        create.mutate(
          { body: bodyOf(fields) },
          {
            onSuccess: ({ name }) => {
              notify(text.created(name));
              made(name);
            },
          },
        )
      }
    >
      <GroupFields />
    </Dialog>
  );
};

export const EditGroupDialog = ({
  group,
  close,
  saved,
}: {
  readonly group: ListedGroup;
  readonly close: () => void;
  /** Goes to the group's address, which changes with its name. */
  readonly saved: (name: string) => Promise<void>;
}) => {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (body: ReturnType<typeof bodyOf>) =>
      call('PUT /api/groups/:group_id', { params: { group_id: group.id }, body }),
    onSuccess: async ({ name }) => {
      notify(text.edited);
      await saved(name);
      await touch(queries, touchedByAccess);
    },
  });
  return (
    <Dialog
      title={text.editTitle}
      open
      close={close}
      busy={change.isPending}
      error={change.error}
      act={(fields) => change.mutate(bodyOf(fields))}
    >
      <GroupFields group={group} />
    </Dialog>
  );
};

/** Tells first who loses what. */
export const RemoveGroupDialog = ({
  group,
  close,
  removed,
}: {
  readonly group: ListedGroup;
  readonly close: () => void;
  /** Leaves the group's page. */
  readonly removed: () => Promise<void>;
}) => {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/groups/:group_id', { params: { group_id: group.id } }),
    onSuccess: async () => {
      notify(text.removed(group.name));
      await removed();
      // Its page may still be in sight, and what is gone must not be asked for.
      await touch(queries, touchedByGroupEnd);
    },
  });
  return (
    <Dialog
      title={text.removeTitle(group.name)}
      open
      close={close}
      actLabel={text.remove}
      dangerous
      busy={remove.isPending}
      error={remove.error}
      act={() => remove.mutate()}
    >
      <p>{text.removeAsk(group.member_count, group.collection_count)}</p>
    </Dialog>
  );
};

/** Many at once, also by a pasted list; those who are not registered are told. */
export const AddMembersDialog = ({ group, close }: { readonly group: ListedGroup; readonly close: () => void }) => {
  const add = useChange('POST /api/groups/:group_id/members', { touches: touchedByAccess });
  const [people, setPeople] = useState<readonly Picked[]>([]);
  const outcomes = add.data?.outcomes ?? [];
  const unknown = outcomes.filter(({ outcome }) => outcome === 'not_found');
  if (unknown.length > 0)
    return (
      <Dialog title={text.add} open close={close}>
        <OutcomeNote sentence={addedSentence(outcomes)} reasons={unknown.map(({ profile }) => text.unknown(profile))} />
      </Dialog>
    );
  const act = (): void =>
    add.mutate(
      { params: { group_id: group.id }, body: { profiles: people.map(({ id }) => id) } },
      {
        onSuccess: (answered) => {
          if (answered.outcomes.some(({ outcome }) => outcome === 'not_found')) return;
          notify(addedSentence(answered.outcomes));
          close();
        },
      },
    );
  return (
    <Dialog
      title={text.add}
      open
      close={close}
      act={act}
      actLabel={people.length === 0 ? text.addAct : text.addMany(people.length)}
      busy={add.isPending}
      disabled={people.length === 0}
      error={add.error}
    >
      <PeoplePicker
        label={words.access.grant.people}
        description={words.access.grant.peopleHint}
        value={people}
        change={setPeople}
        pastes
      />
    </Dialog>
  );
};

const addedSentence = (outcomes: readonly { readonly outcome: string }[]): string => {
  const count = (wanted: string): number => outcomes.filter(({ outcome }) => outcome === wanted).length;
  const before = count('already');
  return `${text.added(count('added'))}${before > 0 ? `, ${text.addedBefore(before)}` : ''}.`;
};
