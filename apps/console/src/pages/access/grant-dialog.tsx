import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notify.ts';
import { ApisPicker, GroupsPicker, PeoplePicker, type Picked } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { OutcomeNote, reasonsOf, summaryOf, type GrantResult } from './outcomes.tsx';
import { accessReads } from './access-reads.ts';
import { expiresAtOf, isComplete, ExpiryField, useExpiry } from './expiry-field.tsx';

const text = words.access.grant;

/** The initial selection. */
export interface Prefilled {
  readonly people?: readonly Picked[];
  readonly groups?: readonly Picked[];
  readonly apis?: readonly Picked[];
}

/** A dialog that grants any number of APIs to any number of people and groups. It is mounted when it opens. */
export const GrantDialog = ({
  close,
  prefilled = {},
}: {
  readonly close: () => void;
  readonly prefilled?: Prefilled;
}) => {
  const grant = useChange('POST /api/access/grants', { invalidates: accessReads });
  const [people, setPeople] = useState(prefilled.people ?? []);
  const [groups, setGroups] = useState(prefilled.groups ?? []);
  const [apis, setApis] = useState(prefilled.apis ?? []);
  const [until, setUntil] = useExpiry();
  const [result, setResult] = useState<GrantResult | null>(null);
  if (result)
    return (
      <Dialog title={text.title} open close={close}>
        <OutcomeNote sentence={summaryOf(result)} reasons={reasonsOf(result)} />
      </Dialog>
    );
  const grantees = people.length + groups.length;
  const act = (): void =>
    grant.mutate(
      {
        body: {
          profiles: idsOf(people),
          groups: idsOf(groups),
          collections: idsOf(apis),
          ...expiryField(expiresAtOf(until)),
        },
      },
      {
        onSuccess: (result) => {
          if (result.not_found + result.ambiguous > 0) return setResult(result);
          notify(summaryOf(result));
          close();
        },
      },
    );
  return (
    <Dialog
      title={text.title}
      open
      close={close}
      act={act}
      actLabel={grantees * apis.length > 0 ? text.actMany(grantees * apis.length) : text.act}
      busy={grant.isPending}
      disabled={grantees * apis.length === 0 || !isComplete(until)}
      error={grant.error}
    >
      <PeoplePicker label={text.people} description={text.peopleHint} value={people} change={setPeople} pastes />
      <GroupsPicker label={text.groups} value={groups} change={setGroups} />
      <ApisPicker
        label={text.apis}
        description={text.apisHint}
        value={apis}
        change={setApis}
        pastes
        autofocus={Boolean(prefilled.people?.length)}
      />
      <ExpiryField value={until} change={setUntil} />
      <p className={styles.quiet}>{expiresAtOf(until) ? text.changesExpiry : text.keepsExpiry}</p>
      <p role="status">{grantees * apis.length === 0 ? text.chooseBoth : text.pairs(grantees, apis.length)}</p>
    </Dialog>
  );
};

const idsOf = (picked: readonly Picked[]): string[] => picked.map(({ id }) => id);

/** Omits an empty expiry, so that existing temporary access does not become permanent. */
const expiryField = (end: string | null | undefined) => (end ? { expires_at: end } : {});
