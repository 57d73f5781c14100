/**
 * Calls every documented operation as callers of one organisation, for objects of another one. New
 * routes are included automatically.
 */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, listKeys } from "../contract/api/Keys.ts"
import { changedAt, placesIn } from "../fuzz/JsonText.ts"
import {
  type Document,
  examplesOf,
  fetchDocument,
  type Operation,
  operationsOf
} from "../contract/api/DocumentedOperations.ts"
import { byKey, type Cast, type Credential, people } from "../support/TestCredentials.ts"
import { type Answer, send } from "../support/Send.ts"
import { onDatabaseServer } from "../support/TestServer.ts"
import { makeObjects, requestExample } from "./Objects.ts"

type Values = Readonly<Record<string, string>>
type Headers = Readonly<Record<string, string>>

const parametersOf = ({ about }: Operation, place: "path" | "query"): ReadonlyArray<string> =>
  (about.parameters ?? []).filter((parameter) => parameter.in === place).map(({ name }) => name)

const fill = (path: string, values: Values): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `unknown-parameter-${name}`)

const random = (values: Values): Values => Object.fromEntries(Object.keys(values).map((name) => [name, randomUUID()]))

interface Asked {
  readonly values: Values
  readonly query?: Values
  readonly body?: Readonly<Record<string, unknown>>
}

const call = (document: Document, operation: Operation, headers: Headers, { body = {}, query = {}, values }: Asked) => {
  const search = new URLSearchParams(query).toString()
  const path = `/v1${fill(operation.path, values)}${search === "" ? "" : `?${search}`}`
  if (operation.about.requestBody === undefined) return send(path, { method: operation.method, headers })
  const text = JSON.stringify({ ...requestExample(document, operation.name), ...body })
  return send(path, {
    method: operation.method,
    headers: { "content-type": "application/json", ...headers },
    body: text
  })
}

/** Operations whose callers need no organisation. */
const openToStrangers = ["POST /organizations/webhook/kyb", "POST /organizations/invitations/{token}/accept"]

/** Initiations use the credential's organisation. */
const takesOrganization = ({ about, path }: Operation): boolean =>
  about.requestBody !== undefined && !path.startsWith("/payments-init/")

type Body = Readonly<Record<string, unknown>>

type Callers = (
  org: Cast
) => Effect.Effect<
  ReadonlyArray<Credential>,
  Effect.Effect.Error<ReturnType<typeof createKey>>,
  Effect.Effect.Context<ReturnType<typeof createKey>>
>

/** Kind of id in a field. */
const kindOf = (field: string): string => {
  const name = field.split(".").at(-1) ?? ""
  return name.endsWith("account_id") ? "account_id" : name === "sender_id" ? "user_id" : name
}

const isOfOthers = (field: string, ids: Values): boolean =>
  field !== "org_id" && field.endsWith("_id") && ids[kindOf(field)] !== undefined

/** An example with existing ids. */
const withIds = (example: unknown, ids: Values): unknown =>
  placesIn(example)
    .filter((place) => typeof place.at(-1) === "string" && ids[kindOf(String(place.at(-1)))] !== undefined)
    .reduce<unknown>(
      (body, place) =>
        changedAt(body, place, (old) => (typeof old === "string" ? ids[kindOf(String(place.at(-1)))] : old)),
      example
    )

/** The two that may do most. */
export const strongest: Callers = (org) => Effect.succeed([org.key, org.token("org-admin")])

/** Keys and tokens of lower roles, and both at once. */
export const others: Callers = (org) =>
  Effect.map(
    Effect.forEach(["staff", "member"] as const, (role) => createKey(org.key, { role })),
    (keys) => [
      ...keys.map((key) => byKey(key.api_key)),
      org.token("staff"),
      org.token("member"),
      { ...org.token("org-admin"), "x-api-key": org.api_key }
    ]
  )

