import { NativeSelect, Textarea } from '@mantine/core';
import { call } from '../../api/call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { words } from '../../words/words.ts';
import { oneByOne, type ManyAct } from './in-lots.ts';
import type { Person } from './listed-person.ts';
import { useTierOptions } from './tier-options.ts';

const text = words.people;
const nameOf = ({ full_name: name }: Person): string => name;

export interface DialogFacts {
  readonly count: number;
  readonly close: () => void;
  readonly act: (wanted: ManyAct<Person>) => void;
}

const reasonMax = 1_000;
const kinds = {
  reject: {
    call: 'POST /api/profiles/:user_id/reject',
    title: text.many.rejectTitle,
    label: text.many.reject,
    what: text.many.outcome.rejected,
    done: text.many.rejectedMany,
    hint: text.acts.rejectReason,
  },
  suspend: {
    call: 'POST /api/profiles/:user_id/suspend',
    title: text.many.suspendTitle,
    label: text.many.suspend,
    what: text.many.outcome.suspended,
    done: text.many.suspendedMany,
    hint: text.acts.suspendReason,
  },
} as const;

/** Asks for one reason for all of them. */
export const ReasonDialog = ({ kind, count, close, act }: DialogFacts & { readonly kind: keyof typeof kinds }) => {
  const { call: name, title, label, what, done, hint } = kinds[kind];
  const send = (fields: FormData): void => {
    const body = { reason: fieldOf(fields, 'reason') };
    act({ ...oneByOne(nameOf, what, ({ email }) => call(name, { params: { user_id: email }, body })), done });
  };
  return (
    <Dialog open dangerous title={title(count)} close={close} act={send} actLabel={label}>
      {kind === 'suspend' ? <p>{text.acts.whatSuspend}</p> : null}
      <Textarea name="reason" label={text.acts.reason} description={hint} maxLength={reasonMax} autosize minRows={2} />
    </Dialog>
  );
};

/** Asks before keys go out by mail, which cannot be undone. */
export const ApproveDialog = ({
  count,
  ...facts
}: Pick<DialogFacts, 'count' | 'close'> & { readonly act: () => void }) => (
  <Dialog open title={text.many.approveTitle(count)} actLabel={text.many.approveMany(count)} {...facts}>
    <p>{text.many.whatApprove}</p>
  </Dialog>
);

export const TierDialog = ({ count, close, act }: DialogFacts) => {
  const options = useTierOptions(null);
  const send = (fields: FormData): void => {
    const body = { tier: fieldOf(fields, 'tier') || null };
    const assign = ({ email }: Person) => call('PUT /api/profiles/:user_id/tier', { params: { user_id: email }, body });
    act({ ...oneByOne(nameOf, text.many.outcome.tier, assign), done: text.many.tierMany });
  };
  return (
    <Dialog open title={text.many.tierTitle(count)} close={close} act={send} actLabel={text.many.setTier}>
      <NativeSelect name="tier" label={text.tier} description={text.many.whatTier} data={options} />
    </Dialog>
  );
};
