import { Button, Code, TextInput } from '@mantine/core';
import type { SyntheticEvent } from 'react';
import type { CallResult } from '../../api/call.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Expiry } from '../../parts/expiry.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import styles from './clients.module.css';
import { NewSecret } from './new-secret.tsx';

const text = words.clients.keys;

type OwnProfile = CallResult<'GET /api/profiles/me'>;

/** The user's key, limit, groups and profile. */
export const Component = () => {
  const profile = useRead('GET /api/profiles/me', { query: { include: ['key', 'usage', 'groups'] } });
  return (
    <Page title={words.clients.key}>
      {profile.isPending ? <Loading /> : null}
      <ErrorNote error={profile.error} retry={() => profile.refetch()} />
      {profile.data ? (
        <>
          <Key profile={profile.data} />
          {profile.data.client_id === null ? null : <Limit clientId={profile.data.client_id} />}
          <Groups profile={profile.data} />
          <Profile profile={profile.data} />
        </>
      ) : null}
    </Page>
  );
};

const Key = ({ profile }: { readonly profile: OwnProfile }) => {
  const { client_id: clientId } = profile;
  return (
    <section className={styles.section} aria-labelledby="key">
      <h2 id="key">{text.credentials}</h2>
      {clientId === null ? (
        <p>{text.admin}</p>
      ) : (
        <>
          <dl className={styles.properties}>
            <dt>{text.clientId}</dt>
            <dd>
              <span className={styles.copied}>
                <Code>{clientId}</Code>
                <CopyButton text={clientId} label={text.copyClientId} />
              </span>
              <span className={styles.quiet}>{text.clientIdHint}</span>
            </dd>
            <dt>{text.secret}</dt>
            <dd className={styles.quiet}>{text.secretHint}</dd>
            <dt>{text.approved}</dt>
            <dd>
              <Moment at={profile.approved_at} />
            </dd>
            <dt>{text.lastUsed}</dt>
            <dd>
              <Moment at={profile.key_last_used_at} />
            </dd>
            <dt>{text.expires}</dt>
            <dd>
              <Expiry at={profile.key_expires_at} />
            </dd>
          </dl>
          <NewSecret />
        </>
      )}
    </section>
  );
};

const Limit = ({ clientId }: { readonly clientId: string }) => {
  const limit = useRead('GET /api/rate-limits/effective/:client_id', { params: { client_id: clientId } });
  const { data } = limit;
  return (
    <section className={styles.section} aria-labelledby="limit">
      <h2 id="limit">{text.limit}</h2>
      {limit.isPending ? <Loading /> : null}
      <ErrorNote error={limit.error} retry={() => limit.refetch()} />
      {data ? (
        <p>
          {text.limitText(data.allowed_limit, data.window_seconds)}, {text.sources[data.source](data.tier ?? '')}.
          <br />
          <span className={styles.quiet}>{text.remaining(data.remaining, data.reset_seconds)}</span>
        </p>
      ) : null}
    </section>
  );
};

const Groups = ({ profile: { groups = [] } }: { readonly profile: OwnProfile }) => (
  <section className={styles.section} aria-labelledby="groups">
    <h2 id="groups">{text.groups}</h2>
    {groups.length === 0 ? (
      <p>{text.noGroups}</p>
    ) : (
      <ul>
        {groups.map(({ id, name, claimed_at: claimedAt }) => (
          <li key={id}>
            {name} <span className={styles.quiet}>{claimedAt === null ? text.byAdmin : text.fromToken}</span>
          </li>
        ))}
      </ul>
    )}
  </section>
);

const nameMax = 200;

const Profile = ({ profile }: { readonly profile: OwnProfile }) => {
  const change = useChange('PUT /api/profiles/me', { invalidates: ['GET /api/profiles/me'] });
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    change.mutate(
      { body: { full_name: fieldOf(fields, 'name'), company_name: fieldOf(fields, 'company') || null } },
      { onSuccess: () => notify(text.saved) },
    );
  };
  return (
    <section className={styles.section} aria-labelledby="profile">
      <h2 id="profile">{text.profile}</h2>
      <form onSubmit={submit} className={styles.fields}>
        <TextInput label={text.email} value={profile.email} readOnly />
        <TextInput
          key={profile.full_name}
          name="name"
          autoComplete="name"
          label={text.name}
          defaultValue={profile.full_name}
          required
          // A name must not consist only of spaces.
          pattern=".*\S.*"
          maxLength={nameMax}
        />
        <TextInput
          key={`company ${profile.company_name ?? ''}`}
          name="company"
          autoComplete="organization"
          label={text.company}
          defaultValue={profile.company_name ?? ''}
          maxLength={nameMax}
        />
        <ErrorNote error={change.error} />
        <div>
          <Button type="submit" loading={change.isPending}>
            {text.save}
          </Button>
        </div>
      </form>
    </section>
  );
};
