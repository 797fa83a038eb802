import { amount, defineStrategy, duration, inMarkets, setQuotes, share, z } from "touchline";

const roles = ["main", "cross", "other"] as const;
type Leg = { size: number; value: number; limit: number; before: string; after: string };
type Round = { endMs: number; legs: Record<(typeof roles)[number], Leg> } | undefined;

/**
 * Takes a round such as BTC/USDT (`main`), BTC/ETH (`cross`) and ETH/USDT (`other`) when it earns more than its fees. When a leg has not
 * traded whole after `within`, each market is worked back to its position before the round, at the prices of then.
 */
export default defineStrategy({
  name: "my-strategy",
  summary: "Takes rounds of three markets that earn more than their fees, one at a time.",
  markets: roles,
  params: z.strictObject({
    /** Largest round, in base token of `main`; half or a quarter of it where the books have less. */
    clip: amount().prefault("1"),
    /** What a round has to earn after all fees, as a share. */
    edge: share().prefault("0.05%"),
    /** How long the legs may take, and how long it waits after a round that was undone. */
    within: duration({ min: 50 }).prefault("1s"),
    pause: duration().prefault("1m"),
  }),
  init: (): { round: Round } => ({ round: undefined }),
  // A restart goes on with its round: the positions say what has traded.
  state: { version: 1, save: ({ round }) => ({ round }), load: (data) => data as { round: Round } },

  decide({ view: { markets, nowMs }, params: { clip, edge, within, pause }, state }) {
    const fee = Math.max(...roles.map((role) => markets[role].takerFee));
    /** `sign` is 1 for a purchase, which brings its size less the fee, and -1 for a sale. */
    const leg = (role: (typeof roles)[number], sign: number, size: number): Leg => {
      const { book, position } = markets[role];
      const from = sign > 0 ? "SELL" : "BUY";
      const [average = 0, limit = 0] = [book.averageFor(from, size), book.priceFor(from, size)];
      const after = position.base.plus(sign > 0 ? size * (1 - fee) : -size).toFixed(12);
      const isLegal = markets[role].minSize(limit).lte(size);
      return {
        size,
        value: isLegal ? size * average : 0,
        limit,
        before: position.base.toFixed(),
        after,
      };
    };
    const roundOf = (sign: number, size: number) => {
      const next = (1 - fee) ** sign;
      const [main, cross] = [leg("main", sign, size), leg("cross", -sign, size * next)];
      const other = leg("other", -sign, cross.value * next);
      const [paid, got] = sign > 0 ? [main.value, other.value] : [other.value, main.value];
      const isWhole = Math.min(paid, cross.value, got) > 0;
      const earned = isWhole ? (got * (1 - fee)) / paid - 1 : 0;
      return { earned, endMs: nowMs + within, legs: { main, cross, other } };
    };
    if (state.round !== undefined) {
      const { endMs, legs } = state.round;
      const isThere = roles.every((role) => {
        const { position, minSize } = markets[role];
        const { before, after, limit } = legs[role];
        const off = position.base.minus(nowMs < endMs ? after : before).abs();
        return off.lt(minSize(limit));
      });
      if (isThere && (nowMs < endMs || nowMs >= endMs + pause)) state.round = undefined;
    }
    const rounds = [1, 0.5, 0.25].flatMap((part) => {
      const size = part * clip.toNumber();
      return [roundOf(1, size), roundOf(-1, size)];
    });
    state.round ??= rounds.find(({ earned }) => earned > edge);
    if (state.round === undefined)
      return inMarkets(Object.fromEntries(roles.map((role) => [role, setQuotes({})])));
    const { endMs, legs } = state.round;
    const isLate = nowMs >= endMs;
    const wakeAtMs = isLate ? Math.max(endMs + pause, nowMs + 100) : endMs;
    const workTo = ({ size, limit, before, after }: Leg) => {
      const work = { position: isLate ? before : after, clip: size.toFixed(12), every: 100 };
      return setQuotes({ workTo: isLate ? work : { ...work, limit }, wakeAtMs });
    };
    return inMarkets(Object.fromEntries(roles.map((role) => [role, workTo(legs[role])])));
  },
});
