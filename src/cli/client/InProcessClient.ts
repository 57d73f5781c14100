/**
 * The API client within this process, next to the database: calls the server's own handlers, as the operator of this
 * machine. Each set of handlers loads only the part of the service that it needs.
 */
import type { HttpApiEndpoint } from "@effect/platform"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Needs } from "../../contract/api/Operation.ts"
import { type Access, operatorPermit } from "../../domain/Access.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import { codes, type Failure, Invalid, isDatabaseFailure } from "../../domain/Failure.ts"
import { OrgId, idOrNil } from "../../domain/Ids.ts"
import type { Settings } from "../../platform/config/Settings.ts"
import { Reply } from "../../platform/http/Handlers.ts"
import { parseJsonText } from "../../platform/http/RequestJson.ts"
import { validationMessage } from "../../domain/ValidationMessage.ts"
import { OrganizationStore } from "../../people/organizations/OrganizationStore.ts"
import { type CommandResult, report } from "../shared/Terminal.ts"
import type { HandlerSet } from "../shared/Command.ts"
import type { Target } from "../shared/CommandTarget.ts"
import { ExistingLive, operatorName, printDatabase } from "../shared/LocalDatabase.ts"
import type { RequestParts } from "../../client/RequestRules.ts"
import { ApiClient, parseBody, queryOf, Refused } from "../shared/ApiClient.ts"

type AnyGroup = { readonly endpoints: Readonly<Record<string, unknown>> }
type AnyHandler = (request: Record<string, unknown>) => Effect.Effect<unknown, Failure>
type AnyHandlers = Readonly<Record<string, AnyHandler>>

/** Handlers by group, which need the services `R`. */
type Groups<R> = Readonly<Record<string, readonly [AnyGroup, Effect.Effect<unknown, never, R>]>>

const handlerSet = <A, E>(layer: Layer.Layer<A | Settings, E>, groups: Groups<NoInfer<A> | Settings>) =>
  Layer.provideMerge(clientOf(groups), layer) as unknown as Layer.Layer<ApiClient | Settings, unknown>

const records = async () => {
  const { recordServicesOn } = await import("../../app/RecordServices.ts")
  const { ApiKeysApi } = await import("../../contract/api/ApiKeysApi.ts")
  const { FeesApi } = await import("../../contract/api/FeesApi.ts")
  const { KybApi } = await import("../../contract/api/KybApi.ts")
  const { MembersApi } = await import("../../contract/api/MembersApi.ts")
  const { OrganizationsApi } = await import("../../contract/api/OrganizationsApi.ts")
  const { RatesApi } = await import("../../contract/api/RatesApi.ts")
  const { UsersApi } = await import("../../contract/api/UsersApi.ts")
  const { WebhookLogApi } = await import("../../contract/api/WebhookLogApi.ts")
  const { WebhooksApi } = await import("../../contract/api/WebhooksApi.ts")
  const { feesHandlers } = await import("../../money/fees/Fees.ts")
  const { ratesHandlers } = await import("../../money/rates/Rates.ts")
  const { apiKeysHandlers } = await import("../../people/apiKeys/ApiKeys.ts")
  const { kybHandlers } = await import("../../people/kyb/KybHttp.ts")
  const { membersHandlers } = await import("../../people/members/Members.ts")
  const { organizationsHandlers } = await import("../../people/organizations/Organizations.ts")
  const { usersHandlers } = await import("../../people/users/Users.ts")
  const { webhookLogHandlers } = await import("../../webhooks/delivery/WebhookLogHttp.ts")
  const { webhooksHandlers } = await import("../../webhooks/Webhooks.ts")
  return handlerSet(recordServicesOn(ExistingLive), {
    apiKeys: [ApiKeysApi, apiKeysHandlers],
    fees: [FeesApi, feesHandlers],
    kyb: [KybApi, kybHandlers],
    members: [MembersApi, membersHandlers],
    organizations: [OrganizationsApi, organizationsHandlers],
    rates: [RatesApi, ratesHandlers],
    users: [UsersApi, usersHandlers],
    webhookLog: [WebhookLogApi, webhookLogHandlers],
    webhooks: [WebhooksApi, webhooksHandlers]
  })
}

const reserves = async () => {
  const { recordServicesOn } = await import("../../app/RecordServices.ts")
  const { ReservesApi } = await import("../../contract/api/ReservesApi.ts")
  const { reservesHandlers, reserveStoreSql } = await import("../../payments/reserves/Reserves.ts")
  return handlerSet(Layer.provideMerge(reserveStoreSql, recordServicesOn(ExistingLive)), {
    reserves: [ReservesApi, reservesHandlers]
  })
}

const payments = async () => {
  const { paymentReadServicesOn } = await import("../../app/PaymentReadServices.ts")
  const { PaymentsApi } = await import("../../contract/api/PaymentsApi.ts")
  const { paymentsHandlers } = await import("../../payments/PaymentsHttp.ts")
  return handlerSet(paymentReadServicesOn(ExistingLive), { payments: [PaymentsApi, paymentsHandlers] })
}

const settlements = async () => {
  const { settlementServicesOn } = await import("../../app/SettlementServices.ts")
  const { ResolutionsApi } = await import("../../contract/api/ResolutionsApi.ts")
  const { resolutionsHandlers } = await import("../../payments/PaymentsHttp.ts")
  return handlerSet(settlementServicesOn(ExistingLive), { resolutions: [ResolutionsApi, resolutionsHandlers] })
}

