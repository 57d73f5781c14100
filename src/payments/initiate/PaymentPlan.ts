/**
 * Turns an initiation into a payment. Pure. Checks the conditional fields, amounts, locked rate, payment method and
 * destination; each refusal names its field. A payout goes only to its beneficiary: any other detail in the request
 * must match that account.
 */
import { Either, Option, Redacted } from "effect"
import type { InitiatePayment } from "../../contract/api/PaymentsInitApi.ts"
import type { Beneficiary } from "../beneficiaries/Beneficiary.ts"
import { sameAccount, type SentDetails } from "../beneficiaries/Destination.ts"
import { holdsNumber, isExpired, maskCard } from "../../domain/Card.ts"
import { flowOf } from "../../domain/Corridor.ts"
import { CountryCode, isCountryCode } from "../../domain/Country.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import type { Exchange } from "../../domain/Exchange.ts"
import { Invalid, RateMismatch } from "../../domain/Failure.ts"
import { checkGiven, checkLocked, checkTarget, type LockedRate } from "../../domain/LockedRate.ts"
import {
  checkLockedAmount,
  type LiveValues,
  type LockLimits,
  type LockUse,
  useOf
} from "../../money/rates/RateLockStore.ts"
import { mobileMoneyProblems } from "../../domain/AccountFormat.ts"
import { Money } from "../../domain/Money.ts"
import { countryOfPhoneNumber, readPhoneNumber } from "../../domain/PhoneNumber.ts"
import { isIpAddress } from "../../domain/RiskRules.ts"
import { checkReturnUrl } from "../../domain/Url.ts"
import type { Browser, Card } from "../../providers/port/Provider.ts"
import type { CreditedAccount } from "../settlement/PaymentEvents.ts"
import type { JsonObject, Payment } from "../store/Payment.ts"

type ApiRequest = typeof InitiatePayment.Type
type ApiPayer = NonNullable<ApiRequest["payer_details"]>

/** The API demands the payer's e-mail address; a payment link may do without. */
export type Request = Omit<ApiRequest, "payer_details"> & {
  readonly payer_details?: (Omit<ApiPayer, "email"> & Partial<Pick<ApiPayer, "email">>) | undefined
}

/** Facts that a plan needs beside the request. */
export interface PlanContext {
  readonly orgCountry: string
  readonly mode: "sandbox" | "live"
  /** For the card, whose time is its issuer's; a lock has a clock of its own. */
  readonly now: Date
  /** Source of the target amount: callers round half-even, the service rounds down. */
  readonly targetBy: "caller" | "service"
  /** As named by beneficiary_id, when it is one of the organisation's. */
  readonly beneficiary: Option.Option<Beneficiary>
  /** As named by org_rate_id, when it is one of the organisation's. */
  readonly lock: Option.Option<LockedRate>
  /** Of the pair that the lock is for; none where nothing is converted. */
  readonly values: Option.Option<LiveValues>
  readonly limits: LockLimits
  /** As named by virtual_account_id, when it is one of the organisation's. */
  readonly account: Option.Option<CreditedAccount>
}

type Described = Pick<
  Payment,
  | "direction"
  | "payment_method"
  | "country"
  | "amount"
  | "target"
  | "org_rate_id"
  | "client_reference"
  | "description"
  | "beneficiary_id"
  | "payer_details"
  | "mobile_money_details"
  | "card_details"
  | "bank_account"
  | "recipient_info"
  | "metadata"
  | "return_url"
>

export interface PaymentPlan {
  readonly payment: Described
  /** Card of the payer; never stored. */
  readonly card: Redacted.Redacted<Card> | null
  /** The locked rate that the payment spends. */
  readonly lock?: LockUse | undefined
  /** The rate of the lock. */
  readonly exchange?: Exchange | undefined
  /** Browser in which the card was entered; never stored. */
  readonly browser: Browser | null
}

