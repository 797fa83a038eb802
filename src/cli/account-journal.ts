import { statSync } from "node:fs";
import type { TokenId } from "../domain/ids.ts";
import { marketOfTicker, withMarketIds } from "../domain/market-of-ticker.ts";
import type { Market } from "../domain/market.ts";
import { DAY_MS } from "../domain/time.ts";
import type { Entry, SegmentHead, StrategyFill } from "../journal/entry.ts";
import { entriesOfRun, readSegment, type RecordedRun } from "../journal/segments.ts";
import type { AccountFold } from "../metrics/account-fold.ts";
import type { Store } from "../ports/store.ts";
import { usageError } from "./exit-code.ts";
import { openJournal } from "./journal-run.ts";
import { asPath, argument } from "./option.ts";
import { symbolsIn } from "./token-of.ts";
import type { ConfigInputs } from "./venue-options.ts";

export const journalSource = asPath(
  argument("<config>", "YAML file of the bot, or the folder of its journal"),
);

/** A bot's journal, with what only its configuration tells. */
export interface AccountJournal {
  readonly folder: string;
  readonly store: Store;
  /** Those that are needed, oldest first. */
  readonly runs: readonly RecordedRun[];
  readonly markets: readonly Market[];
  readonly symbols: ReadonlyMap<string, string>;
  readonly currency: TokenId | undefined;
  /** Names of the strategies of all runs and of the configuration. */
  readonly strategies: readonly string[];
}

/** Opens the journal of a configuration or folder; of a day, the runs from the last one that began before it. Throws `JOURNAL_MISSING`. */
export async function openAccount(
  source: string,
  day: number | undefined,
  inputs: ConfigInputs,
): Promise<AccountJournal> {
  const isFolder = statSync(source, { throwIfNoEntry: false })?.isDirectory() === true;
  const { loadBotConfig } = await import("../config/load-bot-config.ts");
  const written = isFolder ? undefined : await loadBotConfig(source, inputs);
  const folder = written?.journal.path ?? source;
  const { store, runs } = await openJournal(folder);
  const markets = [
    ...new Map(
      runs.flatMap(({ header }) => header.markets.map((one) => [one.marketId, one] as const)),
    ).values(),
  ];
  const config = written && withMarketIds(written, markets);
  const fromMs = (day ?? 0) * DAY_MS;
  const first = runs.findLastIndex(({ header }) => header.startedAtMs <= fromMs);
  return {
    folder,
    store,
    runs: runs.slice(Math.max(0, first)),
    markets,
    symbols: symbolsIn(markets),
    currency: config?.reportingCurrency,
    strategies: [written, ...runs.map(({ header }) => header)].flatMap(
      (of) => of?.strategies.map(({ name }) => name) ?? [],
    ),
  };
}

/** The market that is written as an id or a ticker. Throws a usage error when the journal has none. */
export function marketIn(
  { markets }: AccountJournal,
  written: string | undefined,
): string | undefined {
  if (written === undefined) return undefined;
  const found = marketOfTicker(markets, written);
  if (found !== undefined) return found;
  const names = markets.map(({ marketId, ticker }) => `${ticker} (${marketId})`).join(", ");
  throw usageError(`The journal has no market ${written}.`, `It has ${names}.`);
}

/** The entries of all runs, each after the beginning of its run; one segment is in memory at a time. */
export function* accountEntries({ store, runs }: AccountJournal): Generator<SegmentHead | Entry> {
  for (const run of runs) {
    const [oldest] = run.segments;
    const head = oldest && readSegment(store, oldest).head;
    if (head !== undefined) yield head;
    yield* entriesOfRun(store, run);
  }
}

/** Adds the journal to the fold; `booked` gets each trade. */
export function foldAccount(
  opened: AccountJournal,
  fold: AccountFold,
  booked: (trade: StrategyFill) => void = () => undefined,
): void {
  for (const each of accountEntries(opened)) {
    if ("header" in each) fold.begin(each);
    else for (const trade of fold.apply(each)) booked(trade);
  }
}
