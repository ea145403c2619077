import { words } from '../../words/words.ts';
import { countNames, countOf, type UsageLine } from './counts.ts';
import styles from './usage.module.css';

const text = words.use;

/** The figures of the chart, for people who cannot see it or want exact numbers. */
export const DayTable = ({ days }: { readonly days: readonly (UsageLine & { readonly day: string })[] }) => (
  <details className={styles.figures}>
    <summary>{text.showTable}</summary>
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={text.tableLabel}>
      <table className={styles.table} aria-label={text.tableLabel}>
        <thead>
          <tr>
            <th scope="col">{text.day}</th>
            {countNames.map((name) => (
              <th key={name} scope="col">
                {text.counts[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((line) => (
            <tr key={line.day}>
              <th scope="row">{line.day}</th>
              {countNames.map((name) => (
                <td key={name}>{words.formats.number(countOf(line, name))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);
