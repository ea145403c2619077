import { createEmlMailer } from '../src/eml-mailer.ts';

/** Writes emails to the given folder one by one, and prints each email's id. */
const [, , folder = ''] = process.argv;
const mailer = createEmlMailer({ folder, from: 'portico@example.com', clock: { now: () => Date.now() } });
for (let n = 0; ; n++) {
  const id = `mail-${n}`;
  await mailer.send({
    id,
    to: 'ada@example.com',
    subject: id,
    text: 'x'.repeat(20_000),
    html: `<p>${id}</p>`,
    name: 'credentials',
    data: {},
  });
  process.stdout.write(`${id}\n`);
}
