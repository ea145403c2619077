import type { Board } from './board.ts';

const width = 960;
const panel = { left: 48, right: 16, top: 56, plot: 220, bottom: 44 } as const;
const panelHeight = panel.top + panel.plot + panel.bottom;
const legendHeight = 40;

/** Colours that differ in brightness too, for either background; a ranker has the same one in every panel. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2933; }
  .title { font-size: 14px; font-weight: 600; }
  .quiet { fill: #52606d; }
  .grid { stroke: #d5dbe1; }
  .whisker { stroke: #1f2933; stroke-width: 1.25; }
  .embedder { fill: #1d6fd1; } .search { fill: #0b9e8a; } .hashing { fill: #e39b1f; } .bm25 { fill: #9aa5b1; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb; }
    .quiet { fill: #a3adb8; }
    .grid { stroke: #3b4754; }
    .whisker { stroke: #f5f7fa; }
    .embedder { fill: #4c9bf5; } .search { fill: #2cc3ad; } .hashing { fill: #f0b445; } .bm25 { fill: #7b8794; }
  }`;

/** Draws the first metric of each board: a group of bars for each kind, a bar for each ranker, with its interval. */
export const chartOf = (boards: readonly Board[]): string => {
  const height = boards.length * (panelHeight + legendHeight);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(labelOf(boards))}">
<style>${style}
</style>
${boards.map((board, at) => panelOf(board, at * (panelHeight + legendHeight))).join('\n')}
</svg>
`;
};

const labelOf = (boards: readonly Board[]): string =>
  boards.map(({ title, metrics }) => `${title}: ${metrics[0] ?? ''} by kind of query`).join('; ');

const panelOf = (board: Board, top: number): string => {
  const metric = board.metrics[0] ?? '';
  const bottom = panel.top + panel.plot;
  const plotWidth = width - panel.left - panel.right;
  const step = plotWidth / board.kinds.length;
  const barWidth = Math.min(34, (step * 0.8) / board.rows.length);
  const yOf = (value: number): number => bottom - value * panel.plot;
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (value) =>
      `<line class="grid" x1="${panel.left}" x2="${width - panel.right}" y1="${shown(yOf(value))}" y2="${shown(yOf(value))}"/>` +
      `<text class="quiet" x="${panel.left - 8}" y="${shown(yOf(value) + 4)}" text-anchor="end">${value.toFixed(2)}</text>`,
  );
  const groups = board.kinds.map(({ name, count }, at) => {
    const middle = panel.left + step * (at + 0.5);
    const bars = board.rows.map((row, index) => {
      const figure = row.figures[name]?.[metric];
      if (!figure) return '';
      const x = middle + (index - board.rows.length / 2) * barWidth;
      const centre = shown(x + barWidth / 2);
      return (
        `<rect class="${row.key}" x="${shown(x + 1)}" y="${shown(yOf(figure.mean))}" width="${shown(barWidth - 2)}" ` +
        `height="${shown(figure.mean * panel.plot)}"><title>${escaped(`${row.label}, ${name}: ${figure.mean.toFixed(3)}`)}</title></rect>` +
        `<line class="whisker" x1="${centre}" x2="${centre}" y1="${shown(yOf(figure.high))}" y2="${shown(yOf(figure.low))}"/>`
      );
    });
    const label = `<text x="${shown(middle)}" y="${bottom + 18}" text-anchor="middle">${escaped(name)}</text>`;
    const counted = `<text class="quiet" x="${shown(middle)}" y="${bottom + 34}" text-anchor="middle">${count}</text>`;
    return `${bars.join('')}${label}${counted}`;
  });
  return `<g transform="translate(0 ${top})">
<text class="title" x="${panel.left}" y="20">${escaped(`${board.title}: ${metric} by kind of query, with 95 % intervals`)}</text>
${legendOf(board)}
${grid.join('\n')}
${groups.join('\n')}
</g>`;
};

/** About the width of a character, so that entries follow each other. */
const characterWidth = 6.6;

const legendOf = ({ rows }: Board): string => {
  let x: number = panel.left;
  return rows
    .map(({ key, label }) => {
      const entry =
        `<rect class="${key}" x="${shown(x)}" y="31" width="11" height="11"/>` +
        `<text x="${shown(x + 16)}" y="41">${escaped(label)}</text>`;
      x += 16 + label.length * characterWidth + 18;
      return entry;
    })
    .join('\n');
};

export const shown = (value: number): string => String(Math.round(value * 10) / 10);

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
