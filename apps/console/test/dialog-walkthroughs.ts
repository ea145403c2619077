import { expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import type { ConsoleService, Person } from './console-service.ts';

const personOf = (uid: string): Person => ({ uid, email: `${uid}@example.com` });
export const ada = personOf('ada');
const [bob, cyd, wanda] = [personOf('bob'), personOf('cyd'), personOf('wanda')];
const pathOf = ({ email }: Person): string => `/people/${encodeURIComponent(email)}`;
const crew = '/access/groups/Crew';
const heldCallOf = ({ email }: Person): string => `${email}: DELETE /berths/{berth}`;

/** The data for the walkthroughs: the ids of APIs, of cyd's request for Winds, and of cyd's call that waits. */
export interface Seed {
  readonly service: ConsoleService;
  readonly weather: string;
  readonly tides: string;
  readonly requestId: string;
  readonly callId: string;
}

/** Seeds a new service so that each dialog can be opened. */
export const seedDialogs = async (service: ConsoleService): Promise<Seed> => {
  const { request, register } = service;
  for (const person of [ada, bob, cyd]) await register(person);
  for (const person of [wanda, personOf('walt')]) await register(person, { approved: false });
  const addApi = async (name: string): Promise<string> => {
    const body = { name, discoverable: true, openapi_spec: documentOf(name) };
    return (await request<{ id: string }>('POST', '/api/collections/', body)).id;
  };
  const [weather, tides, winds] = [await addApi('Weather'), await addApi('Tides'), await addApi('Winds')];
  await request('PUT', `/api/collections/${weather}`, { authentication: { type: 'bearer', value: 'secret' } });
  await request('POST', '/api/groups', { name: 'Crew' });
  await request('POST', '/api/groups/Crew/members', { profiles: [ada.email, bob.email] });
  const grantBody = { profiles: [ada.email, cyd.email], groups: ['Crew'], collections: [weather] };
  await request('POST', '/api/access/grants', grantBody);
  await request('POST', '/api/rate-limits/tiers', { tier: 'gold', allowed_limit: 9_000, window_seconds: 60 });
  await request('POST', '/api/rate-limits/overrides', { client_id: cyd.email, allowed_limit: 900, window_seconds: 60 });
  const requestAccess = async (person: Person, id: string): Promise<string> => {
    const body = { collection_id: id, reason: 'To look at it' };
    return (await request<{ id: string }>('POST', '/api/access/requests', body, person)).id;
  };
  await requestAccess(ada, tides);
  const requestId = await requestAccess(cyd, winds);
  // Queues an email without a secret, which can be retried.
  await request('POST', `/api/access/requests/${await requestAccess(bob, winds)}/deny`, { reason: 'No' });
  const deniedCallId = await service.holdCall(ada, weather, '{}');
  await request('POST', `/api/calls/${deniedCallId}/deny`, { reason: 'No' });
  const callId = await service.holdCall(cyd, weather, '{}');
  return { service, weather, tides, requestId, callId };
};

/** Describes how to open a dialog. */
export interface Walkthrough {
  /** `:weather` and `:tides` are replaced by the ids of these APIs. */
  readonly path: string;
  /** The client who is signed in. Default: an administrator. */
  readonly signedInAs?: Person;
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** The row to select first. */
  readonly rowToSelect?: string;
  /** The name of the button that opens the dialog. */
  readonly button: string;
  readonly title: string;
  /** The actions in the dialog until another dialog or the outcome replaces it. */
  readonly perform?: (page: Page, dialog: Locator, seed: Seed) => Promise<unknown>;
  /** The title of the dialog that replaces this one, if it differs. */
  readonly nextTitle?: string;
  /** Whether only the button `I have copied it` closes the dialog. */
  readonly isShownOnce?: boolean;
  /** The element that has the focus afterwards, if the opener no longer exists. */
  readonly focusAfter?: string;
}

const documentOf = (title: string) => ({ openapi: '3.0.3', info: { title, version: '1' }, paths: {} });

const pressIn = (name: string) => (_page: Page, dialog: Locator) =>
  dialog.getByRole('button', { name, exact: true }).click();

/** Pastes from the clipboard with the keyboard, as a person does. */
const pasteIn = async (dialog: Locator, label: string, text: string): Promise<void> => {
  await dialog.page().evaluate((content) => navigator.clipboard.writeText(content), text);
  await dialog.getByLabel(label, { exact: true }).first().focus();
  await dialog.page().keyboard.press('Control+V');
};

/** Returns the focused element of a dialog: the name of a button, or the kind of field; empty if there is none. */
export const focusIn = (dialog: Locator): Promise<string> =>
  dialog.evaluate((box) => {
    const focusedElement = document.activeElement;
    if (!focusedElement || focusedElement === box || !box.contains(focusedElement)) return '';
    return focusedElement.getAttribute('aria-label') ?? (focusedElement.textContent?.trim() || focusedElement.tagName);
  });

/** All dialogs, by the file that defines them. */
export const walkthroughs: Readonly<Record<string, readonly Walkthrough[]>> = {
  'pages/access/call-dialog.tsx': [
    { path: '/access/calls?status=denied', button: `Details of ${heldCallOf(ada)}`, title: 'Call' },
    {
      path: '/access/calls',
      button: `Review ${heldCallOf(cyd)}`,
      title: 'Call',
      perform: async (page, dialog, seed) => {
        await seed.service.request('POST', `/api/calls/${seed.callId}/deny`, {});
        await pressIn('Approve')(page, dialog);
        await dialog.getByText('already decided').waitFor();
      },
      focusAfter: '#content',
    },
  ],
  'pages/access/decide-dialog.tsx': [
    { path: '/access/requests?status=denied', button: 'Details of bob: Winds', title: 'Access request' },
    {
      path: '/access/requests',
      rowToSelect: 'ada for Tides',
      button: 'Review 1 request',
      title: 'Access request',
    },
    {
      path: '/access/requests',
      rowToSelect: 'cyd for Winds',
      button: 'Review 1 request',
      title: 'Access request',
      perform: async (page, dialog, seed) => {
        await seed.service.request('POST', `/api/access/requests/${seed.requestId}/deny`, {});
        await pressIn('Approve')(page, dialog);
        await dialog.getByText('already decided').waitFor();
      },
      focusAfter: '#content',
    },
  ],
  'pages/access/grant-dialog.tsx': [
    { path: '/access', button: 'Grant access', title: 'Grant access' },
    {
      path: '/access?api=:tides',
      button: 'Grant access',
      title: 'Grant access',
      perform: async (page, dialog) => {
        await pasteIn(dialog, 'People', 'zoe@example.com');
        await page.keyboard.press('Escape');
        await pressIn('Keep editing')(page, dialog);
        await pressIn('Grant 1')(page, dialog);
        await dialog.getByText('No one is registered as zoe').waitFor();
      },
    },
  ],
  'pages/access/group-apis.tsx': [
    { path: `${crew}?show=apis`, rowToSelect: 'Weather', button: 'Change expiry of 1', title: 'Change expiry' },
    { path: `${crew}?show=apis`, rowToSelect: 'Weather', button: 'Revoke 1', title: 'Revoke access?' },
  ],
  'pages/access/group-dialogs.tsx': [
    { path: '/access/groups', button: 'New group', title: 'New group' },
    { path: crew, button: 'Edit', title: 'Edit group' },
    { path: crew, button: 'Delete', title: 'Delete Crew?' },
    { path: crew, button: 'Add members', title: 'Add members' },
    {
      path: crew,
      button: 'Add members',
      title: 'Add members',
      perform: async (page, dialog) => {
        await pasteIn(dialog, 'People', 'zoe@example.com');
        await pressIn('Add 1')(page, dialog);
        await dialog.getByText('No one is registered as zoe').waitFor();
      },
    },
  ],
  'pages/access/group-members.tsx': [
    { path: crew, rowToSelect: 'ada', button: 'Remove 1', title: 'Remove members?' },
    {
      path: crew,
      rowToSelect: 'bob',
      button: 'Remove 1',
      title: 'Remove members?',
      perform: async (page, dialog, seed) => {
        await seed.service.request('DELETE', `/api/groups/Crew/members/${bob.email}`);
        await pressIn('Remove 1')(page, dialog);
        await dialog.getByText('0 removed').waitFor();
      },
      focusAfter: '#content',
    },
  ],
  'pages/access/row-dialogs.tsx': [
    { path: '/access', rowToSelect: 'cyd: Weather', button: 'Change expiry of 1', title: 'Change expiry' },
    { path: '/access', rowToSelect: 'cyd: Weather', button: 'Revoke 1', title: 'Revoke access?' },
  ],
  'pages/apis/address-dialog.tsx': [{ path: '/apis/:weather', button: 'Address', title: 'Address' }],
  'pages/apis/authentication-dialog.tsx': [
    { path: '/apis/:weather', button: 'Authentication', title: 'Authentication' },
    {
      path: '/apis/:weather',
      button: 'Authentication',
      title: 'Authentication',
      perform: async (page, dialog) => {
        await pressIn('Remove authentication')(page, dialog);
        const confirmation = page.getByRole('dialog', { name: 'Remove authentication?' });
        await expect.poll(() => focusIn(confirmation)).toBe('Cancel');
        await page.keyboard.press('Escape');
        await confirmation.waitFor({ state: 'detached' });
        await expect.poll(() => focusIn(dialog)).toBe('Remove authentication');
      },
    },
  ],
  'pages/apis/delete-dialog.tsx': [{ path: '/apis/:weather', button: 'Delete', title: 'Delete this API' }],
  'pages/apis/edit-dialog.tsx': [{ path: '/apis/:weather', button: 'Edit', title: 'Edit this API' }],
  'pages/apis/import-list.tsx': [
    {
      path: '/apis/import',
      prepare: (page) =>
        page.locator('input[type=file]:not([webkitdirectory])').setInputFiles({
          name: 'departing.json',
          mimeType: 'application/json',
          buffer: Buffer.from(
            JSON.stringify({ ...documentOf('Departing'), servers: [{ url: 'https://a.example' }], surprise: 1 }),
          ),
        }),
      button: '1 warning',
      title: 'Warnings for Departing',
    },
  ],
  'pages/apis/replace-dialog.tsx': [{ path: '/apis/:weather', button: 'Replace document', title: 'Replace document' }],
  'pages/audit/export-button.tsx': [
    {
      path: '/audit?source=system',
      button: 'Export',
      title: 'Export a long log?',
    },
  ],
  'pages/clients/ask-dialog.tsx': [{ path: '/ask', signedInAs: ada, button: 'Ask for Winds', title: 'Ask for Winds' }],
  'pages/clients/new-secret.tsx': [
    { path: '/key', signedInAs: ada, button: 'Create new secret', title: 'Create new secret' },
    {
      path: '/key',
      signedInAs: ada,
      button: 'Create new secret',
      title: 'Create new secret',
      perform: pressIn('Create new secret'),
      nextTitle: 'Your new secret',
      isShownOnce: true,
    },
  ],
  'pages/clients/own-requests.tsx': [
    {
      path: '/ask?view=requests',
      signedInAs: ada,
      button: 'Withdraw the request for Tides',
      title: 'Withdraw the request for Tides',
    },
  ],
  'pages/health/dead-letters.tsx': [
    { path: '/health', button: `Discard: Mail: credentials, ${ada.email}`, title: 'Discard this job?' },
    { path: '/health', button: 'Retry all', title: 'Retry all' },
  ],
  'pages/health/reindex.tsx': [{ path: '/health', button: 'Rebuild', title: 'Rebuild search index' }],
  'pages/limits/assign-dialog.tsx': [{ path: '/limits', button: 'Assign gold', title: 'Who gets the tier gold?' }],
  'pages/limits/overrides.tsx': [
    { path: '/limits', button: 'New override', title: 'New override' },
    { path: '/limits', button: 'Edit the override for cyd', title: 'Edit the override for cyd' },
    { path: '/limits', button: 'Delete the override for cyd', title: 'Delete the override for cyd' },
  ],
  'pages/limits/tiers.tsx': [
    { path: '/limits', button: 'New tier', title: 'New tier' },
    { path: '/limits', button: 'Edit gold', title: 'Edit tier gold' },
    { path: '/limits', button: 'Delete gold', title: 'Delete tier gold' },
  ],
  'pages/people/delete-button.tsx': [{ path: pathOf(ada), button: 'Delete', title: 'Delete ada' }],
  'pages/people/group-dialog.tsx': [
    { path: '/people?status=approved', rowToSelect: 'ada', button: 'Add to group', title: 'Add 1 person to a group' },
  ],
  'pages/people/issued-key.tsx': [
    {
      path: pathOf(ada),
      button: 'Replace secret',
      title: 'Replace the secret of the API key',
      perform: pressIn('Replace secret'),
      nextTitle: 'API key of ada',
      isShownOnce: true,
    },
  ],
  'pages/people/bulk-dialogs.tsx': [
    {
      path: '/people?status=pending',
      rowToSelect: 'all shown',
      button: 'Approve 2',
      title: 'Approve 2 people?',
    },
    { path: '/people?status=pending', rowToSelect: 'wanda', button: 'Reject 1', title: 'Reject 1 person' },
    { path: '/people?status=approved', rowToSelect: 'ada', button: 'Set tier', title: 'Set the tier of 1 person' },
  ],
  'pages/people/person-access.tsx': [{ path: pathOf(ada), button: 'Grant APIs', title: 'Grant APIs to ada' }],
  'pages/people/person-groups.tsx': [{ path: pathOf(ada), button: 'Add to groups', title: 'Add ada to groups' }],
  'pages/people/person-key.tsx': [
    { path: pathOf(ada), button: 'Set expiry', title: 'API key expiry' },
    { path: pathOf(ada), button: 'Replace secret', title: 'Replace the secret of the API key' },
  ],
  'pages/people/person-limit.tsx': [{ path: pathOf(ada), button: 'Set override', title: 'Override for ada' }],
  'pages/people/role-button.tsx': [
    { path: pathOf(ada), button: 'Make administrator', title: 'Make ada an administrator' },
  ],
  'pages/people/status-actions.tsx': [{ path: pathOf(ada), button: 'Suspend', title: 'Suspend ada' }],
};
