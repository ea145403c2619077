import { useRead } from '../../api/use-call.ts';
import { words } from '../../words/words.ts';

const text = words.people.person;

/**
 * Returns the tier options, starting with the one for no tier. They include the current tier even before the list is
 * loaded.
 */
export const useTierOptions = (
  current: string | null,
): readonly { readonly value: string; readonly label: string }[] => {
  const tiers = useRead('GET /api/rate-limits/tiers', {}).data ?? [];
  const options = tiers.map(({ tier, is_active: isActive }) => ({
    value: tier,
    label: isActive ? tier : text.inactive(tier),
  }));
  const isKnown = current === null || options.some(({ value }) => value === current);
  return [{ value: '', label: text.noTier }, ...options, ...(isKnown ? [] : [{ value: current, label: current }])];
};
