import { Button } from '@mantine/core';
import { Alone } from '../layout/alone.tsx';
import { useTitle } from '../layout/use-title.ts';
import { words } from '../words/words.ts';
import { useSession } from './session-context.ts';
import { tokens } from './tokens.ts';

const text = words.session;

const told = {
  pending: { title: text.pendingTitle, sentence: () => text.pending },
  rejected: { title: text.rejectedTitle, sentence: () => text.rejected },
  refused: { title: text.refusedTitle, sentence: text.refused },
  approved: { title: text.refusedTitle, sentence: text.refused },
} as const;

/** Tells somebody who may not go on why. */
export const Standing = ({
  standing,
  check,
}: {
  readonly standing: keyof typeof told;
  readonly check: () => unknown;
}) => {
  const { signOut } = useSession();
  const { title, sentence } = told[standing];
  const claims = tokens.claims();
  useTitle(title);
  return (
    <Alone>
      <h1>{title}</h1>
      <p>{sentence(claims?.email ?? claims?.sub ?? '')}</p>
      <Button onClick={() => void check()}>{text.check}</Button>
      <Button variant="default" onClick={signOut}>
        {words.frame.signOut}
      </Button>
    </Alone>
  );
};
