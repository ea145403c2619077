import { randomBytes } from 'node:crypto';
import { aCollection, aDocumentContent, aJob, aProfile, jobEffectsOf, noEffects, start } from '@portico/contracts';
import { expect, test } from 'vitest';
import { yieldEveryTime } from '../test/slices.ts';
import { describeDialects } from '../test/dialects.ts';

describeDialects(({ withStores }) => {
  test('a document of several megabytes is returned unchanged', () =>
    withStores(async ({ stores: { collections } }) => {
      const collection = aCollection();
      const packedText = { deflated: Uint8Array.from(randomBytes(6_000_000)), crc32: 0xffff_fffe, bytes: 32_000_000 };
      await collections.add(collection, aDocumentContent(), noEffects);
      const document = { ...aDocumentContent(), packed: packedText };
      await collections.update(collection.id, (currentCollection) => ({
        ...noEffects,
        collection: currentCollection,
        document,
      }));
      const { deflated, ...rest } = (await collections.findDocument(collection.id))?.packed ?? {};
      expect(rest).toEqual({ crc32: packedText.crc32, bytes: packedText.bytes });
      // `toEqual` would compare byte by byte, which takes seconds.
      expect(deflated && Buffer.compare(deflated, packedText.deflated)).toBe(0);
    }));

  test.for([
    `it's "quoted"`,
    "a \\ backslash \\' and \\? more",
    'a ? and ?1 and :name and $1 and @x',
    'two\nlines\r\n\tand a tab',
    "'; drop table profiles; --",
    '😀 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u202e \u0301',
    '%s {0} ${name} `x`',
  ])('the text %j is stored unchanged', (text) =>
    withStores(async ({ stores: { profiles, collections, callers } }) => {
      const profile = aProfile({ fullName: text, companyName: text, uid: text });
      await profiles.add(profile, noEffects);
      await profiles.update(profile.id, ({ profile: currentProfile, key }) => ({
        ...noEffects,
        profile: { ...currentProfile, companyName: `${text}${text}` },
        key,
      }));
      expect(await profiles.find(profile.id)).toEqual({ ...profile, companyName: `${text}${text}` });

      const collection = aCollection({ name: text, description: text, importKey: text });
      await collections.add(collection, aDocumentContent(), noEffects);
      expect(await collections.findByImportKey(text)).toEqual(collection);
      expect(await callers.findByEitherId(profile.id, start)).toMatchObject({ profile: { fullName: text } });
    }),
  );

  test('jobs added in many batches do not starve the event loop', () =>
    withStores(async ({ stores: { embeddingJobs } }) => {
      yieldEveryTime();
      let [ticks, isDone] = [0, false];
      const count = () => {
        ticks += 1;
        if (!isDone) setImmediate(count);
      };
      setImmediate(count);
      for (let batch = 1; batch <= 5; batch += 1) await embeddingJobs.enqueue(jobEffectsOf(aJob()));
      isDone = true;
      expect(ticks).toBeGreaterThanOrEqual(5);
    }));

  test('the error of a rejected write does not reveal the written values', () =>
    withStores(async ({ stores: { profiles } }) => {
      const profile = aProfile();
      await profiles.add(profile, noEffects);
      const rejection: unknown = await profiles
        .add({ ...aProfile(), uid: profile.uid }, noEffects)
        .catch((e: unknown) => e);
      const texts = [];
      for (let error: unknown = rejection; error instanceof Error; error = error.cause) {
        texts.push(error.message, error.stack, ...Object.values(error).map(String));
      }
      expect(texts.join('\n')).toContain('Identity already registered');
      expect(texts.join('\n')).toMatch(
        /UNIQUE constraint failed: profiles.uid|unique constraint "profiles_uid_unique"/,
      );
      expect(texts.join('\n')).not.toContain(profile.uid);
    }));
});
