import type { ServerRequest, ServerResponse } from "../../ports/server.ts";
import { asyncApi } from "../../spec/documents/async-api.ts";
import { openApi } from "../../spec/documents/open-api.ts";
import { docsPage } from "./docs-page.ts";

/** Forbids scripts and external resources: the page is text, tables and an inline style. */
const security = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

/** Characters of a valid host; any other Host header is not echoed. */
const hostForm = /^[\w.\-[\]:]{1,255}$/;

let page: string | undefined;
let rest: string | undefined;

/** Descriptions of the interface: `/openapi.json`, `/asyncapi.json`, `/docs`; undefined for any other path. */
export function serveDocument(
  request: ServerRequest,
  socketPath: string,
): ServerResponse | undefined {
  switch (request.path) {
    case "/openapi.json":
      rest ??= JSON.stringify(openApi());
      return document(request, "application/json", rest);
    case "/asyncapi.json":
      return document(
        request,
        "application/json",
        JSON.stringify(asyncApi(hostOf(request), socketPath)),
      );
    case "/docs":
      page ??= docsPage(openApi(), asyncApi("localhost", socketPath));
      return document(request, "text/html; charset=utf-8", page);
    default:
      return undefined;
  }
}

function document(request: ServerRequest, contentType: string, body: string): ServerResponse {
  if (request.method !== "GET") {
    return {
      status: 405,
      headers: { allow: "GET", "content-type": "text/plain" },
      body: "GET only\n",
    };
  }
  return { status: 200, headers: { "content-type": contentType, ...security }, body };
}

function hostOf({ headers }: ServerRequest): string {
  const host = headers["host"] ?? "";
  return hostForm.test(host) ? host : "localhost";
}
