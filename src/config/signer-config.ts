import { DAY_MS } from "../domain/time.ts";
import { z } from "zod";
import { duration } from "../domain/setting.ts";
import { key, quietly, signed } from "./bot-key.ts";
import { environmentName, secretPlace } from "./secret-place.ts";

/** `account.signer` of a bot's YAML: where the signing key is. Keys themselves are never written in the file. */

const secret = quietly(signed);
/** A dry run creates no session. */
const renewing = quietly({ modes: ["run"] });

/** Where a keystore's password is. */
const password = secretPlace(secret, "password");

const keystore = z.strictObject({
  type: key(z.literal("keystore"), secret, "Kind of place that holds the key, or `session`."),
  path: key(z.string().min(1), secret, "The keystore, relative to this file."),
  password,
});
const namedEnv = z.strictObject({
  type: key(z.literal("env"), secret, "Kind of place that holds the key."),
  name: key(environmentName, secret, "Environment variable with the key."),
});

/** A program that reads the typed data as JSON from standard input and prints the owner's signature. */
const ownerCommand = z.strictObject({
  type: key(z.literal("command"), renewing, "Where the owner's signature comes from."),
  command: key(
    z.array(z.string().min(1)).min(1),
    renewing,
    "The program and its arguments; no shell in between.",
  ),
  env: key(
    z.array(environmentName).default([]),
    renewing,
    "Names of environment variables that the program gets; it gets `PATH`, `HOME` and the like anyway, and no others.",
  ),
  timeout: key(
    duration({ min: 1_000, max: 3_600_000 }).prefault("2m"),
    renewing,
    "How long the program may take.",
  ),
});

/** Renewal of sessions before they expire. */
const renewal = z
  .strictObject({
    /** Who signs new sessions. The key is opened when needed and wiped afterwards. */
    owner: z.discriminatedUnion("type", [namedEnv, keystore, ownerCommand]),
    before: key(
      duration({ min: 60_000 }).prefault("1d"),
      renewing,
      "The next session is made this long before the end.",
    ),
    lifetime: key(
      duration({ min: 120_000, max: 365 * DAY_MS }).prefault("7d"),
      renewing,
      "How long a new session lasts.",
    ),
    keys: key(
      z.string().min(1),
      renewing,
      "Folder of the keys of sessions that the bot makes, one keystore each.",
    ),
    /** Password of these keystores. Default: that of `key`. */
    password: password.optional(),
  })
  .refine(({ before, lifetime }) => lifetime > before, {
    path: ["lifetime"],
    message: "must be longer than renew.before, or the next session is due at once",
  });

const session = z
  .strictObject({
    type: key(z.literal("session"), secret, "A session wallet signs."),
    /** The session wallet's own key, the only one that the bot holds. */
    key: z.discriminatedUnion("type", [namedEnv, keystore]),
    /** Without it the bot warns, and stops in time. */
    renew: key(renewal.optional(), renewing, "New sessions before the old one ends."),
    stopBefore: key(
      duration({ min: 15_000, max: DAY_MS }).prefault("5m"),
      secret,
      "A bot whose session was not renewed stops quoting and cancels this long before the end.",
    ),
  })
  .refine(
    ({ key, renew }) =>
      renew === undefined || renew.password !== undefined || key.type === "keystore",
    {
      path: ["renew", "password"],
      message: "is missing: { env: NAME } or { file: PATH } of the new sessions' keystores",
    },
  )
  .refine(({ renew, stopBefore }) => renew === undefined || renew.before > stopBefore, {
    path: ["renew", "before"],
    message: "must be longer than stopBefore",
  });

export const signerSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: key(
      z.literal("env"),
      secret,
      "Which key signs: from a variable (`env`), a `keystore`, or a `session` wallet.",
    ),
    name: key(
      environmentName.default("TOUCHLINE_KEY"),
      secret,
      "Environment variable with the key. This file never contains the key itself.",
    ),
  }),
  keystore,
  session,
]);

/** The validated signer, with paths as written. */
export type WrittenSigner = z.output<typeof signerSchema>;
export type WrittenSession = Extract<WrittenSigner, { type: "session" }>;
