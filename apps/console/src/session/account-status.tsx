import { Button } from '@mantine/core';
import { StandalonePage } from '../layout/standalone-page.tsx';
import { useTitle } from '../layout/use-title.ts';
import { words } from '../words/words.ts';
import { useSession } from './session-context.ts';
import { tokens } from './tokens.ts';

const text = words.session;

const messages = {
  pending: { title: text.pendingTitle, sentence: () => text.pending },
  rejected: { title: text.rejectedTitle, sentence: () => text.rejected },
  denied: { title: text.accountDeniedTitle, sentence: text.accountDenied },
  approved: { title: text.accountDeniedTitle, sentence: text.accountDenied },
} as const;

/** Explains to a person why they cannot continue. */
export const AccountStatus = ({
  status,
  check,
}: {
  readonly status: keyof typeof messages;
  readonly check: () => unknown;
}) => {
  const { signOut } = useSession();
  const { title, sentence } = messages[status];
  const claims = tokens.getClaims();
  useTitle(title);
  return (
    <StandalonePage>
      <h1>{title}</h1>
      <p>{sentence(claims?.email ?? claims?.sub ?? '')}</p>
      <Button onClick={() => void check()}>{text.checkAgain}</Button>
      <Button variant="default" onClick={signOut}>
        {words.frame.signOut}
      </Button>
    </StandalonePage>
  );
};
