import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';

const text = words.access;

/** The maximum number of pending requests, and of calls, that are counted; this number is shown with a plus sign. */
const countMax = 100;

/** A page about access, with links to the other access pages. */
export const AccessLayout = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => (
  <Page title={title} actions={actions}>
    <nav aria-label={text.navigation}>
      <ul className={styles.tabs}>
        <li>
          <NavLink to="/access" end>
            {text.matrix.title}
          </NavLink>
        </li>
        <li>
          <NavLink to="/access/groups">{text.groups.title}</NavLink>
        </li>
        <li>
          <NavLink to="/access/requests">
            {text.requests.title} <WaitingRequests />
          </NavLink>
        </li>
        <li>
          <NavLink to="/access/calls">
            {text.calls.title} <WaitingCalls />
          </NavLink>
        </li>
      </ul>
    </nav>
    {children}
  </Page>
);

const WaitingRequests = () => {
  const read = useRead('GET /api/access/requests', { query: { status: 'pending', limit: countMax } });
  return <WaitingCount count={read.data?.length ?? 0} />;
};

const WaitingCalls = () => {
  const read = useRead('GET /api/calls', { query: { status: 'waiting', limit: countMax } });
  return <WaitingCount count={read.data?.length ?? 0} />;
};

const WaitingCount = ({ count }: { readonly count: number }) =>
  count === 0 ? null : <span className={styles.quiet}>{text.pendingCount(count, count === countMax)}</span>;
