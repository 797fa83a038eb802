import type { IncomingHttpHeaders } from "node:http";
import { isLoopback } from "../base/loopback.ts";
import { TokenBucket } from "../base/token-bucket.ts";
import type { AccessTokens, Role } from "./access-tokens.ts";
import type { Sessions } from "./sessions.ts";

/** A request that is refused, with what the caller can do about it. */
export interface PageRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageAccessOptions {
  /** The address that the page listens on. */
  readonly host: string;
  readonly port: number;
  /** Names under which it is reached beside that address; `https://NAME` for one that a proxy with TLS serves. */
  readonly allowedHosts: readonly string[];
  /** Actions are taken over plain HTTP from other machines, too. */
  readonly insecureControl: boolean;
  /** Nobody reads without a session or token, on a loopback address either. */
  readonly needsLogin?: boolean;
}

export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Address of the other end of the connection. */
  readonly remote: string;
}

/** Who makes a request. */
export interface Grant {
  readonly who: string;
  readonly role: Role;
  /** False for those who read a page that is open to everybody. */
  readonly isKnown: boolean;
  /** Whether it still holds: its token was not revoked, its session has not ended. */
  holds(): boolean;
}

/** Wrong tokens and login codes of all clients: at once, and then per second. */
const FAILURES = { atOnce: 10, perSecond: 0.2 };
const METHODS = ["GET", "HEAD", "POST"];
/** A page of another site may send it only with our permission (CORS), which it never gets. */
export const ACTION_HEADER = "x-touchline";

/**
 * Decides who may read and who may act. Requests to another host name are refused, against DNS rebinding, as is what a page of
 * another origin asks for. A browser has the cookie of a session, a program sends `Authorization: Bearer …`. On a loopback address
 * everybody may read while there is no token; actions always need a session or token with the role `control` or `agent`.
 */
export class PageAccess {
  readonly #options: PageAccessOptions;
  readonly #tokens: AccessTokens;
  readonly #sessions: Sessions;
  readonly #failures = new TokenBucket(FAILURES, performance.now());

  constructor(options: PageAccessOptions, tokens: AccessTokens, sessions: Sessions) {
    this.#options = options;
    this.#tokens = tokens;
    this.#sessions = sessions;
  }

  /** Why a request is refused for every caller; undefined when it is not. */
  refusal(request: PageRequest): PageRefusal | undefined {
    const { method, headers } = request;
    if (!this.#isOurHost(request)) {
      const message =
        "This host name is not served. Add it to dashboard.allowedHosts if it is yours.";
      return { status: 421, code: "UNKNOWN_HOST", message };
    }
    if (!METHODS.includes(method)) {
      const allow = { allow: METHODS.join(", ") };
      return { status: 405, code: "METHOD_UNKNOWN", message: "GET and POST only.", headers: allow };
    }
    if (this.#isCrossSite(request)) {
      return { status: 403, code: "CROSS_SITE", message: "Not for pages of other sites." };
    }
    if (method === "POST" && headers.authorization === undefined && !(ACTION_HEADER in headers)) {
      const message = `An action needs the header ${ACTION_HEADER}: 1.`;
      return { status: 403, code: "HEADER_MISSING", message };
    }
    return undefined;
  }

  /** Who may read. */
  reader(request: PageRequest): Grant | PageRefusal {
    return this.#grantOf(request) ?? this.#unknown("Log in by a link of `touchline token login`.");
  }

  /** Who may act. */
  controller(request: PageRequest): Grant | PageRefusal {
    if (!this.#mayControlFrom(request)) {
      const message =
        "Actions from other machines need TLS (a proxy on the bot's machine, named in dashboard.allowedHosts as https://NAME) or dashboard.insecureControl: true.";
      return { status: 403, code: "CONTROL_NEEDS_TLS", message };
    }
    const grant = this.reader(request);
    if ("status" in grant || grant.role !== "read") return grant;
    const message = "An action needs a session or token with the role control or agent.";
    return grant.isKnown
      ? { status: 403, code: "CONTROL_NEEDED", message }
      : this.#unknown(message);
  }

  /** The headers that log a browser in; a refusal for a code that opens nothing. Its earlier session ends. */
  login(request: PageRequest, code: string): Record<string, string> | PageRefusal {
    const secret = this.#sessions.open(code);
    if (secret === undefined) {
      return this.#failed(
        "This login link was used or is too old: `touchline token login` makes another.",
      );
    }
    this.logout(request);
    return { "set-cookie": this.#cookie(request, secret) };
  }

  /** The headers that log a browser in as the token that it shows in `authorization`, until that is revoked. */
  loginByToken(request: PageRequest): Record<string, string> | PageRefusal {
    const grant = this.#grantOfToken(bearerOf(request) ?? "");
    if ("status" in grant) return grant;
    this.logout(request);
    return {
      "set-cookie": this.#cookie(request, this.#sessions.openFor({ ...grant, name: grant.who })),
    };
  }

