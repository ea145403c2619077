import type { Portico } from '@portico/composition';
import { operatorAuthority } from '@portico/domain';
import { createProgress, type Progress } from '../progress.ts';
import { counted, type Terminal } from '../terminal.ts';

/** Seals by the present key what an earlier one has sealed; returns whether nothing is left that only an earlier one opens. */
export const reseal = async ({ useCases }: Portico, terminal: Terminal): Promise<boolean> => {
  // A property, for the compiler does not follow what a callback assigns to a variable.
  const shown: { progress?: Progress } = {};
  try {
    const { credentials, mails, unreadable } = await useCases.resealSecrets(operatorAuthority, (done, total) => {
      shown.progress ??= createProgress('Looked at', total);
      shown.progress.advanceTo(done);
    });
    terminal.result({ credentials, mails, unreadable }, [
      `${counted(credentials, 'credential')} of collections and ${counted(mails, 'waiting mail')} were sealed anew.`,
      ...unreadable.map(({ kind, id, because }) => `${kind} of ${id} is left as it is: ${because}`),
      unreadable.length > 0
        ? `${unreadable.length} could not be opened: add the key that sealed them to SECRETS_KEY_PREVIOUS, and do this again.`
        : 'SECRETS_KEY_PREVIOUS is needed no more.',
    ]);
    return unreadable.length === 0;
  } finally {
    shown.progress?.end();
  }
};
