import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { CallResult } from '../../api/call.ts';
import { useChange, usePages } from '../../api/use-call.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Expiry } from '../../parts/expiry.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { dayOf } from '../../parts/last-day.ts';
import { Moment } from '../../parts/moment.tsx';
import { notify } from '../../parts/notify.ts';
import { ApisPicker, type PickedItem } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import { RevokeDialog } from '../access/row-dialogs.tsx';
import type { PersonDetails } from './person-details.ts';
import { toExplainedError } from './explained-errors.ts';
import { Section } from './section.tsx';

const text = words.people.person;
const affectedReads = ['GET /api/access/matrix'] as const;

type Grant = CallResult<'GET /api/access/matrix'>[number];

/** The APIs that a person may use, with a row for each grant. */
export const PersonAccess = ({ person }: { readonly person: PersonDetails }) => {
  const isAdmin = person.role === 'admin';
  const pages = usePages('GET /api/access/matrix', { query: { profile: person.id } }, { enabled: !isAdmin });
  const [grantToRevoke, setGrantToRevoke] = useState<Grant | null>(null);
  const close = (): void => setGrantToRevoke(null);
  if (isAdmin)
    return (
      <Section title={text.access}>
        <p>{text.adminAccess}</p>
      </Section>
    );
  const isInactive = person.registration_status !== 'approved' || person.suspended_at;
  const columns: readonly Column<Grant>[] = [
    { header: text.api, cell: ({ collection_name: name }) => name },
    {
      header: text.grantSource,
      cell: ({ via, group_name: group }) => (via === 'group' ? text.byGroup(group ?? '') : text.direct),
    },
    { header: text.since, cell: ({ granted_at: at }) => <Moment at={at} /> },
    { header: text.until, cell: ({ expires_at: at }) => <Expiry at={at} /> },
    {
      header: words.frame.actions,
      headerHidden: true,
      cell: (grant) =>
        grant.via === 'direct' ? (
          <Button
            variant="default"
            size="xs"
            aria-label={text.revokeOf(grant.collection_name)}
            onClick={() => setGrantToRevoke(grant)}
          >
            {text.revoke}
          </Button>
        ) : null,
    },
  ];
  return (
    <Section title={text.access} actions={<GrantButton person={person} />}>
      {isInactive ? <p>{text.accessInactive}</p> : null}
      <DataTable
        label={text.access}
        columns={columns}
        pages={pages}
        keyOf={({ collection_id: id, group_id: group }) => `${id} ${group ?? ''}`}
        empty={text.noAccess}
      />
      {grantToRevoke ? <RevokeDialog rows={[grantToRevoke]} close={close} onDone={close} /> : null}
    </Section>
  );
};

/** Grants any number of APIs, all with the same expiry. */
const GrantButton = ({ person }: { readonly person: PersonDetails }) => {
  const [open, setOpen] = useState(false);
  const [apis, setApis] = useState<readonly PickedItem[]>([]);
  const [failures, setFailures] = useState<readonly string[]>([]);
  const grant = useChange('POST /api/access/grants', { invalidates: affectedReads });
  const close = () => {
    setOpen(false);
    setApis([]);
    grant.reset();
  };
  const submit = (fields: FormData): void => {
    const lastDay = fieldOf(fields, 'lastDay');
    const body = {
      profiles: [person.id],
      collections: apis.map(({ id }) => id),
      ...(lastDay === '' ? {} : { expires_at: lastDay }),
    };
    grant.mutate(
      { body },
      {
        onSuccess: ({ outcomes }) => {
          const failedOutcomes = outcomes.filter(({ outcome }) =>
            ['not_found', 'ambiguous', 'retired'].includes(outcome),
          );
          setFailures(failedOutcomes.map(({ collection_name: name, reason }) => text.notGranted(name, reason ?? '')));
          notify(text.granted(outcomes.length - failedOutcomes.length));
          close();
        },
      },
    );
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{text.grant}</Button>
      {failures.length > 0 ? <p role="alert">{failures.join('; ')}</p> : null}
      <Dialog
        open={open}
        close={close}
        title={text.grantTitle(person.full_name)}
        submit={submit}
        submitLabel={text.grant}
        busy={grant.isPending}
        disabled={apis.length === 0}
        error={toExplainedError(grant.error)}
      >
        <ApisPicker label={text.apis} value={apis} change={setApis} />
        <TextInput
          type="date"
          name="lastDay"
          label={text.lastDay}
          description={text.expiryHint}
          min={dayOf(new Date())}
        />
      </Dialog>
    </>
  );
};