  /** Ends the session of a browser, and returns the headers that remove its cookie. */
  logout(request: PageRequest): Record<string, string> {
    const secret = this.#secretOf(request);
    if (secret !== undefined) this.#sessions.close(secret);
    return { "set-cookie": `${this.#cookie(request, "")}; Max-Age=0` };
  }

  #grantOf(request: PageRequest): Grant | PageRefusal | undefined {
    const bearer = bearerOf(request);
    if (bearer !== undefined) return this.#grantOfToken(bearer);
    const secret = this.#secretOf(request);
    const session = secret === undefined ? undefined : this.#sessions.find(secret);
    if (secret === undefined || session === undefined) {
      return this.#isOpen() ? { ...anybody, holds: () => this.#isOpen() } : undefined;
    }
    const holds = () => this.#sessions.find(secret) !== undefined;
    return { who: session.name, role: session.role, isKnown: true, holds };
  }

  #grantOfToken(secret: string): Grant | PageRefusal {
    const token = this.#orNone(() => this.#tokens.find(secret, Date.now()));
    if (token === undefined) return this.#failed("There is no such access token, or not any more.");
    const holds = () => this.#orNone(() => this.#tokens.has(token, Date.now())) === true;
    return { who: token.name, role: token.role, isKnown: true, holds };
  }

  /** Whether everybody who reaches the page may read it. */
  #isOpen(): boolean {
    const { host, allowedHosts, needsLogin = false } = this.#options;
    if (needsLogin || !isLoopback(host) || allowedHosts.length > 0) return false;
    return this.#orNone(() => this.#tokens.list().length) === 0;
  }

  /** A file of tokens that cannot be read lets nobody in. */
  #orNone<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch {
      return undefined;
    }
  }

  #unknown(message: string): PageRefusal {
    return { status: 401, code: "LOGIN_NEEDED", message };
  }

  #failed(message: string): PageRefusal {
    if (this.#failures.take(performance.now())) return this.#unknown(message);
    const headers = { "retry-after": String(Math.ceil(this.#failures.waitSec)) };
    return { status: 429, code: "TOO_MANY_FAILURES", message: "Too many wrong logins.", headers };
  }

  #isOurHost({ headers, remote }: PageRequest): boolean {
    const name = nameOf(headers.host);
    const { host, allowedHosts } = this.#options;
    if (isLoopback(name)) return isLoopback(host) || isLoopback(remote);
    if (isUnspecified(name) || name === "") return false;
    return name === plainName(host) || allowedHosts.some((allowed) => plainName(allowed) === name);
  }

  /** A proxy with TLS serves this name: browsers know the page as https. A client may name any host, so it proves no TLS. */
  #hasTlsName({ headers }: PageRequest): boolean {
    return this.#options.allowedHosts.includes(`https://${nameOf(headers.host)}`);
  }

  #mayControlFrom(request: PageRequest): boolean {
    if (this.#options.insecureControl) return true;
    if (!isLoopback(request.remote)) return false;
    return this.#hasTlsName(request) || isLoopback(nameOf(request.headers.host));
  }

  /** A link to the page may be followed from anywhere; its data is for the page itself, and for programs, which name no site. */
  #isCrossSite(request: PageRequest): boolean {
    const { headers, path } = request;
    const site = headers["sec-fetch-site"];
    const isOwn = site === undefined || site === "same-origin" || site === "none";
    const isLink = headers["sec-fetch-mode"] === "navigate" && !path.startsWith("/api/");
    const { origin } = headers;
    const own = `${this.#hasTlsName(request) ? "https" : "http"}://${headers.host}`;
    const mayLink = isLink && request.method !== "POST";
    return !(isOwn || mayLink) || (origin !== undefined && origin !== own);
  }

  /** One page's cookie does not replace that of another on the same machine. */
  #cookieName(request: PageRequest): string {
    return `${this.#hasTlsName(request) ? "__Host-" : ""}touchline-${this.#options.port}`;
  }

  #cookie(request: PageRequest, secret: string): string {
    const secure = this.#hasTlsName(request) ? "; Secure" : "";
    return `${this.#cookieName(request)}=${secret}; Path=/; HttpOnly; SameSite=Strict${secure}`;
  }

  #secretOf(request: PageRequest): string | undefined {
    const name = this.#cookieName(request);
    for (const part of (request.headers.cookie ?? "").split(";")) {
      const [key, value] = part.trim().split("=", 2);
      if (key === name && value !== undefined && value !== "") return value;
    }
    return undefined;
  }
}

const anybody = { who: "anybody", role: "read", isKnown: false } as const;

function bearerOf({ headers }: PageRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** A Host header without its port, lower case. */
function nameOf(header: string | undefined): string {
  return (header ?? "").replace(/:\d+$/, "").replace(/\.$/, "").toLowerCase();
}

function plainName(host: string): string {
  const name = host.replace(/^https:\/\//, "").toLowerCase();
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
}

/** A browser that is sent to 0.0.0.0 reaches this machine. */
function isUnspecified(name: string): boolean {
  return name === "0.0.0.0" || name === "[::]";
}
