import type { MarketId } from "../domain/ids.ts";
import type { BatchEntry } from "../journal/entry.ts";

/**
 * The end of a run, for a replay of it alone. The whole book of a healthy market is read at the run's start only, so its first audit is
 * the book with which it begins here.
 */
export function beginningWithBooks(batches: readonly BatchEntry[]): readonly BatchEntry[] {
  const begun = new Set<MarketId>();
  return batches.map((entry) => {
    const inputs = entry.batch.inputs.map((input) => {
      if (input.type !== "depthAudit" && input.type !== "book") return input;
      const { snapshot } = input;
      if (begun.has(snapshot.marketId)) return input;
      begun.add(snapshot.marketId);
      return { type: "book" as const, snapshot };
    });
    return { ...entry, batch: { ...entry.batch, inputs } };
  });
}
