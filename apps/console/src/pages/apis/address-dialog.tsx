import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { ApiDialogProps } from './api-dialog.ts';
import { formatVariables, parseVariables } from './server-variables.ts';

const text = words.apis.admin;

/** The maximum length that the service accepts, in characters. */
const baseUrlMax = 2_000;

/** Sets where calls to an API go, if the document does not say it, or not for this organisation. */
export const AddressDialog = ({ api: { id, base_url, settings }, close }: ApiDialogProps) => {
  const [wrongLine, setWrongLine] = useState<string | null>(null);
  const change = useChange('PUT /api/collections/:collection_id', {
    invalidates: [
      'GET /api/collections/:collection_id/summary',
      'GET /api/collections/:collection_id/operations/:operation_key',
    ],
  });
  const save = (fields: FormData): void => {
    const { variables, wrongLine: line } = parseVariables(fieldOf(fields, 'variables'));
    setWrongLine(line);
    if (line !== null) return;
    const baseUrl = fieldOf(fields, 'base_url');
    const body = { base_url: baseUrl === '' ? null : baseUrl, server_variables: variables };
    const onSuccess = (): void => {
      notify(text.addressSaved);
      close();
    };
    change.mutate({ params: { collection_id: id }, body }, { onSuccess });
  };
  return (
    <Dialog title={text.address} open close={close} submit={save} busy={change.isPending} error={change.error}>
      <p>{text.addressIntro}</p>
      <TextInput
        label={text.baseUrl}
        description={text.baseUrlHint(base_url === '/' ? null : base_url)}
        name="base_url"
        inputMode="url"
        maxLength={baseUrlMax}
        defaultValue={settings.base_url ?? ''}
        mb="sm"
      />
      <Textarea
        label={text.variables}
        description={text.variablesHint}
        name="variables"
        rows={3}
        defaultValue={formatVariables(settings.server_variables)}
        error={wrongLine === null ? null : text.wrongVariable(wrongLine)}
        mb="sm"
      />
    </Dialog>
  );
};
