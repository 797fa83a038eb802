import { describe, expect, test } from "vitest";
import { z } from "zod";
import { builtInStrategies } from "../../src/config/load-plugin.ts";
import {
  defineStrategy,
  keepQuotes,
  type MarketDecision,
  setQuotes,
  type StrategyDefinition,
} from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import {
  type ConformanceOptions,
  type ConformanceResult,
  conforms,
} from "../../src/testing/index.ts";
import { scripted } from "../kernel/harness.ts";
import {
  expectEveryProperty,
  judgeExample,
  rowsOfAttacks,
  slowStrategies,
} from "./judge-example.ts";

test.each(builtInStrategies().filter((name) => !slowStrategies.includes(name)))(
  "%s has every property with the parameters of its example, and its losses are in the document",
  expectEveryProperty,
);

test.each(slowStrategies)(
  "%s withstands a walk, keeps its state and stays the same",
  async (name) => {
    const only = ["withstands a walk", "keeps its state", "decides the same again"];
    expect((await judgeExample(name, only)).failed).toEqual([]);
  },
);

test("the document has the losses of every built-in strategy", () => {
  const names = rowsOfAttacks().map((row) => row.split(" | ")[0]?.slice(2));
  expect(names).toEqual(builtInStrategies());
});

const fixedQuotes = {
  bids: [{ price: 99.9, size: "1" }],
  asks: [{ price: 100.1, size: "1" }],
};

/** Quotes 0.1 % around a price, with nothing against dust. */
const around = (mid: number | undefined): MarketDecision =>
  mid === undefined
    ? setQuotes({})
    : setQuotes({
        bids: [{ price: mid * 0.999, size: "1" }],
        asks: [{ price: mid * 1.001, size: "1" }],
      });
const midFollower = scripted(({ book: { mid } }) => around(mid));

/** Follows the mid for 50 ms after it moved, and is back before a second look. */
const brief: StrategyDefinition = {
  ...scripted(() => keepQuotes()),
  init: () => ({ mid: 0, backMs: 0 }),
  decide({ state, view: { book, nowMs } }) {
    const seen = state as { mid: number; backMs: number };
    const { mid = 0 } = book;
    if (mid !== seen.mid) Object.assign(seen, { mid, backMs: nowMs + 50 });
    if (nowMs >= seen.backMs) return around(100);
    return { ...around(mid), wakeAtMs: seen.backMs };
  },
};

/** Quotes around the price that its source gave last, however old that is. */
const sourceKeeper: StrategyDefinition = {
  ...scripted(() => keepQuotes()),
  init: () => ({}),
  decide({ state, view: { sources } }) {
    const kept = state as { mid?: number };
    const { mid = kept.mid } = sources["btc"] ?? {};
    if (mid !== undefined) kept.mid = mid;
    return around(mid);
  },
};

/** Quotes in its own market by what it sees in two. */
function inTwo(
  decide: (markets: Readonly<Record<string, MarketView>>) => MarketDecision,
): StrategyDefinition {
  return {
    ...scripted(() => keepQuotes()),
    markets: ["main", "hedge"],
    decide: ({ view }) => decide(view.markets),
  };
}

/** Does not expect that there is nothing to decide for a second. */
const impatient: StrategyDefinition = {
  ...scripted(() => keepQuotes()),
  init: () => ({ lastMs: 0 }),
  decide({ state, view: { nowMs } }) {
    const seen = state as { lastMs: number };
    if (seen.lastMs > 0 && nowMs - seen.lastMs > 1_000) throw new Error("never thought of this");
    seen.lastMs = nowMs;
    return setQuotes(fixedQuotes);
  },
};

/** Holds one more than it holds. */
const runaway = scripted(({ position }) =>
  setQuotes({ workTo: { position: position.base.plus(1), clip: "1", every: 100 } }),
);

