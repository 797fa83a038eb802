import { type Fault, faults } from "../../src/sim/faults.ts";

/** A seed that violated an invariant before a bug was fixed, and what the bug was. `daily-seeds.ts` says which run with every `npm test`. */
export interface StoredSeed {
  readonly seed: number;
  readonly was: string;
  /** Number of kinds of faults when the seed was stored. Default 13, which also means that the bot never used modify. */
  readonly kinds?: number;
  /** The world has exactly these faults, by name, instead of those that the seed picks. */
  readonly faults?: readonly string[];
}

/** The faults of the worlds from 431000 on that were run for slow disks and venues. */
const slowDisksAndVenues: readonly string[] = [
  "requests-late",
  "disk-hangs",
  "power-cut-after-a-long-hang",
  "strategy-stalls",
  "operator-pauses",
  "kill",
  "venue-clock-back",
  "orders-later",
  "cancels-later",
  "several-markets",
  "power-cut-at-hanging-disk",
];

/** The faults of the worlds from 762000 on that were run for bots whose sessions end. */
const endedSessions: readonly string[] = [
  "session-key",
  "sessions-revoked",
  "kill",
  "power-cut",
  "disk-hangs",
  "refused-by-proxy",
  "requests-lost",
];

export const storedSeeds: readonly StoredSeed[] = [
  { seed: 1, was: "a stop that did not wait for missing fills" },
  { seed: 2, was: "empty steps every millisecond while the book was not in sync" },
  { seed: 4, was: "empty steps every millisecond while the venue's clock was not known" },
  { seed: 23, was: "a stop that queried an unresponsive venue for half a minute" },
  { seed: 44, was: "fills of a completed order, forgotten over a restart" },
  { seed: 5028, was: "an order of a killed run that arrived late, counted as above the limit" },
  { seed: 7023, was: "a lost order whose cancel got no response, live forever", kinds: 17 },
  { seed: 10069, was: "exposure measured with data that the venue had lost", kinds: 17 },
  {
    seed: 70009012,
    was: "balances that lagged by a second, counted as too many rejections",
    kinds: 17,
  },
  { seed: 58, was: "a replacement sent before its predecessor's cancel in an outage", kinds: 26 },
  { seed: 9231, was: "no cancel of an earlier run's orders before /time", kinds: 26 },
  { seed: 9111, was: "orders of an earlier run unmanaged during a long start", kinds: 26 },
  { seed: 55054, was: "a journal with a hole after a kill, a restart and a power cut", kinds: 36 },
  {
    seed: 110355,
    was: "a nonce of a cancel that left after the journal had failed, used again",
    kinds: 36,
  },
  {
    seed: 70151,
    was: "a stop that ended without a list after the end of an order that it had adopted",
    kinds: 36,
  },
  {
    seed: 70614,
    was: "a stop whose last list was requested in the millisecond of the last end, before it",
    kinds: 36,
  },
  { seed: 70354, was: "uptime of an order whose cancel had no response", kinds: 36 },
  { seed: 110497, was: "uptime of a pulled order whose cancel had no response", kinds: 36 },
  {
    seed: 111066,
    was: "a stop as ok while an order that a power cut took from the journal could still be placed",
    kinds: 36,
  },
  {
    seed: 70038,
    was: "a world that healed for too short a time: a 429 of a minute, then the proof of a loss",
    kinds: 36,
  },
  {
    seed: 130575,
    was: "an order that a power cut took from the journal, placed late and never adopted",
    kinds: 36,
  },
  {
    seed: 2,
    was: "a quote that left with the step that ended a pause of the risk ladder, counted as sent in it",
    kinds: 38,
  },
  { seed: 51082, was: "uptime that counted while the stream was closed", kinds: 36 },
  {
    seed: 131021,
    was: "a lost order dated before the journal's end, by a clock that had gone back",
    kinds: 39,
  },
  {
    seed: 150302,
    was: "an operator who did not repeat a pause that came after the journal had failed",
    kinds: 39,
  },
  {
    seed: 131053,
    was: "a nonce that two clocks gave to two cancels of one start",
    kinds: 36,
  },
  {
    seed: 131065,
    was: "a fill that came with the adoption of its order, forgotten over a restart",
    kinds: 36,
  },
  {
    seed: 150115,
    was: "a quote that crossed the touch of a newer book, which waited for its comparison",
    kinds: 39,
  },
  {
    seed: 200742,
    was: "a watchdog that took two short calls for one long one",
    kinds: 43,
  },
  {
    seed: 200789,
    was: "a process that never went on after a call, since two sums of doubles differed",
    kinds: 43,
  },
  {
    seed: 200063,
    was: "replacements of orders that the venue carried out later, counted as too many rejections",
    kinds: 43,
  },
  {
    seed: 200055,
    was: "a limit derived before a fill of another market was told, counted as wrong",
    kinds: 43,
  },
  {
    seed: 200946,
    was: "a deposit that was listed as later than the end of a list, after the venue's clock had gone back, reported as drift",
    kinds: 43,
  },
  {
    seed: 200939,
    was: "cancels that waited for requests to which the venue did not respond",
    kinds: 43,
  },
  {
    seed: 311563,
    was: "an order judged by a limit of 0, since a call blocked the bot before it told which limit it had derived",
    kinds: 43,
  },
  {
    seed: 311574,
    was: "orders in two markets judged by a limit of 0, before the bot told which limits it had derived",
    kinds: 43,
  },
  {
    seed: 312606,
    was: "an order that waited for a disk that hung for 7 s, and was sent in the pause that had come meanwhile",
    kinds: 43,
  },
  {
    seed: 310682,
    was: "cancels of a pause that waited for reads that hung, with few slots",
    kinds: 43,
  },
  {
    seed: 312526,
    was: "a foreign order that only a run without orders had seen, adopted after a power cut",
    kinds: 43,
  },
  {
    seed: 315414,
    was: "a deposit among others of its amount, some of before the start, reported as drift",
    kinds: 43,
  },
  {
    seed: 315417,
    was: "deposits of before a restart, too near to it to tell them from one after it, so that one was reported as drift",
    kinds: 43,
  },
  {
    seed: 316450,
    was: "a deposit with the time of a venue's clock that was set back before the start, reported as drift",
    kinds: 43,
  },
  {
    seed: 316331,
    was: "a stop that no process received, since 14 starts in a row failed under faults",
    kinds: 43,
  },
  {
    seed: 400298,
    was: "a cancel with a nonce by the clock, of a step that the journal lost, which the next start gave again",
    kinds: 43,
  },
  {
    seed: 450090,
    was: "a stop 75 s after a power cut, when an order with a nonce 30 s ahead could still appear",
    kinds: 44,
  },
  {
    seed: 480165,
    was: "deposits of a venue that then lost its data, added to each report of the run that had just started",
    kinds: 44,
  },
  {
    seed: 480467,
    was: "an order of a step that waited 9.5 s for the disk and was not sent, judged by the book after that",
    kinds: 44,
  },
  {
    seed: 500265,
    was: "a modify of an order that the venue did not know yet, refused, whose copy the venue took 5 s later",
    kinds: 44,
  },
  {
    seed: 431142,
    was: "a pause that waited for 8 s behind an order that waited for a disk that hung",
    faults: slowDisksAndVenues,
  },
  {
    seed: 600018,
    was: "a closing order judged by a position with fills of an order that a power cut took from the journal",
    kinds: 44,
  },
  {
    seed: 700414,
    was: "a pause judged by an order that the journal had lost, in the step in which the bot found it",
    kinds: 44,
  },
  {
    seed: 600621,
    was: "a simulated bug of a strategy that came one decision too early in a re-run, in the same millisecond",
    kinds: 44,
  },
  {
    seed: 730099,
    was: "a stop that waited for the list of open orders and then for a disk that hung, 13.5 s in all",
    kinds: 45,
  },
  {
    seed: 670453,
    was: "an order a while after three refusals of the signature within two seconds, counted as wrong",
    kinds: 46,
  },
  {
    seed: 770005,
    was: "an order 5 s after six refusals of the signature in a tenth of a second, counted as wrong",
    kinds: 46,
  },
  {
    seed: 762023,
    was: "an order while refusals of the signature had not yet lasted for 5 s, counted as wrong",
    faults: endedSessions,
  },
  {
    seed: 762002,
    was: "an order that no session could cancel while a bot started, counted as left on an old book",
    faults: endedSessions,
  },
  {
    seed: 660195,
    was: "a nonce of a cancel that a power cut took from the journal, used again",
    kinds: 46,
  },
  {
    seed: 2000795,
    was: "nonces of a run that a second power cut took from the journal as a whole, used again by the next run",
    kinds: 46,
  },
  {
    seed: 2001507,
    was: "the same, while the disk hung",
    kinds: 46,
  },
  {
    seed: 2000163,
    was: "orders that a power cut took from the journal, wanted canceled by a start that cannot know them",
    kinds: 46,
  },
  {
    seed: 3000766,
    was: "orders with the balances of a venue that had just lost them, counted as rejected",
    kinds: 46,
  },
  {
    seed: 5001502,
    was: "orders of a run before, with a session that the venue had lost, counted against the new session",
    kinds: 46,
  },
  {
    seed: 5003193,
    was: "nonces of a run that only canceled, by a clock 19 s ahead, used again after a power cut, a full disk and a step of the clock",
    kinds: 46,
  },
  {
    seed: 8017631,
    was: "an order that the bot held back itself, counted as one that the venue had not accepted",
    kinds: 46,
  },
  {
    seed: 8015090,
    was: "an order that a power cut took from the journal, left open after both clocks had been set back",
    kinds: 46,
  },
  {
    seed: 9100068,
    was: "orders that a power cut took from the journal, taken for another bot's after both clocks had been set back by the same time",
    faults: [
      "clock-jumps",
      "venue-clock-back",
      "power-cut-at-hanging-disk",
      "disk-hangs",
      "requests-late",
      "operator-pauses",
    ],
  },
  {
    seed: 8019409,
    was: "starts at a full disk that each canceled with a full rate budget, a second apart",
    kinds: 46,
  },
  {
    seed: 8016686,
    was: "a second copy of an order that the venue was to carry out later, refused while the first was pending",
    kinds: 46,
  },
  {
    seed: 9700817,
    was: "two wrong answers of the venue's clock that agreed on an hour ahead, and a stop within that hour",
    kinds: 49,
  },
  {
    seed: 9703229,
    was: "an order of a call that never returned and that was not sent, judged by the book of when the process was ended",
    kinds: 49,
  },
  {
    seed: 9914462,
    was: "orders below the nonce of a lost cancel that the venue had refused as too far ahead",
    kinds: 49,
  },
  {
    seed: 8013635,
    was: "a sale at reduceOnly of all that a purchase had executed, whose fee no fill had told yet",
    kinds: 46,
  },
  {
    seed: 8016749,
    was: "the same after a part of the purchase, in the second market",
    kinds: 46,
  },
  {
    seed: 9923687,
    was: "a start that began below the nonces of a lost run, whose cancels had followed our own clock after a refusal",
    kinds: 49,
  },
  {
    seed: 9600789,
    was: "a start that began below the nonces of a lost run, since the damaged end of that run had its time and not its nonces",
    kinds: 49,
  },
  {
    seed: 9933367,
    was: "limits derived from the bot's mid, judged by a newer book that it had requested for a comparison",
    kinds: 49,
  },
  {
    seed: 9945043,
    was: "a fill that no list could show yet, since the venue's clock had gone back, counted as a drift of the balances",
    kinds: 49,
  },
  {
    seed: 9971941,
    was: "orders within `stopBefore` of a session's end: the check that would have seen the venue's clock set forward had failed, and the next one was not due yet",
    kinds: 49,
  },
  {
    seed: 9954901,
    was: "fills of before and after a start, all of the time that the venue's clock had shown before it went back, counted as a drift",
    kinds: 49,
  },
  {
    seed: 9954894,
    was: "a copy of an order that the rate limit had refused, taken by the venue and counted as beyond the bot's limit",
    kinds: 49,
  },
  {
    seed: 9952671,
    was: "a stop judged from its request on, while a call of the strategy blocked the bot for almost 3 s",
    kinds: 49,
  },
  {
    seed: 10020205,
    was: "quotes on the book of a silent market, which was only compared whenever it was due for that and for a check at once",
    faults: ["market-dies"],
  },
];

