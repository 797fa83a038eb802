import { z } from "zod";
import { duration } from "../domain/setting.ts";
import type { PasswordPlace } from "../ports/key-source.ts";

/** `account.signer` of a bot's YAML: whose key signs, and where it lies. A key itself never stands in a file. */

const environmentName = z
  .string()
  .regex(
    /^[A-Za-z_]\w*$/,
    "is not the name of an environment variable; the key itself never stands in a file",
  );

/** Where a keystore's password lies: `{ env: NAME }` or `{ file: PATH }`. */
const password = z
  .strictObject({ env: environmentName.optional(), file: z.string().min(1).optional() })
  .transform(({ env, file }, context): PasswordPlace => {
    if (env !== undefined && file === undefined) return { type: "env", name: env };
    if (file !== undefined && env === undefined) return { type: "file", path: file };
    context.addIssue({
      code: "custom",
      message:
        "must be { env: NAME } or { file: PATH }; the password itself never stands in a file",
    });
    return z.NEVER;
  });

const keystore = z.strictObject({
  type: z.literal("keystore"),
  path: z.string().min(1),
  password,
});
const namedEnv = z.strictObject({ type: z.literal("env"), name: environmentName });

/** A program that gets the typed data as JSON on its standard input and prints the owner's signature. */
const ownerCommand = z.strictObject({
  type: z.literal("command"),
  /** The program and its arguments; no shell in between. */
  command: z.array(z.string().min(1)).min(1),
  timeout: duration({ min: 1_000, max: 3_600_000 }).prefault("2m"),
});

const DAY_MS = 86_400_000;

/** New sessions before the old one ends. */
const renewal = z
  .strictObject({
    /** Whose signature makes a session: opened when it is needed, and forgotten again. */
    owner: z.discriminatedUnion("type", [namedEnv, keystore, ownerCommand]),
    /** So long before the end the next session is made. */
    before: duration({ min: 60_000 }).prefault("1d"),
    /** How long it lasts. */
    lifetime: duration({ min: 120_000, max: 365 * DAY_MS }).prefault("7d"),
    /** Folder of the keys of sessions that the bot makes, one keystore each. */
    keys: z.string().min(1),
    /** Of these keystores. Left out: that of `key`. */
    password: password.optional(),
  })
  .refine(({ before, lifetime }) => lifetime > before, {
    path: ["lifetime"],
    message: "must be longer than renew.before, or the next session is due at once",
  });

const session = z
  .strictObject({
    type: z.literal("session"),
    /** The session wallet's own key: the only one that the bot holds. */
    key: z.discriminatedUnion("type", [namedEnv, keystore]),
    /** Left out: the bot warns, and stops in time. */
    renew: renewal.optional(),
    /** So long before the end a bot whose session was not renewed stops quoting and cancels. */
    stopBefore: duration({ min: 15_000, max: DAY_MS }).prefault("5m"),
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
  z.strictObject({ type: z.literal("env"), name: environmentName.default("TOUCHLINE_KEY") }),
  keystore,
  session,
]);

/** As checked, paths as written. */
export type WrittenSigner = z.output<typeof signerSchema>;
export type WrittenSession = Extract<WrittenSigner, { type: "session" }>;
