import type { Invariant, ReadSources } from "../invariant.ts";
import { NaiveSources } from "../naive-source.ts";

/** Each decision sees of a source the newest price that was received, unless it is too old, impossible, or a jump that has not stood. */
export const sourcePrices: Invariant = {
  name: "source-prices",
  isOfBot: true,
  watch({ scenario, sourcesRead, oracle, elapsedMs }) {
    if (scenario.sources === undefined) return {};
    const { names } = scenario.sources;
    const sources = new NaiveSources(scenario.sources, { elapsedMs });
    /** Why the oldest of `sourcesRead` does not fit the steps of its time so far; several may have the same. */
    let wrong: { readonly nowMs: number; readonly text: string } | undefined;
    const problemOf = ({ nowMs, seen }: ReadSources): string | undefined => {
      for (const name of names) {
        const [view, price] = [seen[name], sources.at(name, nowMs)];
        const age = price && nowMs - price.receivedMs;
        oracle.reach(price === undefined ? "source unusable" : "source read");
        if (view?.bid === price?.bid && view?.ask === price?.ask && view?.ageMs === age) continue;
        const told =
          price === undefined ? "none may be used" : `${price.bid} of ${age} ms is right`;
        return `a decision saw ${view?.bid ?? "no price"} of source ${name}: ${told}`;
      }
      return undefined;
    };
    return {
      runStarts() {
        sources.runStarts();
        wrong = undefined;
      },
      entry({ batch }) {
        const reads = sourcesRead();
        const found = wrong === undefined || wrong.nowMs === batch.nowMs ? undefined : wrong.text;
        if (found !== undefined) {
          reads.shift();
          wrong = undefined;
        }
        sources.entry(batch);
        while (reads[0]?.nowMs === batch.nowMs) {
          const text = problemOf(reads[0]);
          wrong = text === undefined ? undefined : { nowMs: batch.nowMs, text };
          if (text !== undefined) break;
          reads.shift();
        }
        return found;
      },
    };
  },
};
