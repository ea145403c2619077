import { Switch, Textarea, TextInput } from '@mantine/core';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { ApiDialogProps } from './api-dialog.ts';

const text = words.apis.admin;

/** The maximum lengths that the service accepts, in characters. */
const nameMax = 200;
const descriptionMax = 10_000;

export const EditDialog = ({ api, close }: ApiDialogProps) => {
  const change = useChange('PUT /api/collections/:collection_id', {
    invalidates: ['GET /api/collections/', 'GET /api/collections/:collection_id/summary'],
  });
  const save = (fields: FormData): void => {
    const name = fieldOf(fields, 'name');
    const description = fieldOf(fields, 'description');
    const discoverable = fields.has('discoverable');
    const body = {
      ...(name === api.name ? {} : { name }),
      // An unchanged description may come from the document, and should continue to follow it.
      ...(description === api.description ? {} : { description }),
      ...(discoverable === api.discoverable ? {} : { discoverable }),
    };
    change.mutate(
      { params: { collection_id: api.id }, body },
      {
        onSuccess: () => {
          notify(text.saved);
          close();
        },
      },
    );
  };
  return (
    <Dialog title={text.editTitle} open close={close} submit={save} busy={change.isPending} error={change.error}>
      <TextInput label={text.name} name="name" required maxLength={nameMax} defaultValue={api.name} mb="sm" />
      <Textarea
        label={text.description}
        name="description"
        rows={6}
        maxLength={descriptionMax}
        defaultValue={api.description}
        mb="sm"
      />
      <Switch
        label={text.discoverable}
        description={text.discoverableHint}
        name="discoverable"
        defaultChecked={api.discoverable}
      />
    </Dialog>
  );
};
