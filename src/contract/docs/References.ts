/** Follows `$ref` pointers inside the document; a pointer that leads nowhere, or round in a circle, resolves to nothing. */
import type { OpenApiDocument, Reference } from "./OpenApiDocument.ts"

const maxHops = 16

const schemaPrefix = "#/components/schemas/"

const unescapePointer = (segment: string): string =>
  segment
    .replace(/%[0-9A-Fa-f]{2}/g, (encoded) => String.fromCharCode(Number.parseInt(encoded.slice(1), 16)))
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")

const lookUp = (document: OpenApiDocument, pointer: string): unknown =>
  pointer
    .slice(2)
    .split("/")
    .map(unescapePointer)
    .reduce<unknown>(
      (node, key) =>
        typeof node === "object" && node !== null && Object.hasOwn(node, key)
          ? (node as Readonly<Record<string, unknown>>)[key]
          : undefined,
      document
    )

const refOf = (node: unknown): string | undefined =>
  typeof node === "object" && node !== null && "$ref" in node && typeof node.$ref === "string" ? node.$ref : undefined

/** The pointer decides the type: what stands at `#/components/parameters/…` is taken to be a parameter. */
export const resolve = <T>(document: OpenApiDocument, node: T | Reference | undefined): T | undefined => {
  let current: unknown = node
  for (let hop = 0; hop < maxHops; hop++) {
    const ref = refOf(current)
    if (ref === undefined) return current as T | undefined
    if (!ref.startsWith("#/")) return undefined
    current = lookUp(document, ref)
  }
  return undefined
}

export const schemaName = (ref: string): string | undefined =>
  ref.startsWith(schemaPrefix) ? unescapePointer(ref.slice(schemaPrefix.length)) : undefined