/** Stored seeds of `--contingent`. */
export const contingentSeeds: readonly StoredSeed[] = [
  {
    seed: 140228,
    was: "a stop that waited for the nonce window of a nonce minutes ahead of the venue's clock",
    kinds: 39,
  },
  {
    seed: 140328,
    was: "a lost order of a quote with legs, dated before the journal's end by a clock that had gone back",
    kinds: 39,
  },
  { seed: 106, was: "a position limit exceeded by legs of a partly filled quote" },
  { seed: 131, was: "a position limit exceeded by legs on the other side" },
  {
    seed: 5551277,
    was: "a foreign order in a list from before the venue lost its data",
    kinds: 17,
  },
  {
    seed: 3015,
    was: "a cancel with a byte behind it that read as a digit, counted as sent before it was written",
    kinds: 39,
  },
  {
    seed: 2059,
    was: "a pause at a disk that hangs, for which every command waits, counted as without cancels",
    kinds: 39,
  },
  {
    seed: 200188,
    was: "a watchdog that took two short calls for one long one",
    kinds: 43,
  },
  {
    seed: 310764,
    was: "a foreign order that was executed 40 s after the end of the bot, counted as not reported",
    kinds: 43,
  },
  {
    seed: 312520,
    was: "a book that was read anew with its channel, judged by the one before, of a venue that has lost its data",
    kinds: 43,
  },
  {
    seed: 316372,
    was: "an order for which the funds were locked by the stop loss of a quote that had just been filled",
    kinds: 43,
  },
  {
    seed: 360016,
    was: "a share of uptime multiplied by a time that went on after the signal to stop",
    kinds: 43,
  },
  { seed: 1256, was: "a book that was never read, behind orders in doubt", kinds: 26 },
  {
    seed: 320096,
    was: "nonces of cancels that a start sent while the disk was full, used again after the machine's clock was set back",
    kinds: 43,
  },
  {
    seed: 410128,
    was: "limits derived again, judged by a deposit whose event a dead channel had lost",
    kinds: 44,
  },
  {
    seed: 410336,
    was: "limits of a step that the journal has and no observer was told, since a hang and the power ended at the same moment",
    kinds: 44,
  },
  {
    seed: 5003236,
    was: "a probe with a nonce ahead of all others, whose refusal stopped the bot",
    kinds: 46,
  },
  {
    seed: 2000556,
    was: "orders that reached the venue after their cancels had been sent, counted as rejected",
    kinds: 46,
  },
  {
    seed: 2001020,
    was: "a stop order that was executed at the very moment of the judgment, counted as in doubt",
    kinds: 46,
  },
  {
    seed: 2000240,
    was: "a nonce of a start at a full disk, used again by the next start after the clock was set back",
    kinds: 46,
  },
  {
    seed: 770424,
    was: "a stop that waited for a disk that hung, whose last cancel left 29 s after the signal",
    kinds: 46,
  },
  {
    seed: 6000128,
    was: "a process that was killed in the event in which its disk went on, whose end started a second bot",
    kinds: 46,
  },
  {
    seed: 5002908,
    was: "a stop order taken for never placed by a reading of the venue's clock from before that went back",
    kinds: 46,
  },
  {
    seed: 8014772,
    was: "a nonce of a run that a power cut took as a whole, used again, since the clock had been set back before both",
    kinds: 46,
  },
  {
    seed: 9600856,
    was: "cancels of a start that was killed and of the next one, counted against one rate budget",
    kinds: 49,
  },
  {
    seed: 9600436,
    was: "a nonce of a run that a power cut took as a whole, used again, since the run before it had ended cleanly",
    kinds: 49,
  },
];

/** Stored seeds run with the options of the time when they were stored: the number of kinds when the first ones were. */
const KINDS_AT_FIRST = 13;
/** Options of a stored seed. */
export interface StoredOptions {
  readonly kinds?: readonly Fault[];
  readonly faults?: readonly Fault[];
  readonly useModify?: boolean;
}

export function storedOptions({
  kinds = KINDS_AT_FIRST,
  faults: names,
}: StoredSeed): StoredOptions {
  if (names !== undefined) return { faults: faults.filter(({ name }) => names.includes(name)) };
  const chosen = { kinds: faults.slice(0, kinds) };
  return kinds === KINDS_AT_FIRST ? { ...chosen, useModify: false } : chosen;
}

/** The same for the command line. */
export function flagsOf({ kinds = KINDS_AT_FIRST, faults: names }: StoredSeed): string {
  if (names !== undefined) return ` --faults ${names.join(",")}`;
  return ` --kinds ${kinds}${kinds === KINDS_AT_FIRST ? " --never-modify" : ""}`;
}
