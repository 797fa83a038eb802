import fc from "fast-check";
import { few, hostileText, scratch, scratched } from "../hostile.ts";
import { isAddress, isHash, queryNumber } from "../strict-values.ts";
import { defineTarget, Violation } from "../target.ts";
import { START_MS } from "../../support/venue.ts";
import { addresses, listedMarkets, markets, VenueProbe } from "../venue-probe.ts";

const DAY = 86_400_000;
const NOW_SEC = START_MS / 1000;
const SAFE = Number.MAX_SAFE_INTEGER;

const resolutions: Readonly<Record<string, number>> = {
  "1": 60,
  "5": 300,
  "15": 900,
  "30": 1800,
  "60": 3600,
  "120": 7200,
  "240": 14_400,
  "480": 28_800,
  "720": 43_200,
  "1D": 86_400,
  "3D": 259_200,
  "1W": 604_800,
  "1M": 2_592_000,
};

type Query = ReadonlyMap<string, string>;

/** For each endpoint, whether a query may get status 200 (§4.1 to §4.3, §8, D14 to D16, D32). */
const endpoints: Readonly<Record<string, (query: Query) => boolean>> = {
  "/time": () => true,
  "/api/v1/market": () => true,
  "/api/v1/market/tokens": () => true,
  "/api/v1/market/ticker": (query) => {
    const market = query.get("marketId");
    return market === undefined || listedMarkets.some((known) => known === market);
  },
  "/api/v1/market/trades": (query) => isMarket(query) && isLimit(query, 1000),
  "/api/v1/market/depth": (query) => isMarket(query) && isLimit(query, 5000),
  "/market/candles": isCandleQuery,
  "/api/v1/wallet/balance": isOf,
  "/api/v1/wallet/session": isOf,
  "/api/v1/wallet/transfer": isTransferQuery,
  "/api/v1/order/open": isListQuery,
  "/api/v1/order": isListQuery,
  "/api/v1/order/trade": isListQuery,
};

function isOf(query: Query): boolean {
  return isAddress(query.get("address"));
}

function isMarket(query: Query): boolean {
  return markets.some((known) => known === query.get("marketId"));
}

function isLimit(query: Query, max: number): boolean {
  const limit = query.get("limit");
  return limit === undefined || queryNumber(limit, 1, max) !== undefined;
}

/** A time parameter of the query; undefined when it is missing, NaN when it is invalid. */
function time(query: Query, name: string): number | undefined {
  const text = query.get(name);
  return text === undefined ? undefined : (queryNumber(text, 0, SAFE) ?? Number.NaN);
}

function isListQuery(query: Query): boolean {
  if (!isOf(query) || !isLimit(query, 500)) return false;
  if (query.has("marketId") && !isMarket(query)) return false;
  const from = time(query, "from") ?? 0;
  const to = time(query, "to");
  if (Number.isNaN(from) || Number.isNaN(to ?? 0)) return false;
  if (from === 0 && (to ?? 0) === 0) return true;
  const end = to ?? START_MS;
  if (from > START_MS + 2000 || end > START_MS + 2000) return false;
  if (to !== undefined && from > to) return false;
  return end - from <= 90 * DAY && from >= START_MS - 730 * DAY;
}

function isTransferQuery(query: Query): boolean {
  if (!isOf(query) || !isLimit(query, 500)) return false;
  const token = query.get("token_id");
  if (token !== undefined) {
    if (!["1", "2", "3"].includes(token)) return false;
  }
  const from = time(query, "from") ?? 0;
  const to = time(query, "to");
  if (Number.isNaN(from) || Number.isNaN(to ?? 0)) return false;
  return from <= START_MS + 2000 && (to === undefined || from <= to);
}

function isCandleQuery(query: Query): boolean {
  const step = Object.hasOwn(resolutions, query.get("resolution") ?? "")
    ? resolutions[query.get("resolution") ?? ""]
    : undefined;
  if (!isMarket(query) || step === undefined) return false;
  const from = time(query, "from") ?? 0;
  const to = time(query, "to") ?? NOW_SEC;
  if (Number.isNaN(from) || Number.isNaN(to) || from > to) return false;
  // Opens in [from, to]: from the epoch, of weeks from its first Monday.
  const start = query.get("resolution") === "1W" ? 345_600 : 0;
  return Math.floor((to - start) / step) - Math.ceil((from - start) / step) + 1 <= 1000;
}

