import { expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import type { ConsoleService, Person } from './console-service.ts';

const personOf = (uid: string): Person => ({ uid, email: `${uid}@example.com` });
export const ada = personOf('ada');
const [bob, cyd, wanda] = [personOf('bob'), personOf('cyd'), personOf('wanda')];
const pathOf = ({ email }: Person): string => `/people/${encodeURIComponent(email)}`;
const crew = '/access/groups/Crew';

/** What the walks are about: ids of APIs, and of cyd's request for Winds. */
export interface Seed {
  readonly service: ConsoleService;
  readonly weather: string;
  readonly tides: string;
  readonly asked: string;
}

/** Fills a new service, so that each dialog can be opened. */
export const seedDialogs = async (service: ConsoleService): Promise<Seed> => {
  const { ask, register } = service;
  for (const person of [ada, bob, cyd]) await register(person);
  for (const person of [wanda, personOf('walt')]) await register(person, { approved: false });
  const add = async (name: string): Promise<string> => {
    const made = { name, discoverable: true, openapi_spec: documentOf(name) };
    return (await ask<{ id: string }>('POST', '/api/collections/', made)).id;
  };
  const [weather, tides, winds] = [await add('Weather'), await add('Tides'), await add('Winds')];
  await ask('PUT', `/api/collections/${weather}`, { authentication: { type: 'bearer', value: 'secret' } });
  await ask('POST', '/api/groups', { name: 'Crew' });
  await ask('POST', '/api/groups/Crew/members', { profiles: [ada.email, bob.email] });
  const granted = { profiles: [ada.email, cyd.email], groups: ['Crew'], collections: [weather] };
  await ask('POST', '/api/access/grants', granted);
  await ask('POST', '/api/rate-limits/tiers', { tier: 'gold', allowed_limit: 9_000, window_seconds: 60 });
  await ask('POST', '/api/rate-limits/overrides', { client_id: cyd.email, allowed_limit: 900, window_seconds: 60 });
  const wish = async (person: Person, id: string): Promise<string> => {
    const body = { collection_id: id, reason: 'To look at it' };
    return (await ask<{ id: string }>('POST', '/api/access/requests', body, person)).id;
  };
  await wish(ada, tides);
  const asked = await wish(cyd, winds);
  // A mail without a secret, which can be sent again.
  await ask('POST', `/api/access/requests/${await wish(bob, winds)}/deny`, { reason: 'No' });
  return { service, weather, tides, asked };
};

/** How a dialog is opened. */
export interface Walk {
  /** `:weather` and `:tides` stand for the ids of these APIs. */
  readonly at: string;
  /** An administrator, unless this client. */
  readonly as?: Person;
  readonly before?: (page: Page) => Promise<unknown>;
  /** Rows that are chosen first. */
  readonly choose?: string;
  /** The name of the button that opens it. */
  readonly press: string;
  readonly title: string;
  /** What is done in the dialog until another one, or what came of it, takes its place. */
  readonly then?: (page: Page, dialog: Locator, seed: Seed) => Promise<unknown>;
  /** The title of what takes its place, if it is another one. */
  readonly thenTitle?: string;
  /** Whether it is left by the button alone that says that it was copied. */
  readonly shownOnce?: boolean;
  /** Where the focus is afterwards, if what opened it is gone. */
  readonly back?: string;
}

const documentOf = (title: string) => ({ openapi: '3.0.3', info: { title, version: '1' }, paths: {} });

const pressIn = (name: string) => (_page: Page, dialog: Locator) =>
  dialog.getByRole('button', { name, exact: true }).click();

/** Pastes as a person does: with the keys, from the clipboard. */
const pasteIn = async (dialog: Locator, label: string, text: string): Promise<void> => {
  await dialog.page().evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await dialog.getByLabel(label, { exact: true }).first().focus();
  await dialog.page().keyboard.press('Control+V');
};

/** What has the focus within a dialog: the name of a button, or what kind of field; empty if nothing of it has. */
export const focusIn = (dialog: Locator): Promise<string> =>
  dialog.evaluate((box) => {
    const focused = document.activeElement;
    if (!focused || focused === box || !box.contains(focused)) return '';
    return focused.getAttribute('aria-label') ?? (focused.textContent?.trim() || focused.tagName);
  });

/** All dialogs, by the file that has them. */
export const walks: Readonly<Record<string, readonly Walk[]>> = {
  'pages/access/decide-dialog.tsx': [
    { at: '/access/requests?status=denied', press: 'Details of bob: Winds', title: 'A request for access' },
    {
      at: '/access/requests',
      choose: 'ada for Tides',
      press: 'Decide about 1 request',
      title: 'A request for access',
    },
    {
      at: '/access/requests',
      choose: 'cyd for Winds',
      press: 'Decide about 1 request',
      title: 'A request for access',
      then: async (page, dialog, seed) => {
        await seed.service.ask('POST', `/api/access/requests/${seed.asked}/deny`, {});
        await pressIn('Approve')(page, dialog);
        await dialog.getByText('decided already').waitFor();
      },
      back: '#content',
    },
  ],
  'pages/access/grant-dialog.tsx': [
    { at: '/access', press: 'Grant access', title: 'Grant access' },
    {
      at: '/access?api=:tides',
      press: 'Grant access',
      title: 'Grant access',
      then: async (page, dialog) => {
        await pasteIn(dialog, 'People', 'zoe@example.com');
        await page.keyboard.press('Escape');
        await pressIn('Keep editing')(page, dialog);
        await pressIn('Grant 1')(page, dialog);
        await dialog.getByText('Nobody is registered as zoe').waitFor();
      },
    },
  ],
  'pages/access/group-apis.tsx': [
    { at: `${crew}?show=apis`, choose: 'Weather', press: 'Change the end of 1', title: 'Change the end' },
    { at: `${crew}?show=apis`, choose: 'Weather', press: 'Revoke 1', title: 'Revoke access?' },
  ],
  'pages/access/group-dialogs.tsx': [
    { at: '/access/groups', press: 'New group', title: 'New group' },
    { at: crew, press: 'Edit', title: 'Edit the group' },
    { at: crew, press: 'Delete', title: 'Delete Crew?' },
    { at: crew, press: 'Add members', title: 'Add members' },
    {
      at: crew,
      press: 'Add members',
      title: 'Add members',
      then: async (page, dialog) => {
        await pasteIn(dialog, 'People', 'zoe@example.com');
        await pressIn('Add 1')(page, dialog);
        await dialog.getByText('Nobody is registered as zoe').waitFor();
      },
    },
  ],
  'pages/access/group-members.tsx': [
    { at: crew, choose: 'ada', press: 'Remove 1', title: 'Remove members?' },
    {
      at: crew,
      choose: 'bob',
      press: 'Remove 1',
      title: 'Remove members?',
      then: async (page, dialog, seed) => {
        await seed.service.ask('DELETE', `/api/groups/Crew/members/${bob.email}`);
        await pressIn('Remove 1')(page, dialog);
        await dialog.getByText('0 removed').waitFor();
      },
      back: '#content',
    },
  ],
  'pages/access/row-dialogs.tsx': [
    { at: '/access', choose: 'cyd: Weather', press: 'Change the end of 1', title: 'Change the end' },
    { at: '/access', choose: 'cyd: Weather', press: 'Revoke 1', title: 'Revoke access?' },
  ],
  'pages/apis/authentication-dialog.tsx': [
    { at: '/apis/:weather', press: 'Authentication', title: 'Authentication' },
    {
      at: '/apis/:weather',
      press: 'Authentication',
      title: 'Authentication',
      then: async (page, dialog) => {
        await pressIn('Remove what is set')(page, dialog);
        const question = page.getByRole('dialog', { name: 'Remove the authentication that is set?' });
        await expect.poll(() => focusIn(question)).toBe('Cancel');
        await page.keyboard.press('Escape');
        await question.waitFor({ state: 'detached' });
        await expect.poll(() => focusIn(dialog)).toBe('Remove what is set');
      },
    },
  ],
  'pages/apis/delete-dialog.tsx': [{ at: '/apis/:weather', press: 'Delete', title: 'Delete this API' }],
  'pages/apis/edit-dialog.tsx': [{ at: '/apis/:weather', press: 'Edit', title: 'Edit this API' }],
  'pages/apis/import-list.tsx': [
    {
      at: '/apis/import',
      before: (page) =>
        page.locator('input[type=file]:not([webkitdirectory])').setInputFiles({
          name: 'departing.json',
          mimeType: 'application/json',
          buffer: Buffer.from(JSON.stringify({ ...documentOf('Departing'), surprise: 1 })),
        }),
      press: '1 departure',
      title: 'Departures of Departing',
    },
  ],
  'pages/apis/replace-dialog.tsx': [
    { at: '/apis/:weather', press: 'Replace the document', title: 'Replace the document' },
  ],
  'pages/audit/export-button.tsx': [
    {
      at: '/audit?source=system',
      press: 'Export',
      title: 'Export a long log?',
    },
  ],
  'pages/clients/ask-dialog.tsx': [{ at: '/ask', as: ada, press: 'Ask for Winds', title: 'Ask for Winds' }],
  'pages/clients/new-secret.tsx': [
    { at: '/key', as: ada, press: 'Make a new secret', title: 'Make a new secret' },
    {
      at: '/key',
      as: ada,
      press: 'Make a new secret',
      title: 'Make a new secret',
      then: pressIn('Make a new secret'),
      thenTitle: 'Your new secret',
      shownOnce: true,
    },
  ],
  'pages/clients/own-requests.tsx': [
    {
      at: '/ask?view=requests',
      as: ada,
      press: 'Withdraw the request for Tides',
      title: 'Withdraw the request for Tides',
    },
  ],
  'pages/health/dead-letters.tsx': [
    { at: '/health', press: `Discard: Mail: credentials, ${ada.email}`, title: 'Discard this job?' },
    { at: '/health', press: 'Retry all', title: 'Retry all' },
  ],
  'pages/health/reindex.tsx': [{ at: '/health', press: 'Embed again', title: 'Embed everything again' }],
  'pages/limits/assign-dialog.tsx': [{ at: '/limits', press: 'Assign gold', title: 'Who gets the tier gold?' }],
  'pages/limits/overrides.tsx': [
    { at: '/limits', press: 'New override', title: 'New override' },
    { at: '/limits', press: 'Edit the override for cyd', title: 'Edit the override for cyd' },
    { at: '/limits', press: 'Delete the override for cyd', title: 'Delete the override for cyd' },
  ],
  'pages/limits/tiers.tsx': [
    { at: '/limits', press: 'New tier', title: 'New tier' },
    { at: '/limits', press: 'Edit gold', title: 'Edit the tier gold' },
    { at: '/limits', press: 'Delete gold', title: 'Delete the tier gold' },
  ],
  'pages/people/delete-act.tsx': [{ at: pathOf(ada), press: 'Delete', title: 'Delete ada' }],
  'pages/people/group-dialog.tsx': [
    { at: '/people?status=approved', choose: 'ada', press: 'Add to group', title: 'Add 1 person to a group' },
  ],
  'pages/people/issued-key.tsx': [
    {
      at: pathOf(ada),
      press: 'Replace the secret',
      title: 'Replace the secret of the API key',
      then: pressIn('Replace the secret'),
      thenTitle: 'API key of ada',
      shownOnce: true,
    },
  ],
  'pages/people/many-dialogs.tsx': [
    {
      at: '/people?status=pending',
      choose: 'all that are shown',
      press: 'Approve 2',
      title: 'Approve 2 people?',
    },
    { at: '/people?status=pending', choose: 'wanda', press: 'Reject 1', title: 'Reject 1 person' },
    { at: '/people?status=approved', choose: 'ada', press: 'Set tier', title: 'Set the tier of 1 person' },
  ],
  'pages/people/person-access.tsx': [{ at: pathOf(ada), press: 'Grant APIs', title: 'Grant APIs to ada' }],
  'pages/people/person-groups.tsx': [{ at: pathOf(ada), press: 'Add to groups', title: 'Add ada to groups' }],
  'pages/people/person-key.tsx': [
    { at: pathOf(ada), press: 'Set an end', title: 'When the API key expires' },
    { at: pathOf(ada), press: 'Replace the secret', title: 'Replace the secret of the API key' },
  ],
  'pages/people/person-limit.tsx': [{ at: pathOf(ada), press: 'Set an override', title: 'Override for ada' }],
  'pages/people/role-act.tsx': [{ at: pathOf(ada), press: 'Make administrator', title: 'Make ada an administrator' }],
  'pages/people/standing-acts.tsx': [{ at: pathOf(ada), press: 'Suspend', title: 'Suspend ada' }],
};
