import type { Invariant } from "./invariant.ts";
import { blockedMeansCanceled } from "./invariants/blocked-means-canceled.ts";
import { bothSides } from "./invariants/both-sides.ts";
import { cleanEnd } from "./invariants/clean-end.ts";
import { coolDown } from "./invariants/cool-down.ts";
import { count } from "./invariants/count.ts";
import { depthEvents } from "./invariants/depth-events.ts";
import { derivedLimits } from "./invariants/derived-limits.ts";
import { exposure } from "./invariants/exposure.ts";
import { finalEnd } from "./invariants/final-end.ts";
import { freshBook } from "./invariants/fresh-book.ts";
import { freshSource } from "./invariants/fresh-source.ts";
import { journalBeforeWire } from "./invariants/journal-before-wire.ts";
import { noncesRise } from "./invariants/nonces-rise.ts";
import { noDrift } from "./invariants/no-drift.ts";
import { noOrphan } from "./invariants/no-orphan.ts";
import { noRejections } from "./invariants/no-rejections.ts";
import { noSelfCross } from "./invariants/no-self-cross.ts";
import { noSpinning } from "./invariants/no-spinning.ts";
import { nothingInDoubt } from "./invariants/nothing-in-doubt.ts";
import { okEnd } from "./invariants/ok-end.ts";
import { oneNonceOneCommand } from "./invariants/one-nonce-one-command.ts";
import { oneTargetOneOrder } from "./invariants/one-target-one-order.ts";
import { onTarget } from "./invariants/on-target.ts";
import { pausedMeansCanceled } from "./invariants/paused-means-canceled.ts";
import { promptOrders } from "./invariants/prompt-orders.ts";
import { reRuns } from "./invariants/re-runs.ts";
import { rateLimit } from "./invariants/rate-limit.ts";
import { reduceOnly } from "./invariants/reduce-only.ts";
import { riskSteps } from "./invariants/risk-steps.ts";
import { sameBook } from "./invariants/same-book.ts";
import { sameLegs } from "./invariants/same-legs.ts";
import { sameMoney } from "./invariants/same-money.ts";
import { sessionUse } from "./invariants/session-use.ts";
import { shownAmounts } from "./invariants/shown-amounts.ts";
import { shownFills } from "./invariants/shown-fills.ts";
import { silentBook } from "./invariants/silent-book.ts";
import { sourcePrices } from "./invariants/source-prices.ts";
import { spreads } from "./invariants/spreads.ts";
import { takerFills } from "./invariants/taker-fills.ts";
import { takes } from "./invariants/takes.ts";
import { toldFills } from "./invariants/told-fills.ts";
import { trueEnds } from "./invariants/true-ends.ts";
import { uptime } from "./invariants/uptime.ts";

/** Every invariant that simulations check. */
export const invariants: readonly Invariant[] = [
  exposure,
  noOrphan,
  nothingInDoubt,
  sameMoney,
  noDrift,
  sameBook,
  oneNonceOneCommand,
  noncesRise,
  noRejections,
  rateLimit,
  noSpinning,
  journalBeforeWire,
  promptOrders,
  cleanEnd,
  sameLegs,
  oneTargetOneOrder,
  onTarget,
  count,
  bothSides,
  trueEnds,
  takerFills,
  takes,
  freshBook,
  silentBook,
  depthEvents,
  freshSource,
  sourcePrices,
  shownAmounts,
  toldFills,
  shownFills,
  spreads,
  coolDown,
  finalEnd,
  okEnd,
  noSelfCross,
  pausedMeansCanceled,
  uptime,
  riskSteps,
  reduceOnly,
  derivedLimits,
  blockedMeansCanceled,
  sessionUse,
  reRuns,
];
