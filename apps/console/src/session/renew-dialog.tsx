import { Alert, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { DialogBox } from '../parts/dialog-box.tsx';
import { words } from '../words/words.ts';
import { useSession } from './session-context.ts';
import { currentWay, signInAgain } from './session.ts';
import { PasswordForm } from './sign-in-card.tsx';
import { sentenceOf } from './ways.ts';

const text = words.session;

/** Above the page and its forms, which stay: what they send waits until somebody has signed in again. */
export const RenewDialog = () => {
  const { config, signOut } = useSession();
  const [failure, setFailure] = useState<string | null>(null);
  const way = currentWay(config);
  const again = (): void => {
    signInAgain(config).catch((error: unknown) => setFailure(sentenceOf(error, (error as Error).message)));
  };
  return (
    <DialogBox title={text.endedTitle}>
      <p>{text.ended}</p>
      {failure ? (
        <Alert color="red" role="alert" mb="sm">
          {failure}
        </Alert>
      ) : null}
      {way?.kind === 'firebase' ? <PasswordForm way={way} /> : null}
      <Group mt="sm">
        {way?.kind === 'firebase' ? null : <Button onClick={again}>{text.again}</Button>}
        <Button variant="default" onClick={signOut}>
          {words.frame.signOut}
        </Button>
      </Group>
    </DialogBox>
  );
};
