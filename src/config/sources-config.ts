import { z } from "zod";
import { suggestion } from "../base/nearest.ts";
import { plainAddress } from "../base/plain-address.ts";
import { intervals, namesIn, parseExpression } from "../domain/expression.ts";
import type { MarketId } from "../domain/ids.ts";
import { duration, price, share } from "../domain/setting.ts";
import type { SourceConfig } from "../kernel/sources/source-config.ts";
import type { FeedSettings } from "../sources/feed-settings.ts";
import { connected, inEveryMode, key, quietly } from "./bot-key.ts";
import { filePath } from "./file-path.ts";
import { marketName } from "./market-setting.ts";
import type { YamlSource } from "./parse-yaml.ts";

/** `sources` of a bot's YAML: prices from elsewhere. */

const received = quietly(connected);
const type = <Name extends string>(name: Name) =>
  key(
    z.literal(name),
    inEveryMode,
    "Where the price comes from: `market`, `static`, `json`, `binance`, `ccxt`, `recording` or `formula`; see docs/sources.md.",
  );
const whenOld = key(
  z.enum(["stop", "widen"]).default("stop"),
  inEveryMode,
  "While it is older than `maxAge`, `stop` pulls the quotes of the strategies that see it, `widen` moves them away by `risk.widenBy`.",
);
const aged = {
  maxAge: key(
    duration({ min: 100, max: 86_400_000 }).prefault("5s"),
    inEveryMode,
    "Older, the price is undefined for strategies.",
  ),
  whenOld,
  jump: z
    .strictObject({
      share: key(
        share({ min: 0.000001, max: 1 }),
        inEveryMode,
        "A move beyond this share, times the root of the seconds since a believed price of about a second ago, is doubted.",
      ),
      confirm: key(
        z.string().min(1).optional(),
        inEveryMode,
        "The source whose move confirms it; left out: the book of a market whose strategy sees the source.",
      ),
    })
    .optional(),
};
const every = key(
  duration({ min: 100, max: 3_600_000 }).prefault("1s"),
  received,
  "How often it is read over HTTP or by ccxt. Leave it well below `maxAge`.",
);
const symbol = key(
  z.string().min(1),
  received,
  "The market's name there, such as `BTCUSDT` or `BTC/USDT`.",
);
const path = key(
  z.string().min(1).optional(),
  received,
  "`static`: the price in quote token. `json`: the path to it in a message, such as `data.0.bid`.",
);
const BINANCE = "wss://stream.binance.com:9443/ws";

const address = z
  .string()
  .refine((text) => /^(https?|wss?):$/.test(URL.parse(text)?.protocol ?? ""), {
    error: "is not an address of the form http://…, https://…, ws://… or wss://…",
  });

const source = z.discriminatedUnion("type", [
  z.strictObject({
    type: type("json"),
    url: key(
      address,
      received,
      "Address: `http` and `https` are read every `every`, `ws` and `wss` send messages. `binance`: the address before the name of the stream.",
    ),
    every,
    send: key(
      z.unknown().optional(),
      received,
      "Sent when the WebSocket opens, for example to subscribe: text as it is, anything else as JSON.",
    ),
    price: path,
    bid: path,
    ask: path,
    time: key(
      z.string().min(1).optional(),
      received,
      "The path to the price's own time: Unix seconds, milliseconds, microseconds or nanoseconds, or text such as `2026-01-01T00:00:00Z`.",
    ),
    ...aged,
  }),
  z.strictObject({ type: type("binance"), symbol, url: address.default(BINANCE), ...aged }),
  z.strictObject({
    type: type("ccxt"),
    exchange: key(z.string().min(1), received, "ccxt's id of the exchange."),
    symbol,
    every,
    ...aged,
  }),
  z.strictObject({
    type: type("recording"),
    path: key(
      z.string().min(1),
      inEveryMode,
      "Folder of a recording with the source, relative to this file.",
    ),
    source: key(
      z.string().min(1).optional(),
      inEveryMode,
      "The source's name in that recording; its own name when left out.",
    ),
    ...aged,
  }),
  z.strictObject({
    type: type("market"),
    market: key(
      marketName(),
      inEveryMode,
      "A market of this venue, whose best bid and ask it is, less own orders.",
    ),
    ...aged,
  }),
  z.strictObject({
    type: type("static"),
    price: price().optional(),
    bid: price().optional(),
    ask: price().optional(),
  }),
  z.strictObject({
    type: type("formula"),
    formula: key(
      z.string().min(1),
      inEveryMode,
      "An expression of other sources, such as `btcusdt * usdtkrw`.",
    ),
    whenOld,
  }),
]);

export const sourcesSchema = z.record(
  z
    .string()
    .regex(
      /^[A-Za-z]\w{0,31}$/,
      "is not a valid name: use at most 32 letters, digits and underscores, a letter first",
    ),
  source,
);

type Written = z.output<typeof source>;
type WrittenSources = Readonly<Record<string, Written>>;

/** A source with how its values are received; undefined where the kernel has them itself. */
export interface SourceSettings extends SourceConfig {
  readonly feed?: FeedSettings | undefined;
}

