import { Anchor } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import { formatExpiry } from '../../parts/last-day.ts';
import { words } from '../../words/words.ts';
import styles from './audit.module.css';
import type { Entry } from './use-audit-pages.ts';

const text = words.audit;

/** The time of an entry; a caller's entry may have an invalid time. */
export const When = ({ entry: { timestamp, received_at: receivedAt } }: { readonly entry: Entry }) => {
  const timestampMs = Date.parse(timestamp);
  const at = Number.isNaN(timestampMs) ? (receivedAt ?? '') : timestamp;
  return (
    <time dateTime={at} title={timestamp}>
      {at === '' ? timestamp : words.formats.second(new Date(at))}
    </time>
  );
};

/** Shows who wrote or caused the entry, according to the sign-in or the key, never according to the message. */
export const Who = ({ entry: { actor, actor_id: id } }: { readonly entry: Entry }) => {
  if (!actor) return <span className={styles.quiet}>{id ? text.deletedPerson : text.theService}</span>;
  return isEmail(actor) ? <PersonLink email={actor} /> : <span>{actor}</span>;
};

/** Names of service accounts are rarely email addresses. */
const isEmail = (name: string): boolean => /^[^\s@]+@[^\s@]+$/.test(name);

const PersonLink = ({ email }: { readonly email: string }) => (
  <Anchor inherit component={Link} to={`/people/${encodeURIComponent(email)}`}>
    {email}
  </Anchor>
);

/** The action as text and its raw name; a caller's entry is marked as reported. */
export const Action = ({ entry: { message, source } }: { readonly entry: Entry }) => {
  const action = textOf(message, 'action');
  const actionLabel = Object.hasOwn(text.actions, action) ? text.actions[action] : null;
  return (
    <span>
      {actionLabel ? <>{actionLabel} </> : null}
      <code className={styles.raw}>{action === '' ? text.noAction : action}</code>
      {source === 'client' ? <small className={styles.reported}>{text.reported}</small> : null}
    </span>
  );
};

/** The subjects of an entry, by name. Only the service's own entries have links; a caller's message is plain text. */
export const About = ({ entry: { message, source } }: { readonly entry: Entry }) => {
  const parts = source === 'system' ? partsOf(message) : [callOf(message)].filter((part) => part !== '');
  return (
    <span>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 ? ' · ' : null}
          {part}
        </Fragment>
      ))}
    </span>
  );
};

type Message = Entry['message'];

const partsOf = (message: Message): readonly ReactNode[] => {
  const readField = (name: string): string => textOf(message, name);
  const [profile, collection, collectionId, group] = ['profile', 'collection', 'collection_id', 'group'].map(readField);
  const count = message['count'];
  return [
    profile ? <PersonLink email={profile} /> : null,
    collection ? <ApiLink name={collection} id={collectionId ?? ''} /> : null,
    group ? <GroupLink name={group} /> : null,
    readField('tier') ? `${text.kinds.tier} ${readField('tier')}` : null,
    readField('service_account') ? `${text.kinds.account} ${readField('service_account')}` : null,
    readField('new_name') ? text.renamed(readField('new_name')) : null,
    readField('expires_at') ? text.until(formatExpiry(readField('expires_at'))) : null,
    readField('role') || null,
    readField('reason') || null,
    typeof count === 'number' ? text.total(count) : null,
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

/** Describes a call as callers usually report it. */
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
