import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Contract } from './contract.ts';
import { aOneTimeCode, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `OneTimeCodeStore`. */
export const oneTimeCodeStoreContract = {
  'a stored code is returned unchanged': async ({ oneTimeCodes }) => {
    const codes = (['sign-in', 'authorization', 'refresh'] as const).map((purpose) => aOneTimeCode({ purpose }));
    for (const code of codes) await oneTimeCodes.put(code, start);
    for (const code of codes)
      deepStrictEqual({ ...(await oneTimeCodes.take(code.digest, code.purpose, start)) }, { ...code });
  },

  'a code can be taken only once': async ({ oneTimeCodes }) => {
    const [code, other] = [aOneTimeCode(), aOneTimeCode()];
    for (const one of [code, other]) await oneTimeCodes.put(one, start);
    strictEqual((await oneTimeCodes.take(code.digest, code.purpose, start)) === null, false);
    strictEqual(await oneTimeCodes.take(code.digest, code.purpose, start), null);
    strictEqual((await oneTimeCodes.take(other.digest, other.purpose, start))?.digest, other.digest);
  },

  'of concurrent calls, exactly one gets the code': async ({ oneTimeCodes }) => {
    for (let round = 0; round < 5; round += 1) {
      const { digest, purpose, ...facts } = aOneTimeCode();
      await oneTimeCodes.put({ digest, purpose, ...facts }, start);
      const results = await Promise.all(Array.from({ length: 10 }, () => oneTimeCodes.take(digest, purpose, start)));
      strictEqual(results.filter((code) => code !== null).length, 1);
    }
  },

  'a digest without a code returns nothing': async ({ oneTimeCodes }) => {
    await oneTimeCodes.put(aOneTimeCode(), start);
    strictEqual(await oneTimeCodes.take(aOneTimeCode().digest, 'sign-in', start), null);
  },

  'a code is not taken for another purpose, and remains stored': async ({ oneTimeCodes }) => {
    const { digest, ...facts } = aOneTimeCode({ purpose: 'authorization' });
    await oneTimeCodes.put({ digest, ...facts }, start);
    for (const other of ['sign-in', 'refresh'] as const)
      strictEqual(await oneTimeCodes.take(digest, other, start), null);
    strictEqual((await oneTimeCodes.take(digest, 'authorization', start))?.digest, digest);
  },

  'a code is valid until its expiry, but not at that instant': async ({ oneTimeCodes }) => {
    const [last, late] = [aOneTimeCode(), aOneTimeCode()];
    for (const code of [last, late]) await oneTimeCodes.put(code, start);
    strictEqual(await oneTimeCodes.take(late.digest, late.purpose, late.expiresAt), null);
    strictEqual((await oneTimeCodes.take(last.digest, last.purpose, last.expiresAt - 1))?.digest, last.digest);
  },

  'storing a code removes expired codes, and no others': async ({ oneTimeCodes }) => {
    const old = aOneTimeCode();
    const young = aOneTimeCode({ expiresAt: old.expiresAt + 1 });
    for (const code of [old, young]) await oneTimeCodes.put(code, start);
    await oneTimeCodes.put(aOneTimeCode({ expiresAt: old.expiresAt + 60_000 }), old.expiresAt);
    // At this earlier instant, the code would still be valid if it had not been removed.
    strictEqual(await oneTimeCodes.take(old.digest, old.purpose, start), null);
    strictEqual((await oneTimeCodes.take(young.digest, young.purpose, start))?.digest, young.digest);
  },
} as const satisfies Contract<Stores>;
