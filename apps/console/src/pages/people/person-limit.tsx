import { Button } from '@mantine/core';
import { useState } from 'react';
import { useChange, useRead } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import { RuleFields, ruleFrom } from '../limits/rule-fields.tsx';
import styles from './people.module.css';
import type { PersonDetails } from './person-details.ts';
import { toExplainedError } from './explained-errors.ts';
import { Section } from './section.tsx';

const text = words.people.person;
const affectedReads = [
  'GET /api/rate-limits/effective/:client_id',
  'GET /api/rate-limits/overrides',
  'GET /api/rate-limits/standing',
] as const;

interface Props {
  readonly person: PersonDetails;
}

/** The limit in force, its source, and an override. */
export const PersonLimit = ({ person }: Props) => {
  const isCounted = person.role === 'client' && person.client_id !== null;
  return (
    <Section title={text.limit}>
      {isCounted ? (
        <CurrentLimit person={person} />
      ) : (
        <p>{person.role === 'admin' ? text.adminUnlimited : text.noLimit}</p>
      )}
    </Section>
  );
};

const CurrentLimit = ({ person }: Props) => {
  const read = useRead('GET /api/rate-limits/effective/:client_id', { params: { client_id: person.id } });
  const remove = useChange('DELETE /api/rate-limits/overrides/:id', { invalidates: affectedReads });
  const [open, setOpen] = useState(false);
  if (!read.data)
    return read.error ? <ErrorNote error={toExplainedError(read.error)} retry={read.refetch} /> : <Loading />;
  const { source, tier, override_id: override, remaining, ...rule } = read.data;
  const sourceText = source === 'tier' ? text.source.tier(tier ?? '') : text.source[source];
  const removeOverride = (): void =>
    remove.mutate({ params: { id: String(override) } }, { onSuccess: () => notify(text.overrideRemoved) });
  return (
    <>
      <dl className={styles.properties}>
        <dt>{text.currentLimit}</dt>
        <dd>
          <strong>{words.limits.rule(rule.allowed_limit, rule.window_seconds)}</strong>
          <span>{sourceText}</span>
          <span className={styles.quiet}>{text.remaining(remaining, rule.allowed_limit)}</span>
        </dd>
      </dl>
      <div className={styles.actions}>
        <Button variant="default" onClick={() => setOpen(true)}>
          {override === null ? text.setOverride : text.changeOverride}
        </Button>
        {override === null ? null : (
          <Button variant="default" loading={remove.isPending} onClick={removeOverride}>
            {text.removeOverride}
          </Button>
        )}
      </div>
      <ErrorNote error={toExplainedError(remove.error)} />
      {open ? <OverrideDialog person={person} current={rule} override={override} close={() => setOpen(false)} /> : null}
    </>
  );
};

const OverrideDialog = ({
  person,
  current,
  override,
  close,
}: Props & {
  readonly current: { readonly allowed_limit: number; readonly window_seconds: number };
  readonly override: number | null;
  readonly close: () => void;
}) => {
  const create = useChange('POST /api/rate-limits/overrides', { invalidates: affectedReads });
  const update = useChange('PUT /api/rate-limits/overrides/:id', { invalidates: affectedReads });
  const submit = (fields: FormData): void => {
    const body = ruleFrom(fields);
    const callbacks = {
      onSuccess: () => {
        notify(text.overrideSet(person.full_name));
        close();
      },
    };
    if (override === null) create.mutate({ body: { client_id: person.email, ...body } }, callbacks);
    else update.mutate({ params: { id: String(override) }, body }, callbacks);
  };
  return (
    <Dialog
      open
      close={close}
      title={text.overrideTitle(person.full_name)}
      submit={submit}
      busy={create.isPending || update.isPending}
      error={toExplainedError(create.error ?? update.error)}
    >
      <RuleFields rule={current} />
    </Dialog>
  );
};
