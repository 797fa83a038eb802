import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { makeFolder } from "../platform/folder.ts";
import { openPrivate, OWNER_ONLY_FOLDER, refuseOpen } from "../platform/private-file.ts";

/** `read` shows everything, `control` may act, too, `agent` do some of it: see `actions`. */
export const roles = ["read", "agent", "control"] as const;
export type Role = (typeof roles)[number];

const accessToken = z.strictObject({
  name: z.string().regex(/^[\w-]{1,40}$/),
  role: z.enum(roles),
  /** SHA-256 of the token, which has 256 random bits. */
  hash: z.string(),
  createdMs: z.int(),
  /** Null: never. */
  expiresMs: z.int().nullable(),
});
export type AccessToken = z.infer<typeof accessToken>;

const tokenFile = z.strictObject({ tokens: z.array(accessToken).max(100) });

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** 256 random bits as text. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** The access tokens of a bot's HTTP API, hashed, in `access-tokens.json` beside its journal. A running bot follows the file. */
export class AccessTokens {
  readonly #folder: string;
  /** What was read, and of which state of the file. */
  #known: { readonly state: string; readonly tokens: readonly AccessToken[] } | undefined;

  /** An empty name is no folder and has none: never the current one. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get #file(): string {
    return path.join(this.#folder, "access-tokens.json");
  }

  /** Expired ones included. Throws `TOKENS_UNREADABLE`. */
  list(): readonly AccessToken[] {
    if (this.#folder === "") return [];
    const stat = statSync(this.#file, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    const state = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    if (this.#known?.state !== state) this.#known = { state, tokens: this.#read() };
    return this.#known.tokens;
  }

  /** The token's name and role; undefined when there is no such token, or not any more. */
  find(secret: string, nowMs: number): AccessToken | undefined {
    const hash = hashOf(secret);
    return this.list().find((token) => token.hash === hash && isValid(token, nowMs));
  }

  /** Whether it is still there and has not expired. */
  has({ hash }: AccessToken, nowMs: number): boolean {
    return this.list().some((token) => token.hash === hash && isValid(token, nowMs));
  }

  /** Returns the token itself, which is stored nowhere. Throws `TOKEN_EXISTS`. */
  create(token: Omit<AccessToken, "hash">): string {
    const tokens = this.list();
    if (tokens.some(({ name }) => name === token.name)) {
      throw new TouchlineError("TOKEN_EXISTS", `There is a token named ${token.name} already.`, {
        hint: "Choose another --name, or revoke it first: touchline token revoke.",
      });
    }
    const secret = `touchline_${newSecret()}`;
    this.#write([...tokens, { ...token, hash: hashOf(secret) }]);
    return secret;
  }

  /** Throws `TOKEN_UNKNOWN`. */
  revoke(name: string): void {
    const tokens = this.list();
    const left = tokens.filter((token) => token.name !== name);
    if (left.length === tokens.length) {
      throw new TouchlineError("TOKEN_UNKNOWN", `There is no token named ${name}.`, {
        hint: "`touchline token list` shows them.",
      });
    }
    this.#write(left);
  }

  #read(): readonly AccessToken[] {
    try {
      return tokenFile.parse(JSON.parse(readFileSync(this.#file, "utf8"))).tokens;
    } catch (cause) {
      throw new TouchlineError("TOKENS_UNREADABLE", `${this.#file} is no list of access tokens.`, {
        hint: "Remove the file and create the tokens again.",
        cause,
      });
    }
  }

  /** The file is whole at every moment, since a running bot reads it. */
  #write(tokens: readonly AccessToken[]): void {
    makeFolder(this.#folder, OWNER_ONLY_FOLDER);
    refuseOpen(this.#folder);
    const part = `${this.#file}.part`;
    rmSync(part, { force: true });
    const descriptor = openPrivate(part, "new");
    writeSync(descriptor, `${JSON.stringify({ tokens }, undefined, 2)}\n`);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(part, this.#file);
  }
}

function isValid({ expiresMs }: AccessToken, nowMs: number): boolean {
  return expiresMs === null || nowMs < expiresMs;
}
