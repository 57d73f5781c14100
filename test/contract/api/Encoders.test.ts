/** Every answer of the contract is written as the interpreter of schemas would write it, and refused where it would. */
import { HttpApi, type HttpApiEndpoint } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Either, type Schema } from "effect"
import { Api } from "../../../src/contract/api/Api.ts"
import { openApiDocument } from "../../../src/contract/openapi/OpenApiDocument.ts"
import { stringifyWire } from "../../../src/domain/Decimal.ts"
import { decodedBy, encodedBy, nearly } from "../../domain/AsInterpreted.ts"
import { type Document, examplesOf, operationsOf } from "./Operations.ts"

const answers = (() => {
  const document = JSON.parse(stringifyWire(openApiDocument("http://127.0.0.1", "sandbox"))) as Document
  const operations = operationsOf(document)
  const found: Array<readonly [string, Schema.Schema.AnyNoContext, ReadonlyArray<unknown>]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: (reflected) => {
      const endpoint = reflected.endpoint as unknown as HttpApiEndpoint.HttpApiEndpoint.AnyWithProps
      const name = `${endpoint.method} ${endpoint.path.replace(/^\/v1/, "").replace(/:(\w+)/g, "{$1}")}`
      const about = operations.find((one) => one.name === name)?.about
      const examples = Object.entries(about?.responses ?? {}).flatMap(([status, media]) =>
        status.startsWith("2") ? examplesOf(media) : []
      )
      if (examples.length > 0) found.push([name, endpoint.successSchema as Schema.Schema.AnyNoContext, examples])
    }
  })
  return found
})()

it("knows an example of nearly every answer", () => expect(answers.length).toBeGreaterThan(80))

describe.each(answers)("the answer to %s", (_, schema, examples) => {
  it("is written as the interpreter writes it, and refused like it", () => {
    const decoded = decodedBy(schema)
    const encoded = encodedBy(schema)
    for (const example of examples) {
      const value = decoded(example)
      if (Either.isLeft(value)) continue
      expect(Either.isRight(encoded(value.right))).toBe(true)
      for (const one of nearly(value.right)) void encoded(one)
    }
  })
})
