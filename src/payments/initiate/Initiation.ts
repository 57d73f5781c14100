/** Initiates payments for API callers and other features: plans them, then creates and dispatches. */
import { Clock, Context, Effect, Either, Layer, Option } from "effect"
import { BeneficiaryId, type OrgId, idOrNil } from "../../domain/Ids.ts"
import { type Beneficiary, methodOfAccount } from "../beneficiaries/Beneficiary.ts"
import { Beneficiaries } from "../beneficiaries/Beneficiaries.ts"
import { Settings } from "../../platform/config/Settings.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import {
  type AllProvidersFailed,
  type IdempotencyConflict,
  type InsufficientFunds,
  Invalid,
  type NoRoute,
  type RateLimited,
  type RateMismatch,
  type RefusedByRule
} from "../../domain/Failure.ts"
import type { Money } from "../../domain/Money.ts"
import type { Route } from "../../domain/Routing.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { lockUsed } from "../../money/rates/RateLockStore.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import { CreateAndDispatch, type CreateOptions, organizationFor } from "./CreateAndDispatch.ts"
import type { Payment } from "../store/Payment.ts"
import {
  noCallerFields,
  type PaymentPlan,
  planPayment,
  recipientInfo,
  type Request,
  type PlanContext
} from "./PaymentPlan.ts"
import { type CreditedAccount, FundingEvents } from "../settlement/PaymentEvents.ts"
import { PaymentRouter } from "../route/PaymentRouter.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { traced } from "../../platform/observability/Spans.ts"

export type Payin = Request & { readonly direction: "payin" }
export type Payout = Request & { readonly direction: "payout" }
/** A payin whose provider names the account for a bank transfer. */
export type Collection = Omit<Payin, "bank_account">

type Refusal = Invalid | RateMismatch
type InitiationFailure =
  | Refusal
  | NoRoute
  | AllProvidersFailed
  | IdempotencyConflict
  | InsufficientFunds
  | RateLimited
  | RefusedByRule
type Launched = Stored<Payment, InitiationFailure>

/** A payout that names only its beneficiary and an amount: how it is paid follows from the beneficiary's account. */
interface WantedPayout {
  readonly amount: Money
  readonly beneficiary: Beneficiary
  readonly description: string | null
}

export const planPayout = ({ amount, beneficiary, description }: WantedPayout): Either.Either<PaymentPlan, Invalid> => {
  if (beneficiary.currency !== amount.currency) {
    return Either.left(
      new Invalid({
        message: `beneficiary_id: is paid in ${beneficiary.currency}, the account holds ${amount.currency}; use one in ${amount.currency}.`
      })
    )
  }
  const country = beneficiary.bank_details.country ?? beneficiary.country
  return Either.right({
    payment: {
      ...noCallerFields,
      direction: "outbound",
      payment_method: methodOfAccount[beneficiary.account_type],
      country,
      amount,
      target: amount,
      description,
      beneficiary_id: beneficiary.beneficiary_id,
      payer_details: {},
      mobile_money_details: beneficiary.momo_details,
      bank_account: beneficiary.bank_details,
      recipient_info: recipientInfo(beneficiary)
    },
    card: null,
    browser: null
  })
}

/** A payin to a virtual account is credited there. */
const fundingOf = (account: Option.Option<CreditedAccount>): Pick<CreateOptions, "funding"> =>
  Option.match(account, { onNone: () => ({}), onSome: ({ ledger }) => ({ funding: ledger }) })

export class Initiation extends Context.Tag("corridor/Initiation")<
  Initiation,
  {
    readonly payin: (permit: Permit<"any">, request: Payin, key?: NewKey) => Launched
    readonly payout: (permit: Permit<"payouts">, request: Payout, key?: NewKey) => Launched
    /** For features that take a payin for the organisation and store records of their own with it. */
    readonly collect: <E = never>(
      permit: Permit<"any">,
      request: Collection,
      options: CreateOptions<E>
    ) => Stored<Payment, InitiationFailure | E>
    /** For features that pay a beneficiary from an account they keep, and that authorise the caller themselves. */
    readonly payFrom: <E = never>(
      permit: Permit<Access>,
      orgId: OrgId,
      wanted: WantedPayout,
      options: CreateOptions<E> & Required<Pick<CreateOptions, "funding">>
    ) => Stored<Payment, InitiationFailure | E>
    readonly preview: (permit: Permit<"any">, request: Request, platformOnly: boolean) => Stored<Route, Refusal>
  }
