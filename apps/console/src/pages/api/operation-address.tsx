import { Code } from '@mantine/core';
import type { CallResult } from '../../api/call.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './api.module.css';

const text = words.api;

type Slice = Extract<
  CallResult<'GET /api/collections/:collection_id/operations/:operation_key'>,
  { readonly curl: unknown }
>;
type Server = Slice['servers'][number];
type Alternative = NonNullable<Slice['authentication']>[number];
type Credential = Alternative[number];

/** The servers of an operation, unless there is only one without anything to add. */
export const Servers = ({ servers }: { readonly servers: readonly Server[] }) => {
  const [first, ...others] = servers;
  if (!first || (others.length === 0 && !first.description && !first.variables)) return null;
  return (
    <>
      <h4>{text.servers}</h4>
      <ul>
        {servers.map((server, index) => (
          <li key={index}>
            <Code>{server.url}</Code> {server.description}
            {server.variables?.map(({ name, value, enum: values, description }) => (
              <div key={name} className={styles.quiet}>
                {text.serverVariable(name, values?.join(', ') ?? value ?? '')} {description}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
};

/** The credentials that an operation needs. */
export const OperationCredentials = ({ authentication }: { readonly authentication: Slice['authentication'] }) => {
  const alternatives = authentication ?? [];
  return (
    <>
      <h4>{text.authentication}</h4>
      {alternatives.length === 0 ? <p>{authentication ? text.noCredential : text.unknownCredential}</p> : null}
      {alternatives.length > 1 ? <p>{text.credentialAlternatives}</p> : null}
      {alternatives.length > 0 ? (
        <ul>
          {alternatives.map((credentials, index) => (
            <li key={index}>
              <Credentials credentials={credentials} />
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
};

const Credentials = ({ credentials }: { readonly credentials: Alternative }) =>
  credentials.length === 0
    ? text.optionalCredential
    : credentials.map((credential, index) => (
        <span key={index}>
          {index === 0 ? null : text.together}
          {describeCredential(credential)}{' '}
          {credential.stored ? <StatusBadge kind="good">{text.stored}</StatusBadge> : null}
        </span>
      ));

const describeCredential = ({ type, name, in: place, scopes, scheme }: Credential): string => {
  const sentence = text.credentials[type](name ?? scheme ?? '', text.places[place ?? 'header']);
  return scopes.length > 0 ? `${sentence}${text.scopes(scopes.join(', '))}` : sentence;
};
