/** The client against the service itself: as promises and as a service of Effect. */
import { HttpApi } from "@effect/platform"
import { expect } from "@effect/vitest"
import { BigDecimal, Chunk, Effect, Option, Schema, type SchemaAST, Stream } from "effect"
import { it } from "vitest"
import { Corridor } from "../../src/client/EffectClient.ts"
import { CorridorError, createCorridor } from "../../src/client/PromiseClient.ts"
import { allPages } from "../../src/client/Transport.ts"
import { Api } from "../../src/contract/api/Api.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { people } from "../support/TestCredentials.ts"
import { onServer, TestServer } from "../support/TestServer.ts"

const clients = Effect.gen(function* () {
  const { baseUrl } = yield* TestServer
  const { acme } = yield* people
  const options = { url: `${baseUrl}/v1`, apiKey: acme.api_key }
  return {
    acme,
    corridor: createCorridor(options),
    asStaff: createCorridor({ url: baseUrl, token: () => Promise.resolve(acme.jwt("staff")) }),
    layer: Corridor.layer(options)
  }
})

const refused = <A>(call: Promise<A>) =>
  Effect.promise(() =>
    call.then(
      () => undefined,
      (error: unknown) => error as CorridorError
    )
  )

onServer("The client", "memory", {}, (it) => {
  it.effect("answers with JSON as the reference shows it", () =>
    Effect.gen(function* () {
      const { acme, asStaff, corridor } = yield* clients
      const opened = yield* Effect.promise(() =>
        asStaff.virtualAccounts.create({
          payload: { org_id: acme.org_id, user_id: acme.userId("staff"), currency: CurrencyCode.make("KES") }
        })
      )
      const path = { account_id: opened.data.account_id }
      const deposit = yield* Effect.promise(() =>
        corridor.virtualAccounts.simulateDeposit({ path, payload: { amount: 1500.5 } })
      )
      expect(deposit.data.amount).toBe(1500.5)
      const account = yield* Effect.promise(() => corridor.virtualAccounts.get({ path }))
      expect(account.data.balance).toBe(1500.5)
      expect(account.data.created_at).toMatch(/^\d{4}-\d{2}-\d{2}T/)
    })
  )

  it.effect("does once what is sent twice with the caller's key", () =>
    Effect.gen(function* () {
      const { acme, corridor } = yield* clients
      const { data } = yield* Effect.promise(() =>
        corridor.virtualAccounts.create({
          payload: { org_id: acme.org_id, user_id: acme.userId("staff"), currency: CurrencyCode.make("KES") }
        })
      )
      const path = { account_id: data.account_id }
      const put = (about?: { readonly idempotencyKey: string }) =>
        Effect.promise(() => corridor.virtualAccounts.simulateDeposit({ path, payload: { amount: 10 } }, about))
      yield* put({ idempotencyKey: "once" })
      yield* put({ idempotencyKey: "once" })
      yield* put()
      yield* put()
      const after = yield* Effect.promise(() => corridor.virtualAccounts.get({ path }))
      expect(after.data.balance).toBe(30)
    })
  )

  it.effect("walks through every page, as an async iterator and as a stream", () =>
    Effect.gen(function* () {
      const { corridor, layer } = yield* clients
      for (const name of ["One", "Two", "Three", "Four", "Five"]) {
        yield* Effect.promise(() => corridor.apiKeys.create({ payload: { name, role: "member" } }))
      }
      const names = yield* Effect.promise(async () => {
        const found: Array<string> = []
        for await (const key of corridor.apiKeys.list.all({ urlParams: { limit: 2 } })) found.push(key.name)
        return found
      })
      expect(names.slice(0, 5)).toEqual(["Five", "Four", "Three", "Two", "One"])
      const streamed = yield* Effect.flatMap(Corridor, ({ apiKeys }) =>
        Stream.runCollect(Stream.map(allPages(apiKeys.list, { urlParams: { limit: 3 } }), ({ name }) => name))
      ).pipe(Effect.provide(layer))
      expect(Chunk.toReadonlyArray(streamed)).toEqual(names)
    })
  )

  it.effect("walks by the other cursor's name too", () =>
    Effect.gen(function* () {
      const { acme, corridor } = yield* clients
      const roles: Array<string> = []
      yield* Effect.promise(async () => {
        const request = { path: { org_id: acme.org_id }, urlParams: { limit: 1 } }
        for await (const member of corridor.members.list.all(request)) roles.push(member.role)
      })
      expect([...roles].sort()).toEqual(["member", "org-admin", "staff"])
    })
  )

  it.effect("is rejected with what the service says", () =>
    Effect.gen(function* () {
      const { acme, corridor } = yield* clients
      const unknown = yield* refused(corridor.payments.byId({ path: { payment_id: acme.org_id } }))
      expect(unknown).toBeInstanceOf(CorridorError)
      expect(unknown).toMatchObject({ status: 404, message: "No payment with this id." })
      expect(unknown?.requestId).toBeTruthy()
      const action = { path: { payment_id: acme.org_id }, payload: { action: "cancel" } } as const
      expect(yield* refused(corridor.paymentsInit.action(action))).toMatchObject({ status: 404, code: "NOT_FOUND" })
      const stranger = createCorridor({ url: (yield* TestServer).baseUrl, apiKey: "ck_test_wrong" })
      expect(yield* refused(stranger.webhooks.list())).toMatchObject({ status: 401 })
      const nowhere = createCorridor({ url: "http://127.0.0.1:1", apiKey: "k", retries: 0 })
      expect(yield* refused(nowhere.webhooks.list())).toMatchObject({ status: 0 })
    })
  )

  it("says what is missing where it is made", () => {
    for (const [options, field] of [
      [{ apiKey: "k" }, "url"],
      [{ url: "pay.example", apiKey: "k" }, "url"],
      [{ url: "https://pay.example", apiKey: undefined }, "apiKey"],
      [{ url: "https://pay.example", apiKey: "" }, "apiKey"]
    ] as const) {
      expect(() => createCorridor(options as never)).toThrow(new RegExp(`^${field}: must be `))
    }
  })

  it.effect("stops when it is aborted", () =>
    Effect.gen(function* () {
      const { corridor } = yield* clients
      const signal = AbortSignal.abort(new Error("Enough"))
      expect(yield* refused(corridor.webhooks.list({}, { signal }))).toMatchObject({ message: "Enough" })
    })
  )

  it.effect("decodes for programs on Effect", () =>
    Effect.gen(function* () {
      const { acme, layer } = yield* clients
      const { data } = yield* Effect.flatMap(Corridor, ({ virtualAccounts }) =>
        virtualAccounts.create({
          payload: { org_id: acme.org_id, user_id: acme.userId("staff"), currency: CurrencyCode.make("JPY") }
        })
      ).pipe(Effect.provide(layer))
      expect(BigDecimal.isZero(data.balance)).toBe(true)
      expect(data.created_at).toBeInstanceOf(Date)
    })
  )
})

const optionalIn = (ast: SchemaAST.AST): ReadonlyArray<PropertyKey> =>
  ast._tag === "TypeLiteral"
    ? ast.propertySignatures.filter(({ isOptional }) => isOptional).map(({ name }) => name)
    : []

/** `Defaulted` of src/client/WireTypes.ts has these; no type would fail if one was missing. */
it("knows every body that has defaults", () => {
  const found: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const payload = Option.getOrUndefined(
        endpoint.payloadSchema as unknown as Option.Option<Schema.Schema.AnyNoContext>
      )
      if (payload === undefined) return
      const filled = optionalIn(Schema.typeSchema(payload).ast)
      const sent = optionalIn(Schema.encodedSchema(payload).ast)
      if (sent.some((name) => !filled.includes(name))) found.push(`${group.identifier}.${endpoint.name}`)
    }
  })
  expect(found.sort()).toEqual([
    "apiKeys.create",
    "apiKeys.rotate",
    "organizations.create",
    "providerConfigs.create",
    "reserves.set",
    "rules.set",
    "rules.setPlatformRule",
    "rules.try",
    "rules.tryPlatformRule",
    "verification.request",
    "webhooks.rotateSecret"
  ])
})
