import type { AppendFile } from "../ports/store.ts";
import { type DefectCounts, type DefectName, noDefects } from "./defect.ts";
import type { RecordingIo } from "./recording-io.ts";

/** In a recording's folder: what its sources had wrong, one JSON object a line. Only where there is something. */
export const DEFECTS_FILE = "defects.ndjson";
/** A source that is broken throughout must not fill memory or disk; the counts go on. */
const LIST_MAX = 10_000;

/** A defect and where it stands: file and line of the source, or of the recording itself. */
export interface PlacedDefect {
  readonly what: DefectName;
  readonly market: string;
  readonly file: string;
  readonly line: number;
  readonly detail: string;
}

/** Defects in the order in which they were found, the first of them only, and the count of all. */
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

  /** How many are not in the list. */
  get omitted(): number {
    return this.#omitted;
  }

  add(defect: PlacedDefect): void {
    this.#counts[defect.what] += 1;
    if (this.#defects.length < this.#max) this.#defects.push(defect);
    else this.#omitted += 1;
  }

  /** Keeps the list with the recording. */
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

/** The kept list of a recording by market; lines that are none are passed over, since nothing depends on them. */
export function readDefects(
  io: RecordingIo,
  folder: string,
): ReadonlyMap<string, readonly PlacedDefect[]> {
  const byMarket = new Map<string, PlacedDefect[]>();
  const bytes = io.store.read(`${folder}/${DEFECTS_FILE}`);
  if (bytes === undefined) return byMarket;
  for (const text of new TextDecoder().decode(bytes).split("\n")) {
    const defect = defectOf(text);
    if (defect === undefined) continue;
    const known = byMarket.get(defect.market);
    if (known === undefined) byMarket.set(defect.market, [defect]);
    else known.push(defect);
  }
  return byMarket;
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
