import { z } from "zod";

interface ListDef extends z.core.$ZodArrayDef {
  readonly max: number;
}

/**
 * An array whose length is checked before its elements, and whose elements are checked up to the first wrong one. `z.array` reports an
 * issue for each wrong element, which takes seconds for a list of a million.
 */
const List: z.core.$constructor<z.ZodArray, ListDef> = z.core.$constructor("List", (list, def) => {
  z.ZodArray.init(list, def);
  list._zod.bag.maximum = def.max;
  list._zod.parse = (payload, context) => {
    const given: unknown = payload.value;
    if (!Array.isArray(given)) {
      payload.issues.push({ code: "invalid_type", expected: "array", input: given, inst: list });
      return payload;
    }
    if (given.length > def.max) {
      payload.issues.push({
        code: "too_big",
        origin: "array",
        maximum: def.max,
        input: given,
        inst: list,
      });
      return payload;
    }
    const elements: unknown[] = new Array(given.length);
    for (let at = 0; at < given.length; at += 1) {
      const element = def.element._zod.run({ value: given[at], issues: [] }, context);
      if (!("issues" in element)) throw new z.core.$ZodAsyncError();
      if (element.issues.length > 0) {
        payload.issues.push(...z.core.util.prefixIssues(at, element.issues));
        return payload;
      }
      elements[at] = element.value;
    }
    payload.value = elements;
    return payload;
  };
});

/** A list from outside with at most `max` elements. */
export function list<Element extends z.ZodType>(
  element: Element,
  max: number,
): z.ZodArray<Element> {
  return new List({ type: "array", element, max }) as z.ZodArray<Element>;
}
