import { NativeSelect, Textarea } from '@mantine/core';
import { call } from '../../api/call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { words } from '../../words/words.ts';
import { createSingleItemAction, type BulkAction } from './use-batches.ts';
import type { Person } from './listed-person.ts';
import { useTierOptions } from './tier-options.ts';

const text = words.people;
const nameOf = ({ full_name: name }: Person): string => name;

export interface DialogProps {
  readonly count: number;
  readonly close: () => void;
  readonly run: (action: BulkAction<Person>) => void;
}

const reasonMax = 1_000;
const kinds = {
  reject: {
    call: 'POST /api/profiles/:user_id/reject',
    title: text.bulk.rejectTitle,
    label: text.bulk.reject,
    result: text.bulk.outcome.rejected,
    done: text.bulk.rejectedMany,
    hint: text.actions.rejectReason,
  },
  suspend: {
    call: 'POST /api/profiles/:user_id/suspend',
    title: text.bulk.suspendTitle,
    label: text.bulk.suspend,
    result: text.bulk.outcome.suspended,
    done: text.bulk.suspendedMany,
    hint: text.actions.suspendReason,
  },
} as const;

/** Asks for a single reason that applies to all selected people. */
export const ReasonDialog = ({ kind, count, close, run }: DialogProps & { readonly kind: keyof typeof kinds }) => {
  const { call: name, title, label, result, done: formatDone, hint } = kinds[kind];
  const send = (fields: FormData): void => {
    const body = { reason: fieldOf(fields, 'reason') };
    run({
      ...createSingleItemAction(nameOf, result, ({ email }) => call(name, { params: { user_id: email }, body })),
      formatDone,
    });
  };
  return (
    <Dialog open destructive title={title(count)} close={close} submit={send} submitLabel={label}>
      {kind === 'suspend' ? <p>{text.actions.suspendHint}</p> : null}
      <Textarea
        name="reason"
        label={text.actions.reason}
        description={hint}
        maxLength={reasonMax}
        autosize
        minRows={2}
      />
    </Dialog>
  );
};

/** Asks for confirmation before keys are mailed, which cannot be undone. */
export const ApproveDialog = ({
  count,
  ...props
}: Pick<DialogProps, 'count' | 'close'> & { readonly submit: () => void }) => (
  <Dialog open title={text.bulk.approveTitle(count)} submitLabel={text.bulk.approveMany(count)} {...props}>
    <p>{text.bulk.approveHint}</p>
  </Dialog>
);

export const TierDialog = ({ count, close, run }: DialogProps) => {
  const options = useTierOptions(null);
  const send = (fields: FormData): void => {
    const body = { tier: fieldOf(fields, 'tier') || null };
    const assign = ({ email }: Person) => call('PUT /api/profiles/:user_id/tier', { params: { user_id: email }, body });
    run({ ...createSingleItemAction(nameOf, text.bulk.outcome.tier, assign), formatDone: text.bulk.tierMany });
  };
  return (
    <Dialog open title={text.bulk.tierTitle(count)} close={close} submit={send} submitLabel={text.bulk.setTier}>
      <NativeSelect name="tier" label={text.tier} description={text.bulk.tierHint} data={options} />
    </Dialog>
  );
};
