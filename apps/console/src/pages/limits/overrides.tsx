import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { call, type CallResult } from '../../api/call.ts';
import { useChange, usePages } from '../../api/use-call.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { notifyUndo } from '../../parts/notify-undo.tsx';
import { notify } from '../../parts/notify.ts';
import { PeoplePicker, type PickedItem } from '../../parts/pickers.tsx';
import { words } from '../../words/words.ts';
import { createSingleItemAction, useBatches, type BulkAction } from '../people/use-batches.ts';
import { Outcomes } from '../people/outcomes.tsx';
import { Section } from '../people/section.tsx';
import styles from './limits.module.css';
import { RuleFields, ruleFrom } from './rule-fields.tsx';
import { ActiveState } from './tiers.tsx';

const text = words.limits;
const affectedReads = [
  'GET /api/rate-limits/overrides',
  'GET /api/rate-limits/effective/:client_id',
  'GET /api/rate-limits/standing',
] as const;

type Override = CallResult<'GET /api/rate-limits/overrides'>[number];
type OpenDialog =
  { readonly kind: 'edit' | 'delete'; readonly override: Override } | { readonly kind: 'create' } | null;

const nameOf = ({ full_name: name }: Override): string => name ?? '';

/** The limit overrides for individual people. */
export const Overrides = () => {
  const pages = usePages('GET /api/rate-limits/overrides', { query: { include: 'client', include_total: true } });
  const toggle = useChange('PUT /api/rate-limits/overrides/:id', { invalidates: affectedReads });
  const { progress, run, dismiss } = useBatches(affectedReads);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = () => setDialog(null);
  // The new state is shown immediately, because it is just as easy to switch back.
  const isActive = ({ id, is_active: isStoredActive }: Override): boolean =>
    toggle.isPending && toggle.variables.params.id === String(id) ? !isStoredActive : isStoredActive;
  const set = (override: Override, willBeActive: boolean): void =>
    toggle.mutate(
      { params: { id: String(override.id) }, body: { is_active: willBeActive } },
      {
        onSuccess: () =>
          notifyUndo(text.overrideSwitched(nameOf(override), willBeActive), () => set(override, !willBeActive)),
      },
    );
  const columns: readonly Column<Override>[] = [
    { header: text.person, cell: (row) => <PersonLink override={row} /> },
    { header: text.limit, cell: (row) => text.rule(row.allowed_limit, row.window_seconds) },
    { header: text.state, cell: (row) => <ActiveState isActive={isActive(row)} /> },
    {
      header: words.frame.actions,
      headerHidden: true,
      cell: (row) => (
        <RowActions
          override={row}
          isActive={isActive(row)}
          openDialog={setDialog}
          toggle={(willBeActive) => set(row, willBeActive)}
        />
      ),
    },
  ];
  return (
    <Section
      title={text.overrides}
      actions={<Button onClick={() => setDialog({ kind: 'create' })}>{text.newOverride}</Button>}
    >
      {pages.total ? <p>{text.overridesCount(pages.total)}</p> : null}
      <Outcomes progress={progress} dismiss={dismiss} />
      <ErrorNote error={toggle.error} />
      <DataTable
        label={text.overrides}
        columns={columns}
        pages={pages}
        keyOf={({ id }) => String(id)}
        empty={text.noOverrides}
      />
      {dialog?.kind === 'create' ? (
        <CreateDialog
          close={close}
          run={(people, action) => {
            close();
            void run(people, action);
          }}
        />
      ) : null}
      {dialog?.kind === 'edit' ? <EditDialog override={dialog.override} close={close} /> : null}
      {dialog?.kind === 'delete' ? <DeleteDialog override={dialog.override} close={close} /> : null}
    </Section>
  );
};

const PersonLink = ({ override }: { readonly override: Override }) => (
  <Anchor component={Link} to={`/people/${encodeURIComponent(override.email ?? '')}`}>
    {nameOf(override)}
  </Anchor>
);

const RowActions = ({
  override,
  isActive,
  openDialog,
  toggle,
}: {
  readonly override: Override;
  readonly isActive: boolean;
  readonly openDialog: (dialog: OpenDialog) => void;
  readonly toggle: (willBeActive: boolean) => void;
}) => {
  const name = nameOf(override);
  return (
    <div className={styles.buttons}>
      <Button
        variant="default"
        size="xs"
        aria-label={isActive ? text.deactivateOf(name) : text.activateOf(name)}
        onClick={() => toggle(!isActive)}
      >
        {isActive ? text.deactivate : text.activate}
      </Button>
      <Button
        variant="default"
        size="xs"
        aria-label={text.editOf(text.overrideFor(name))}
        onClick={() => openDialog({ kind: 'edit', override })}
      >
        {text.edit}
      </Button>
      <Button
        variant="default"
        size="xs"
        aria-label={text.deleteOf(text.overrideFor(name))}
        onClick={() => openDialog({ kind: 'delete', override })}
      >
        {text.delete}
      </Button>
    </div>
  );
};

const CreateDialog = ({
  close,
  run,
}: {
  readonly close: () => void;
  readonly run: (people: readonly PickedItem[], action: BulkAction<PickedItem>) => void;
}) => {
  const [people, setPeople] = useState<readonly PickedItem[]>([]);
  const send = (fields: FormData): void => {
    const rule = ruleFrom(fields);
    const create = ({ id }: PickedItem) =>
      call('POST /api/rate-limits/overrides', { body: { client_id: id, ...rule } });
    run(people, {
      ...createSingleItemAction(({ name }) => name, text.hasOverride, create),
      formatDone: text.overridesCreated,
    });
  };
  return (
    <Dialog
      open
      title={text.newOverride}
      close={close}
      submit={send}
      submitLabel={words.frame.save}
      disabled={people.length === 0}
    >
      <p>{text.overrideHint}</p>
      <PeoplePicker label={text.people} description={text.peopleHint} value={people} change={setPeople} acceptsPaste />
      <RuleFields />
    </Dialog>
  );
};

const EditDialog = ({ override, close }: { readonly override: Override; readonly close: () => void }) => {
  const update = useChange('PUT /api/rate-limits/overrides/:id', { invalidates: affectedReads });
  const submit = (fields: FormData): void =>
    update.mutate(
      { params: { id: String(override.id) }, body: ruleFrom(fields) },
      {
        onSuccess: () => {
          notify(text.overrideSaved(nameOf(override)));
          close();
        },
      },
    );
  return (
    <Dialog
      open
      title={text.editOverride(nameOf(override))}
      close={close}
      submit={submit}
      busy={update.isPending}
      error={update.error}
    >
      <RuleFields rule={override} />
    </Dialog>
  );
};

const DeleteDialog = ({ override, close }: { readonly override: Override; readonly close: () => void }) => {
  const remove = useChange('DELETE /api/rate-limits/overrides/:id', { invalidates: affectedReads });
  const name = nameOf(override);
  const submit = (): void =>
    remove.mutate(
      { params: { id: String(override.id) } },
      {
        onSuccess: () => {
          notify(text.overrideDeleted(name));
          close();
        },
      },
    );
  return (
    <Dialog
      open
      destructive
      title={text.deleteOverride(name)}
      close={close}
      submit={submit}
      submitLabel={text.delete}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>{text.deleteOverrideHint}</p>
    </Dialog>
  );
};
