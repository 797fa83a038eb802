import { getOrMake } from "../base/get-or-make.ts";
import type { AppendFile } from "../ports/store.ts";
import { type DefectCounts, type DefectName, noDefects } from "./defect.ts";
import type { RecordingIo } from "./recording-io.ts";

/** File in a recording's folder that lists the defects of its sources, one JSON object per line. Absent if there are none. */
export const DEFECTS_FILE = "defects.ndjson";
/** Limits memory and disk when a source is broken throughout; defects beyond it are only counted. */
const LIST_MAX = 10_000;

/** A defect and its location: file and line (counted from 1) in the source or in the recording itself. */
export interface PlacedDefect {
  readonly what: DefectName;
  readonly market: string;
  readonly file: string;
  readonly line: number;
  readonly detail: string;
}

/** Counts all defects and keeps the first ones, in the order in which they were found. */
export class DefectList {
  readonly #counts = noDefects();
  readonly #byMarket = new Map<string, Record<DefectName, number>>();
  readonly #defects: PlacedDefect[] = [];
  readonly #max: number;
  #omitted = 0;

  constructor(max = LIST_MAX) {
    this.#max = max;
  }

  get defects(): readonly PlacedDefect[] {
    return this.#defects;
  }

  get counts(): DefectCounts {
    return this.#counts;
  }

  countsOf(market: string): DefectCounts {
    return this.#byMarket.get(market) ?? noDefects();
  }

  /** Number of defects that were counted but not kept. */
  get omitted(): number {
    return this.#omitted;
  }

  add(defect: PlacedDefect): void {
    this.#counts[defect.what] += 1;
    getOrMake(this.#byMarket, defect.market, noDefects)[defect.what] += 1;
    if (this.#defects.length < this.#max) this.#defects.push(defect);
    else this.#omitted += 1;
  }

  /** Writes the list, with the counts of each market at its end, into the recording's folder. */
  write(io: RecordingIo, folder: string): void {
    if (this.#defects.length === 0) return;
    const lines: object[] = [...this.#defects];
    for (const [market, counts] of this.#byMarket) lines.push({ market, counts });
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const file: AppendFile = io.store.openAppend(`${folder}/${DEFECTS_FILE}`, { truncateTo: 0 });
    file.append(new TextEncoder().encode(text));
    file.close();
  }
}

/** The defects of one market's sources: the first ones, and how many there are of each kind. */
export interface SourceDefects {
  readonly defects: readonly PlacedDefect[];
  readonly counts: DefectCounts;
}

/** Reads the defect list of a recording, by market. Unreadable lines are skipped, since nothing depends on them. */
export function readDefects(io: RecordingIo, folder: string): ReadonlyMap<string, SourceDefects> {
  const text = new TextDecoder().decode(io.store.read(`${folder}/${DEFECTS_FILE}`));
  const lines = text.split("\n").flatMap((line) => lineOf(line) ?? []);
  const byMarket = new Map<string, SourceDefects>();
  for (const [market, all] of Map.groupBy(lines, (line) => line.market)) {
    const defects = all.filter((line) => "what" in line);
    const counts = all.find((line) => "counts" in line)?.counts ?? noDefects();
    byMarket.set(market, { defects, counts });
  }
  return byMarket;
}

type DefectLine = PlacedDefect | { readonly market: string; readonly counts: DefectCounts };

function lineOf(text: string): DefectLine | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<DefectLine> | null;
    return typeof parsed?.market === "string" ? (parsed as DefectLine) : undefined;
  } catch {
    return undefined;
  }
}
