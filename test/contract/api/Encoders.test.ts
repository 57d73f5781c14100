/** Every answer of the contract is written as the interpreter of schemas would write it, and refused where it would. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import { stringify } from "lossless-json"
import { openApiDocument } from "../../../src/contract/openapi/OpenApiDocument.ts"
import { decodedBy, encodedBy, nearly } from "../../domain/SameAsInterpreter.ts"
import { type Document, examplesOf, operationsOf, schemas } from "./DocumentedOperations.ts"

const document = JSON.parse(stringify(openApiDocument("http://127.0.0.1", "sandbox")) ?? "") as Document

const answers = operationsOf(document).flatMap(({ about, name }) =>
  Array.from(schemas.get(name)?.successes ?? []).flatMap(([status, schema]) => {
    const examples = examplesOf(about.responses[status])
    return Option.isSome(schema) && examples.length > 0 ? [[name, schema.value, examples] as const] : []
  })
)

it("knows an example of nearly every answer", () => expect(answers.length).toBeGreaterThan(80))

describe.each(answers)("the answer to %s", (_, schema, examples) => {
  it("is written as the interpreter writes it, and refused like it", () => {
    const decoded = decodedBy(schema)
    const encoded = encodedBy(schema)
    for (const example of examples) {
      const value = Either.getOrThrow(decoded(example))
      expect(Either.isRight(encoded(value))).toBe(true)
      for (const one of nearly(value)) void encoded(one)
    }
  })
})
