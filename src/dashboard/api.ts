import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { actionNames, actions } from "../control/actions.ts";
import { jsonOf } from "../base/json-of.ts";
import { actionBody, controlResponse } from "../control/protocol.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import { type ApiData, resources } from "./api-resources.ts";
import { BotRefusal } from "./bot-refusal.ts";
import { metricsText, metricsType } from "./bot-metrics.ts";
import { openApi } from "./open-api.ts";
import {
  ACTION_HEADER,
  type Grant,
  type PageAccess,
  type PageRefusal,
  type PageRequest,
} from "./page-access.ts";
import { readiness } from "./readiness.ts";

/** What the API needs of the server that it is part of. */
export interface ApiParts {
  readonly version: string;
  readonly access: PageAccess;
  /** Whether this is the page of several bots, whose data their own APIs have. */
  readonly isOfSeveral: boolean;
  /** Undefined before the bot's first update. */
  data(): ApiData | undefined;
  /** Sends a request of `control/protocol.ts` to the bot, which `bot` names where there are several; resolves with its response. */
  command(line: string, by: CommandOrigin, bot: string | undefined): Promise<string>;
  /** Meanwhile the connection may be silent. */
  waitFor<Value>(context: ApiContext, value: Value | Promise<Value>): Promise<Value>;
  /** Serves the stream of changes on the connection itself. */
  stream(context: ApiContext, grant: Grant): Response;
  /** Logs what went wrong by a fault of the program. */
  warn(text: string): void;
  /** A file of the page. */
  file(path: string): Response | undefined;
}

type Bindings = { Bindings: HttpBindings };
export type ApiContext = Context<Bindings>;

const MAX_BODY_BYTES = 16_384;

