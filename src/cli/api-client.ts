import { readFileSync } from "node:fs";
import { isLoopback } from "../base/loopback.ts";
import { TouchlineError } from "../base/error.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import { errorSchema } from "../dashboard/api-schema.ts";
import { BotRefusal } from "../dashboard/bot-refusal.ts";
import { codeOf } from "../platform/file-errors.ts";

/** A replay of the journal takes the longest. */
const RESPONSE_MS = 610_000;

/** The HTTP API of a running bot. `isAgent`: with the rights of an agent, see `CommandOrigin`. */
export class ApiClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** Throws TouchlineError `TOKEN_IN_CLEAR` for a token that others on the way could read. */
  constructor(origin: string, token: string | undefined, isAgent: boolean) {
    const { protocol, hostname } = new URL(origin);
    if (token !== undefined && protocol === "http:" && !isLoopback(hostname)) {
      throw new TouchlineError(
        "TOKEN_IN_CLEAR",
        `The access token is not sent to ${origin}: others on the way could read it.`,
        {
          hint: "Give an https:// address, or reach the page over an SSH tunnel at 127.0.0.1.",
        },
      );
    }
    this.#base = `${origin}/api/v1`;
    this.#headers = {
      "x-touchline": isAgent ? "agent" : "1",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  /** The address of a bot's page. Throws TouchlineError `NO_PAGE` when it serves none. */
  static originOf({ file, dashboard }: Pick<BotConfig, "file" | "dashboard">): string {
    if (dashboard === undefined || dashboard.port === 0) {
      throw new TouchlineError("NO_PAGE", `${file} names no address of the bot's HTTP API.`, {
        hint: "Give it one: dashboard: { host: 127.0.0.1, port: 8718 }",
      });
    }
    const { host, port } = dashboard;
    const isOwn = isLoopback(host) || host === "0.0.0.0" || host === "::";
    return `http://${isOwn ? "127.0.0.1" : host}:${port}`;
  }

  get(
    path: string,
    query: Readonly<Record<string, unknown>> = {},
    limitMs = RESPONSE_MS,
  ): Promise<unknown> {
    const url = new URL(`${this.#base}${path}`);
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(key, textOf(value));
    }
    return this.#ask(url, {}, limitMs);
  }

  post(action: string, body: unknown): Promise<unknown> {
    return this.#ask(new URL(`${this.#base}/${action}`), {
      method: "POST",
      body: JSON.stringify(body),
    });
  }

  /** Resolves with what the API responds, also when the bot could not do it. Rejects with BotRefusal, or with TouchlineError `NO_BOT` or `NO_RESPONSE`. */
  async #ask(url: URL, request: RequestInit, limitMs = RESPONSE_MS): Promise<unknown> {
    const signal = AbortSignal.timeout(limitMs);
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(url, { ...request, headers: this.#headers, signal });
      body = await response.json();
    } catch (cause) {
      if (isLate(cause)) {
        throw new TouchlineError(
          "NO_RESPONSE",
          `The bot at ${url.origin} has not responded yet, and may still do what it was asked for.`,
          { cause },
        );
      }
      throw new TouchlineError("NO_BOT", `No bot responds at ${url.origin}.`, {
        hint: "Start it, and look at `dashboard.host` and `dashboard.port` in its file.",
        cause,
      });
    }
    const refused = errorSchema.safeParse(body);
    if (!refused.success) return body;
    const { code, message } = refused.data.error;
    const { status } = response;
    throw new BotRefusal(status, code, message, status === 401 ? { hint: TOKEN_HINT } : {});
  }
}

/** Our own limit, or that of fetch for the first byte. */
function isLate(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "TimeoutError" || codeOf(error.cause) === "UND_ERR_HEADERS_TIMEOUT";
}

const TOKEN_HINT =
  "`touchline token create CONFIG --role agent` makes a token, which --token-file passes on, or for a single bot TOUCHLINE_TOKEN.";

/** The token in a file. Throws TouchlineError `TOKEN_UNREADABLE`. */
export function tokenIn(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new TouchlineError("TOKEN_UNREADABLE", `The access token in ${file} cannot be read.`, {
      hint: "Write what `touchline token create` prints into it.",
      cause,
    });
  }
}

/** A value of a query as text; what is neither text nor a number or truth value is none. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