>() {
  static readonly layer = Layer.effect(
    Initiation,
    Effect.gen(function* () {
      const organizations = yield* Organizations
      const beneficiaries = yield* Beneficiaries
      const rates = yield* RateQuote
      const funding = yield* FundingEvents
      const router = yield* PaymentRouter
      const { createAndDispatch } = yield* CreateAndDispatch
      const { mode, rateGainMax, rateLockMax } = yield* Settings
      const limits = { rateGainMax, rateLockMax }

      /** Reads the organisation only if the request names no country. */
      const countryOf = (orgId: OrgId, { country }: Request) =>
        country === undefined
          ? Effect.map(organizations.find(orgId), (organization) => Option.getOrUndefined(organization)?.country ?? "")
          : Effect.succeed<string>(country)

      const plan = Effect.fnUntraced(function* (
        orgId: OrgId,
        request: Request,
        targetBy: PlanContext["targetBy"] = "caller"
      ) {
        const scope = Option.some(orgId)
        const beneficiary =
          request.beneficiary_id === undefined
            ? Option.none()
            : yield* beneficiaries.find(scope, idOrNil(BeneficiaryId)(request.beneficiary_id))
        const { currency, org_rate_id, target_currency } = request
        const lock =
          org_rate_id === undefined || currency === target_currency
            ? Option.none()
            : yield* rates.locked(orgId, org_rate_id)
        const values = Option.isNone(lock) ? Option.none() : yield* rates.values(orgId, currency, target_currency)
        const account =
          request.virtual_account_id === undefined
            ? Option.none()
            : yield* funding.creditedAccount(orgId, request.virtual_account_id)
        const planned = yield* planPayment(request, {
          account,
          orgCountry: yield* countryOf(orgId, request),
          mode,
          now: new Date(yield* Clock.currentTimeMillis),
          targetBy,
          beneficiary,
          lock,
          values,
          limits
        })
        return { ...planned, isLockUsed: Option.exists(lock, ({ isUsed }) => isUsed), account }
      })

      const initiate = Effect.fnUntraced(function* (permit: Permit<"any" | "payouts">, request: Request, key?: NewKey) {
        const orgId = yield* organizationFor(permit)
        const { account, ...planned } = yield* plan(orgId, request)
        return yield* createAndDispatch(permit, orgId, planned, { key, ...fundingOf(account) })
      })

      return {
        payin: initiate,
        payout: initiate,
        collect: Effect.fnUntraced(function* <E = never>(
          permit: Permit<"any">,
          request: Collection,
          options: CreateOptions<E>
        ) {
          const orgId = yield* organizationFor(permit)
          const { bank_details } = request
          const bank =
            bank_details === undefined ? {} : { bank_account: { account_number: bank_details.account_number } }
          const planned = yield* plan(orgId, { ...request, ...bank }, "service")
          const payment = { ...planned.payment, bank_account: {} }
          return yield* createAndDispatch(
            permit,
            orgId,
            { ...planned, payment },
            { ...options, ...fundingOf(planned.account) }
          )
        }),
        payFrom: (permit, orgId, wanted, options) =>
          Effect.flatMap(planPayout(wanted), (planned) => createAndDispatch(permit, orgId, planned, options)),
        preview: traced("Initiation.preview")(function* (permit, request, platformOnly) {
          const orgId = yield* organizationFor(permit)
          const { account, isLockUsed, payment } = yield* plan(orgId, request)
          if (isLockUsed) return yield* lockUsed()
          return yield* router.route(orgId, { ...payment, platformOnly: platformOnly || Option.isSome(account) })
        })
      }
    })
  )
}
