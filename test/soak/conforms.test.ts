import { test } from "vitest";
import { expectEveryProperty, slowStrategies } from "../testing/judge-example.ts";

test.each(slowStrategies)(
  "%s has every property with the parameters of its example, and its losses are in the document",
  expectEveryProperty,
);
