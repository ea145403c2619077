import { NativeSelect, Textarea } from '@mantine/core';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';

const text = words.clients.accessRequests;

interface AskDialogProps {
  readonly id: string;
  readonly name: string;
  readonly close: () => void;
}

const reasonMax = 1_000;

/** Asks for access to an API in the catalog. */
export const AskDialog = ({ id, name, close }: AskDialogProps) => {
  const ask = useChange('POST /api/access/requests', { invalidates: ['GET /api/catalog', 'GET /api/access/requests'] });
  const submit = (fields: FormData): void => {
    const days = fieldOf(fields, 'days');
    ask.mutate(
      {
        body: {
          collection_id: id,
          reason: fieldOf(fields, 'reason'),
          ...(days ? { duration_days: Number(days) } : {}),
        },
      },
      {
        onSuccess: () => {
          notify(text.sent(name));
          close();
        },
      },
    );
  };
  return (
    <Dialog
      title={text.askFor(name)}
      open
      close={close}
      submit={submit}
      submitLabel={text.send}
      busy={ask.isPending}
      error={ask.error}
    >
      <Textarea
        name="reason"
        label={text.reason}
        description={text.reasonHint}
        required
        maxLength={reasonMax}
        rows={4}
        mb="sm"
      />
      <NativeSelect
        name="days"
        label={text.duration}
        defaultValue=""
        data={Object.entries(text.durations).map(([value, label]) => ({ value, label }))}
      />
    </Dialog>
  );
};