/** The sources of a document, with their mistakes as problems of the YAML. */
export function sourceSettings(
  yaml: YamlSource,
  sources: WrittenSources,
  allowInsecure: boolean,
): readonly SourceSettings[] {
  const names = Object.keys(sources);
  return Object.entries(sources).map(([name, written]): SourceSettings => {
    const problem = (at: string[], message: string): void =>
      yaml.problem(["sources", name, ...at], message);
    if (written.type === "static" || written.type === "json") checkPrices(written, problem);
    if ("jump" in written && written.jump?.confirm !== undefined) {
      const { confirm } = written.jump;
      if (!names.includes(confirm)) problem(["jump", "confirm"], unknown(confirm, names));
      else if (confirm === name || wayBetween(confirm, name, sources) !== undefined) {
        problem(["jump", "confirm"], "is the source itself, or a formula of it: name another one");
      }
    }
    if ("url" in written) {
      const mistake = plainAddress(written.url);
      if (mistake !== undefined && !allowInsecure)
        problem(["url"], `${mistake}, or set venue.allowInsecure: true`);
    }
    if (written.type === "formula") checkFormula(name, sources, problem);
    return {
      name,
      origin: originOf(written),
      maxAgeMs: "maxAge" in written ? written.maxAge : Number.POSITIVE_INFINITY,
      whenOld: "whenOld" in written ? written.whenOld : "stop",
      jump: "jump" in written ? written.jump : undefined,
      ...feedOf(yaml, name, written),
    };
  });
}

/** What is wrong with a name of a source; undefined when it is known. */
export function unknownSource(name: string, names: readonly string[]): string | undefined {
  return names.includes(name) ? undefined : unknown(name, names);
}

function unknown(name: string, names: readonly string[]): string {
  const known = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
  return `is not one of the sources: ${known}${suggestion(name, names)}`;
}

type AddProblem = (at: string[], message: string) => void;

function checkPrices(
  { type: kind, ...written }: Extract<Written, { type: "static" | "json" }>,
  problem: AddProblem,
): void {
  const has = { price: written.price, bid: written.bid, ask: written.ask };
  const isOne = has.price !== undefined && has.bid === undefined && has.ask === undefined;
  const areTwo = has.price === undefined && has.bid !== undefined && has.ask !== undefined;
  if (!isOne && !areTwo)
    problem([], `needs price, or both bid and ask, ${kind === "json" ? "as paths" : "as prices"}`);
  else if (typeof has.bid === "number" && typeof has.ask === "number" && has.bid > has.ask) {
    problem(["ask"], "is below the bid");
  }
}

function checkFormula(name: string, sources: WrittenSources, problem: AddProblem): void {
  const written = sources[name];
  if (written?.type !== "formula") return;
  const parsed = parseExpression(written.formula, Object.keys(sources), intervals);
  if ("problem" in parsed) return problem(["formula"], parsed.problem);
  const circle = wayBetween(name, name, sources);
  if (circle !== undefined) problem(["formula"], `is a circle: ${circle.join(" → ")}`);
  if (namesIn(written.formula).length === 0)
    problem(["formula"], "names no source: write `type: static` for a number");
}

/** The way from a formula to a source that it uses; undefined when it does not. */
function wayBetween(
  start: string,
  end: string,
  sources: WrittenSources,
): readonly string[] | undefined {
  const seen = new Set<string>();
  const walk = (way: readonly string[]): readonly string[] | undefined => {
    const last = sources[way.at(-1) ?? start];
    for (const part of last?.type === "formula" ? namesIn(last.formula) : []) {
      if (part === end) return [...way, part];
      if (seen.has(part)) continue;
      seen.add(part);
      const found = walk([...way, part]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk([start]);
}

function originOf(written: Written): SourceConfig["origin"] {
  switch (written.type) {
    case "market":
      return { type: "market", marketId: written.market as MarketId };
    case "static": {
      const { price: mid = 0, bid = mid, ask = mid } = written;
      return { type: "static", bid, ask };
    }
    case "formula":
      return { type: "formula", formula: written.formula };
    default:
      return { type: "input" };
  }
}

function feedOf(
  yaml: YamlSource,
  name: string,
  written: Written,
): { readonly feed?: FeedSettings } {
  switch (written.type) {
    case "json": {
      const { url, every: everyMs, send, price: mid = "", bid = mid, ask = mid, time } = written;
      const text = send === undefined || typeof send === "string" ? send : JSON.stringify(send);
      return { feed: { type: "json", url, everyMs, send: text, paths: { bid, ask, time } } };
    }
    case "binance": {
      const url = `${written.url.replace(/\/$/, "")}/${written.symbol.toLowerCase()}@bookTicker`;
      const paths = { bid: "b", ask: "a", time: undefined };
      return { feed: { type: "json", url, everyMs: 0, send: undefined, paths } };
    }
    case "ccxt": {
      const { exchange, symbol: at, every: everyMs } = written;
      return { feed: { type: "ccxt", exchange, symbol: at, everyMs } };
    }
    case "recording": {
      const place = filePath(yaml, ["sources", name, "path"], written.path);
      return { feed: { type: "recording", path: place, source: written.source ?? name } };
    }
    default:
      return {};
  }
}

/** Sources that are too old before they are read again. */
export function sourceWarnings(sources: readonly SourceSettings[]): readonly string[] {
  return sources.flatMap(({ name, feed, maxAgeMs }) => {
    const everyMs = feed !== undefined && "everyMs" in feed ? feed.everyMs : 0;
    return everyMs < maxAgeMs
      ? []
      : [
          `sources.${name}: it is read every ${everyMs} ms and too old after ${maxAgeMs} ms, so it is old most of the time: set maxAge above every.`,
        ];
  });
}
