import { Alert, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { DialogBox } from '../parts/dialog-box.tsx';
import { words } from '../words/words.ts';
import { useSession } from './session-context.ts';
import { getCurrentMethod, signInAgain } from './session.ts';
import { PasswordForm } from './sign-in-card.tsx';
import { messageOf } from './sign-in-methods.ts';

const text = words.session;

/** A dialog in front of the page, which keeps its forms. Their requests wait until the user has signed in again. */
export const RenewDialog = () => {
  const { config, signOut } = useSession();
  const [failure, setFailure] = useState<string | null>(null);
  const method = getCurrentMethod(config);
  const repeatSignIn = (): void => {
    signInAgain(config).catch((error: unknown) => setFailure(messageOf(error, (error as Error).message)));
  };
  return (
    <DialogBox title={text.expiredTitle}>
      <p>{text.expired}</p>
      {failure ? (
        <Alert color="red" role="alert" mb="sm">
          {failure}
        </Alert>
      ) : null}
      {method?.kind === 'firebase' ? <PasswordForm method={method} /> : null}
      <Group mt="sm">
        {method?.kind === 'firebase' ? null : <Button onClick={repeatSignIn}>{text.signInAgain}</Button>}
        <Button variant="default" onClick={signOut}>
          {words.frame.signOut}
        </Button>
      </Group>
    </DialogBox>
  );
};
