import SwaggerParser from "@apidevtools/swagger-parser"
import { expect } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { stringifyWire } from "../../../src/domain/Decimal.ts"
import { send } from "../../support/Send.ts"
import { onServer } from "../../support/TestServer.ts"
import { examplesOf, fetchDocument, type Media, type Operation, operationsOf, schemas } from "./DocumentedOperations.ts"

const PUBLIC_URL = "https://pay.example.com/corridor"

const eachOperation = (check: (operation: Operation) => void) =>
  Effect.map(fetchDocument, (document) => {
    const operations = operationsOf(document)
    expect(operations.length).toBeGreaterThan(4)
    for (const operation of operations) check(operation)
  })

/** Their callers hold no credential of ours: they sign what they send. */
const signedCallbacks = ["POST /organizations/webhook/kyb"]

/** Every provider, always. */
const PROVIDERS = "GET /payments/provider-health"

const namesOf = (media: Media | undefined): ReadonlyArray<string> =>
  Object.keys(media?.content?.["application/json"]?.examples ?? {})

const successesOf = ({ about }: Operation) =>
  Object.entries(about.responses).filter(([status]) => status.startsWith("2"))

onServer("The OpenAPI document", "memory", { variables: { PUBLIC_URL: `${PUBLIC_URL}/` } }, (it) => {
  it.effect("is valid", () =>
    Effect.gen(function* () {
      const document = yield* fetchDocument
      yield* Effect.promise(() => SwaggerParser.validate(structuredClone(document) as never))
      expect(document.info).toMatchObject({ title: "Corridor", version: "1.0" })
    })
  )

  it.effect("holds exactly the operations of the contract, each under its own id", () =>
    Effect.gen(function* () {
      const operations = operationsOf(yield* fetchDocument)
      expect(operations.map(({ name }) => name).toSorted()).toEqual(Array.from(schemas.keys()).toSorted())
      const ids = operations.map(({ about }) => about.operationId)
      expect(new Set(ids).size).toBe(ids.length)
    })
  )

  it.effect("names its servers by PUBLIC_URL", () =>
    Effect.gen(function* () {
      const { servers } = yield* fetchDocument
      expect(servers[0]?.url).toBe(`${PUBLIC_URL}/v1`)
      expect(servers).toHaveLength(2)
    })
  )

  it.effect("says of every operation what it does, and that it takes both headers together", () =>
    eachOperation(({ about, name }) => {
      expect(about.summary?.length, `summary of ${name}`).toBeGreaterThan(3)
      expect(about.description, `description of ${name}`).toMatch(/\S[\s\S]*Who may call it: /)
      const security = signedCallbacks.includes(name) ? [{}] : [{ authorization: [], apiKey: [] }]
      expect(about.security, `security of ${name}`).toEqual(security)
    })
  )

  it.effect("defines the two headers", () =>
    Effect.gen(function* () {
      const { components } = yield* fetchDocument
      expect(components["securitySchemes"]).toMatchObject({
        authorization: { type: "apiKey", in: "header", name: "Authorization" },
        apiKey: { type: "apiKey", in: "header", name: "X-Api-Key" }
      })
    })
  )

  it.effect("shows an example of every body, both ways", () =>
    eachOperation((operation) => {
      const bodies = [operation.about.requestBody, ...successesOf(operation).map(([, media]) => media)]
      for (const media of bodies) {
        for (const example of examplesOf(media)) expect(example, operation.name).toBeTypeOf("object")
      }
    })
  )

  it.effect("shows more than one request where there is one, and more than one page of every list", () =>
    eachOperation(({ about, name }) => {
      if (about.requestBody !== undefined) expect(namesOf(about.requestBody).length, name).toBeGreaterThan(1)
      const [success] = Object.entries(about.responses).flatMap(([status, media]) => (status === "200" ? [media] : []))
      const lists = examplesOf(success).some((one) =>
        Array.isArray((one as { readonly data?: unknown } | undefined)?.data)
      )
      if (lists && name.startsWith("GET ") && name !== PROVIDERS)
        expect(namesOf(success).length, name).toBeGreaterThan(1)
    })
  )

  it.effect("shows requests that the service takes", () =>
    eachOperation(({ about, name }) => {
      const payload = schemas.get(name)?.payload ?? Option.none()
      expect(Option.isSome(payload), `body of ${name}`).toBe(about.requestBody !== undefined)
      if (Option.isNone(payload)) return
      for (const example of examplesOf(about.requestBody)) Schema.decodeUnknownSync(payload.value)(example)
    })
  )

  it.effect("shows answers that the service could give, field for field", () =>
    eachOperation((operation) => {
      const successes = successesOf(operation)
      expect(successes.length, operation.name).toBeGreaterThan(0)
      for (const [status, media] of successes) {
        const schema = Option.getOrUndefined(
          schemas.get(operation.name)?.successes.get(Number(status)) ?? Option.none()
        )
        if (media.content === undefined) continue
        expect(schema, `${operation.name} ${status}`).toBeDefined()
        if (schema === undefined) continue
        for (const example of examplesOf(media)) {
          const given: unknown = JSON.parse(
            stringifyWire(Schema.encodeSync(schema)(Schema.decodeUnknownSync(schema)(example))) ?? ""
          )
          expect(given, operation.name).toEqual(example)
        }
      }
    })
  )

  it.effect("declares every refusal that an operation can give", () =>
    eachOperation(({ about, name }) => {
      // Sends every operation as a platform admin in the name of an organisation that does not exist.
      const always = ["400", "401", "403", "404", "429", "500", "503"]
      const withBody = about.requestBody === undefined ? [] : ["413"]
      const declared = Object.keys(about.responses)
      expect(declared, name).toEqual(expect.arrayContaining([...always, ...withBody]))
    })
  )

  it.effect("declares what is particular to API keys", () =>
    Effect.gen(function* () {
      const operations = new Map(operationsOf(yield* fetchDocument).map((one) => [one.name, one.about.responses]))
      const declared = (name: string) => Object.keys(operations.get(name) ?? {})
      expect(declared("POST /public/api-keys/{api_key_id}/rotate"), "an ended key").toContain("409")
      expect(declared("POST /public/api-keys"), "an admin may name an unknown organisation").toContain("404")
    })
  )

  it.effect("is open to every page, and has its content type", () =>
    Effect.gen(function* () {
      const { headers, status } = yield* send("/openapi.json")
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "access-control-allow-origin": "*",
        "x-content-type-options": "nosniff"
      })
    })
  )
})
