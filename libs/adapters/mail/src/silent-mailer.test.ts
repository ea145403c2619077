import { expect, test } from 'vitest';
import { createSilentMailer } from './silent-mailer.ts';

test('a silent mailer reports that it is disabled, and sends nothing', async () => {
  const mailer = createSilentMailer();
  expect(mailer.enabled).toBe(false);
  await expect(
    mailer.send({
      id: 'a1',
      to: 'ada@example.com',
      subject: 'Hello',
      text: 'Hello',
      html: '<p>Hello</p>',
      name: 'credentials',
      facts: {},
    }),
  ).rejects.toMatchObject({ name: 'DeliveryError', permanent: false });
});