const browserIn = ({ browser }: NonNullable<Request["card_details"]>): Browser | null =>
  browser === undefined
    ? null
    : {
        ip: browser.ip_address ?? null,
        userAgent: browser.user_agent,
        acceptHeader: browser.accept_header,
        language: browser.language,
        screen: {
          width: browser.screen_width,
          height: browser.screen_height,
          colorDepth: browser.color_depth,
          timeZoneOffset: browser.time_zone_offset,
          javaEnabled: browser.java_enabled ?? false
        }
      }

const phoneProblems = ({ payer_details }: Request, country: CountryCode): ReadonlyArray<string> => {
  const phone = payer_details === undefined ? undefined : readPhoneNumber(payer_details.phone, country)
  return phone !== undefined && Either.isLeft(phone) ? [`payer_details.phone: ${phone.left}`] : []
}

/** A card's number is kept nowhere, so that it may stand nowhere but in its own field. */
const repeatedNumber = (request: Request): ReadonlyArray<string> => {
  const { bank_account, bank_details, card_details, client_reference, description, metadata } = request
  const { mobile_money_details, payer_details, return_url } = request
  if (card_details === undefined) return []
  const { card_holder_name, card_number } = card_details
  const kept = {
    "card_details.card_holder_name": card_holder_name,
    ...{ client_reference, description, payer_details, mobile_money_details },
    ...{ bank_details, bank_account, return_url, metadata }
  }
  return Object.entries(kept).flatMap(([field, value]) =>
    value !== undefined && holdsNumber(stringifyWire(value), card_number)
      ? [`${field}: holds the number of the card; leave it out`]
      : []
  )
}

const cardProblems = ({ card_details, payment_method }: Request, now: Date): ReadonlyArray<string> => {
  if (card_details === undefined || payment_method !== "card") return []
  const { browser, expiry_month, expiry_year } = card_details
  const ip = browser?.ip_address ?? null
  return [
    ...(isExpired(expiry_month, expiry_year, now)
      ? [`card_details.expiry_year: the card expired with ${expiry_month}/${expiry_year}; use another`]
      : []),
    ...(ip === null || isIpAddress(ip) ? [] : ["card_details.browser.ip_address: is not an IP address"])
  ]
}

/** The network moves the provider's side of the payment. */
const networkProblems = (request: Request, country: CountryCode): ReadonlyArray<string> => {
  const { currency, direction, mobile_money_details, payment_method, target_currency } = request
  if (mobile_money_details === undefined || payment_method !== "mobile_money") return []
  const details = "mobile_money_details"
  return direction === "payin"
    ? mobileMoneyProblems(mobile_money_details, country, currency, { details, currency: "currency" })
    : mobileMoneyProblems(mobile_money_details, country, target_currency, { details, currency: "target_currency" })
}

const payerProblems = (request: Request, country: CountryCode, now: Date): ReadonlyArray<string> => [
  ...phoneProblems(request, country),
  ...cardProblems(request, now),
  ...repeatedNumber(request),
  ...networkProblems(request, country)
]

const accountTypeOf = { bank_transfer: "bank", mobile_money: "mobile_money" } as const

const NO_CARD_PAYOUTS =
  "payment_method: a card cannot be paid out to; send bank_transfer or mobile_money, with a beneficiary that has such an account"

const contradictions = (
  { bank_account, card_details, mobile_money_details, target_currency }: Request,
  beneficiary: Beneficiary
): ReadonlyArray<string> => {
  const sent: Readonly<Record<string, SentDetails>> = {
    bank_account: { bank_account },
    mobile_money_details: { mobile_money_details }
  }
  const { account_type, currency } = beneficiary
  return [
    ...Object.entries(sent).flatMap(([field, details]) =>
      sameAccount(beneficiary, details) ? [] : [`${field}: names another account than the beneficiary's`]
    ),
    ...(card_details === undefined
      ? []
      : [`card_details: a card is not the beneficiary's ${account_type} account; leave it out`]),
    ...(target_currency === currency ? [] : [`target_currency: must be ${currency}, which the beneficiary is paid in`])
  ]
}

