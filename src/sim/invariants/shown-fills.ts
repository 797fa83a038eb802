import type { Note } from "../../kernel/note.ts";
import type { Invariant } from "../invariant.ts";
import { NaiveSources } from "../naive-source.ts";
import { sessionLasts } from "../session-lasts.ts";
import { ADOPTED } from "../told-money.ts";
import { missedReadMs } from "../troubles.ts";

const SHOWN_MS = 1_000;

/**
 * After the faults each fill that the bot tells of is shown to its strategy at once, also to one that only its own orders and fills wake. Not
 * judged with a risk ladder, which may keep a strategy from being called.
 */
export const shownFills: Invariant = {
  name: "shown-fills",
  isOfMaker: true,
  watch(world) {
    const { scenario, oracle, sent, elapsedMs, venueNowMs, wasShown, isBotAlive, isStopping } =
      world;
    const isJudged = Object.keys(scenario.triggers).length === 0 && !scenario.yamlChanges;
    const sources = scenario.sources && new NaiveSources(scenario.sources, { elapsedMs });
    let waiting: { readonly note: Extract<Note, { type: "fill" }>; readonly atMs: number }[] = [];
    return {
      runStarts() {
        waiting = [];
        sources?.runStarts();
      },
      entry({ batch, notes }) {
        sources?.entry(batch);
        const nowMs = elapsedMs();
        if (!isJudged || nowMs < missedReadMs(world)) return undefined;
        for (const note of notes) {
          if (note.type === "fill" && note.strategy !== ADOPTED)
            waiting.push({ note, atMs: nowMs });
        }
        return undefined;
      },
      tick() {
        const nowMs = elapsedMs();
        if (waiting.length === 0) return undefined;
        waiting = waiting.filter(({ note: { intent, fill } }) => !wasShown(intent, fill));
        if (!isBotAlive() || isStopping() || sources?.old() !== undefined) waiting = [];
        if (!sessionLasts({ scenario, oracle, sent, venueNowMs }, 0)) waiting = [];
        const [oldest] = waiting;
        if (oldest === undefined || nowMs - oldest.atMs <= SHOWN_MS) return undefined;
        waiting = [];
        const { strategy, fill } = oldest.note;
        return `${strategy} has not been called for the fill ${fill.tradeId}, of which the bot told ${Math.round(nowMs - oldest.atMs)} ms ago`;
      },
    };
  },
};
