import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { CallResult } from '../../api/call.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { notify } from '../../parts/notify.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import { Outcomes } from '../people/outcomes.tsx';
import { Section } from '../people/section.tsx';
import { useBatches } from '../people/use-batches.ts';
import { AssignDialog } from './assign-dialog.tsx';
import styles from './limits.module.css';
import { RuleFields, ruleFrom } from './rule-fields.tsx';

const text = words.limits;
const affectedReads = ['GET /api/rate-limits/tiers', 'GET /api/rate-limits/standing'] as const;
const nameMax = 63;
const descriptionMax = 1_000;

type Tier = CallResult<'GET /api/rate-limits/tiers'>[number];
type OpenDialog =
  { readonly kind: 'edit' | 'delete' | 'assign'; readonly tier: Tier } | { readonly kind: 'create' } | null;

/** Named limits, and their assignment. */
export const Tiers = () => {
  const read = useRead('GET /api/rate-limits/tiers', {});
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const { progress, run, dismiss } = useBatches([
    'GET /api/profiles/',
    'GET /api/profiles/:user_id',
    'GET /api/groups',
    'GET /api/rate-limits/standing',
  ]);
  const close = () => setDialog(null);
  return (
    <Section title={text.tiers} actions={<Button onClick={() => setDialog({ kind: 'create' })}>{text.newTier}</Button>}>
      <Outcomes progress={progress} dismiss={dismiss} />
      <DataTable
        label={text.tiers}
        columns={createColumns(setDialog)}
        pages={toSinglePage(read)}
        keyOf={({ tier }) => tier}
        empty={text.noTiers}
      />
      {dialog?.kind === 'create' ? <CreateDialog close={close} /> : null}
      {dialog?.kind === 'edit' ? <EditDialog tier={dialog.tier} close={close} /> : null}
      {dialog?.kind === 'delete' ? <DeleteDialog tier={dialog.tier.tier} close={close} /> : null}
      {dialog?.kind === 'assign' ? (
        <AssignDialog
          tier={dialog.tier.tier}
          close={close}
          run={(assignees, action) => {
            close();
            void run(assignees, action);
          }}
        />
      ) : null}
    </Section>
  );
};

const createColumns = (openDialog: (dialog: OpenDialog) => void): readonly Column<Tier>[] => [
  { header: text.tier, cell: ({ tier }) => <strong>{tier}</strong> },
  { header: text.limit, cell: (row) => text.rule(row.allowed_limit, row.window_seconds) },
  { header: text.description, cell: ({ description }) => description ?? '' },
  { header: text.state, cell: ({ is_active: isActive }) => <ActiveState isActive={isActive} /> },
  {
    header: words.frame.actions,
    headerHidden: true,
    cell: (tier) => (
      <div className={styles.buttons}>
        <Button
          variant="default"
          size="xs"
          aria-label={text.assignOf(tier.tier)}
          onClick={() => openDialog({ kind: 'assign', tier })}
        >
          {text.assign}
        </Button>
        <Button
          variant="default"
          size="xs"
          aria-label={text.editOf(tier.tier)}
          onClick={() => openDialog({ kind: 'edit', tier })}
        >
          {text.edit}
        </Button>
        <Button
          variant="default"
          size="xs"
          aria-label={text.deleteOf(tier.tier)}
          onClick={() => openDialog({ kind: 'delete', tier })}
        >
          {text.delete}
        </Button>
      </div>
    ),
  },
];

export const ActiveState = ({ isActive }: { readonly isActive: boolean }) => (
  <StatusBadge kind={isActive ? 'good' : 'quiet'}>{isActive ? text.active : text.inactive}</StatusBadge>
);

const TierFields = ({ tier }: { readonly tier?: Tier }) => (
  <>
    <RuleFields {...(tier ? { rule: tier } : {})} />
    <Textarea
      name="description"
      label={text.description}
      maxLength={descriptionMax}
      defaultValue={tier?.description ?? ''}
      mt="sm"
    />
    <Checkbox
      name="active"
      label={text.isActive}
      description={text.isActiveHint}
      defaultChecked={tier?.is_active ?? true}
      mt="sm"
    />
  </>
);

const bodyOf = (fields: FormData) => ({
  ...ruleFrom(fields),
  description: fieldOf(fields, 'description'),
  is_active: fields.has('active'),
});

const CreateDialog = ({ close }: { readonly close: () => void }) => {
  const create = useChange('POST /api/rate-limits/tiers', { invalidates: affectedReads });
  const submit = (fields: FormData): void => {
    const tier = fieldOf(fields, 'tier');
    create.mutate(
      { body: { tier, ...bodyOf(fields) } },
      {
        onSuccess: () => {
          notify(text.tierSaved(tier));
          close();
        },
      },
    );
  };
  return (
    <Dialog open title={text.newTier} close={close} submit={submit} busy={create.isPending} error={create.error}>
      <TextInput
        name="tier"
        label={text.tierName}
        description={text.tierNameHint}
        required
        maxLength={nameMax}
        pattern="[a-z0-9][a-z0-9_\-]*"
        autoComplete="off"
        mb="sm"
      />
      <TierFields />
    </Dialog>
  );
};

const EditDialog = ({ tier, close }: { readonly tier: Tier; readonly close: () => void }) => {
  const update = useChange('PUT /api/rate-limits/tiers/:tier', { invalidates: affectedReads });
  const submit = (fields: FormData): void =>
    update.mutate(
      { params: { tier: tier.tier }, body: bodyOf(fields) },
      {
        onSuccess: () => {
          notify(text.tierSaved(tier.tier));
          close();
        },
      },
    );
  return (
    <Dialog
      open
      title={text.editTier(tier.tier)}
      close={close}
      submit={submit}
      busy={update.isPending}
      error={update.error}
    >
      <TierFields tier={tier} />
    </Dialog>
  );
};

/** Explains the effect of deleting a tier, and lists the groups with that tier, since a group may have many members. */
const DeleteDialog = ({ tier, close }: { readonly tier: string; readonly close: () => void }) => {
  const remove = useChange('DELETE /api/rate-limits/tiers/:tier', {
    invalidates: [...affectedReads, 'GET /api/profiles/', 'GET /api/profiles/:user_id', 'GET /api/groups'],
  });
  const groups = useRead('GET /api/groups', {}).data ?? [];
  const groupNames = groups.filter((group) => group.tier === tier).map(({ name }) => name);
  const submit = (): void =>
    remove.mutate(
      { params: { tier } },
      {
        onSuccess: () => {
          notify(text.tierDeleted(tier));
          close();
        },
      },
    );
  return (
    <Dialog
      open
      destructive
      title={text.deleteTier(tier)}
      close={close}
      submit={submit}
      submitLabel={text.delete}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>{text.deleteTierHint}</p>
      {groupNames.length > 0 ? <p>{text.groupsWithTier(groupNames)}</p> : null}
    </Dialog>
  );
};
