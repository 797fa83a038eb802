import type { BenchCase, SampledSide } from "../bench-case.ts";
import { JournalSides } from "../journal-append/journal-sides.ts";

/** Appends between two calls of the work that waits until the commands are sent. */
const TURN = 64;
/** Durable records in a round: a disk takes some thousands a second. */
const DURABLE_SAMPLES = 100;

/** G12: what an order appends, until the driver may send it. The peer's commit is on the disk by then, ours in the page cache. */
export const journalAppend: BenchCase = {
  goal: "G12",
  title: "journal: one append of a step with an order, until the caller goes on",
  unit: "us",
  async prepare() {
    const journals = new JournalSides();
    return {
      sides: [
        {
          name: "journal append (page cache)",
          run(iterations) {
            for (let done = 1; done <= iterations; done += 1) {
              journals.append();
              if (done % TURN === 0) journals.maintain();
            }
          },
        },
        {
          name: "node:sqlite WAL FULL, one insert a commit (disk)",
          run(iterations) {
            for (let done = 0; done < iterations; done += 1) journals.insert();
          },
        },
      ],
      check: () => journals.check(),
      remarks: () => [`a record has ${journals.recordBytes} bytes`],
    };
  },
};

/** G12b: the same record until the disk has confirmed it, as with `durability: power`. */
export const durableAppend: BenchCase = {
  goal: "G12b",
  title: "journal: one append of a step with an order, until it is durable",
  unit: "us",
  async prepare() {
    const journals = new JournalSides();
    return {
      sides: [
        sampled("journal append and sync", () => journals.appendDurably()),
        sampled("node:sqlite WAL FULL, one insert a commit", () => journals.insert()),
        sampled("one write and fdatasync", () => journals.writeDurably()),
      ],
      check: () => journals.check(),
      remarks: () => [`a record has ${journals.recordBytes} bytes`],
    };
  },
};

function sampled(name: string, store: () => unknown): SampledSide {
  return {
    name,
    samplesPerRound: DURABLE_SAMPLES,
    samplesToWarm: DURABLE_SAMPLES,
    async sample(samplesUs) {
      for (let at = 0; at < samplesUs.length; at += 1) {
        const start = performance.now();
        await store();
        samplesUs[at] = (performance.now() - start) * 1000;
      }
    },
  };
}
