import { hashOf, newSecret, type Role } from "./access-tokens.ts";

const LINK_MS = 10 * 60_000;
const IDLE_MS = 12 * 3_600_000;
const WHOLE_MS = 7 * 24 * 3_600_000;
/** The oldest makes way for a new one. */
const MAX_LINKS = 20;
const MAX_SESSIONS = 50;

export interface Session {
  /** Names the session in the journal. */
  readonly name: string;
  readonly role: Role;
}

interface OpenSession extends Session {
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
    makeRoom(this.#links, MAX_LINKS);
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
    return this.#opened({ name: `page-${this.#count}`, role: link.role, holds: () => true });
  }

  /** The secret of a new session that has another login's name and role, and ends with it. */
  openFor(login: Session & Pick<OpenSession, "holds">): string {
    return this.#opened(login);
  }

  /** A session ends after twelve hours without use, and after a week. */
  find(secret: string): Session | undefined {
    const hash = hashOf(secret);
    const session = this.#sessions.get(hash);
    const nowMs = this.#now();
    if (session === undefined) return undefined;
    if (session.holds() && nowMs < session.untilMs && nowMs - session.usedMs < IDLE_MS) {
      session.usedMs = nowMs;
      return session;
    }
    this.#sessions.delete(hash);
    return undefined;
  }

  #opened(session: Omit<OpenSession, "untilMs" | "usedMs">): string {
    const secret = newSecret();
    const nowMs = this.#now();
    makeRoom(this.#sessions, MAX_SESSIONS);
    this.#sessions.set(hashOf(secret), { ...session, untilMs: nowMs + WHOLE_MS, usedMs: nowMs });
    return secret;
  }

  close(secret: string): void {
    this.#sessions.delete(hashOf(secret));
  }
}

function makeRoom(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (map.size >= most && oldest !== undefined) map.delete(oldest);
}
