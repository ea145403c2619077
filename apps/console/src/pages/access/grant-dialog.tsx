import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notify.ts';
import { ApisPicker, GroupsPicker, PeoplePicker, type PickedItem } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import styles from './access.module.css';
import { OutcomeNote, reasonsOf, summaryOf, type GrantResult } from './outcomes.tsx';
import { accessReads } from './access-reads.ts';
import { expiresAtOf, isComplete, ExpiryField, useExpiry } from './expiry-field.tsx';

const text = words.access.grant;

/** The initial selection. */
export interface InitialValues {
  readonly people?: readonly PickedItem[];
  readonly groups?: readonly PickedItem[];
  readonly apis?: readonly PickedItem[];
}

/** A dialog that grants any number of APIs to any number of people and groups. It is mounted when it opens. */
export const GrantDialog = ({
  close,
  initialValues = {},
}: {
  readonly close: () => void;
  readonly initialValues?: InitialValues;
}) => {
  const grant = useChange('POST /api/access/grants', { invalidates: accessReads });
  const [people, setPeople] = useState(initialValues.people ?? []);
  const [groups, setGroups] = useState(initialValues.groups ?? []);
  const [apis, setApis] = useState(initialValues.apis ?? []);
  const [expiry, setExpiry] = useExpiry();
  const [result, setResult] = useState<GrantResult | null>(null);
  if (result)
    return (
      <Dialog title={text.title} open close={close}>
        <OutcomeNote sentence={summaryOf(result)} reasons={reasonsOf(result)} />
      </Dialog>
    );
  const grantees = people.length + groups.length;
  const submit = (): void =>
    grant.mutate(
      {
        body: {
          profiles: idsOf(people),
          groups: idsOf(groups),
          collections: idsOf(apis),
          ...toExpiryField(expiresAtOf(expiry)),
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
      submit={submit}
      submitLabel={grantees * apis.length > 0 ? text.submitMany(grantees * apis.length) : text.submit}
      busy={grant.isPending}
      disabled={grantees * apis.length === 0 || !isComplete(expiry)}
      error={grant.error}
    >
      <PeoplePicker label={text.people} description={text.peopleHint} value={people} change={setPeople} acceptsPaste />
      <GroupsPicker label={text.groups} value={groups} change={setGroups} />
      <ApisPicker
        label={text.apis}
        description={text.apisHint}
        value={apis}
        change={setApis}
        acceptsPaste
        autofocus={Boolean(initialValues.people?.length)}
      />
      <ExpiryField value={expiry} change={setExpiry} />
      <p className={styles.quiet}>{expiresAtOf(expiry) ? text.changesExpiry : text.keepsExpiry}</p>
      <p role="status">{grantees * apis.length === 0 ? text.chooseBoth : text.pairs(grantees, apis.length)}</p>
    </Dialog>
  );
};

const idsOf = (items: readonly PickedItem[]): string[] => items.map(({ id }) => id);

/** Omits an empty expiry, so that existing temporary access does not become permanent. */
const toExpiryField = (expiresAt: string | null | undefined) => (expiresAt ? { expires_at: expiresAt } : {});
