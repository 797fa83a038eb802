import { existsSync } from "node:fs";
import path from "node:path";
import { TouchlineError } from "../base/error.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import { controlPath } from "../control/control-path.ts";

/** What a service that runs a bot unattended needs to know of its configuration. */
export interface ServedBot {
  /** Of its file; names the services. */
  readonly name: string;
  readonly file: string;
  /** Seconds within which a stop has ended. */
  readonly stopSec: number;
  readonly guarded: boolean;
  /** Folders that it writes to. */
  readonly writes: readonly string[];
  /** Undefined without a page. */
  readonly port: number | undefined;
  readonly allowedHosts: readonly string[];
  readonly keystore: { readonly path: string; readonly key: string } | undefined;
  /** Whether it makes keystores of sessions. */
  readonly renews: boolean;
}

/** The end of the stop's last requests and of the process. */
const END_SEC = 30;

/** Reads what a service needs. `guarded`: it gets a guard even where the file requires none. */
export function servedBot(config: BotConfig, guarded: boolean): ServedBot {
  const { file, journal, guard, timing, dashboard, account } = config;
  const name = path
    .parse(file)
    .name.replaceAll(/[^A-Za-z0-9-]/g, "-")
    .toLowerCase();
  const signer = account?.signer;
  const renew = account?.session?.renew;
  const written = [journal.path, path.dirname(controlPath(config)), ...(renew ? [renew.keys] : [])];
  const key = account?.session === undefined ? "account.signer.path" : "account.signer.key.path";
  return {
    name,
    file: path.resolve(file),
    stopSec: Math.ceil(timing.stopMs / 1000) + END_SEC,
    guarded: guarded || guard.required,
    writes: [...new Set(written.map(existing))],
    port: dashboard?.port,
    allowedHosts: dashboard?.allowedHosts ?? [],
    keystore: signer?.type === "keystore" ? { path: signer.path, key } : undefined,
    renews: renew !== undefined,
  };
}

/** Throws `NAMES_ALIKE` when two files would have the same service. */
export function refuseAlike(bots: readonly ServedBot[]): void {
  for (const { name } of bots) {
    if (bots.filter((one) => one.name === name).length === 1) continue;
    throw new TouchlineError("NAMES_ALIKE", `Two configurations would be the service ${name}.`, {
      hint: "Rename one of the files.",
    });
  }
}

/** A folder, or the nearest one above that exists: a unit cannot be given one that does not. */
function existing(folder: string): string {
  const absolute = path.resolve(folder);
  return existsSync(absolute) ? absolute : existing(path.dirname(absolute));
}
