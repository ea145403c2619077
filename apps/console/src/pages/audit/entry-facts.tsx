import { Anchor } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import { endInWords } from '../../parts/last-day.ts';
import { words } from '../../words/words.ts';
import styles from './audit.module.css';
import type { Entry } from './use-audit-pages.ts';

const text = words.audit;

/** An entry says when something was; one of a caller may say anything. */
export const When = ({ entry: { timestamp, received_at: receivedAt } }: { readonly entry: Entry }) => {
  const said = Date.parse(timestamp);
  const at = Number.isNaN(said) ? (receivedAt ?? '') : timestamp;
  return (
    <time dateTime={at} title={timestamp}>
      {at === '' ? timestamp : words.formats.second(new Date(at))}
    </time>
  );
};

/** Who wrote or caused it: known from the sign-in or the key, never from the message. */
export const Who = ({ entry: { actor, actor_id: id } }: { readonly entry: Entry }) => {
  if (!actor) return <span className={styles.quiet}>{id ? text.gone : text.theService}</span>;
  return isEmail(actor) ? <PersonLink email={actor} /> : <span>{actor}</span>;
};

/** The names of service accounts are seldom e-mails. */
const isEmail = (name: string): boolean => /^[^\s@]+@[^\s@]+$/.test(name);

const PersonLink = ({ email }: { readonly email: string }) => (
  <Anchor inherit component={Link} to={`/people/${encodeURIComponent(email)}`}>
    {email}
  </Anchor>
);

/** The action in words, with the raw one; of a caller's entry that the caller says so. */
export const What = ({ entry: { message, source } }: { readonly entry: Entry }) => {
  const action = textOf(message, 'action');
  const known = Object.hasOwn(text.actions, action) ? text.actions[action] : null;
  return (
    <span>
      {known ? <>{known} </> : null}
      <code className={styles.raw}>{action === '' ? text.noAction : action}</code>
      {source === 'client' ? <small className={styles.reported}>{text.reported}</small> : null}
    </span>
  );
};

/** On what: by names. Only the service's own entries lead anywhere; what a caller wrote is text. */
export const About = ({ entry: { message, source } }: { readonly entry: Entry }) => {
  const parts = source === 'system' ? partsOf(message) : [callOf(message)].filter((part) => part !== '');
  return (
    <span>
      {parts.map((part, at) => (
        <Fragment key={at}>
          {at > 0 ? ' · ' : null}
          {part}
        </Fragment>
      ))}
    </span>
  );
};

type Message = Entry['message'];

const partsOf = (message: Message): readonly ReactNode[] => {
  const said = (name: string): string => textOf(message, name);
  const [profile, collection, collectionId, group] = ['profile', 'collection', 'collection_id', 'group'].map(said);
  const count = message['count'];
  return [
    profile ? <PersonLink email={profile} /> : null,
    collection ? <ApiLink name={collection} id={collectionId ?? ''} /> : null,
    group ? <GroupLink name={group} /> : null,
    said('tier') ? `${text.kinds.tier} ${said('tier')}` : null,
    said('service_account') ? `${text.kinds.account} ${said('service_account')}` : null,
    said('new_name') ? text.renamed(said('new_name')) : null,
    said('expires_at') ? text.until(endInWords(said('expires_at'))) : null,
    said('role') || null,
    said('reason') || null,
    typeof count === 'number' ? text.counted(count) : null,
  ].filter((part) => part !== null);
};

const ApiLink = ({ name, id }: { readonly name: string; readonly id: string }) => (
  <Anchor inherit component={Link} to={`/apis/${encodeURIComponent(id)}`}>
    {name}
  </Anchor>
);

const GroupLink = ({ name }: { readonly name: string }) => (
  <Anchor inherit component={Link} to={`/access/groups/${encodeURIComponent(name)}`}>
    {name}
  </Anchor>
);

/** What callers usually report of a call. */
const callOf = (message: Message): string => {
  const status = message['status_code'];
  return text.apiCall(
    textOf(message, 'method'),
    textOf(message, 'endpoint'),
    typeof status === 'number' || typeof status === 'string' ? String(status) : '',
  );
};

const textOf = (message: Message, name: string): string => {
  const value = Object.hasOwn(message, name) ? message[name] : null;
  return typeof value === 'string' ? value : '';
};

/** The whole message, as text. */
export const Details = ({ entry: { message } }: { readonly entry: Entry }) => (
  <details className={styles.details}>
    <summary>{text.message}</summary>
    <pre tabIndex={0} role="group" aria-label={text.message}>
      {JSON.stringify(message, null, 2)}
    </pre>
  </details>
);