const whole = fc.oneof(
  fc.nat(6000).map(String),
  fc.constantFrom("0", "1", "20", "100", "500", "501", "1000", "1001", "5000", "5001"),
  hostileText,
);
const moment = fc.oneof(
  fc.integer({ min: -800, max: 2 }).map((days) => String(START_MS + days * DAY)),
  fc.integer({ min: -5000, max: 5000 }).map((ms) => String(START_MS + ms)),
  fc.integer({ min: -60_000_000, max: 60_000_000 }).map((sec) => String(NOW_SEC + sec)),
  whole,
);
const values: Readonly<Record<string, fc.Arbitrary<string>>> = {
  address: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<string>(...addresses) },
    { weight: 1, arbitrary: hostileText },
  ),
  marketId: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<string>(...markets) },
    { weight: 1, arbitrary: fc.constantFrom("9_9", "1_2 ", "1-2", "__proto___x") },
    { weight: 1, arbitrary: hostileText },
  ),
  resolution: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...Object.keys(resolutions)) },
    { weight: 1, arbitrary: fc.constantFrom("2", "1d", "", "__proto__", "constructor") },
  ),
  limit: whole,
  from: moment,
  to: moment,
  token_id: fc.oneof(fc.constantFrom("1", "2", "9", "01", "9223372036854775807"), whole),
};

function valueOf(field: string): fc.Arbitrary<string> {
  return (Object.hasOwn(values, field) ? values[field] : undefined) ?? hostileText;
}

/** Parameter names, known and unknown. */
const name = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...Object.keys(values)) },
  { weight: 1, arbitrary: hostileText },
);

/** Valid queries of each endpoint, most of which then get one error. */
const usual: Readonly<Record<string, readonly string[]>> = {
  "/api/v1/market/ticker": ["marketId"],
  "/api/v1/market/trades": ["marketId", "limit"],
  "/api/v1/market/depth": ["marketId", "limit"],
  "/market/candles": ["marketId", "resolution", "from", "to"],
  "/api/v1/wallet/balance": ["address"],
  "/api/v1/wallet/session": ["address"],
  "/api/v1/wallet/transfer": ["address", "token_id", "from", "to", "limit"],
  "/api/v1/order/open": ["address", "marketId", "from", "to", "limit"],
  "/api/v1/order": ["address", "marketId", "from", "to", "limit"],
  "/api/v1/order/trade": ["address", "marketId", "from", "to", "limit"],
};

const pairs = (path: string): fc.Arbitrary<(readonly [string, string])[]> => {
  const known = (usual[path] ?? []).map((field) =>
    fc.option(
      valueOf(field).map((value) => [field, value] as const),
      { freq: field === "address" || field === "marketId" ? 8 : 2 },
    ),
  );
  const more = fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(
        name.chain((field) => valueOf(field).map((value) => [field, value] as const)),
        { maxLength: 2 },
      ),
    },
  );
  return fc
    .tuple(fc.tuple(...known), more)
    .map(([own, others]) => [...own.filter((pair) => pair !== null), ...others]);
};

const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...Object.keys(endpoints)) },
  {
    weight: 2,
    arbitrary: fc
      .oneof(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 33 }))
      .map((bytes) => `/api/v1/order/0x${Buffer.from(bytes).toString("hex")}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...Object.keys(endpoints)), few(scratch))
      .map(([known, steps]) => `/${scratched(known, steps).replaceAll(/[?#]/g, "")}`),
  },
);

const inputs = path.chain((found) =>
  fc.record({
    path: fc.constant(found),
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constant("GET") },
      { weight: 1, arbitrary: fc.constantFrom("POST", "PUT", "DELETE", "HEAD", "get", "") },
    ),
    pairs: pairs(found),
  }),
);

/** Every GET endpoint answers exactly the queries that the table above allows, and no query changes the state. */
export const queryTarget = defineTarget({
  name: "queries",
  weight: 20,
  inputs,
  open: async () => {
    const probe = await VenueProbe.open();
    const digest = probe.digest();
    return {
      check: ({ path, method, pairs }) => {
        const asked = new URLSearchParams(pairs.map(([name, value]) => [name, value]));
        const target = `${path}?${asked.toString()}`;
        const { status } = probe.unchangedBy(
          () => probe.ask(method, target),
          () => true,
          5000,
        );
        const check = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
        // As the server reads it: invalid UTF-16 is changed on the way.
        const given = [...new URLSearchParams(target.slice(path.length + 1))];
        const query = new Map(given);
        const isTwice = query.size < given.length;
        const isRight = method === "GET" && check !== undefined && check(query) && !isTwice;
        if (status === 200 && !isRight) throw new Violation("accepted-invalid", target);
        if (status !== 200 && isRight) throw new Violation("refused-valid", `${status} ${target}`);
        if (
          check === undefined &&
          method === "GET" &&
          isHash(path.slice("/api/v1/order/".length))
        ) {
          if (status !== 404 && !isTwice)
            throw new Violation("wrong-answer", `${status} ${target}`);
        }
        return isRight ? "taken" : "refused";
      },
      end: () => {
        probe.checkSound();
        if (probe.digest() !== digest) throw new Violation("state-changed", "by queries");
      },
    };
  },
});