const providers = async () => {
  const { providerServicesOn } = await import("../../app/ProviderServices.ts")
  const { AnalyticsApi } = await import("../../contract/api/AnalyticsApi.ts")
  const { ProviderConfigsApi } = await import("../../contract/api/ProviderConfigsApi.ts")
  const { analyticsHandlers } = await import("../../payments/analytics/Analytics.ts")
  const { providerConfigsHandlers } = await import("../../providers/configs/ProviderConfigsHttp.ts")
  const { ProviderHealth } = await import("../../providers/health/ProviderHealth.ts")
  return handlerSet(Layer.provideMerge(ProviderHealth.layer, providerServicesOn(ExistingLive)), {
    analytics: [AnalyticsApi, analyticsHandlers],
    providerConfigs: [ProviderConfigsApi, providerConfigsHandlers]
  })
}

const whole = async () => {
  const { appOn } = await import("../../app/Services.ts")
  const { RulesApi } = await import("../../contract/api/RulesApi.ts")
  const { VirtualAccountsApi } = await import("../../contract/api/VirtualAccountsApi.ts")
  const { rulesHandlers } = await import("../../payments/rules/RulesHttp.ts")
  const { virtualAccountsHandlers } = await import("../../treasury/accounts/VirtualAccountsHttp.ts")
  return handlerSet(appOn(ExistingLive), {
    rules: [RulesApi, rulesHandlers],
    virtualAccounts: [VirtualAccountsApi, virtualAccountsHandlers]
  })
}

const sets = { payments, providers, records, reserves, settlements, whole } satisfies Record<HandlerSet, unknown>

type Endpoint = HttpApiEndpoint.HttpApiEndpoint.AnyWithProps

const refusedBy = (failure: Failure): Effect.Effect<never, Refused> =>
  isDatabaseFailure(failure)
    ? Effect.die(failure)
    : Effect.fail(new Refused({ message: failure.message, status: codes[failure.code] }))

/** The organisation that a request names, which has to exist. */
const namedOrganization = Effect.fnUntraced(function* (group: string, parts: RequestParts) {
  const given =
    parts.path?.["org_id"] ?? parts.urlParams?.["org_id"] ?? (parts.payload as { org_id?: unknown } | undefined)?.org_id
  const store = yield* Effect.serviceOption(OrganizationStore)
  if (typeof given !== "string" || Option.isNone(store)) return Option.none<OrgId>()
  const orgId = idOrNil(OrgId)(given)
  const found = yield* Effect.orDie(store.value.find(Option.none(), orgId))
  if (Option.isSome(found)) return Option.some(orgId)
  const there = group === "organizations" ? "There" : "--org: there"
  const message = `${there} is no organisation with the id ${given} ("corridor orgs list" shows them).`
  return yield* new Refused({ message, status: 404 })
})

/** Decodes one part of a request as the server does. */
const decoded = (schema: Endpoint["payloadSchema"], input: unknown): Effect.Effect<unknown, Invalid> =>
  Option.match(schema, {
    onNone: () => Effect.succeed(undefined),
    onSome: (some) =>
      Effect.mapError(
        Schema.decodeUnknown(some as Schema.Schema<unknown>, { errors: "all" })(input),
        ({ issue }) => new Invalid({ message: `${validationMessage(issue)}.` })
      )
  })

/** Groups whose answers show the operator fields that the API leaves out, such as `sandbox` and `is_admin`. */
const wholeRecords = ["organizations", "users"]

const invoke = Effect.fnUntraced(function* (
  group: string,
  endpoint: Endpoint,
  handler: AnyHandler,
  parts: RequestParts
) {
  const scope = yield* namedOrganization(group, parts)
  const operator = yield* operatorName
  const elevate = (access: Access) => Effect.succeed(operatorPermit(access, operator, scope))
  const path = yield* Effect.mapError(
    decoded(endpoint.pathSchema, parts.path),
    ({ message }) => new Refused({ message, status: 404 })
  )
  const urlParams = yield* decoded(endpoint.urlParamsSchema, Object.fromEntries(queryOf(parts)))
  const body = parts.payload === undefined ? {} : yield* Effect.orDie(parseJsonText(stringifyWire(parts.payload)))
  const payload = yield* decoded(endpoint.payloadSchema, body)
  const permit = yield* elevate(Context.get(endpoint.annotations as Context.Context<Needs>, Needs))
  const request = { path, urlParams, payload, permit, elevate, route: endpoint.path, idempotencyKey: undefined }
  const result = yield* handler(request)
  const answer = result instanceof Reply ? result.body : result
  const encode = Schema.encodeUnknown(endpoint.successSchema as Schema.Schema<unknown>, {
    onExcessProperty: wholeRecords.includes(group) ? "preserve" : "ignore"
  })
  const encoded = yield* Effect.orDie(encode(answer))
  return encoded === undefined ? undefined : Option.getOrUndefined(parseBody(stringifyWire(encoded)))
})

/** The client on the handlers of a few groups. */
export const clientOf = <R>(groups: Groups<R>) =>
  Layer.effect(
    ApiClient,
    Effect.map(Effect.context<R>(), (context) => ({
      root: "",
      send: (group: string, name: string, parts: RequestParts) =>
        Effect.gen(function* () {
          const [contract, makeHandlers] = groups[group]!
          const handlers = (yield* makeHandlers) as AnyHandlers
          return yield* invoke(group, contract.endpoints[name] as Endpoint, handlers[name]!, parts)
        }).pipe(
          Effect.catchAll((error) => (error instanceof Refused ? Effect.fail(error) : refusedBy(error))),
          Effect.provide(context)
        )
    }))
  )

export const runInProcess = <E>(
  name: HandlerSet,
  asJson: boolean,
  work: Effect.Effect<CommandResult, E, ApiClient | Target>
) =>
  Effect.gen(function* () {
    const services = yield* Effect.promise(sets[name])
    yield* Effect.provide(Effect.zipRight(printDatabase, report(asJson, work)), services)
  })