const destinationProblems = (request: Request, beneficiary: Option.Option<Beneficiary>): ReadonlyArray<string> => {
  const { beneficiary_id, direction, payment_method } = request
  if (direction === "payout" && payment_method === "card") return [NO_CARD_PAYOUTS]
  if (beneficiary_id === undefined) return []
  if (Option.isNone(beneficiary)) return ["beneficiary_id: is not a beneficiary of this organisation"]
  if (direction === "payin" || payment_method === "card") return []
  const wanted = accountTypeOf[payment_method]
  const { account_type } = beneficiary.value
  return account_type === wanted
    ? contradictions(request, beneficiary.value)
    : [`beneficiary_id: has a ${account_type} account; a ${payment_method} payout needs ${wanted}`]
}

const accountProblems = (
  { direction, target_currency, virtual_account_id }: Request,
  account: Option.Option<CreditedAccount>
): ReadonlyArray<string> => {
  if (virtual_account_id === undefined) return []
  const field = "virtual_account_id"
  if (direction === "payout") return [`${field}: is for payins; a payout from an account is a withdrawal`]
  if (Option.isNone(account)) return [`${field}: is not a virtual account of this organisation`]
  const { currency, isClosed } = account.value
  if (isClosed) return [`${field}: the account is closed`]
  return currency === target_currency
    ? []
    : [`target_currency: must be ${currency}, the currency of the virtual account`]
}

const needed = (field: string, why: string): string => `${field}: is needed ${why}`

const missingFields = (request: Request): ReadonlyArray<string> => {
  const { direction, payment_method } = request
  const problems: Array<string> = []
  const need = (field: keyof Request, why: string) => {
    if (request[field] === undefined) problems.push(needed(field, why))
  }
  if (direction === "payin") need("payer_details", "for a payin")
  if (direction === "payout") need("beneficiary_id", "for a payout")
  if (payment_method === "mobile_money") need("mobile_money_details", "for mobile_money")
  const isCardPayin = payment_method === "card" && direction === "payin"
  if (isCardPayin && request.card_entry === undefined) need("card_details", 'for card, or card_entry "hosted"')
  if (!isCardPayin && request.card_entry !== undefined) problems.push("card_entry: is for card payins only")
  if (payment_method === "bank_transfer") {
    need("bank_details", "for bank_transfer")
    need("bank_account", "for bank_transfer")
  }
  return problems
}

interface Amounts {
  readonly amount: Money
  readonly target: Money
}

const amountsOf = (request: Request): Either.Either<Amounts, ReadonlyArray<string>> => {
  const amount = Money.fromDecimal(request.amount, request.currency)
  const target = Money.fromDecimal(request.target_amount, request.target_currency)
  if (Either.isLeft(amount)) return Either.left([`amount: ${amount.left}`])
  if (Either.isLeft(target)) return Either.left([`target_amount: ${target.left}`])
  if (request.currency === request.target_currency) {
    return amount.right.minor === target.right.minor
      ? Either.right({ amount: amount.right, target: target.right })
      : Either.left(["target_amount: must equal amount when both are in the same currency"])
  }
  return request.org_rate_id === undefined
    ? Either.left([needed("org_rate_id", "when target_currency differs from currency: look the rate up first")])
    : Either.right({ amount: amount.right, target: target.right })
}

export const notLocked = () =>
  new RateMismatch({ message: "org_rate_id: is not a rate that was locked for this organisation; look it up again." })

/** Nothing where nothing is converted. */
const lockUseOf = (
  request: Request,
  amounts: Amounts,
  { limits, lock, targetBy, values }: PlanContext
): Either.Either<LockUse | undefined, Invalid | RateMismatch> =>
  Either.gen(function* () {
    const { currency, target_currency } = request
    if (currency === target_currency) return undefined
    if (Option.isNone(lock)) return yield* Either.left(notLocked())
    const locked = yield* Either.mapLeft(
      checkLocked(lock.value, currency, target_currency),
      (message) => new RateMismatch({ message })
    )
    if (Option.isNone(values)) {
      const message = `org_rate_id: there is no live rate from ${currency} to ${target_currency} to compare it with.`
      return yield* Either.left(new RateMismatch({ message }))
    }
    yield* checkLockedAmount(locked, amounts.amount, values.value, limits)
    yield* targetBy === "caller" ? checkTarget(locked, amounts) : checkGiven(locked, amounts)
    return useOf(locked, amounts.amount, values.value, limits)
  })

