import { z } from "zod";
import type { PasswordPlace } from "../ports/key-source.ts";
import { type KeyFacts, key } from "./bot-key.ts";

export const environmentName = z
  .string()
  .regex(
    /^[A-Za-z_]\w*$/,
    "is not the name of an environment variable; never write the key itself into the file",
  );

/** Where a secret is that the file itself never contains: `{ env: NAME }` or `{ file: PATH }`. */
export function secretPlace(acts: KeyFacts, what: string) {
  return z
    .strictObject({
      env: key(environmentName.optional(), acts, `Environment variable with the ${what}.`),
      file: key(z.string().min(1).optional(), acts, `File with the ${what}.`),
    })
    .transform(({ env, file }, context): PasswordPlace => {
      if (env !== undefined && file === undefined) return { type: "env", name: env };
      if (file !== undefined && env === undefined) return { type: "file", path: file };
      context.addIssue({
        code: "custom",
        message: `must be { env: NAME } or { file: PATH }; never write the ${what} itself into the file`,
      });
      return z.NEVER;
    });
}
