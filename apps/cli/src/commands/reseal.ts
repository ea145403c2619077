import type { Portico } from '@portico/composition';
import { operatorAuthority } from '@portico/domain';
import { createProgress, type Progress } from '../progress.ts';
import { formatCount, type Terminal } from '../terminal.ts';

/** Reseals all data sealed with an earlier key, using the current key. Returns whether everything could be resealed. */
export const reseal = async ({ useCases }: Portico, terminal: Terminal): Promise<boolean> => {
  // A property, because the compiler does not track assignments to variables in callbacks.
  const bar: { progress?: Progress } = {};
  try {
    const { credentials, mails, calls, webhooks, unreadable } = await useCases.resealSecrets(
      operatorAuthority,
      (done, total) => {
        bar.progress ??= createProgress(terminal, 'Resealing', total);
        bar.progress.advanceTo(done);
      },
    );
    terminal.printResult({ credentials, mails, calls, webhooks, unreadable }, [
      `${formatCount(credentials, 'credential')} of collections, ${formatCount(mails, 'waiting email')}, ${formatCount(calls, 'pending call')} and ${formatCount(webhooks, 'webhook')} were resealed.`,
      ...unreadable.map(({ kind, id, because }) => `${kind} of ${id} was not changed: ${because}`),
      unreadable.length > 0
        ? `${unreadable.length} could not be opened: add the key that sealed them to SECRETS_KEY_PREVIOUS, and run this again.`
        : 'SECRETS_KEY_PREVIOUS is no longer needed.',
    ]);
    return unreadable.length === 0;
  } finally {
    bar.progress?.end();
  }
};
