import { beforeAll, describe, expect, test, vi } from "vitest";
import { type CheckLine, checkpointOf, checkRecording } from "../../src/recordings/check.ts";
import { importRecording } from "../../src/recordings/import.ts";
import type { RecordedBook, RecordedEvent } from "../../src/recordings/recorded-event.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { RecordingWriter } from "../../src/recordings/recording-writer.ts";
import {
  type Checkpoint,
  checkpointsOf,
  derivedBook,
  filesOf,
  hasShared,
  io,
  sets,
  temporaryFolder,
} from "./shared-recordings.ts";

// Replaying real data takes several seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const [set] = sets;

/** An undisturbed replay skips the first two events, which the snapshot already contains. */
const DROPPED = 2;

describe.skipIf(!hasShared)("gaps and repeats made in set 01 (../shared/data)", () => {
  const folder = temporaryFolder();
  let original: RecordedEvent[] = [];
  let expected: Checkpoint[] = [];

  beforeAll(() => {
    const out = `${folder}/whole`;
    importRecording(io, { format: set.format, files: filesOf(set), out });
    original = [...new Recording(io, out).events()].filter((event) => event.type !== "trade");
    expected = checkpointsOf(set, "BTCUSDT");
  });

  /** Numbers of the depth events; 1 is the first that an undisturbed replay applies. */
  function numbered(): { event: RecordedEvent; n: number }[] {
    let n = -DROPPED;
    return original.map((event) => {
      if (event.type === "depth") n += 1;
      return { event, n: event.type === "depth" ? n : Number.NaN };
    });
  }

  function check(name: string, events: Iterable<RecordedEvent>) {
    const out = `${folder}/${name}`;
    const writer = new RecordingWriter(io, out);
    for (const event of events) writer.append(event);
    writer.close();
    writer.writeManifest(new Recording(io, `${folder}/whole`).manifest);
    const books = new Map<number, object>();
    const wanted = new Set(expected.map((checkpoint) => checkpoint.finalId));
    const lines = checkRecording(io, new Recording(io, out), {
      onApplied: ({ event, book }) => {
        if (!wanted.has(event.finalId)) return;
        books.set(event.finalId, checkpointOf(book, event, io.compression));
      },
    });
    return { line: lines[0] as CheckLine, books };
  }

  /** Asserts that all checkpoints reached agree; returns their numbers. */
  function agreeing(books: ReadonlyMap<number, object>): number[] {
    const there: number[] = [];
    for (const { n, ...checkpoint } of expected) {
      const book = books.get(checkpoint.finalId);
      if (book === undefined) continue;
      expect(book).toEqual(checkpoint);
      there.push(n);
    }
    return there;
  }

  function derived(n: number, atUs: number): RecordedBook {
    const { updatedAt, ...book } = derivedBook(n);
    const [first] = original;
    if (first === undefined) throw new Error("the recording is empty");
    const { marketId } = first;
    return { type: "book", atUs, marketId, timeMs: updatedAt as RecordedBook["timeMs"], ...book };
  }

  /** Leaves out events 1001 to 1005; the derived snapshot follows event `after`. */
  function withGap(after: number): RecordedEvent[] {
    return numbered().flatMap(({ event, n }) => {
      if (n >= 1001 && n <= 1005) return n === after ? [derived(1010, event.atUs)] : [];
      return n === after ? [event, derived(1010, event.atUs)] : [event];
    });
  }

  test.each([
    ["before the gap is seen", 1003],
    ["while events are held", 1008],
    ["just as the book's last event", 1010],
    ["later", 1040],
  ])("one gap is reported, and a later snapshot heals it (%s)", (_, after) => {
    const { line, books } = check(`gap-${after}`, withGap(after));
    expect(line).toMatchObject({ gaps: 1, duplicates: 0, depthEvents: 6490, crossed: 0 });
    expect(line.applied).toBe(6493 - 10);
    expect(agreeing(books)).toEqual(expected.map(({ n }) => n));
  });

  test("a gap without a later snapshot is reported once; the book continues with wrong levels", () => {
    const { line, books } = check(
      "gap-unhealed",
      numbered().flatMap(({ event, n }) => (n >= 1001 && n <= 1005 ? [] : [event])),
    );
    expect(line).toMatchObject({ gaps: 1, applied: 6493 - 5 });
    const last = expected.at(-1);
    const full = (books.get(last?.finalId ?? 0) as { full?: string }).full;
    expect(full).not.toBe(last?.["full"]);
  });

  test("repeated events 2000 to 2010 leave all checkpoints unchanged", () => {
    const events = numbered().flatMap(({ event, n }) => {
      if (n !== 2010) return [event];
      const again = numbered().filter((each) => each.n >= 2000 && each.n <= 2010);
      return [event, ...again.map((each) => ({ ...each.event, atUs: event.atUs }))];
    });
    const { line, books } = check("overlap", events);
    expect(line).toMatchObject({ gaps: 0, duplicates: 11, applied: 6493, depthEvents: 6506 });
    expect(agreeing(books)).toEqual(expected.map(({ n }) => n));
  });
});
