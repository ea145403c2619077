import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordLog } from '@portico/contracts';
import { credentialsMail, type ClientId, type JobId, type Mail, rejectionMail } from '@portico/domain';
import { temporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { findTemplateProblems, withTemplates } from './mail-templates.ts';

const ada = { email: 'ada@example.com' };
const credentials = { clientId: 'c-1' as ClientId, secret: 'what only Ada may know' };
const head = (id: string) => ({ id: id as JobId, address: 'https://portico.example.com' });
const credentialsMailOfAda = credentialsMail(head('a1'), ada, credentials);

const folderOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = temporaryFolder(onTestFinished);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
};

/** Returns a mailer that uses these templates, the mails that it sends, and its log. */
const mailerWith = async (files: Readonly<Record<string, string>>) => {
  const folder = await folderOf(files);
  const sent: Mail[] = [];
  const log = recordLog();
  const mailer = await withTemplates(
    { enabled: true, send: async (mail: Mail) => void sent.push(mail) },
    { folder, log },
  );
  return { mailer, sent, log };
};

test('templates replace the parts of their mail, using its facts', async () => {
  const { mailer, sent, log } = await mailerWith({
    'credentials.subject.liquid': 'Welcome, {{ email }}',
    'credentials.text.liquid': 'Id {{ client_id }}, secret {{ client_secret }}, at {{ address }}.',
    'credentials.html.liquid': '<b>{{ client_id }}</b>',
  });
  await mailer.send(credentialsMailOfAda);
  expect(sent).toMatchObject([
    {
      to: ada.email,
      subject: 'Welcome, ada@example.com',
      text: 'Id c-1, secret what only Ada may know, at https://portico.example.com.',
      html: '<b>c-1</b>',
    },
  ]);
  expect(log.lines).toEqual([]);
});

test('other mails, and parts without a template, keep the built-in text', async () => {
  const { mailer, sent } = await mailerWith({ 'credentials.subject.liquid': 'Hi' });
  const rejection = rejectionMail(head('a2'), ada, 'No.');
  await mailer.send(credentialsMailOfAda);
  await mailer.send(rejection);
  expect(sent).toEqual([{ ...credentialsMailOfAda, subject: 'Hi' }, rejection]);
});

test('with a template only for the text, the HTML has the same content', async () => {
  const { mailer, sent } = await mailerWith({ 'rejection.text.liquid': 'No: {{ reason }}' });
  await mailer.send(rejectionMail(head('a1'), ada, '<i>&</i>'));
  expect(sent[0]?.text).toBe('No: <i>&</i>');
  expect(sent[0]?.html).toContain('<pre>No: &lt;i&gt;&amp;&lt;/i&gt;</pre>');
});

test('user input cannot become markup in HTML', async () => {
  const { mailer, sent } = await mailerWith({ 'rejection.html.liquid': '<p>{{ reason }}</p>' });
  await mailer.send(rejectionMail(head('a1'), ada, '<script>"&'));
  expect(sent[0]?.html).toBe('<p>&lt;script&gt;&#34;&amp;</p>');
});

test('a template may render another file of its folder, but none outside of it', async () => {
  const { mailer, sent, log } = await mailerWith({
    'footer.liquid': 'Yours, Roads',
    'credentials.text.liquid': "Hi. {% render 'footer.liquid' %}",
    'rejection.text.liquid': "{% render '/etc/hostname' %}",
  });
  await mailer.send(credentialsMailOfAda);
  await mailer.send(rejectionMail(head('a1'), ada, null));
  expect(sent[0]?.text).toBe('Hi. Yours, Roads');
  expect(sent[1]?.text).toContain('your registration was reviewed');
  expect(log.lines).toHaveLength(1);
});

test('a file that is neither a template nor rendered by one is logged, because its name is probably mistyped', async () => {
  const { mailer, sent, log } = await mailerWith({
    'credentails.text.liquid': 'Hi',
    'rejection.txt.liquid': 'Hi',
    'footer.liquid': 'Yours, Roads',
    'rejection.text.liquid': "Hi. {% render 'footer' %}",
  });
  await mailer.send(credentialsMailOfAda);
  expect(sent).toEqual([credentialsMailOfAda]);
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
])(
  "if a template %s, its mail is sent in the service's own words, and the log names the template",
  async (_why, text) => {
    const { mailer, sent, log } = await mailerWith({ 'credentials.text.liquid': text });
    await mailer.send(credentialsMailOfAda);
    expect(sent).toEqual([credentialsMailOfAda]);
    const logText = JSON.stringify(log.lines);
    expect(logText).toContain('credentials.text.liquid');
    expect(logText).not.toContain(credentials.secret);
  },
);

test('an unreadable folder is logged, and changes nothing', async () => {
  const sent: Mail[] = [];
  const log = recordLog();
  const mailer = await withTemplates(
    { enabled: true, send: async (mail: Mail) => void sent.push(mail) },
    { folder: join(import.meta.dirname, 'no-such-folder'), log },
  );
  await mailer.send(credentialsMailOfAda);
  expect(sent).toEqual([credentialsMailOfAda]);
  expect(JSON.stringify(log.lines)).toContain('cannot be read');
});

test('the problems of a folder can be listed without a start', async () => {
  const good = { 'footer.liquid': 'Yours', 'credentials.text.liquid': "Hi. {% render 'footer' %}" };
  expect(await findTemplateProblems(await folderOf(good))).toEqual([]);
  const bad = {
    ...good,
    'credentails.text.liquid': 'Hi',
    'rejection.text.liquid': '{% if %',
    'expiry.text.liquid': '',
  };
  const problems = await findTemplateProblems(await folderOf({ ...bad, 'waiting.text.liquid': 'x'.repeat(262_145) }));
  expect(problems).toEqual([
    expect.stringMatching(/^waiting\.text\.liquid: A template is not used: it has more than 262144 bytes$/),
    expect.stringMatching(/^credentails\.text\.liquid: A template is not used: it is named after no mail and part/),
    expect.stringMatching(/^rejection\.text\.liquid: A template is broken: the service's own words stay \(.+\)$/),
  ]);
  const missing = join(import.meta.dirname, 'no-such-folder');
  expect((await findTemplateProblems(missing))[0]).toMatch(
    /no-such-folder: The folder of templates cannot be read: .* \(ENOENT/,
  );
});