/** The HTTP API, the page's files, and the addresses that watch over the bot. */
export function api(parts: ApiParts): Hono<Bindings> {
  const { access } = parts;
  const app = new Hono<Bindings>();
  app.onError((error, context) => {
    const refused = failure(error);
    if (refused.status === 500) {
      // An address's query may hold a secret.
      const { method, path } = requestOf(context);
      parts.warn(`${method} ${path} of the page failed: ${error.stack ?? error.message}`);
    }
    return refused;
  });
  app.notFound(() =>
    refuse({ status: 404, code: "NOT_FOUND", message: "There is no such address." }),
  );

  app.get("/healthz", () => json({ ok: true }));
  app.get("/readyz", (context) => {
    const data = parts.data();
    const reasons = readiness(data?.snapshot, data?.ageMs ?? 0);
    const status = reasons.length === 0 ? 200 : 503;
    // Reasons may say how the bot trades.
    const isReader = !("status" in access.reader(requestOf(context)));
    return json({ ready: status === 200, ...(isReader ? { reasons } : {}) }, status);
  });
  let document: unknown;
  app.get("/openapi.json", () => json((document ??= openApi(parts.version))));
  app.get("/login", (context) => {
    // A look at a link does not use it up.
    if (requestOf(context).method !== "GET") return refuse(otherMethod("GET, POST"));
    const headers = access.login(requestOf(context), context.req.query("code") ?? "");
    return "status" in headers ? refuse(headers as PageRefusal) : found("/", headers);
  });
  app.post("/login", (context) => {
    const headers = access.loginByToken(requestOf(context));
    return "status" in headers ? refuse(headers as PageRefusal) : json({ ok: true }, 200, headers);
  });
  app.post("/logout", (context) => json({ ok: true }, 200, access.logout(requestOf(context))));
  // The page itself holds nothing of the bot, and asks for a login.
  app.get("*", async (context, next) => parts.file(requestOf(context).path) ?? next());

  app.use(async (context, next) => {
    const request = requestOf(context);
    const grant = request.method === "POST" ? access.controller(request) : access.reader(request);
    if ("status" in grant) return refuse(grant);
    grants.set(context.req.raw, grant);
    return next();
  });
  app.get("/metrics", async () => {
    const text = await metricsText(parts.data(), parts.version);
    return new Response(text, { headers: { "content-type": metricsType } });
  });
  app.get("/api/v1/session", (context) => {
    const { who, role } = grantOf(context);
    return json({ who, role });
  });
  app.get("/api/v1/stream", (context) => parts.stream(context, grantOf(context)));
  for (const { path, get } of resources) {
    app.get(`/api/v1${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, async (context) => {
      const data = parts.data();
      if (data === undefined) return refuse(parts.isOfSeveral ? severalBots : starting);
      const found = get(
        data,
        { ...context.req.query(), ...context.req.param() },
        originOf(context),
      );
      return json(await parts.waitFor(context, found));
    });
  }
  for (const name of actionNames) {
    const body = actionBody(name);
    app.post(`/api/v1/${name}`, async (context) => {
      const by = originOf(context);
      if (by.isAgent === true && !("agents" in actions[name])) return refuse(notForAgents);
      const text = await bodyOf(context.env.incoming);
      if (text === undefined) return refuse(tooLarge);
      const given = body.safeParse(text === "" ? {} : jsonOf(text));
      if (!given.success) return refuse(invalid(given.error));
      const { bot } = actionQuery.parse(context.req.query());
      const { confirm: _, ...request } = given.data;
      const booked = tradeWithId.safeParse(request);
      if (booked.success) {
        await parts.waitFor(context, parts.data()?.fromJournal(booked.data.trade));
      }
      const line = JSON.stringify({ ...request, command: name });
      const response = controlResponse.parse(
        JSON.parse(await parts.waitFor(context, parts.command(line, by, bot))),
      );
      return json(response, response.ok ? 200 : 409);
    });
    app.get(`/api/v1/${name}`, () => refuse(otherMethod("POST")));
  }
  app.post("*", () => refuse(otherMethod("GET, HEAD")));
  return app;
}

const grants = new WeakMap<Request, Grant>();

function grantOf(context: ApiContext): Grant {
  const grant = grants.get(context.req.raw);
  if (grant === undefined) throw new Error("a request without a grant");
  return grant;
}

/** Programs that act for an agent with another role's token say so themselves. */
function originOf(context: ApiContext): CommandOrigin {
  const { who, role } = grantOf(context);
  const { headers, remote: from } = requestOf(context);
  const isAgent = role === "agent" || headers[ACTION_HEADER] === "agent";
  return { who, from, ...(isAgent ? { isAgent } : {}) };
}

export function requestOf({ env: { incoming } }: ApiContext): PageRequest {
  const { method = "GET", url = "/", headers, socket } = incoming;
  const path = url.split("?", 1)[0] ?? "/";
  return { method, path, headers, remote: socket.remoteAddress ?? "" };
}

const statuses: Readonly<Record<string, PageRefusal["status"]>> = {
  BOT_UNKNOWN: 404,
  ORDER_UNKNOWN: 404,
  TIME_NOT_RECORDED: 404,
  MARKET_UNKNOWN: 404,
  PARAMS_INVALID: 400,
  NOTHING_CHANGED: 400,
  TRADE_BOOKED: 409,
  RESTART_NEEDED: 400,
  NOT_FOR_AGENTS: 403,
  NO_BOT: 502,
  NO_RESPONSE: 504,
};
const actionQuery = z.strictObject({ bot: z.string().optional() });
/** A trade that may have been booked already. */
const tradeWithId = z.object({ trade: z.object({ tradeId: z.string().min(1) }) });
const starting: PageRefusal = { status: 503, code: "STARTING", message: "The bot is starting." };
const severalBots: PageRefusal = {
  status: 404,
  code: "SEVERAL_BOTS",
  message: "This page shows several bots: ask the API of one of them.",
};
const notForAgents: PageRefusal = {
  status: 403,
  code: "NOT_FOR_AGENTS",
  message: "Only a person may do this.",
};
const tooLarge: PageRefusal = {
  status: 413,
  code: "TOO_LARGE",
  message: `A request has at most ${MAX_BODY_BYTES} bytes.`,
};

function otherMethod(allow: string): PageRefusal {
  const message = `This address takes ${allow}.`;
  return { status: 405, code: "METHOD_UNKNOWN", message, headers: { allow } };
}

function invalid(error: z.ZodError): PageRefusal {
  const problems = error.issues.map(({ path, message }) => [...path, message].join(": "));
  return { status: 400, code: "INVALID", message: problems.join("; ") };
}

/** A request's body, empty when it has none; undefined when it is too large. */
async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection is still needed for the refusal.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
  }
  return Buffer.concat(chunks).toString();
}

function failure(error: unknown): Response {
  if (error instanceof TouchlineError) {
    const { code, message } = error;
    const status = error instanceof BotRefusal ? error.status : (statuses[code] ?? 503);
    return refuse({ status, code, message });
  }
  if (error instanceof z.ZodError) return refuse(invalid(error));
  return refuse({ status: 500, code: "INTERNAL", message: "Internal error; see the bot's log." });
}

export function refuse({ status, code, message, headers }: PageRefusal): Response {
  return json({ error: { code, message } }, status, headers);
}

function json(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}

function found(location: string, headers: Readonly<Record<string, string>>): Response {
  return new Response(null, {
    status: 303,
    headers: { location, "cache-control": "no-store", ...headers },
  });
}
