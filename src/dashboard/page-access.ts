import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isLoopback } from "../base/loopback.ts";

/** A request that the page refuses, or answers by itself. */
export interface PageRefusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageAccessOptions {
  /** The address that the page listens on. */
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
}

export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Decides who may read the page: requests to another host name are refused, against DNS rebinding, as is what a page of another
 * origin asks for. With a token, a browser gets a cookie for `/?token=…`, and programs send `Authorization: Bearer …`.
 */
export class PageAccess {
  readonly #options: PageAccessOptions;
  readonly #cookieName: string;
  /** Of this run only. Browsers send cookies to every port of a host, so the token itself is not in it. */
  readonly #cookie: string;

  constructor(options: PageAccessOptions) {
    this.#options = options;
    // One page's cookie does not replace that of another on the same machine.
    this.#cookieName = `touchline-${options.port}`;
    this.#cookie = createHmac("sha256", randomBytes(32)).update("page").digest("base64url");
  }

  /** Undefined: the request may be served. */
  refusal(request: PageRequest): PageRefusal | undefined {
    const { method, headers } = request;
    if (!this.#isOurHost(headers.host ?? "")) return { status: 421, text: "unknown host" };
    if (method !== "GET" && method !== "HEAD") return { status: 405, text: "read only" };
    return this.#crossSite(request) ?? this.#withoutToken(request);
  }

  /** A link to the page may be followed from anywhere; its data is for the page itself, and for programs, which name no site. */
  #crossSite({ headers, path }: PageRequest): PageRefusal | undefined {
    const site = headers["sec-fetch-site"];
    const isOwn = site === undefined || site === "same-origin" || site === "none";
    const isLink = headers["sec-fetch-mode"] === "navigate" && !path.startsWith("/api/");
    const { origin } = headers;
    const isOwnOrigin = origin === undefined || origin === `http://${headers.host}`;
    if ((isOwn || isLink) && isOwnOrigin) return undefined;
    return { status: 403, text: "not for pages of other sites" };
  }

  #withoutToken({ headers, query, path }: PageRequest): PageRefusal | undefined {
    const { token } = this.#options;
    if (token === undefined) return undefined;
    if (path === "/" && isSame(query.get("token"), token)) {
      const cookie = `${this.#cookieName}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`;
      return { status: 303, text: "", headers: { location: "/", "set-cookie": cookie } };
    }
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    if (isSame(bearer, token)) return undefined;
    if (isSame(cookieOf(headers.cookie ?? "", this.#cookieName), this.#cookie)) return undefined;
    return { status: 401, text: "A token is needed: open the page as /?token=…" };
  }

  #isOurHost(header: string): boolean {
    const name = header.replace(/:\d+$/, "");
    const { host, token } = this.#options;
    if (name === host || name === `[${host}]`) return true;
    if (isLoopback(host)) return isLoopback(name);
    // Reached under any of the machine's names: there the token keeps foreign pages out.
    return token !== undefined && name !== "";
  }
}

function isSame(given: string | null | undefined, wanted: string): boolean {
  if (given === null || given === undefined) return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

function cookieOf(header: string, name: string): string | undefined {
  for (const part of header.split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name) return value;
  }
  return undefined;
}
