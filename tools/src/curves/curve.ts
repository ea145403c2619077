/** A figure: of one series, at one place of the x axis. */
export interface Row {
  readonly x: number;
  readonly series: string;
  readonly value: number;
  /** The unit of one of the curve's charts. */
  readonly unit: string;
}

export type Scale = 'linear' | 'log';

export interface Axis {
  readonly label: string;
  readonly scale: Scale;
}

/** Shows the rows of one unit. */
export interface ChartOfUnit {
  readonly unit: string;
  readonly title: string;
  readonly scale: Scale;
}

/** How far a run goes, and where it says how far it has come. */
export interface Run {
  /** Small sizes, few repetitions: shows that the curve can be measured, not what it is. */
  readonly quick: boolean;
  readonly idleMinutes: number;
  /** For this curve alone; removed after it. */
  readonly folder: string;
  /** Tells what is being done. */
  readonly tell: (what: string) => void;
  /** A remark that belongs to the figures, such as a server that is missing. */
  readonly note: (remark: string) => void;
}

/** How one thing costs more as another grows. */
export interface Curve {
  /** Its name on the command line and of its files. */
  readonly name: string;
  readonly title: string;
  readonly x: Axis;
  readonly charts: readonly ChartOfUnit[];
  /** What was measured, and how. */
  readonly setting: string;
  /** Where it bends, why, and what an operator does: written from the figures. */
  readonly reading: string;
  readonly measure: (run: Run) => AsyncIterable<Row>;
}

export interface MeasuredCurve {
  readonly name: string;
  readonly measuredAt: string;
  readonly commit: string;
  /** Not all of them are measured on one. */
  readonly machine: Machine;
  readonly seconds: number;
  /** The processes that ran or waited to run before, as an average of a minute. */
  readonly loadBefore: number;
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly node: string;
}

export interface Measurements {
  readonly curves: readonly MeasuredCurve[];
}
