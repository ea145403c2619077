import {
  Activity,
  Bot,
  ChartColumn,
  Gauge,
  HandHelping,
  KeyRound,
  Library,
  ScrollText,
  Search,
  Table2,
  Users,
  type LucideIcon,
} from 'lucide-react';
import type { ComponentType } from 'react';
import type { RouteObject } from 'react-router';
import { words } from '../words/words.ts';
import { WaitingNote } from './people/waiting-note.tsx';

type Role = 'admin' | 'client';

/** A page in the menu, with its subpages. Each page is loaded when it is first opened. */
export interface MenuPage {
  readonly path: string;
  readonly title: string;
  readonly Icon: LucideIcon;
  readonly roles: readonly Role[];
  /** An unobtrusive note next to the title, such as the number of pending people. */
  readonly Note?: ComponentType;
  readonly routes: readonly RouteObject[];
}

const admin: readonly Role[] = ['admin'];
const client: readonly Role[] = ['client'];
const anyRole: readonly Role[] = ['admin', 'client'];

/** The pages of the menu, in order. A role starts on the first of its pages. */
export const pages: readonly MenuPage[] = [
  {
    path: '/people',
    title: words.people.title,
    Icon: Users,
    Note: WaitingNote,
    roles: admin,
    routes: [
      { path: 'people', lazy: () => import('./people/people-page.tsx') },
      { path: 'people/:person', lazy: () => import('./people/person-page.tsx') },
    ],
  },
  {
    path: '/apis',
    title: words.apis.title,
    Icon: Library,
    roles: admin,
    routes: [
      { path: 'apis', lazy: () => import('./apis/apis-page.tsx') },
      { path: 'apis/import', lazy: () => import('./apis/import-page.tsx') },
    ],
  },
  {
    path: '/access',
    title: words.access.title,
    Icon: Table2,
    roles: admin,
    routes: [
      { path: 'access', lazy: () => import('./access/access-page.tsx') },
      { path: 'access/groups', lazy: () => import('./access/groups-page.tsx') },
      { path: 'access/groups/:group', lazy: () => import('./access/group-page.tsx') },
      { path: 'access/requests', lazy: () => import('./access/requests-page.tsx') },
      { path: 'access/calls', lazy: () => import('./access/calls-page.tsx') },
    ],
  },
  {
    path: '/limits',
    title: words.limits.title,
    Icon: Gauge,
    roles: admin,
    routes: [{ path: 'limits', lazy: () => import('./limits/limits-page.tsx') }],
  },
  {
    path: '/audit',
    title: words.audit.title,
    Icon: ScrollText,
    roles: admin,
    routes: [{ path: 'audit', lazy: () => import('./audit/audit-page.tsx') }],
  },
  {
    path: '/health',
    title: words.health.title,
    Icon: Activity,
    roles: admin,
    routes: [{ path: 'health', lazy: () => import('./health/health-page.tsx') }],
  },
  {
    path: '/mine',
    title: words.clients.title,
    Icon: Library,
    roles: client,
    routes: [{ path: 'mine', lazy: () => import('./clients/mine-page.tsx') }],
  },
  {
    path: '/search',
    title: words.clients.search,
    Icon: Search,
    roles: anyRole,
    routes: [{ path: 'search', lazy: () => import('./clients/search-page.tsx') }],
  },
  {
    path: '/ask',
    title: words.clients.ask,
    Icon: HandHelping,
    roles: client,
    routes: [{ path: 'ask', lazy: () => import('./clients/ask-page.tsx') }],
  },
  {
    path: '/use',
    title: words.use.title,
    Icon: ChartColumn,
    roles: anyRole,
    routes: [{ path: 'use', lazy: () => import('./usage/usage-page.tsx') }],
  },
  {
    path: '/key',
    title: words.clients.key,
    Icon: KeyRound,
    roles: client,
    routes: [{ path: 'key', lazy: () => import('./clients/key-page.tsx') }],
  },
  {
    path: '/agents',
    title: words.clients.agents,
    Icon: Bot,
    roles: anyRole,
    routes: [{ path: 'agents', lazy: () => import('./clients/agents-page.tsx') }],
  },
];

/** Pages that are reached from other pages. An API's page is the same for everyone. */
export const otherRoutes: readonly RouteObject[] = [{ path: 'apis/:api', lazy: () => import('./api/api-page.tsx') }];
