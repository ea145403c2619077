import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Contract } from './contract.ts';
import { aOneTimeCode, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `OneTimeCodeStore`. */
export const oneTimeCodeStoreContract = {
  'a code is returned exactly as it was stored': async ({ oneTimeCodes }) => {
    const codes = (['sign-in', 'authorization', 'refresh'] as const).map((purpose) => aOneTimeCode({ purpose }));
    for (const code of codes) await oneTimeCodes.put(code, start);
    for (const code of codes)
      deepStrictEqual({ ...(await oneTimeCodes.take(code.digest, code.purpose, start)) }, { ...code });
  },

  'a code can be taken only once': async ({ oneTimeCodes }) => {
    const [code, otherCode] = [aOneTimeCode(), aOneTimeCode()];
    for (const storedCode of [code, otherCode]) await oneTimeCodes.put(storedCode, start);
    strictEqual((await oneTimeCodes.take(code.digest, code.purpose, start)) === null, false);
    strictEqual(await oneTimeCodes.take(code.digest, code.purpose, start), null);
    strictEqual((await oneTimeCodes.take(otherCode.digest, otherCode.purpose, start))?.digest, otherCode.digest);
  },

  'when the same code is taken concurrently, only one call gets it': async ({ oneTimeCodes }) => {
    for (let round = 0; round < 5; round += 1) {
      const { digest, purpose, ...fields } = aOneTimeCode();
      await oneTimeCodes.put({ digest, purpose, ...fields }, start);
      const results = await Promise.all(Array.from({ length: 10 }, () => oneTimeCodes.take(digest, purpose, start)));
      strictEqual(results.filter((code) => code !== null).length, 1);
    }
  },

  'looking up an unknown digest returns nothing': async ({ oneTimeCodes }) => {
    await oneTimeCodes.put(aOneTimeCode(), start);
    strictEqual(await oneTimeCodes.take(aOneTimeCode().digest, 'sign-in', start), null);
  },

  'a code cannot be taken for a different purpose, and remains stored': async ({ oneTimeCodes }) => {
    const { digest, ...fields } = aOneTimeCode({ purpose: 'authorization' });
    await oneTimeCodes.put({ digest, ...fields }, start);
    for (const otherPurpose of ['sign-in', 'refresh'] as const)
      strictEqual(await oneTimeCodes.take(digest, otherPurpose, start), null);
    strictEqual((await oneTimeCodes.take(digest, 'authorization', start))?.digest, digest);
  },

  'a code is valid until its expiry, but not at that instant': async ({ oneTimeCodes }) => {
    const [validCode, expiredCode] = [aOneTimeCode(), aOneTimeCode()];
    for (const code of [validCode, expiredCode]) await oneTimeCodes.put(code, start);
    strictEqual(await oneTimeCodes.take(expiredCode.digest, expiredCode.purpose, expiredCode.expiresAt), null);
    strictEqual(
      (await oneTimeCodes.take(validCode.digest, validCode.purpose, validCode.expiresAt - 1))?.digest,
      validCode.digest,
    );
  },

  'storing a code removes only expired codes': async ({ oneTimeCodes }) => {
    const olderCode = aOneTimeCode();
    const newerCode = aOneTimeCode({ expiresAt: olderCode.expiresAt + 1 });
    for (const code of [olderCode, newerCode]) await oneTimeCodes.put(code, start);
    await oneTimeCodes.put(aOneTimeCode({ expiresAt: olderCode.expiresAt + 60_000 }), olderCode.expiresAt);
    // At this earlier instant, the code would still be valid if it had not been removed.
    strictEqual(await oneTimeCodes.take(olderCode.digest, olderCode.purpose, start), null);
    strictEqual((await oneTimeCodes.take(newerCode.digest, newerCode.purpose, start))?.digest, newerCode.digest);
  },
} as const satisfies Contract<Stores>;
