import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { dayOf } from '../../parts/last-day.ts';
import { words } from '../../words/words.ts';

const text = words.access.until;
const dayMs = 86_400_000;

/** An expiry as the user chooses it: a number of days from now, a date, never, or as requested. */
export type Term = 'none' | '30' | '90' | 'date' | 'requested';

export interface ExpiryChoice {
  readonly term: Term;
  readonly date: string;
}

/**
 * Returns the value to send to the service: the last day, null for no expiry, or undefined to leave the expiry to the
 * service.
 */
export const expiresAtOf = ({ term, date }: ExpiryChoice): string | null | undefined => {
  if (term === 'requested') return undefined;
  if (term === 'none') return null;
  return term === 'date' ? date : getDayAfter(Number(term));
};

const getDayAfter = (days: number): string => dayOf(new Date(Date.now() + days * dayMs));

export const isComplete = ({ term, date }: ExpiryChoice): boolean => term !== 'date' || date !== '';

export const useExpiry = (term: Term = 'none') => useState<ExpiryChoice>({ term, date: '' });

/** A field to select an expiry. `requestedLabel` is the label of the option for the requested expiry. */
export const ExpiryField = ({
  value,
  change,
  requestedLabel,
  requestedDays = null,
}: {
  readonly value: ExpiryChoice;
  readonly change: (choice: ExpiryChoice) => void;
  readonly requestedLabel?: string;
  /** The requested number of days, if an expiry was requested. */
  readonly requestedDays?: number | null;
}) => {
  const lastDay =
    value.term === 'requested' && requestedDays !== null ? getDayAfter(requestedDays) : expiresAtOf(value);
  const terms: readonly (readonly [Term, string])[] = [
    ...(requestedLabel === undefined ? [] : [['requested', requestedLabel] as const]),
    ['none', text.none],
    ['30', text.days(30)],
    ['90', text.days(90)],
    ['date', text.date],
  ];
  return (
    <>
      <Group align="end" gap="sm">
        <NativeSelect
          label={text.label}
          data-autofocus={requestedLabel === undefined ? undefined : true}
          value={value.term}
          data={terms.map(([term, label]) => ({ value: term, label }))}
          onChange={({ currentTarget }) => change({ ...value, term: currentTarget.value as Term })}
        />
        {value.term === 'date' ? (
          <TextInput
            type="date"
            label={text.lastDay}
            required
            min={dayOf(new Date())}
            value={value.date}
            onChange={({ currentTarget }) => change({ ...value, date: currentTarget.value })}
          />
        ) : null}
      </Group>
      {lastDay ? <p role="status">{text.lastDayIs(lastDay)}</p> : null}
    </>
  );
};
