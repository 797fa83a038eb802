import { hashOf, newSecret, type Role } from "./access-tokens.ts";

const LINK_MS = 10 * 60_000;
const IDLE_MS = 12 * 3_600_000;
const WHOLE_MS = 7 * 24 * 3_600_000;
/** The oldest makes way for a new one. */
const MAX_LINKS = 20;
/** Of one token, or of the links of one role. The oldest of its own makes way for a new one. */
const MAX_SESSIONS = 20;

export interface Session {
  /** Names the session in the journal. */
  readonly name: string;
  readonly role: Role;
}

interface OpenSession extends Session {
  /** What it was opened with. */
  readonly openedBy: string;
  /** Whether what it was opened with still holds. */
  holds(): boolean;
  readonly untilMs: number;
  usedMs: number;
}

/** One-time login links of the page, and the sessions that they open: in this process's memory, by the hash of their secret. */
export class Sessions {
  readonly #links = new Map<string, { readonly role: Role; readonly untilMs: number }>();
  readonly #sessions = new Map<string, OpenSession>();
  readonly #now: () => number;
  #count = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A code that opens one session within ten minutes. */
  link(role: Role): string {
    const code = newSecret();
    const [oldest] = this.#links.keys();
    if (this.#links.size >= MAX_LINKS && oldest !== undefined) this.#links.delete(oldest);
    this.#links.set(hashOf(code), { role, untilMs: this.#now() + LINK_MS });
    return code;
  }

  /** Returns the secret of a new session, or undefined for a code that is unknown, expired or already used. */
  open(code: string): string | undefined {
    const hash = hashOf(code);
    const link = this.#links.get(hash);
    this.#links.delete(hash);
    const nowMs = this.#now();
    if (link === undefined || nowMs >= link.untilMs) return undefined;
    this.#count += 1;
    const { role } = link;
    const name = `page-${this.#count}`;
    return this.#opened({ name, role, openedBy: `link ${role}`, holds: () => true });
  }

  /** The secret of a new session that has another login's name and role, and ends with it. */
  openFor(login: Session & Pick<OpenSession, "holds">): string {
    return this.#opened({ ...login, openedBy: `token ${login.name}` });
  }

  /** A session ends after twelve hours without use, and after a week. */
  find(secret: string): Session | undefined {
    const hash = hashOf(secret);
    const session = this.#sessions.get(hash);
    if (session === undefined) return undefined;
    if (this.#lasts(session)) {
      session.usedMs = this.#now();
      return session;
    }
    this.#sessions.delete(hash);
    return undefined;
  }

  #lasts({ holds, untilMs, usedMs }: OpenSession): boolean {
    const nowMs = this.#now();
    return nowMs < untilMs && nowMs - usedMs < IDLE_MS && holds();
  }

  #opened(session: Omit<OpenSession, "untilMs" | "usedMs">): string {
    const secret = newSecret();
    const nowMs = this.#now();
    for (const [hash, one] of this.#sessions) if (!this.#lasts(one)) this.#sessions.delete(hash);
    const own = [...this.#sessions].filter(([, { openedBy }]) => openedBy === session.openedBy);
    const [oldest] = own;
    if (own.length >= MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest[0]);
    this.#sessions.set(hashOf(secret), { ...session, untilMs: nowMs + WHOLE_MS, usedMs: nowMs });
    return secret;
  }

  close(secret: string): void {
    this.#sessions.delete(hashOf(secret));
  }
}
