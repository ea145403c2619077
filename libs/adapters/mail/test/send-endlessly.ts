import { createEmlMailer } from '../src/eml-mailer.ts';

/** Sends one mail after the other into the folder that it is given, and says the id of each that was sent. */
const [, , folder = ''] = process.argv;
const mailer = createEmlMailer({ folder, from: 'portico@example.com', clock: { now: () => Date.now() } });
for (let n = 0; ; n++) {
  const id = `mail-${n}`;
  await mailer.send({ id, to: 'ada@example.com', subject: id, text: 'x'.repeat(20_000), html: `<p>${id}</p>` });
  process.stdout.write(`${id}\n`);
}
