import type { CliCommand, UnnamedCommand } from "./command.ts";

/** A command's words and how to load its file. A file is loaded only for its own command or for help, to start quickly. */
interface CommandFile {
  readonly words: readonly string[];
  load(): Promise<CliCommand>;
}

/** All commands by the words to type, in the order of the help. */
const files: Readonly<Record<string, () => Promise<{ readonly default: UnnamedCommand }>>> = {
  demo: () => import("./commands/demo.ts"),
  run: () => import("./commands/run.ts"),
  paper: () => import("./commands/paper.ts"),
  status: () => import("./commands/status.ts"),
  pause: () => import("./commands/pause.ts"),
  resume: () => import("./commands/resume.ts"),
  tune: () => import("./commands/tune.ts"),
  reload: () => import("./commands/reload.ts"),
  halt: () => import("./commands/halt.ts"),
  stop: () => import("./commands/stop.ts"),
  flatten: () => import("./commands/flatten.ts"),
  guard: () => import("./commands/guard.ts"),
  check: () => import("./commands/check.ts"),
  doctor: () => import("./commands/doctor.ts"),
  venue: () => import("./commands/venue.ts"),
  "position show": () => import("./commands/position-show.ts"),
  "position set": () => import("./commands/position-set.ts"),
  "position reset": () => import("./commands/position-reset.ts"),
  "new strategy": () => import("./commands/new-strategy.ts"),
  init: () => import("./commands/init.ts"),
  test: () => import("./commands/test.ts"),
  "market list": () => import("./commands/market-list.ts"),
  "market tokens": () => import("./commands/market-tokens.ts"),
  "market ticker": () => import("./commands/market-ticker.ts"),
  "market depth": () => import("./commands/market-depth.ts"),
  "market trades": () => import("./commands/market-trades.ts"),
  "market candles": () => import("./commands/market-candles.ts"),
  "market watch": () => import("./commands/market-watch.ts"),
  "market time": () => import("./commands/market-time.ts"),
  "order place": () => import("./commands/order-place.ts"),
  "order stop": () => import("./commands/order-stop.ts"),
  "order cancel": () => import("./commands/order-cancel.ts"),
  "order cancel-all": () => import("./commands/order-cancel-all.ts"),
  "order modify": () => import("./commands/order-modify.ts"),
  "order show": () => import("./commands/order-show.ts"),
  "order open": () => import("./commands/order-open.ts"),
  "order history": () => import("./commands/order-history.ts"),
  "order fills": () => import("./commands/order-fills.ts"),
  "order watch": () => import("./commands/order-watch.ts"),
  "account balances": () => import("./commands/account-balances.ts"),
  "account transfer": () => import("./commands/account-transfer.ts"),
  "account transfers": () => import("./commands/account-transfers.ts"),
  "account withdraw": () => import("./commands/account-withdraw.ts"),
  "account retry-withdraw": () => import("./commands/account-retry-withdraw.ts"),
  "account watch": () => import("./commands/account-watch.ts"),
  "session create": () => import("./commands/session-create.ts"),
  "session list": () => import("./commands/session-list.ts"),
  "session extend": () => import("./commands/session-extend.ts"),
  "session delete": () => import("./commands/session-delete.ts"),
  record: () => import("./commands/record.ts"),
  import: () => import("./commands/import.ts"),
  "recording check": () => import("./commands/recording-check.ts"),
  "recording info": () => import("./commands/recording-info.ts"),
  "recording cut": () => import("./commands/recording-cut.ts"),
  "recording merge": () => import("./commands/recording-merge.ts"),
  "recording export": () => import("./commands/recording-export.ts"),
  replay: () => import("./commands/replay.ts"),
  parity: () => import("./commands/parity.ts"),
  sweep: () => import("./commands/sweep.ts"),
  sim: () => import("./commands/sim.ts"),
  "journal ls": () => import("./commands/journal-ls.ts"),
  "journal show": () => import("./commands/journal-show.ts"),
  "journal verify": () => import("./commands/journal-verify.ts"),
  "journal export": () => import("./commands/journal-export.ts"),
  "keystore new": () => import("./commands/keystore-new.ts"),
  "keystore import": () => import("./commands/keystore-import.ts"),
  "keystore show": () => import("./commands/keystore-show.ts"),
};

export const commandFiles: readonly CommandFile[] = Object.entries(files).map(([name, load]) => {
  const words = name.split(" ");
  return { words, load: async () => ({ words, ...(await load()).default }) };
});
