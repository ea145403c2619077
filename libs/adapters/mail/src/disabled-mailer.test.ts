import { expect, test } from 'vitest';
import { createDisabledMailer } from './disabled-mailer.ts';

test('a disabled mailer reports that it is disabled, and sends nothing', async () => {
  const mailer = createDisabledMailer();
  expect(mailer.enabled).toBe(false);
  await expect(
    mailer.send({
      id: 'a1',
      to: 'ada@example.com',
      subject: 'Hello',
      text: 'Hello',
      html: '<p>Hello</p>',
      name: 'credentials',
      data: {},
    }),
  ).rejects.toMatchObject({ name: 'DeliveryError', permanent: false });
});
