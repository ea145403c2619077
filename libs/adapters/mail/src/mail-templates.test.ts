import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordLog } from '@portico/contracts';
import { composeCredentialsMail, type ClientId, type JobId, type Mail, composeRejectionMail } from '@portico/domain';
import { createTemporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { findTemplateProblems, withTemplates } from './mail-templates.ts';

const ada = { email: 'ada@example.com' };
const credentials = { clientId: 'c-1' as ClientId, secret: 'what only Ada may know' };
const mailHeader = (id: string) => ({ id: id as JobId, serviceUrl: 'https://portico.example.com' });
const credentialsMailOfAda = composeCredentialsMail(mailHeader('a1'), ada, credentials);

const folderOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = createTemporaryFolder(onTestFinished);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
};

/** Returns a mailer that uses these templates, the emails that it sends, and its log. */
const mailerWith = async (files: Readonly<Record<string, string>>) => {
  const folder = await folderOf(files);
  const sentMails: Mail[] = [];
  const log = recordLog();
  const mailer = await withTemplates(
    { enabled: true, send: async (mail: Mail) => void sentMails.push(mail) },
    { folder, log },
  );
  return { mailer, sentMails, log };
};

test('templates replace the parts of their email, using its data', async () => {
  const { mailer, sentMails, log } = await mailerWith({
    'credentials.subject.liquid': 'Welcome, {{ email }}',
    'credentials.text.liquid': 'Id {{ client_id }}, secret {{ client_secret }}, at {{ address }}.',
    'credentials.html.liquid': '<b>{{ client_id }}</b>',
  });
  await mailer.send(credentialsMailOfAda);
  expect(sentMails).toMatchObject([
    {
      to: ada.email,
      subject: 'Welcome, ada@example.com',
      text: 'Id c-1, secret what only Ada may know, at https://portico.example.com.',
      html: '<b>c-1</b>',
    },
  ]);
  expect(log.lines).toEqual([]);
});

test('other emails, and parts without a template, keep the built-in text', async () => {
  const { mailer, sentMails } = await mailerWith({ 'credentials.subject.liquid': 'Hi' });
  const rejection = composeRejectionMail(mailHeader('a2'), ada, 'No.');
  await mailer.send(credentialsMailOfAda);
  await mailer.send(rejection);
  expect(sentMails).toEqual([{ ...credentialsMailOfAda, subject: 'Hi' }, rejection]);
});

test('with a template only for the text, the HTML has the same content', async () => {
  const { mailer, sentMails } = await mailerWith({ 'rejection.text.liquid': 'No: {{ reason }}' });
  await mailer.send(composeRejectionMail(mailHeader('a1'), ada, '<i>&</i>'));
  expect(sentMails[0]?.text).toBe('No: <i>&</i>');
  expect(sentMails[0]?.html).toContain('<pre>No: &lt;i&gt;&amp;&lt;/i&gt;</pre>');
});

test('user input cannot become markup in HTML', async () => {
  const { mailer, sentMails } = await mailerWith({ 'rejection.html.liquid': '<p>{{ reason }}</p>' });
  await mailer.send(composeRejectionMail(mailHeader('a1'), ada, '<script>"&'));
  expect(sentMails[0]?.html).toBe('<p>&lt;script&gt;&#34;&amp;</p>');
});

test('a template may render other files in its folder, but none outside of it', async () => {
  const { mailer, sentMails, log } = await mailerWith({
    'footer.liquid': 'Yours, Roads',
    'credentials.text.liquid': "Hi. {% render 'footer.liquid' %}",
    'rejection.text.liquid': "{% render '/etc/hostname' %}",
  });
  await mailer.send(credentialsMailOfAda);
  await mailer.send(composeRejectionMail(mailHeader('a1'), ada, null));
  expect(sentMails[0]?.text).toBe('Hi. Yours, Roads');
  expect(sentMails[1]?.text).toContain('your registration was reviewed');
  expect(log.lines).toHaveLength(1);
});

test('a file that is neither a template nor rendered by one is logged, because its name is probably mistyped', async () => {
  const { mailer, sentMails, log } = await mailerWith({
    'credentails.text.liquid': 'Hi',
    'rejection.txt.liquid': 'Hi',
    'footer.liquid': 'Yours, Roads',
    'rejection.text.liquid': "Hi. {% render 'footer' %}",
  });
  await mailer.send(credentialsMailOfAda);
  expect(sentMails).toEqual([credentialsMailOfAda]);
  expect(log.lines.map((line) => /"template":"([^"]*)"/.exec(JSON.stringify(line))?.[1])).toEqual([
    'credentails.text.liquid',
    'rejection.txt.liquid',
  ]);
});

test.each([
  ['does not parse', '{% if %'],
  ['uses an unknown variable', '{{ client_secre }}'],
  ['uses an unknown filter', '{{ email | sparkle }}'],
  ['never ends', '{% for i in (1..100000000) %}{% for j in (1..100000000) %}x{% endfor %}{% endfor %}'],
  ['is too large', 'x'.repeat(262_145)],
])('if a template %s, its email is sent with the built-in text, and the log names the template', async (_why, text) => {
  const { mailer, sentMails, log } = await mailerWith({ 'credentials.text.liquid': text });
  await mailer.send(credentialsMailOfAda);
  expect(sentMails).toEqual([credentialsMailOfAda]);
  const logText = JSON.stringify(log.lines);
  expect(logText).toContain('credentials.text.liquid');
  expect(logText).not.toContain(credentials.secret);
});

test('an unreadable folder is logged, and changes nothing', async () => {
  const sentMails: Mail[] = [];
  const log = recordLog();
  const mailer = await withTemplates(
    { enabled: true, send: async (mail: Mail) => void sentMails.push(mail) },
    { folder: join(import.meta.dirname, 'no-such-folder'), log },
  );
  await mailer.send(credentialsMailOfAda);
  expect(sentMails).toEqual([credentialsMailOfAda]);
  expect(JSON.stringify(log.lines)).toContain('cannot be read');
});

test('the problems of a folder can be listed without starting the service', async () => {
  const validTemplates = { 'footer.liquid': 'Yours', 'credentials.text.liquid': "Hi. {% render 'footer' %}" };
  expect(await findTemplateProblems(await folderOf(validTemplates))).toEqual([]);
  const invalidTemplates = {
    ...validTemplates,
    'credentails.text.liquid': 'Hi',
    'rejection.text.liquid': '{% if %',
    'expiry.text.liquid': '',
  };
  const problems = await findTemplateProblems(
    await folderOf({ ...invalidTemplates, 'waiting.text.liquid': 'x'.repeat(262_145) }),
  );
  expect(problems).toEqual([
    expect.stringMatching(/^waiting\.text\.liquid: A template is not used: it has more than 262144 bytes$/),
    expect.stringMatching(
      /^credentails\.text\.liquid: A template is not used: its name does not match a part of an email/,
    ),
    expect.stringMatching(/^rejection\.text\.liquid: A template is broken: the built-in text is used \(.+\)$/),
  ]);
  const missingFolder = join(import.meta.dirname, 'no-such-folder');
  expect((await findTemplateProblems(missingFolder))[0]).toMatch(
    /no-such-folder: The folder of templates cannot be read: .* \(ENOENT/,
  );
});
