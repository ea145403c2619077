import { Alert, Anchor } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { words } from '../../words/words.ts';
import { DeleteButton } from './delete-button.tsx';
import { IssuedKeyDialog, type IssuedKey } from './issued-key.tsx';
import styles from './people.module.css';
import { PersonAccess } from './person-access.tsx';
import { PersonActivity } from './person-activity.tsx';
import { PersonGroups } from './person-groups.tsx';
import { PersonKey } from './person-key.tsx';
import { PersonLimit } from './person-limit.tsx';
import { PersonState } from './person-state.tsx';
import { PersonTier } from './person-tier.tsx';
import { PersonUsage } from './person-usage.tsx';
import { toExplainedError } from './explained-errors.ts';
import { RoleButton } from './role-button.tsx';
import { Section } from './section.tsx';
import { StatusActions } from './status-actions.tsx';
import type { PersonDetails } from './person-details.ts';

const text = words.people;

/** A person's page: their status, access and activity. The path contains their email address. */
export const Component = () => {
  const { person: email = '' } = useParams();
  const read = useRead('GET /api/profiles/:user_id', {
    params: { user_id: email },
    query: { include: ['tier', 'bound', 'usage', 'key', 'suspension'] },
  });
  const back = (
    <Anchor component={Link} to="/people">
      {text.actions.back}
    </Anchor>
  );
  if (!read.data)
    return (
      <Page title={email} actions={back}>
        {read.error ? <ErrorNote error={toExplainedError(read.error)} retry={read.refetch} /> : <Loading />}
      </Page>
    );
  return (
    <Page title={read.data.full_name} actions={back}>
      <PersonSections key={read.data.id} person={read.data} />
    </Page>
  );
};

const PersonSections = ({ person }: { readonly person: PersonDetails }) => {
  const [issuedKey, setIssuedKey] = useState<IssuedKey | null>(null);
  const [warning, setWarning] = useState<string | null>(null);
  return (
    <>
      <div className={styles.head}>
        <PersonState person={person} />
        <span>{person.email}</span>
        <span>{person.company_name}</span>
      </div>
      <div className={styles.actions}>
        <StatusActions person={person} showKey={setIssuedKey} />
        <RoleButton person={person} warn={setWarning} />
        <DeleteButton person={person} />
      </div>
      {warning ? (
        <Alert
          color="yellow"
          role="alert"
          withCloseButton
          closeButtonLabel={text.bulk.dismiss}
          onClose={() => setWarning(null)}
        >
          {warning}
        </Alert>
      ) : null}
      <Section title={text.person.details}>
        <dl className={styles.properties}>
          <dt>{text.registered}</dt>
          <dd>
            <Moment at={person.created_at} />
          </dd>
          {person.approved_at ? (
            <>
              <dt>{text.person.approvedAt}</dt>
              <dd>
                <Moment at={person.approved_at} />
              </dd>
            </>
          ) : null}
          {person.suspended_at ? (
            <>
              <dt>{text.person.suspendedSince}</dt>
              <dd>
                <Moment at={person.suspended_at} />
              </dd>
            </>
          ) : null}
          <dt>{text.person.lastCall}</dt>
          <dd>
            <Moment at={person.last_used_at} />
          </dd>
          <PersonTier person={person} />
        </dl>
      </Section>
      <PersonKey person={person} showKey={setIssuedKey} />
      <PersonLimit person={person} />
      <PersonGroups person={person} />
      <PersonAccess person={person} />
      <PersonUsage person={person} />
      <PersonActivity person={person} />
      <IssuedKeyDialog issuedKey={issuedKey} close={() => setIssuedKey(null)} />
    </>
  );
};
