/** What all of Coinbase's answers share: their form, their refusals, their lists. */
import { Either, Option, Schema } from "effect"
import type { RefusalCode } from "../../domain/FailureCode.ts"
import type { Money } from "../../domain/Money.ts"
import { Absent, Declined, type Enquiry, type Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, noVerdict } from "../client/ProviderReplies.ts"
import { moneyOfMajor } from "../port/WireValues.ts"

export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })
export const Text = optional(Schema.String)

export const Metadata = optional(Schema.Struct({ reference: Text }))

const decodeProblem = Schema.decodeUnknownOption(Schema.Struct({ errorType: Text, errorMessage: Text }))

interface Meaning {
  readonly code?: RefusalCode
  readonly instrument?: true
}

/** What Coinbase says no to for certain, by the name that it has for it. */
const refusals: Readonly<Record<string, Meaning>> = {
  target_onchain_address_invalid: { code: "ACCOUNT_INVALID", instrument: true },
  insufficient_balance: { code: "PROVIDER_BALANCE_LOW" },
  insufficient_liquidity: { code: "PROVIDER_UNAVAILABLE" },
  account_not_ready: { code: "PROVIDER_UNAVAILABLE" },
  account_limit_exceeded: { code: "LIMIT_EXCEEDED" },
  daily_transaction_limit_exceeded: { code: "LIMIT_EXCEEDED" },
  daily_amount_limit_exceeded: { code: "LIMIT_EXCEEDED" },
  transfer_asset_not_supported: { code: "NOT_SUPPORTED" },
  source_asset_not_supported: { code: "NOT_SUPPORTED" },
  target_asset_not_supported: { code: "NOT_SUPPORTED" },
  network_mismatch: { code: "NOT_SUPPORTED" },
  recipient_allowlist_violation: { code: "NOT_SUPPORTED" },
  recipient_allowlist_pending: { code: "NOT_SUPPORTED" },
  travel_rules_recipient_violation: { code: "SUSPECTED_FRAUD" },
  policy_violation: { code: "SUSPECTED_FRAUD" },
  customer_not_authorized: { code: "CREDENTIALS_REFUSED" },
  forbidden: { code: "CREDENTIALS_REFUSED" },
  unauthorized: { code: "CREDENTIALS_REFUSED" }
}

/** It may have been done, whatever the status is; or there is an order under this key. */
const unsettled = new Set([
  "already_exists",
  "bad_gateway",
  "client_closed_request",
  "endpoint_unavailable",
  "idempotency_error",
  "internal_server_error",
  "request_canceled",
  "service_unavailable",
  "timed_out"
])

const definite = new Set([400, 403, 404, 422])

export const refusalOf = (reply: ProviderReply): Declined | Unknown => {
  const { errorMessage, errorType } = Option.getOrElse(
    decodeProblem(reply.json),
    (): { errorType?: string; errorMessage?: string } => ({})
  )
  if (reply.status === 401) return credentialsRefused(reply)
  if (!definite.has(reply.status) || unsettled.has(errorType ?? "")) {
    return errorType === undefined ? noVerdict(reply) : noVerdict(reply, `without a verdict (${errorType})`)
  }
  const usual: Meaning = { code: reply.status === 403 ? "CREDENTIALS_REFUSED" : "INVALID_ORDER" }
  const meaning = errorType !== undefined && Object.hasOwn(refusals, errorType) ? refusals[errorType] : undefined
  return new Declined({
    reason: errorMessage ?? errorType ?? `HTTP ${reply.status}`,
    ...(meaning ?? usual),
    providerCode: errorType ?? `${reply.status}`
  })
}

export const unreadable = (reply: ProviderReply): Unknown => noVerdict(reply, "whose body cannot be read")

export const moneyIn = (amount: string | undefined, asset: string | undefined): Option.Option<Money> =>
  amount === undefined || asset === undefined ? Option.none() : moneyOfMajor(amount, asset)

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | undefined
}

export type Read<A> = (reply: ProviderReply) => Either.Either<A, Enquiry>

export const readAs =
  <A, B>(decode: (json: unknown) => Either.Either<A, unknown>, become: (read: A) => B): Read<B> =>
  (reply) =>
    reply.status === 200
      ? Either.mapBoth(decode(reply.json), { onLeft: () => unreadable(reply), onRight: become })
      : Either.left(noVerdict(reply))

/** Of one thing by its id: that it is not found says something. */
export const readOne =
  <A>(decode: (json: unknown) => Either.Either<A, unknown>): Read<A> =>
  (reply) =>
    reply.status === 404 ? Either.left(new Absent()) : readAs(decode, (read) => read)(reply)
