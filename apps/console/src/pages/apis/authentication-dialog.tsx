import { Button, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type CallResult } from '../../api/call.ts';
import { invalidateReads } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { ApiDialogProps } from './api-dialog.ts';

const text = words.apis.admin;

type Type = CallResult<'GET /api/collections/:collection_id/summary'>['authentication']['type'];
type Place = NonNullable<CallResult<'GET /api/collections/:collection_id/summary'>['authentication']['in']>;

interface Authentication {
  readonly type: Type;
  readonly name?: string;
  readonly in?: Place;
  readonly value?: string;
}

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Sends a change and closes the dialog. */
const useAuthenticationChange = (id: string, close: () => void) => {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // This is not a mutation of the query library, because that would cache the credential for a while.
  const send = async (authentication: Authentication | null, message: string): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await call('PUT /api/collections/:collection_id', { params: { collection_id: id }, body: { authentication } });
      notify(message);
      close();
      await invalidateReads(queries, [
        'GET /api/collections/:collection_id/summary',
        'GET /api/collections/:collection_id/metadata',
      ]);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return { send, busy, error };
};

/** Sets how calls to an API authenticate. The credential is sent to the service and never returned. */
export const AuthenticationDialog = ({ api: { id, authentication: current }, close }: ApiDialogProps) => {
  const [type, setType] = useState<Type>(current.type);
  const [isRemoving, setIsRemoving] = useState(false);
  const { send, busy, error } = useAuthenticationChange(id, close);
  const save = (fields: FormData): void => {
    const value = fieldOf(fields, 'value');
    const name = fieldOf(fields, 'parameter');
    const withValue = value === '' ? {} : { value };
    const placement = { name, in: fieldOf(fields, 'in') as Place };
    const authentication = { type, ...(type === 'none' ? {} : withValue), ...(type === 'apiKey' ? placement : {}) };
    void send(authentication, text.authenticationSaved);
  };
  return (
    <>
      <Dialog title={text.authentication} open close={close} submit={save} busy={busy} error={error}>
        <p>{text.authenticationIntro}</p>
        <NativeSelect
          label={text.type}
          data={optionsOf(text.types)}
          value={type}
          onChange={({ currentTarget: { value } }) => setType(value as Type)}
          mb="sm"
        />
        {type === 'apiKey' ? (
          <>
            <TextInput
              label={text.parameter}
              name="parameter"
              required
              maxLength={200}
              defaultValue={current.name ?? ''}
              mb="sm"
            />
            <NativeSelect
              label={text.in}
              name="in"
              data={optionsOf(text.places)}
              defaultValue={current.in ?? 'header'}
              mb="sm"
            />
          </>
        ) : null}
        {type === 'none' ? null : (
          <PasswordInput
            label={text.value}
            description={current.has_value ? text.valueSet : text.valueNotSet}
            name="value"
            autoComplete="off"
            maxLength={8_192}
            mb="sm"
          />
        )}
        {current.is_set ? (
          <Button variant="outline" color="red" size="xs" disabled={busy} onClick={() => setIsRemoving(true)}>
            {text.removeAuthentication}
          </Button>
        ) : null}
      </Dialog>
      {isRemoving ? (
        <RemoveDialog
          hasValue={current.has_value}
          remove={() => send(null, text.authenticationRemoved)}
          close={() => setIsRemoving(false)}
          busy={busy}
          error={error}
        />
      ) : null}
    </>
  );
};

const RemoveDialog = ({
  hasValue,
  remove,
  ...props
}: {
  readonly hasValue: boolean;
  readonly remove: () => unknown;
  readonly close: () => void;
  readonly busy: boolean;
  readonly error: unknown;
}) => (
  <Dialog
    title={text.removeAuthenticationTitle}
    open
    submit={remove}
    submitLabel={text.removeAuthentication}
    destructive
    {...props}
  >
    {hasValue ? <p>{text.removeValueConfirm}</p> : null}
    <p>{text.removeHint}</p>
  </Dialog>
);
