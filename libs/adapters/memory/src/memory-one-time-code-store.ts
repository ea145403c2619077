import type { OneTimeCodeStore } from '@portico/domain';
import { copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryOneTimeCodeStore = ({ oneTimeCodes }: MemoryDatabase): OneTimeCodeStore => ({
  async put(code, now) {
    for (const { digest, expiresAt } of oneTimeCodes.values()) if (expiresAt <= now) oneTimeCodes.delete(digest);
    oneTimeCodes.set(code.digest, copyFrozen(code));
  },

  async take(digest, purpose, now) {
    const code = oneTimeCodes.get(digest);
    if (code?.purpose !== purpose || code.expiresAt <= now) return null;
    oneTimeCodes.delete(digest);
    return code;
  },
});