export const tenantIsolation = (name: string, callersOf: Callers): void =>
  onDatabaseServer(
    name,
    (it) => {
      const fixture = Effect.gen(function* () {
        const { acme, admin, globex } = yield* people
        const document = yield* fetchDocument
        const theirs = yield* makeObjects(document, { owner: globex, admin })
        return { document, operations: operationsOf(document), acme, admin, globex, theirs }
      })

      it.effect("has a test object for every path parameter", () =>
        Effect.gen(function* () {
          const { operations, theirs } = yield* fixture
          const known = new Set(Object.keys({ ...theirs.ids, ...theirs.words }))
          const named = operations.flatMap((operation) =>
            parametersOf(operation, "path").map((name) => `${name} of ${operation.name}`)
          )
          expect(named.filter((one) => !known.has(one.split(" ")[0] ?? ""))).toEqual([])
        })
      )

      it.effect("uses objects that exist", () =>
        Effect.gen(function* () {
          const { admin, document, globex, operations, theirs } = yield* fixture
          for (const operation of operations.filter((one) => parametersOf(one, "path").length > 0)) {
            const names = parametersOf(operation, "path")
            // Reads leave the objects unchanged.
            const { bodies, ids, words } =
              operation.method === "GET"
                ? theirs
                : yield* makeObjects(document, { owner: globex, admin }, { names, forAdmin: names.includes("token") })
            const body = bodies[operation.name] ?? {}
            const answer = yield* call(document, operation, { ...admin }, { values: { ...ids, ...words }, body })
            expect([401, 403, 404], `${operation.name}: ${answer.text}`).not.toContain(answer.status)
            expect(answer.status, `${operation.name}: ${answer.text}`).toBeLessThan(500)
          }
        })
      )

      it.effect("answers the same for another organisation's object as for none, and leaves it unchanged", () =>
        Effect.gen(function* () {
          const { acme, document, globex, operations, theirs } = yield* fixture
          const before = yield* listKeys(globex.key)
          const nothing = random(theirs.ids)
          for (const credential of yield* callersOf(acme)) {
            for (const operation of operations.filter((one) => parametersOf(one, "path").length > 0)) {
              const ask = (ids: Values) =>
                call(document, operation, { ...credential }, { values: { ...ids, ...theirs.words } })
              const answer = yield* ask(theirs.ids)
              expect([403, 404], `${operation.name}: ${answer.text}`).toContain(answer.status)
              const other = yield* ask(nothing)
              expect([answer.status, answer.text], operation.name).toEqual([other.status, other.text])
            }
          }
          expect(yield* listKeys(globex.key)).toEqual(before)
        })
      )

      it.effect("covers ids in bodies and queries like those in paths", () =>
        Effect.gen(function* () {
          const { acme, admin, document, operations, theirs } = yield* fixture
          const ours = yield* makeObjects(document, { owner: acme, admin })
          const tried: Array<string> = []
          /** Status and text; for a success, whether it repeats the id. */
          const seen = ({ status, text }: Answer, id: string) => [status, status < 300 ? text.includes(id) : text]
          const expectNothing = (operation: Operation, field: string, ask: (id: string) => ReturnType<typeof call>) =>
            Effect.gen(function* () {
              const [id, missing] = [theirs.ids[kindOf(field)]!, randomUUID()]
              const answer = yield* ask(id)
              expect(seen(answer, id), `${field} of ${operation.name}: ${answer.text}`).toEqual(
                seen(yield* ask(missing), missing)
              )
              tried.push(`${field} of ${operation.name}`)
            })
          for (const operation of operations.filter(({ name }) => !openToStrangers.includes(name))) {
            const values = { ...ours.ids, ...ours.words }
            for (const field of parametersOf(operation, "query").filter((name) => isOfOthers(name, theirs.ids))) {
              yield* expectNothing(operation, field, (id) =>
                call(document, operation, { ...acme.key }, { values, query: { [field]: id } })
              )
            }
            for (const example of examplesOf(operation.about.requestBody)) {
              const dressed = withIds(example, ours.ids)
              for (const place of placesIn(dressed).filter((one) => isOfOthers(String(one.at(-1)), theirs.ids))) {
                yield* expectNothing(operation, place.join("."), (id) =>
                  call(
                    document,
                    operation,
                    { ...acme.key },
                    { values, body: changedAt(dressed, place, () => id) as Body }
                  )
                )
              }
            }
          }
          expect(tried.length, tried.join("\n")).toBeGreaterThan(15)
          expect(tried).toContain("beneficiary_id of POST /virtual-accounts/{account_id}/withdraw")
          expect(tried).toContain("account_id of POST /virtual-accounts/escrow")
        })
      )

      it.effect("refuses another organisation's id", () =>
        Effect.gen(function* () {
          const { acme, document, operations, theirs } = yield* fixture
          const values = { ...random(theirs.ids), org_id: acme.org_id, ...theirs.words }
          const selector = { org_id: theirs.ids["org_id"] ?? "" }
          let tried = 0
          for (const credential of yield* callersOf(acme)) {
            for (const operation of operations.filter(({ name }) => !openToStrangers.includes(name))) {
              const asked = [
                { values, query: selector },
                ...(takesOrganization(operation) ? [{ values, body: selector }] : [])
              ]
              for (const one of asked) {
                const answer = yield* call(document, operation, { ...credential }, one)
                expect(answer.status, `${operation.name} ${JSON.stringify(one)}: ${answer.text}`).toBe(403)
                tried++
              }
            }
          }
          expect(tried).toBeGreaterThan(0)
        })
      )

      it.effect("shows nothing of another organisation in any answer", () =>
        Effect.gen(function* () {
          const { acme, document, globex, operations, theirs } = yield* fixture
          const people = (["org-admin", "staff", "member"] as const).map((role) => globex.userId(role))
          const secret = [...Object.values(theirs.ids), ...people, globex.api_key.slice(0, 12)]
          for (const credential of yield* callersOf(acme)) {
            for (const operation of operations.filter((one) => !/\{(?!org_id\})/.test(one.path))) {
              const query: Values = parametersOf(operation, "query").includes("limit") ? { limit: "100" } : {}
              const answer = yield* call(
                document,
                operation,
                { ...credential },
                { values: { org_id: acme.org_id }, query }
              )
              expect(answer.status, `${operation.name}: ${answer.text}`).toBeLessThan(500)
              expect(
                secret.filter((id) => answer.text.includes(id)),
                `${operation.name}: ${answer.text}`
              ).toEqual([])
            }
          }
        })
      )

      it.effect("answers 401 without a credential", () =>
        Effect.gen(function* () {
          const { document, operations, theirs } = yield* fixture
          const none: Headers = { authorization: "NONE", "x-api-key": "NONE" }
          for (const operation of operations) {
            for (const headers of [{}, none]) {
              const answer = yield* call(document, operation, headers, { values: { ...theirs.ids, ...theirs.words } })
              expect(answer.status, `${operation.name}: ${answer.text}`).toBe(401)
            }
          }
        })
      )
    },
    {
      // Many endpoints are created.
      WEBHOOK_ENDPOINTS_PER_ORG: "1000",
      // Credentials are tested at an address where nothing listens.
      PAWAPAY_BASE_URL: "http://127.0.0.1:9"
    }
  )
