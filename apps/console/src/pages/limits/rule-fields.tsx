import { NativeSelect, TextInput } from '@mantine/core';
import { fieldOf } from '../../parts/form-fields.ts';
import { words } from '../../words/words.ts';
import styles from './limits.module.css';

const text = words.limits;

/** A rate limit: the number of requests allowed in a window of this many seconds. */
export interface Rule {
  readonly allowed_limit: number;
  readonly window_seconds: number;
}

const secondsOf = { second: 1, minute: 60, hour: 3_600, day: 86_400 } as const;
type Unit = keyof typeof secondsOf;
const units = Object.keys(secondsOf) as Unit[];

const allowedMax = 1_000_000_000;
const windowSecondsMax = 2_678_400;
const defaultRule: Rule = { allowed_limit: 600, window_seconds: 60 };

/** The form fields of a limit; `ruleFrom` reads them. */
export const RuleFields = ({ rule = defaultRule }: { readonly rule?: Rule }) => {
  const unit = units.toReversed().find((name) => rule.window_seconds % secondsOf[name] === 0) ?? 'second';
  return (
    <div className={styles.rule}>
      <TextInput
        type="number"
        name="allowed"
        label={text.allowed}
        required
        min={1}
        max={allowedMax}
        step={1}
        defaultValue={rule.allowed_limit}
      />
      <TextInput
        type="number"
        name="window"
        label={text.window}
        required
        min={1}
        max={windowSecondsMax}
        step={1}
        defaultValue={rule.window_seconds / secondsOf[unit]}
      />
      <NativeSelect
        name="unit"
        aria-label={text.unit}
        defaultValue={unit}
        data={units.map((name) => ({ value: name, label: text.units[name] }))}
      />
    </div>
  );
};

export const ruleFrom = (fields: FormData): Rule => ({
  allowed_limit: Number(fieldOf(fields, 'allowed')),
  window_seconds: Number(fieldOf(fields, 'window')) * (secondsOf[fieldOf(fields, 'unit') as Unit] ?? 1),
});