/** Long, then short, every second. */
const flipping = scripted(({ nowMs }) => {
  const position = Math.floor(nowMs / 1_000) % 2 === 0 ? "1" : "-1";
  return setQuotes({ workTo: { position, clip: "1", every: 100 } });
});

/** Quotes at 99.9 and 100.1, whatever happens. */
const steady = scripted(() => setQuotes(fixedQuotes));

/** Properties that a strategy of these tests is convicted of. */
const convictions = new Set<string>();

async function isConvicted(
  property: string,
  definition: StrategyDefinition,
  options: ConformanceOptions = {},
) {
  const { failed } = await conforms(definition, { ...options, only: [property] });
  if (failed.length > 0) convictions.add(property);
  return failed.length > 0;
}

describe("conforms", () => {
  let results: readonly ConformanceResult[] = [];

  test("finds nothing in a strategy whose quotes never move", async () => {
    const conformance = await conforms(steady);
    ({ results } = conformance);
    expect(conformance.failed).toEqual([]);
    expect(results).toContainEqual({
      property: "keeps its state",
      ok: true,
      detail: "it keeps no state",
    });
  });

  test("convicts a strategy that follows the mid, and says the price", async () => {
    const { failed } = await conforms(midFollower);
    for (const attack of ["dust", "a gap", "a walk"]) {
      const property = `withstands ${attack}`;
      expect(failed).toContainEqual(expect.stringContaining(`${property}: `));
      convictions.add(property);
    }
    expect(failed).toContainEqual(
      expect.stringMatching(
        /^withstands dust: a BUY at 10\d\.?\d* where 100 is fair and 100\.7 the limit$/,
      ),
    );
  });

  const thrower = (when: (bids: number, asks: number) => boolean) =>
    scripted(({ book }) => {
      const [bid, ask] = [book.best("BUY"), book.best("SELL")];
      if (when(bid?.quantity ?? 0, ask?.quantity ?? 0)) {
        throw new Error("never thought of this");
      }
      return setQuotes(fixedQuotes);
    });

  test.each<[string, StrategyDefinition, ConformanceOptions?]>([
    ["trades in a calm market", scripted(() => setQuotes({}))],
    ["survives a thin book", thrower((bid, ask) => bid < 0.01 && bid > 0 && ask > 0 && ask < 0.01)],
    ["withstands dust", brief],
    // A crossed book is not shown.
    ["survives a crossed book", impatient],
    ["survives a one-sided book", thrower((bid, ask) => (bid === 0) !== (ask === 0))],
    ["survives an empty book", thrower((bid, ask) => bid === 0 && ask === 0)],
    ["withstands a walk", inTwo(({ hedge }) => around(hedge?.book.mid))],
    [
      "survives the loss of a market",
      inTwo(({ hedge }) => {
        if (hedge?.isFresh === false) throw new Error("never thought of this");
        return setQuotes(fixedQuotes);
      }),
    ],
    ["takes nothing back and forth", flipping],
    [
      "survives stale sources",
      scripted(({ sources }) => {
        const { btc } = sources;
        if (btc === undefined) throw new Error("never thought of this");
        return setQuotes(fixedQuotes);
      }),
      { sources: { btc: { whenOld: "widen" } } },
    ],
    ["survives stale sources", sourceKeeper, { sources: { btc: { whenOld: "widen" } } }],
    [
      "never has two quotes at one price",
      scripted(() =>
        setQuotes({ ...fixedQuotes, bids: [...fixedQuotes.bids, ...fixedQuotes.bids] }),
      ),
    ],
    ["stays within its limits", runaway, { risk: { maxPosition: "5" } }],
    [
      "stays within its limits",
      scripted(() =>
        setQuotes({ ...fixedQuotes, bids: [...fixedQuotes.bids, { price: 50, size: "1" }] }),
      ),
    ],
    ["decides in bounded time", slow(), { maxDecide: "1ms" }],
    ["decides the same again", forgetful()],
    ["keeps its state", keeping({ save: ({ seen }) => ({ seen }), load: (_, __, state) => state })],
    ["keeps its state", keeping({ save: () => new Map(), load: (_, __, state) => state })],
  ])("convicts: %s", async (property, definition, options = {}) => {
    expect(await isConvicted(property, definition, options)).toBe(true);
  });

  test.each<[string, StrategyDefinition, ConformanceOptions?]>([
    [
      "keeps its state: saving it changes it",
      keeping({
        save: (state) => {
          state.seen += 1;
          return { seen: state.seen };
        },
        load: (data) => data as Seen,
      }),
    ],
    [
      "keeps its state: what it saves is no plain data for JSON",
      keeping({ save: () => ({ seen: undefined }), load: (_, __, state) => state }),
    ],
    [
      "keeps its state: what it saves after a load is not what was saved before",
      keeping({ save: ({ seen }) => ({ seen }), load: () => ({ seen: 0 }) }),
    ],
    // It fails only when it goes on with what was restored.
    [
      "keeps its state: never thought of this",
      {
        ...scripted(() => keepQuotes()),
        init: () => ({ seen: 0 }),
        state: {
          version: 1,
          save: (state) => ({ seen: (state as Seen).seen }),
          load: (data) => ({ ...(data as Seen), isRestored: true }),
        },
        decide({ state }) {
          if ((state as { isRestored?: boolean }).isRestored) {
            throw new Error("never thought of this");
          }
          return setQuotes(fixedQuotes);
        },
      },
    ],
    [
      "survives an empty book: no BUY and SELL a minute after the book is back",
      {
        ...scripted(() => keepQuotes()),
        init: () => ({ seen: 0 }),
        decide({ state, view }) {
          const counted = state as Seen;
          const isOpen = view.book.mid !== undefined;
          if (isOpen === (counted.seen % 2 === 0)) counted.seen += 1;
          return setQuotes(counted.seen > 1 ? {} : fixedQuotes);
        },
      },
    ],
  ])("says of what it convicts: %s", async (sentence, definition, options = {}) => {
    const only = [sentence.slice(0, sentence.indexOf(":"))];
    const { failed } = await conforms(definition, { ...options, only });
    expect(
      failed.some((one) => one.startsWith(sentence)),
      failed.join("\n"),
    ).toBe(true);
  });

  test("has no property that no strategy above is convicted of", () => {
    expect([...convictions].sort()).toEqual(results.map(({ property }) => property).sort());
  });

  test("refuses options that mean nothing", async () => {
    await expect(conforms(steady, { maxLoss: "little" })).rejects.toThrow("little is no share");
    await expect(conforms(steady, { latency: { entry: "soon" } })).rejects.toThrow("entry");
    await expect(conforms(steady, { only: ["is nice"] })).rejects.toThrow(
      'There is no property "is nice".',
    );
  });
});

/** A decision that takes several milliseconds. */
function slow(): StrategyDefinition {
  return scripted(() => {
    let sum = 0;
    for (let at = 0; at < 600_000; at += 1) sum += Math.sqrt(at);
    return setQuotes({ ...fixedQuotes, reason: { BUY: String(sum) } });
  });
}

/** Remembers outside of its state. */
function forgetful(): StrategyDefinition {
  let calls = 0;
  return scripted(() => {
    calls += 1;
    return setQuotes({ ...fixedQuotes, reason: { BUY: `call ${calls}` } });
  });
}

interface Seen {
  seen: number;
}

function keeping(
  parts: Pick<NonNullable<StrategyDefinition<z.ZodType, Seen>["state"]>, "save" | "load">,
): StrategyDefinition {
  return defineStrategy({
    name: "keeping",
    params: z.strictObject({}),
    init: () => ({ seen: 0 }),
    state: { version: 1, ...parts },
    decide({ state }) {
      state.seen += 1;
      return setQuotes(fixedQuotes);
    },
  });
}
