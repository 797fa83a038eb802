import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** What a page says of the bot below it. */
export const about = { bot: "maker", mode: "paper", venue: "127.0.0.1:1", startedMs: 0 } as const;

const noStrategies: readonly [] = [];

/** A page on a free loopback port, of a bot that does nothing, with a new folder for its journal. */
export function pageSettings() {
  return {
    host: "127.0.0.1",
    port: 0,
    allowedHosts: [] as readonly string[],
    insecureControl: false,
    about,
    version: "0.0.0",
    webDir: "/nowhere",
    journal: mkdtempSync(path.join(tmpdir(), "touchline-journal-")),
    journalThread: "",
    strategies: () => noStrategies,
    command: (): Promise<string> => Promise.reject(new Error("this page has no bot")),
  };
}
