/**
 * The contract's types in JSON: decimals as numbers, times and ids as text. The published package has the same types
 * without Effect, written by `generate/TypeScriptTypes.ts`.
 */
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import type { BigDecimal, Brand } from "effect"
import type { Api } from "../contract/api/Api.ts"
import type { CreateApiKey, RotateApiKey } from "../contract/api/ApiKeysApi.ts"
import type { CreateOrganization } from "../contract/api/OrganizationsApi.ts"
import type { CreateProviderConfig } from "../contract/api/ProviderConfigsApi.ts"
import type { SetReserve } from "../contract/api/ReservesApi.ts"
import type { RuleTermsBody } from "../contract/api/RulesApi.ts"
import type { RequestVerification } from "../contract/api/VerificationApi.ts"
import type { Event } from "../contract/api/WebhookLogApi.ts"
import type { RotateSecret } from "../contract/api/WebhooksApi.ts"

/** `Decimal` replaces amounts and rates, `Time` replaces dates. */
export type Wire<T, Decimal = number, Time = string> = T extends BigDecimal.BigDecimal
  ? Decimal
  : T extends Date
    ? Time
    : T extends string & Brand.Brand<string>
      ? string
      : T extends ReadonlyArray<infer Item>
        ? ReadonlyArray<Wire<Item, Decimal, Time>>
        : T extends object
          ? { readonly [Key in keyof T]: Wire<T[Key], Decimal, Time> }
          : T

type Groups = typeof Api extends HttpApi.HttpApi<string, infer G, infer _E, infer _R> ? G : never

/** Bodies with default values, whose fields are optional for callers. */
interface Defaulted {
  readonly apiKeys: { readonly create: typeof CreateApiKey.Encoded; readonly rotate: typeof RotateApiKey.Encoded }
  readonly organizations: { readonly create: typeof CreateOrganization.Encoded }
  readonly providerConfigs: { readonly create: typeof CreateProviderConfig.Encoded }
  readonly reserves: { readonly set: typeof SetReserve.Encoded }
  readonly rules: Readonly<Record<"set" | "setPlatformRule" | "try" | "tryPlatformRule", typeof RuleTermsBody.Encoded>>
  readonly verification: { readonly request: typeof RequestVerification.Encoded }
  readonly webhooks: { readonly rotateSecret: typeof RotateSecret.Encoded }
}

type OptionalIn<Sent> = { [Key in keyof Sent]-?: {} extends Pick<Sent, Key> ? Key : never }[keyof Sent]

type Relaxed<Whole, Names> = Omit<Whole, Names & keyof Whole> & Partial<Pick<Whole, Names & keyof Whole>>

type Body<G, N, Payload, Decimal> = G extends keyof Defaulted
  ? N extends keyof Defaulted[G]
    ? Relaxed<Wire<Payload, Decimal>, OptionalIn<Defaulted[G][N]>>
    : Wire<Payload, Decimal>
  : Wire<Payload, Decimal>

/** The page size has a default. */
type Query<Params> = Omit<Wire<Params>, "limit"> & ("limit" extends keyof Params ? { readonly limit?: number } : {})

type Part<Name extends string, Value, Given> = [Value] extends [never]
  ? {}
  : {} extends Given
    ? { readonly [Key in Name]?: Given }
    : { readonly [Key in Name]: Given }

type RequestOf<Path, Params, Headers, Payload, Given> = Part<"path", Path, Wire<Path>> &
  Part<"urlParams", Params, Query<Params>> &
  Part<"headers", Headers, Wire<Headers>> &
  Part<"payload", Payload, Given>

/** Request and answer of each operation, by group and name. */
export type Operations<Decimal = number> = {
  readonly [G in Groups as HttpApiGroup.HttpApiGroup.Name<G>]: {
    readonly [E in HttpApiGroup.HttpApiGroup.Endpoints<G> as HttpApiEndpoint.HttpApiEndpoint.Name<E>]: {
      readonly request: RequestOf<
        HttpApiEndpoint.HttpApiEndpoint.PathParsed<E>,
        HttpApiEndpoint.HttpApiEndpoint.UrlParams<E>,
        HttpApiEndpoint.HttpApiEndpoint.Headers<E>,
        HttpApiEndpoint.HttpApiEndpoint.Payload<E>,
        Body<
          HttpApiGroup.HttpApiGroup.Name<G>,
          HttpApiEndpoint.HttpApiEndpoint.Name<E>,
          HttpApiEndpoint.HttpApiEndpoint.Payload<E>,
          Decimal
        >
      >
      readonly answer: Wire<HttpApiEndpoint.HttpApiEndpoint.Success<E>, Decimal>
    }
  }
}

/** In the published package a union, in which `event_type` tells the data. */
export type WebhookEvent = Wire<typeof Event.Type>