const countryOf = (request: Request, { beneficiary, orgCountry }: PlanContext): CountryCode => {
  if (request.country !== undefined) return request.country
  const bank =
    request.direction === "payout"
      ? Option.getOrUndefined(Option.map(beneficiary, (one) => one.bank_details.country ?? one.country))
      : request.bank_details?.country
  const phone = request.mobile_money_details?.phone_number ?? request.payer_details?.phone
  const fromPhone = phone === undefined ? undefined : Option.getOrUndefined(countryOfPhoneNumber(phone))
  const country = bank ?? fromPhone ?? orgCountry
  return isCountryCode(country) ? country : CountryCode.make(orgCountry)
}

/** Fields of a payment that only a caller of payments-init sets. Ramps and withdrawals override the few that they have. */
export const noCallerFields = {
  org_rate_id: null,
  client_reference: null,
  description: null,
  mobile_money_details: {},
  card_details: {},
  bank_account: {},
  metadata: {},
  return_url: null
} satisfies Partial<PaymentPlan["payment"]>

const object = (value: JsonObject | undefined): JsonObject => value ?? {}

export const planPayment = (
  request: Request,
  context: PlanContext
): Either.Either<PaymentPlan, Invalid | RateMismatch> => {
  const country = countryOf(request, context)
  const amounts = amountsOf(request)
  const returnUrl =
    request.return_url === undefined ? Either.right(null) : checkReturnUrl(request.return_url, context.mode)
  const problems = [
    ...missingFields(request),
    ...(Either.isLeft(amounts) ? amounts.left : []),
    ...destinationProblems(request, context.beneficiary),
    ...accountProblems(request, context.account),
    ...payerProblems(request, country, context.now),
    ...(Either.isLeft(returnUrl) ? [`return_url: ${returnUrl.left}`] : [])
  ]
  if (problems.length > 0 || Either.isLeft(amounts) || Either.isLeft(returnUrl)) {
    return Either.left(new Invalid({ message: `${problems.join("; ")}.` }))
  }
  const { amount, target } = amounts.right
  const lock = lockUseOf(request, amounts.right, context)
  if (Either.isLeft(lock)) return Either.left(lock.left)
  const card = request.card_entry === "hosted" ? undefined : request.card_details
  const recipient = context.beneficiary
  return Either.right({
    lock: lock.right,
    exchange: lock.right === undefined ? undefined : Option.getOrUndefined(context.lock),
    payment: {
      direction: flowOf(request.direction),
      payment_method: request.payment_method,
      country,
      amount,
      target,
      org_rate_id: lock.right?.org_rate_id ?? null,
      client_reference: request.client_reference ?? null,
      description: request.description ?? null,
      beneficiary_id: Option.getOrNull(Option.map(recipient, (one) => one.beneficiary_id)),
      payer_details: {
        ...object(request.payer_details),
        ...(request.bank_details === undefined ? {} : { bank_details: request.bank_details })
      },
      mobile_money_details: object(request.mobile_money_details),
      card_details: card === undefined ? {} : maskCard(card),
      bank_account: object(request.bank_account),
      recipient_info: Option.match(recipient, { onNone: () => ({}), onSome: recipientInfo }),
      metadata: object(request.metadata),
      return_url: returnUrl.right
    },
    browser: card === undefined ? null : browserIn(card),
    card:
      card === undefined || request.payment_method !== "card"
        ? null
        : Redacted.make({
            number: card.card_number,
            expiryMonth: card.expiry_month,
            expiryYear: card.expiry_year,
            cvv: card.cvv ?? null,
            holder: card.card_holder_name ?? null
          })
  })
}

/** The beneficiary as it is at initiation, for the record. */
export const recipientInfo = ({
  created_at: _created,
  org_id: _org,
  updated_at: _updated,
  ...rest
}: Beneficiary): JsonObject => rest
