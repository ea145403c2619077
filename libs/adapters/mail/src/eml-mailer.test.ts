import { spawn } from 'node:child_process';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { mailerContract, type MailerSubject } from '@portico/contracts';
import { DeliveryError } from '@portico/domain';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { parseMail, createTemporaryFolder } from '@portico/test-servers';
import { aMail, sender, start } from '../test/send-by-smtp.ts';
import { createEmlMailer } from './eml-mailer.ts';

let root = '';
let folder = '';
beforeEach(() => {
  root = createTemporaryFolder(onTestFinished);
  folder = join(root, 'mails');
});

const createMailer = (from = sender, clock = { now: () => start }) => createEmlMailer({ folder, from, clock });

const namesIn = async (path: string): Promise<readonly string[]> => (await readdir(path)).sort();
const readAll = async (path: string) =>
  Promise.all((await namesIn(path)).map(async (name) => parseMail(await readFile(join(path, name)))));

/**
 * Creates a mailer to test. `interrupt` replaces the folder with a file, so that not even the superuser can write a
 * mail.
 */
const createSubject = (): MailerSubject => {
  const movedFolder = join(root, 'moved');
  let path = folder;
  return {
    mailer: createMailer(),
    listReceived: async () => ((await namesIn(root)).length === 0 ? [] : readAll(path)),
    interrupt: async () => {
      await createMailer().send(aMail({ id: 'before' }));
      await rm(join(folder, (await namesIn(folder))[0] ?? ''));
      await rename(folder, movedFolder);
      await writeFile(folder, '');
      path = movedFolder;
    },
    resume: async () => {
      await rm(folder);
      await rename(movedFolder, folder);
      path = folder;
    },
  };
};

for (const [title, check] of Object.entries(mailerContract)) {
  test(title, () => check(createSubject()));
}

test('an email has its sender, recipient, date and subject', async () => {
  await createMailer().send(aMail());
  const [mail] = await readAll(folder);
  const { 'content-type': contentType, ...headers } = Object.fromEntries(mail?.headers ?? []);
  expect(contentType).toMatch(/^multipart\/alternative;/);
  expect(headers).toEqual({
    from: 'Portico <noreply@portico.example>',
    to: 'ada@example.com',
    subject: 'Your API credentials',
    'message-id': '<a1@portico.example>',
    date: 'Tue, 03 Feb 2026 04:05:06 +0000',
    'mime-version': '1.0',
    'auto-submitted': 'auto-generated',
  });
});

test('a name with a comma stays one name, and with a non-ASCII domain the Message-ID uses portico.local', async () => {
  await createMailer('"Portico, Inc." <noreply@bücher.example>').send(aMail());
  const [mail] = await readAll(folder);
  expect(Object.fromEntries(mail?.headers ?? []).from).toMatch(
    /^"Portico, Inc\." <noreply@(bücher|xn--bcher-kva)\.example>$/,
  );
  expect(mail?.messageId).toBe('<a1@portico.local>');
});

test.each(['Portico', 'Portico <>', 'a@example.com, b@example.com'])('nothing is sent from %j', (from) => {
  expect(() => createMailer(from)).toThrow('one address');
});

test('only the owner can read folder and files, and only the email remains', async () => {
  await createMailer().send(aMail());
  expect(await namesIn(folder)).toEqual(['2026-02-03T04-05-06.789Z_a1.eml']);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, '2026-02-03T04-05-06.789Z_a1.eml'))).mode & 0o777).toBe(0o600);
});

test('the files sort by time, and an email sent again replaces its file and keeps its name', async () => {
  let now = start;
  const mailer = createMailer('portico@example.com', { now: () => now });
  for (const id of ['c_b', 'b', 'a', 'b']) {
    await mailer.send(aMail({ id }));
    now += 1000;
  }
  expect((await readAll(folder)).map(({ messageId }) => messageId)).toEqual([
    '<c_b@example.com>',
    '<b@example.com>',
    '<a@example.com>',
  ]);
});

test('every line ends in CRLF, and none is too long', async () => {
  await createMailer().send(aMail({ text: `${'ä'.repeat(3000)}\n`, html: `<p>${'x'.repeat(3000)}</p>` }));
  const [name = ''] = await namesIn(folder);
  const lines = (await readFile(join(folder, name), 'latin1')).split('\r\n');
  expect(lines.filter((line) => /[\r\n]/.test(line))).toEqual([]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
});

test('an email with an id that would escape the folder is rejected permanently', async () => {
  for (const id of ['../a', 'a/b', '', '.', 'a@b', 'a\r\nb', 'a..b', 'x'.repeat(200)]) {
    await expect(createMailer().send(aMail({ id }))).rejects.toMatchObject({ name: 'DeliveryError', permanent: true });
  }
  expect(await namesIn(root)).toEqual([]);
});

test('text that looks like a path or a URL is sent unchanged', async () => {
  await createMailer().send(aMail({ text: 'file:///etc/passwd', html: 'data:text/html,hello' }));
  expect((await readAll(folder))[0]).toMatchObject({ text: 'file:///etc/passwd', html: 'data:text/html,hello' });
});

test('a failure includes its cause, but its message does not reveal it', async () => {
  await writeFile(folder, '');
  const [outcome] = await Promise.allSettled([createMailer().send(aMail())]);
  const failure: unknown = outcome.status === 'rejected' ? outcome.reason : null;
  expect(failure).toBeInstanceOf(DeliveryError);
  expect(failure).toMatchObject({ message: 'The email could not be written: EEXIST', cause: { code: 'EEXIST' } });
});

test('an unfinished file of a killed process is harmless', async () => {
  await createMailer().send(aMail());
  await writeFile(join(folder, '.a2.tmp'), 'half a ma');
  await createMailer().send(aMail({ id: 'a2' }));
  expect((await readAll(folder)).map(({ messageId }) => messageId)).toEqual([
    '<a1@portico.example>',
    '<a2@portico.example>',
  ]);
});

test('a killed process leaves every email that it reported as sent, and no partial mail', async () => {
  const sender = spawn(
    process.execPath,
    ['-C', '@portico/source', join(import.meta.dirname, '../test/send-endlessly.ts'), folder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const reportedIds: string[] = [];
  for await (const id of createInterface(sender.stdout)) {
    reportedIds.push(id);
    if (reportedIds.length === 30) sender.kill('SIGKILL');
  }
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.eml'));
  const subjects = await Promise.all(names.map(async (name) => parseMail(await readFile(join(folder, name))).subject));
  expect(reportedIds.length).toBeGreaterThanOrEqual(30);
  expect(reportedIds.filter((id) => !subjects.includes(id))).toEqual([]);
});
