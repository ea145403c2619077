import { aCollection, aContent, aGroup, aProfile, noEffects } from '@portico/contracts';
import { expect, test } from 'vitest';
import { describeDialects, type RunSql } from '../../test/dialects.ts';

const undo = async (run: RunSql): Promise<void> => {
  await run('alter table profiles drop constraint profiles_email_key_unique').catch(() => []);
  await run('drop index profiles_email_key_unique').catch(() => []);
  await run('alter table profiles drop column email_key');
  await run("delete from schema_migrations where name = '0020-email-keys'");
};

describeDialects(({ withPlace }) => {
  test('profiles of before are found by any form of their e-mail; two of one mailbox stay, each by its own', () =>
    withPlace(async (open, run) => {
      const before = await open();
      const emails = [
        'ada@example.com',
        'b@b\u00fccher.example',
        'b@xn--bcher-kva.example',
        'jos\u00e9@x.example',
        'jose\u0301@x.example',
      ];
      const profiles = emails.map((email, at) => aProfile({ email: `${at}@example.com`, createdAt: at }));
      for (const profile of profiles) await before.stores.profiles.add(profile, noEffects);
      await before.close();
      await undo(run);
      for (const [at, { id }] of profiles.entries())
        await run('update profiles set email = ? where id = ?', [emails[at] ?? '', id]);
      const { stores, close } = await open();
      for (const [at, { id }] of profiles.entries())
        expect(await stores.profiles.findByEmail(emails[at] ?? '')).toMatchObject({ id, email: emails[at] });
      const found = async (email: string) => (await stores.profiles.findByEmail(email))?.id;
      expect(await found('ADA@example.com')).toBe(profiles[0]?.id);
      expect(await found('b@bu\u0308cher.example')).toBe(profiles[2]?.id);
      expect(await found('Jos\u00e9@x.example')).toBe(profiles[3]?.id);
      for (const email of emails)
        await expect(stores.profiles.add(aProfile({ email }), noEffects)).rejects.toMatchObject({
          code: 'email_taken',
        });
      await close();
    }));

  test('names that are compared are composed, unless another has the composed one', () =>
    withPlace(async (open, run) => {
      const before = await open();
      const [alone, first, second] = ['Zoe\u0308', 'Caf\u00e9', 'Cafe\u0301'].map((name) => aGroup({ name }));
      for (const group of [alone, first, second]) if (group) await before.stores.groups.add(group, noEffects);
      const collection = aCollection({ name: 'E\u0301tat' });
      await before.stores.collections.add(collection, aContent(), noEffects);
      await before.close();
      await undo(run);
      const { stores, close } = await open();
      const names = (await stores.groups.list(0)).map(({ id, name }) => [id, name]);
      expect(names).toEqual(
        expect.arrayContaining([
          [alone?.id, 'Zo\u00eb'],
          [first?.id, 'Caf\u00e9'],
          [second?.id, 'Cafe\u0301'],
        ]),
      );
      expect(await stores.collections.find(collection.id)).toEqual({
        ...collection,
        name: '\u00c9tat',
        revision: collection.revision + 1,
      });
      await close();
    }));
});
