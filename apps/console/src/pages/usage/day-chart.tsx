import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { words } from '../../words/words.ts';
import { countNames, type CountName, type UsageLine } from './counts.ts';
import styles from './usage.module.css';

const text = words.use;

/** Each colour has a contrast ratio of at least 3 with the background in both themes. */
const colours = {
  reads: 'blue.6',
  searches: 'teal.8',
  slices: 'grape.6',
  calls: 'lime.9',
  credential_reads: 'orange.8',
  refused: 'red.8',
} as const satisfies Record<CountName, string>;

const series = countNames.map((name) => ({
  name,
  label: text.counts[name],
  color: colours[name],
  // Rejected requests are not usage: they have a separate bar next to the successful ones.
  stackId: name === 'refused' ? 'refused' : 'answered',
}));

/** A chart of the data in the table below it. Users of screen readers and keyboards have the table. */
export const DayChart = ({ days }: { readonly days: readonly (UsageLine & { readonly day: string })[] }) => (
  <div role="img" aria-label={text.chart(days.length)} className={styles.chart}>
    <BarChart
      h={260}
      data={days.map((day) => ({ ...day }))}
      dataKey="day"
      series={series}
      withLegend
      accessibilityLayer={false}
      maxBarWidth={28}
      valueFormatter={(value) => words.formats.number(value)}
      yAxisProps={{ allowDecimals: false, width: 64 }}
    />
  </div>
);
