import type { CliCommand } from "./command.ts";

/** A command's words and how to load its file. A file is loaded only for its own command or for help, to start quickly. */
export interface CommandFile {
  readonly words: readonly string[];
  load(): Promise<CliCommand>;
}

/** All commands, in the order of the help. */
export const commandFiles: readonly CommandFile[] = [
  {
    words: ["demo"],
    load: async () => (await import("./commands/demo.ts")).demo,
  },
  {
    words: ["run"],
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    words: ["paper"],
    load: async () => (await import("./commands/paper.ts")).paper,
  },
  {
    words: ["status"],
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    words: ["pause"],
    load: async () => (await import("./commands/pause.ts")).pause,
  },
  {
    words: ["resume"],
    load: async () => (await import("./commands/resume.ts")).resume,
  },
  {
    words: ["halt"],
    load: async () => (await import("./commands/halt.ts")).halt,
  },
  {
    words: ["stop"],
    load: async () => (await import("./commands/stop.ts")).stop,
  },
  {
    words: ["guard"],
    load: async () => (await import("./commands/guard.ts")).guard,
  },
  {
    words: ["check"],
    load: async () => (await import("./commands/check.ts")).check,
  },
  {
    words: ["doctor"],
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    words: ["venue"],
    load: async () => (await import("./commands/venue.ts")).venue,
  },
  {
    words: ["position", "show"],
    load: async () => (await import("./commands/position-show.ts")).positionShow,
  },
  {
    words: ["position", "set"],
    load: async () => (await import("./commands/position-set.ts")).positionSet,
  },
  {
    words: ["position", "reset"],
    load: async () => (await import("./commands/position-reset.ts")).positionReset,
  },
  {
    words: ["new", "strategy"],
    load: async () => (await import("./commands/new-strategy.ts")).newStrategy,
  },
  {
    words: ["init"],
    load: async () => (await import("./commands/init.ts")).init,
  },
  {
    words: ["test"],
    load: async () => (await import("./commands/test.ts")).testCommand,
  },
  {
    words: ["market", "list"],
    load: async () => (await import("./commands/market-list.ts")).marketList,
  },
  {
    words: ["market", "tokens"],
    load: async () => (await import("./commands/market-tokens.ts")).marketTokens,
  },
  {
    words: ["market", "ticker"],
    load: async () => (await import("./commands/market-ticker.ts")).marketTicker,
  },
  {
    words: ["market", "depth"],
    load: async () => (await import("./commands/market-depth.ts")).marketDepth,
  },
  {
    words: ["market", "trades"],
    load: async () => (await import("./commands/market-trades.ts")).marketTrades,
  },
  {
    words: ["market", "candles"],
    load: async () => (await import("./commands/market-candles.ts")).marketCandles,
  },
  {
    words: ["market", "watch"],
    load: async () => (await import("./commands/market-watch.ts")).marketWatch,
  },
  {
    words: ["market", "time"],
    load: async () => (await import("./commands/market-time.ts")).marketTime,
  },
  {
    words: ["order", "place"],
    load: async () => (await import("./commands/order-place.ts")).orderPlace,
  },
  {
    words: ["order", "stop"],
    load: async () => (await import("./commands/order-stop.ts")).orderStop,
  },
  {
    words: ["order", "cancel"],
    load: async () => (await import("./commands/order-cancel.ts")).orderCancel,
  },
  {
    words: ["order", "cancel-all"],
    load: async () => (await import("./commands/order-cancel-all.ts")).orderCancelAll,
  },
  {
    words: ["order", "modify"],
    load: async () => (await import("./commands/order-modify.ts")).orderModify,
  },
  {
    words: ["order", "show"],
    load: async () => (await import("./commands/order-show.ts")).orderShow,
  },
  {
    words: ["order", "open"],
    load: async () => (await import("./commands/order-open.ts")).orderOpen,
  },
  {
    words: ["order", "history"],
    load: async () => (await import("./commands/order-history.ts")).orderHistory,
  },
  {
    words: ["order", "fills"],
    load: async () => (await import("./commands/order-fills.ts")).orderFills,
  },
  {
    words: ["order", "watch"],
    load: async () => (await import("./commands/order-watch.ts")).orderWatch,
  },
  {
    words: ["account", "balances"],
    load: async () => (await import("./commands/account-balances.ts")).accountBalances,
  },
  {
    words: ["account", "transfer"],
    load: async () => (await import("./commands/account-transfer.ts")).accountTransfer,
  },
  {
    words: ["account", "transfers"],
    load: async () => (await import("./commands/account-transfers.ts")).accountTransfers,
  },
  {
    words: ["account", "withdraw"],
    load: async () => (await import("./commands/account-withdraw.ts")).accountWithdraw,
  },
  {
    words: ["account", "retry-withdraw"],
    load: async () => (await import("./commands/account-retry-withdraw.ts")).accountRetryWithdraw,
  },
  {
    words: ["account", "watch"],
    load: async () => (await import("./commands/account-watch.ts")).accountWatch,
  },
  {
    words: ["session", "create"],
    load: async () => (await import("./commands/session-create.ts")).sessionCreate,
  },
  {
    words: ["session", "list"],
    load: async () => (await import("./commands/session-list.ts")).sessionList,
  },
  {
    words: ["session", "extend"],
    load: async () => (await import("./commands/session-extend.ts")).sessionExtend,
  },
  {
    words: ["session", "delete"],
    load: async () => (await import("./commands/session-delete.ts")).sessionDelete,
  },
  {
    words: ["record"],
    load: async () => (await import("./commands/record.ts")).record,
  },
  {
    words: ["import"],
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  {
    words: ["recording", "check"],
    load: async () => (await import("./commands/recording-check.ts")).recordingCheck,
  },
  {
    words: ["recording", "info"],
    load: async () => (await import("./commands/recording-info.ts")).recordingInfo,
  },
  {
    words: ["recording", "cut"],
    load: async () => (await import("./commands/recording-cut.ts")).recordingCut,
  },
  {
    words: ["recording", "merge"],
    load: async () => (await import("./commands/recording-merge.ts")).recordingMerge,
  },
  {
    words: ["recording", "export"],
    load: async () => (await import("./commands/recording-export.ts")).recordingExport,
  },
  {
    words: ["replay"],
    load: async () => (await import("./commands/replay.ts")).replayCommand,
  },
  {
    words: ["parity"],
    load: async () => (await import("./commands/parity.ts")).parityCommand,
  },
  {
    words: ["sweep"],
    load: async () => (await import("./commands/sweep.ts")).sweep,
  },
  {
    words: ["journal", "ls"],
    load: async () => (await import("./commands/journal-ls.ts")).journalLs,
  },
  {
    words: ["journal", "show"],
    load: async () => (await import("./commands/journal-show.ts")).journalShow,
  },
  {
    words: ["journal", "verify"],
    load: async () => (await import("./commands/journal-verify.ts")).journalVerify,
  },
  {
    words: ["journal", "export"],
    load: async () => (await import("./commands/journal-export.ts")).journalExport,
  },
  {
    words: ["keystore", "new"],
    load: async () => (await import("./commands/keystore-new.ts")).keystoreNew,
  },
  {
    words: ["keystore", "import"],
    load: async () => (await import("./commands/keystore-import.ts")).keystoreImport,
  },
  {
    words: ["keystore", "show"],
    load: async () => (await import("./commands/keystore-show.ts")).keystoreShow,
  },
];
