import { escapeHtml as escape } from "../../base/html-text.ts";
import type { AsyncApi } from "../../spec/documents/async-api.ts";
import type { JsonSchema } from "../../spec/documents/json-schema.ts";
import type { OpenApi, Operation } from "../../spec/documents/open-api.ts";

/** The interface as an HTML page in one file, without scripts or external resources. */
export function docsPage(rest: OpenApi, streams: AsyncApi): string {
  const { schemas = {} } = rest.components;
  const shapes = { ...schemas, ...streams.components.schemas };
  const chapters: Chapter[] = [
    ...rest.tags.map((tag) => ({
      title: `${escape(tag.description)} <small>${escape(tag.name)}</small>`,
      text: "",
      entries: Object.entries(rest.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { tags }]) => tags.includes(tag.name))
          .map(([method, operation]) => operationEntry(method, path, operation)),
      ),
    })),
    {
      title: "Streams",
      text: escape(String(streams.info["description"])),
      entries: Object.values(streams.components.messages).map(({ title, summary, payload }) => ({
        name: title,
        html: `<h3><code>${escape(title)}</code></h3><p>${escape(summary)}</p>${shapeHtml(payload)}`,
      })),
    },
    {
      title: "Shapes",
      text: "",
      entries: Object.entries(shapes).map(([name, schema]) => ({
        name,
        html: `<h3>${escape(name)}</h3>${shapeHtml(schema)}`,
      })),
    },
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(String(rest.info["title"]))}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head><body>
<h1>${escape(String(rest.info["title"]))}</h1><p>${escape(String(rest.info["description"]))}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a>, <a href="/asyncapi.json">asyncapi.json</a>.</p>
<nav>${chapters.map(contentsHtml).join("\n")}</nav>
${chapters.map(chapterHtml).join("\n")}
</body></html>
`;
}

interface Entry {
  readonly name: string;
  readonly html: string;
}

interface Chapter {
  /** HTML, like `text`. */
  readonly title: string;
  readonly text: string;
  readonly entries: readonly Entry[];
}

function contentsHtml({ title, entries }: Chapter): string {
  const links = entries.map(({ name }) => `<a href="#${anchorOf(name)}">${escape(name)}</a>`);
  return `<p><b>${title}</b><br>${links.join(" · ")}</p>`;
}

function chapterHtml({ title, text, entries }: Chapter): string {
  const sections = entries.map(
    ({ name, html }) => `<section id="${anchorOf(name)}">${html}</section>`,
  );
  return `<h2>${title}</h2><p>${text}</p>${sections.join("\n")}`;
}

/** An id has no spaces. */
function anchorOf(name: string): string {
  return escape(name.replaceAll(" ", "-"));
}

function operationEntry(method: string, path: string, operation: Operation): Entry {
  const { parameters, requestBody, responses } = operation;
  const rows = parameters.map(
    ({ name, required, schema }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${typeHtml(schema)}</td><td>${required ? "required" : ""}</td></tr>`,
  );
  const contexts = (requestBody?.["x-contexts"] ?? []) as readonly JsonSchema[];
  const body =
    requestBody === undefined
      ? ""
      : `<p>${escape(String(requestBody["description"]))} ${contexts.map(typeHtml).join(", ")}</p>${shapeHtml(contentOf(requestBody))}`;
  const success = responses["200"];
  const refused = Object.keys(responses).filter((code) => code !== "200");
  const name = `${method.toUpperCase()} ${path}`;
  const html = `<h3><code>${escape(name)}</code></h3><p>${escape(operation.summary)}</p>
${rows.length === 0 ? "" : `<table>${rows.join("")}</table>`}${body}
<h4>Answer</h4>${success === undefined ? "" : shapeHtml(contentOf(success))}
<p>Refusals: ${refused.join(", ")}.</p>`;
  return { name, html };
}

function contentOf(holder: JsonSchema): JsonSchema {
  const content = holder["content"] as
    | Readonly<Record<string, { readonly schema: JsonSchema }>>
    | undefined;
  return content?.["application/json"]?.schema ?? {};
}

/** The fields of an object as a table; any other schema as the name of its type. */
function shapeHtml(schema: JsonSchema): string {
  const forms = (schema["oneOf"] ?? schema["anyOf"]) as readonly JsonSchema[] | undefined;
  if (forms !== undefined) return forms.map(shapeHtml).join("<p>or</p>");
  const properties = schema["properties"] as Readonly<Record<string, JsonSchema>> | undefined;
  if (properties === undefined) return `<p>${typeHtml(schema)}</p>`;
  const required = (schema["required"] ?? []) as readonly string[];
  const rows = Object.entries(properties).map(([name, field]) => {
    const inner = isNested(field) ? shapeHtml(field) : typeHtml(field);
    const may = required.includes(name) ? "" : "may be missing";
    return `<tr><td><code>${escape(name)}</code></td><td>${inner}</td><td>${may}</td></tr>`;
  });
  return `<table>${rows.join("")}</table>`;
}

function isNested(schema: JsonSchema): boolean {
  return schema["properties"] !== undefined || schema["oneOf"] !== undefined;
}

function typeHtml(schema: JsonSchema): string {
  const { $ref, type, items, enum: values, pattern, prefixItems, anyOf } = schema;
  if (typeof $ref === "string") {
    const name = $ref.split("/").at(-1) ?? "";
    return `<a href="#${anchorOf(name)}">${escape(name)}</a>`;
  }
  if ("const" in schema) return `<code>${escape(JSON.stringify(schema["const"]))}</code>`;
  if (Array.isArray(values)) {
    return values.map((value) => `<code>${escape(JSON.stringify(value))}</code>`).join(" ");
  }
  if (Array.isArray(anyOf)) return anyOf.map((form) => typeHtml(form as JsonSchema)).join(" or ");
  if (Array.isArray(prefixItems)) {
    return `[${prefixItems.map((item) => typeHtml(item as JsonSchema)).join(", ")}]`;
  }
  if (typeof items === "object" && items !== null) {
    const item = items as JsonSchema;
    return isNested(item) ? `list of${shapeHtml(item)}` : `list of ${typeHtml(item)}`;
  }
  if (schema["properties"] !== undefined) return shapeHtml(schema);
  const range = rangeText(schema);
  const form = typeof pattern === "string" ? ` <small>${escape(pattern)}</small>` : "";
  const name = typeof type === "string" ? type : "anything";
  return `${escape(name)}${form}${range === "" ? "" : ` <small>${escape(range)}</small>`}`;
}

function rangeText(schema: JsonSchema): string {
  const { minimum, maximum } = schema;
  const parts: string[] = [];
  if (minimum !== undefined) parts.push(`at least ${JSON.stringify(minimum)}`);
  if (maximum !== undefined) parts.push(`at most ${JSON.stringify(maximum)}`);
  if ("default" in schema) parts.push(`default ${JSON.stringify(schema["default"])}`);
  return parts.join(", ");
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 3rem; border-bottom: 1px solid #8886 }
section { margin: 1.5rem 0; padding-left: 1rem; border-left: 3px solid #8884 }
h3, h4 { margin: 0.5rem 0 }
table { border-collapse: collapse; margin: 0.25rem 0 }
td { border-top: 1px solid #8884; padding: 0.15rem 1rem 0.15rem 0; vertical-align: top; overflow-wrap: anywhere }
code { font: 0.95em ui-monospace, monospace }
small { opacity: 0.7 }
nav { font-size: 0.9rem }
nav a { white-space: nowrap }
`;
