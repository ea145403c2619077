import { useMutation, useQueryClient } from '@tanstack/react-query';
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidateReads, useChange, useRead } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { notify } from '../../parts/notify.ts';
import { PeoplePicker, type PickedItem } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import type { ListedGroup } from './listed-group.ts';
import { OutcomeNote } from './outcomes.tsx';
import { accessReads, accessReadsWithoutGroup } from './access-reads.ts';

const text = words.access.groups;

const nameMax = 200;
const descriptionMax = 1_000;

const GroupFields = ({ group }: { readonly group?: ListedGroup }) => {
  const tiers = useRead('GET /api/rate-limits/tiers/active/all', {});
  const tierNames = new Set([...(group?.tier ? [group.tier] : []), ...(tiers.data ?? []).map(({ tier }) => tier)]);
  return (
    <>
      <TextInput
        name="name"
        label={text.name}
        description={group ? text.renameHint : text.nameHint}
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
        // Remounted once the tiers are loaded, because an option that is missing cannot be selected.
        key={tierNames.size}
        name="tier"
        label={text.tier}
        description={text.tierHint}
        defaultValue={group?.tier ?? ''}
        data={[{ value: '', label: text.noTier }, ...[...tierNames].map((tier) => ({ value: tier, label: tier }))]}
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
  onCreated,
}: {
  readonly close: () => void;
  readonly onCreated: (name: string) => void;
}) => {
  const create = useChange('POST /api/groups', { invalidates: accessReads });
  return (
    <Dialog
      title={text.create}
      open
      close={close}
      submitLabel={text.createButton}
      busy={create.isPending}
      error={create.error}
      submit={(fields) =>
        create.mutate(
          { body: bodyOf(fields) },
          {
            onSuccess: ({ name }) => {
              notify(text.created(name));
              onCreated(name);
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
  onSaved,
}: {
  readonly group: ListedGroup;
  readonly close: () => void;
  /** Navigates to the group's URL, which changes with the group's name. */
  readonly onSaved: (name: string) => Promise<void>;
}) => {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (body: ReturnType<typeof bodyOf>) =>
      call('PUT /api/groups/:group_id', { params: { group_id: group.id }, body }),
    onSuccess: async ({ name }) => {
      notify(text.saved);
      await onSaved(name);
      await invalidateReads(queries, accessReads);
    },
  });
  return (
    <Dialog
      title={text.editTitle}
      open
      close={close}
      busy={change.isPending}
      error={change.error}
      submit={(fields) => change.mutate(bodyOf(fields))}
    >
      <GroupFields group={group} />
    </Dialog>
  );
};

/** Deletes a group after showing how many members lose access. */
export const RemoveGroupDialog = ({
  group,
  close,
  onRemoved,
}: {
  readonly group: ListedGroup;
  readonly close: () => void;
  /** Leaves the group's page. */
  readonly onRemoved: () => Promise<void>;
}) => {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/groups/:group_id', { params: { group_id: group.id } }),
    onSuccess: async () => {
      notify(text.removed(group.name));
      await onRemoved();
      // The group's page may still be mounted, and must not request the deleted group.
      await invalidateReads(queries, accessReadsWithoutGroup);
    },
  });
  return (
    <Dialog
      title={text.removeTitle(group.name)}
      open
      close={close}
      submitLabel={text.remove}
      destructive
      busy={remove.isPending}
      error={remove.error}
      submit={() => remove.mutate()}
    >
      <p>{text.removeConfirm(group.member_count, group.collection_count)}</p>
    </Dialog>
  );
};

/** Adds several members, who may come from a pasted list, and reports people who are not registered. */
export const AddMembersDialog = ({ group, close }: { readonly group: ListedGroup; readonly close: () => void }) => {
  const add = useChange('POST /api/groups/:group_id/members', { invalidates: accessReads });
  const [people, setPeople] = useState<readonly PickedItem[]>([]);
  const outcomes = add.data?.outcomes ?? [];
  const unknownPeople = outcomes.filter(({ outcome }) => outcome === 'not_found');
  if (unknownPeople.length > 0)
    return (
      <Dialog title={text.add} open close={close}>
        <OutcomeNote
          sentence={formatAddedMessage(outcomes)}
          reasons={unknownPeople.map(({ profile }) => text.unknown(profile))}
        />
      </Dialog>
    );
  const submit = (): void =>
    add.mutate(
      { params: { group_id: group.id }, body: { profiles: people.map(({ id }) => id) } },
      {
        onSuccess: (result) => {
          if (result.outcomes.some(({ outcome }) => outcome === 'not_found')) return;
          notify(formatAddedMessage(result.outcomes));
          close();
        },
      },
    );
  return (
    <Dialog
      title={text.add}
      open
      close={close}
      submit={submit}
      submitLabel={people.length === 0 ? text.addButton : text.addMany(people.length)}
      busy={add.isPending}
      disabled={people.length === 0}
      error={add.error}
    >
      <PeoplePicker
        label={words.access.grant.people}
        description={words.access.grant.peopleHint}
        value={people}
        change={setPeople}
        acceptsPaste
      />
    </Dialog>
  );
};

const formatAddedMessage = (outcomes: readonly { readonly outcome: string }[]): string => {
  const countOf = (name: string): number => outcomes.filter(({ outcome }) => outcome === name).length;
  const alreadyCount = countOf('already');
  return `${text.added(countOf('added'))}${alreadyCount > 0 ? `, ${text.alreadyMembers(alreadyCount)}` : ''}.`;
};
