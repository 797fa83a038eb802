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

  /** Number of defects that were counted but not kept. */
  get omitted(): number {
    return this.#omitted;
  }

  add(defect: PlacedDefect): void {
    this.#counts[defect.what] += 1;
    if (this.#defects.length < this.#max) this.#defects.push(defect);
    else this.#omitted += 1;
  }

  /** Writes the list into the recording's folder. */
  write(io: RecordingIo, folder: string): void {
    if (this.#defects.length === 0) return;
    const lines: object[] = [...this.#defects];
    if (this.#omitted > 0) lines.push({ omitted: this.#omitted });
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const file: AppendFile = io.store.openAppend(`${folder}/${DEFECTS_FILE}`, { truncateTo: 0 });
    file.append(new TextEncoder().encode(text));
    file.close();
  }
}

/** Reads the defect list of a recording, by market. Unreadable lines are skipped, since nothing depends on them. */
export function readDefects(
  io: RecordingIo,
  folder: string,
): ReadonlyMap<string, readonly PlacedDefect[]> {
  const text = new TextDecoder().decode(io.store.read(`${folder}/${DEFECTS_FILE}`));
  const defects = text.split("\n").flatMap((line) => defectOf(line) ?? []);
  return Map.groupBy(defects, ({ market }) => market);
}

function defectOf(text: string): PlacedDefect | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<PlacedDefect> | null;
    return typeof parsed?.what === "string" && typeof parsed.market === "string"
      ? (parsed as PlacedDefect)
      : undefined;
  } catch {
    return undefined;
  }
}
