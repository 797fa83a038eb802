import module from "node:module";
import { fileURLToPath } from "node:url";
import { takeChecked } from "./checked-files.ts";

/** The package's root: the folder above `src/` in a clone, above `dist/` in the package. */
export const packageRoot = new URL("../../", import.meta.url);
/** In a clone the program runs from its TypeScript sources. */
export const isClone = import.meta.url.endsWith(".ts");

/** Specifier that is resolved as if imported by another file: `touchline-plugin:` + encoded file URL + `/` + name. */
const fromFile = "touchline-plugin:";
let installed = false;

/** The specifier that imports `name` as the file at `from` would. */
export function importedFrom(from: URL, name: string): string {
  return `${fromFile}${encodeURIComponent(from.href)}/${name}`;
}

/**
 * Allows plugins in any folder. `touchline` resolves to the running program, so a strategy beside its YAML needs no install, and
 * `.ts` files are modules even without a package.json.
 */
export function installPluginHooks(): void {
  if (installed) return;
  installed = true;
  module.registerHooks({
    load(url, context, next) {
      const source = url.startsWith("file:") ? takeChecked(fileURLToPath(url)) : undefined;
      if (source === undefined) return next(url, context);
      return { format: context.format ?? "module", source, shortCircuit: true };
    },
    resolve(specifier, context, next) {
      if (specifier === "touchline" || specifier.startsWith("touchline/")) {
        return next(specifier, { ...context, parentURL: packageRoot.href });
      }
      if (specifier.startsWith(fromFile)) {
        const [from = "", ...name] = specifier.slice(fromFile.length).split("/");
        return next(name.join("/"), { ...context, parentURL: decodeURIComponent(from) });
      }
      let resolved: module.ResolveFnOutput;
      try {
        resolved = next(specifier, context);
      } catch (error) {
        // Node's message has the first part of it only.
        if (error instanceof Error) Object.assign(error, { specifier });
        throw error;
      }
      const isForeignSource =
        resolved.url.startsWith("file:") &&
        /\.m?ts$/.test(resolved.url) &&
        !resolved.url.includes("/node_modules/") &&
        !resolved.url.startsWith(packageRoot.href);
      return isForeignSource ? { ...resolved, format: "module-typescript" } : resolved;
    },
  });
}
