import { TouchlineError } from "../base/error.ts";
import { suggestion } from "../base/nearest.ts";
import type { CcxtFeedSettings } from "./feed-settings.ts";
import { PolledFeed } from "./polled-feed.ts";
import type { FeedPorts, PriceFeed, PushSource, SourceInput } from "./price-feed.ts";

/** The part of ccxt's exchange that is used. */
interface Exchange {
  fetchTicker(symbol: string): Promise<{
    readonly bid?: number | undefined;
    readonly ask?: number | undefined;
    readonly timestamp?: number | undefined;
  }>;
}

export type LoadCcxt = () => Promise<unknown>;

/** A variable, since the package is an optional one that the compiler must not look for. */
const PACKAGE: string = "ccxt";
const loadInstalled: LoadCcxt = () => import(PACKAGE);

/**
 * A price of any exchange that ccxt knows, by its public ticker. Rejects with TouchlineError `CCXT_MISSING` where the package is not
 * installed, `SOURCE_INVALID` for an exchange that it does not have.
 */
export async function ccxtFeed(
  name: string,
  { exchange: id, symbol, everyMs }: CcxtFeedSettings,
  ports: FeedPorts,
  push: PushSource,
  load: LoadCcxt = loadInstalled,
): Promise<PriceFeed> {
  const exchange = exchangeOf(await loaded(name, load), name, id);
  const read = async (): Promise<SourceInput | string> => {
    const { bid, ask, timestamp } = await exchange.fetchTicker(symbol);
    if (bid === undefined || ask === undefined) return `${id} gives no bid and ask of ${symbol}`;
    return {
      type: "source",
      name,
      bid,
      ask,
      ...(timestamp === undefined ? {} : { timeMs: timestamp }),
    };
  };
  return new PolledFeed(name, everyMs, read, ports, push);
}

async function loaded(name: string, load: LoadCcxt): Promise<object> {
  try {
    const module: unknown = await load();
    return Object(Reflect.get(Object(module), "default") ?? module);
  } catch (cause) {
    throw new TouchlineError(
      "CCXT_MISSING",
      `Source ${name} needs the package ccxt, which cannot be loaded.`,
      {
        hint: "Install it beside the configuration: npm install ccxt.",
        cause,
      },
    );
  }
}

function exchangeOf(ccxt: object, name: string, id: string): Exchange {
  const known: unknown = Reflect.get(ccxt, "exchanges");
  const ids = Array.isArray(known) ? known.map(String) : [];
  const Made: unknown = Reflect.get(ccxt, id);
  if (!ids.includes(id) || typeof Made !== "function") {
    throw new TouchlineError(
      "SOURCE_INVALID",
      `Source ${name}: ccxt has no exchange ${id}${suggestion(id, ids)}.`,
      {
        hint: "Its ids are in ccxt's list of exchanges.",
      },
    );
  }
  return Reflect.construct(Made, [{ enableRateLimit: true }]) as Exchange;
}
