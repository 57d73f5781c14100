/** Reads Stripe's answers into outcomes and reports. */
import { Either, Equal, Option } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { Declined, type NextAction, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import {
  acceptedBy,
  outcomeOfReport,
  asDeclined,
  credentialsRefused,
  enquiryFrom,
  failedReport,
  isOk,
  withMovements,
  unknownOutcome,
  outcomeFrom,
  providerIds,
  unreadable
} from "../client/ProviderReplies.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import type { AttemptContext } from "../port/Provider.ts"
import { meaningOf, meanings, present } from "../client/WireValues.ts"
import { isPaidOnPage, moneyIn } from "./StripeRequests.ts"
import { movementsOfIntent, movementsOfRefund } from "./StripeMovements.ts"
import {
  type BankAddress,
  chargeOf,
  errorIn,
  idIn,
  type Intent,
  intentIn,
  listIn,
  referenceIn,
  type Refund,
  refundIn,
  refusedIntentIn
} from "./StripeSchemas.ts"
import { refusalOf } from "./StripeRefusals.ts"

type Waits = NonNullable<Report["waitsFor"]>

const waits = (nextAction: NextAction, actionData: Waits["actionData"]): Waits => ({ nextAction, actionData })

type Account = Readonly<Record<"account_name" | "account_number" | "bank_name" | "bank_code", string | null>>

export const accountIn = ({ aba, iban, sort_code, spei, zengin }: typeof BankAddress.Type): Account | undefined => {
  if (iban !== null) {
    return { account_name: iban.account_holder_name, account_number: iban.iban, bank_name: null, bank_code: iban.bic }
  }
  if (sort_code !== null) {
    const { account_holder_name, account_number } = sort_code
    return { account_name: account_holder_name, account_number, bank_name: null, bank_code: sort_code.sort_code }
  }
  if (spei !== null) {
    return { account_name: null, account_number: spei.clabe, bank_name: spei.bank_name, bank_code: spei.bank_code }
  }
  if (aba !== null) {
    const { account_holder_name, account_number, bank_name, routing_number } = aba
    return { account_name: account_holder_name, account_number, bank_name, bank_code: routing_number }
  }
  if (zengin === null) return undefined
  const { account_holder_name, account_number, bank_code, bank_name, branch_code } = zengin
  const codes = [bank_code, branch_code].filter((code) => code !== null)
  const bank = codes.length === 0 ? null : codes.join("-")
  return { account_name: account_holder_name, account_number, bank_name, bank_code: bank }
}

/** Step that the payer has to take, as far as this service can lead them there. Stripe's own page leads them itself. */
const stepOf = (intent: Intent): Waits | undefined => {
  const { next_action } = intent
  if (isPaidOnPage(intent)) return undefined
  const url = next_action?.redirect_to_url?.url ?? null
  if (url !== null) return waits("redirect", { redirect_url: url })
  const transfer = next_action?.display_bank_transfer_instructions ?? null
  const account = transfer?.financial_addresses.map(accountIn).find((one) => one !== undefined)
  if (transfer !== null && account !== undefined) {
    return waits("bank_transfer", { ...account, reference: transfer.reference, expires_at: null })
  }
  const hosted = transfer?.hosted_instructions_url ?? null
  return hosted === null ? undefined : waits("pay_by_link", { payment_link: hosted })
}

interface IntentState {
  readonly state: "pending" | "processing" | "completed"
  readonly waitsFor?: Waits
}

const canceled = new Declined({ reason: "the payment was canceled", providerCode: "canceled" })

const completed = ({ amount_received, currency }: Intent): IntentState | Unknown =>
  amount_received === null || Option.isSome(moneyIn(amount_received, currency))
    ? { state: "completed" }
    : new Unknown({ reason: `it took an amount of ${currency} that cannot be read` })

const pending = (intent: Intent): IntentState => ({ state: "pending", ...present({ waitsFor: stepOf(intent) }) })

const intentStates: Readonly<Record<string, (intent: Intent) => IntentState | Declined | Unknown>> = {
  succeeded: completed,
  processing: () => ({ state: "processing" }),
  requires_capture: () => ({ state: "processing" }),
  requires_action: pending,
  requires_confirmation: pending,
  // On a page the customer may try another card; an intent that we confirmed is not tried again.
  requires_payment_method: (intent) =>
    intent.last_payment_error === null || isPaidOnPage(intent) ? pending(intent) : refusalOf(intent.last_payment_error),
  canceled: () => canceled
}

const intentState = (intent: Intent): IntentState | Declined | Unknown =>
  meaningOf(intentStates, intent.status)?.(intent) ?? { state: "processing" }

const idsOf = (intent: Intent) =>
  providerIds({ payment_intent: intent.id, latest_charge: chargeOf(intent)?.id, customer: intent.customer })

const outcomeOfIntent = (intent: Intent): Outcome => {
  const current = intentState(intent)
  if ("_tag" in current) {
    return current._tag === "Declined" ? new Declined({ ...current, providerPaymentId: intent.id }) : current
  }
  return acceptedBy(reportOfState(intent, current), current.state)
}

const reportOfState = (intent: Intent, current: IntentState): Report =>
  new Report({
    ...current,
    reason: null,
    // The page that a payment is made on can be closed, and the payment cannot: until it is made, the page's id counts.
    providerPaymentId: current.state === "pending" && isPaidOnPage(intent) ? null : intent.id,
    providerStatus: intent.status,
    ...idsOf(intent),
    ...withMovements(movementsOfIntent(intent))
  })

export const reportOfIntent = (intent: Intent): Report | Unknown => {
  const current = intentState(intent)
  if (!("_tag" in current)) return reportOfState(intent, current)
  return current._tag === "Unknown"
    ? current
    : new Report({ ...failedReport(current, intent.id, intent.status), ...idsOf(intent) })
}

const refundStates = meanings<Report["state"]>({
  completed: "succeeded",
  processing: "pending requires_action",
  // The payer's bank may turn it down long after it succeeded, and the dashboard may cancel it soon after.
  returned: "failed canceled"
})

const refundRefusal = ({ failure_reason, status }: Refund): Declined =>
  new Declined({
    reason: `the refund ${status ?? "failed"}${failure_reason === null ? "" : `: ${failure_reason}`}`,
    providerCode: failure_reason ?? status ?? "failed"
  })

export const reportOfRefund = (refund: Refund): Report => {
  const { id, status } = refund
  const state = refundStates.get(status ?? "pending") ?? "processing"
  return new Report({
    ...(state === "returned"
      ? failedReport(refundRefusal(refund), id, status, state)
      : { state, reason: null, providerPaymentId: id, providerStatus: status }),
    ...withMovements(movementsOfRefund(refund))
  })
}

export const outcomeOfRefund = (refund: Refund): Outcome =>
  outcomeOfReport(
    new Report({
      ...reportOfRefund(refund),
      providerData: { refund: refund.id, payment_intent: refund.payment_intent }
    }),
    refundRefusal(refund)
  )

/** Unknown without an error object of Stripe's. */
export const refusedBy = (reply: ProviderReply): Declined | Unknown => {
  if (reply.status === 401 || reply.status === 403) return credentialsRefused(reply)
  const error = Option.getOrUndefined(Option.map(errorIn(reply.json), (one) => one.error))
  if (error === undefined || reply.status === 409 || reply.status < 400 || reply.status >= 500)
    return unknownOutcome(reply)
  switch (error.type) {
    case "card_error":
    case "invalid_request_error":
      return refusalOf(error)
    case "idempotency_error":
      return new Unknown({ reason: "its key was sent before, with something else" })
    default:
      return unknownOutcome(reply)
  }
}

export const toIntent = outcomeFrom(intentIn, outcomeOfIntent, refusedBy)

export const toRefund = outcomeFrom(refundIn, outcomeOfRefund, refusedBy)

/** The refund may be ours, sent before: it has to be looked for. */
export const isAlreadyRefunded = (outcome: Outcome): boolean =>
  outcome._tag === "Declined" && outcome.providerCode === "charge_already_refunded"

export const toCustomer = (reply: ProviderReply): Either.Either<string, Declined> =>
  Option.match(isOk(reply) ? idIn(reply.json) : Option.none(), {
    onSome: ({ id }) => Either.right(id),
    onNone: () => Either.left(asDeclined(isOk(reply) ? unreadable(reply) : refusedBy(reply)))
  })

export const aboutIntent = enquiryFrom(intentIn, reportOfIntent)

/** Of an id that a hint named: only an intent that carries our reference, and is for our amount, is ours. */
export const aboutIntentOf = ({ money, reference }: AttemptContext) =>
  enquiryFrom(intentIn, (intent) =>
    referenceIn(intent) === reference && Option.exists(moneyIn(intent.amount, intent.currency), Equal.equals(money))
      ? reportOfIntent(intent)
      : new Unknown({ reason: "the payment of this id is not of this reference and amount" })
  )

export const aboutRefund = enquiryFrom(refundIn, reportOfRefund)

export interface Listed<A> {
  readonly named: A | undefined
  /** Where the next page begins; undefined behind the last one. */
  readonly after: string | undefined
  /** When the last one of this page was made, in seconds; null where there is none. */
  readonly lastMade: string | null
}

const listOf = (reply: ProviderReply) =>
  isOk(reply) ? Either.fromOption(listIn(reply.json), () => unreadable(reply)) : Either.left(unknownOutcome(reply))

/** Finds the object with our reference; unreadable ones are skipped. */
export const namedIn =
  <A extends { readonly metadata: Intent["metadata"] }>(read: (json: unknown) => Option.Option<A>) =>
  (reply: ProviderReply, reference: string): Either.Either<Listed<A>, Unknown> =>
    Either.map(listOf(reply), ({ data, has_more }) => {
      const last = Option.getOrUndefined(idIn(data.at(-1)))
      return {
        named: data.flatMap((one) => Option.toArray(read(one))).find((one) => referenceIn(one) === reference),
        after: has_more ? last?.id : undefined,
        lastMade: last?.created ?? null
      }
    })

/** Movements of every object on a page. A listed one without a readable amount is left out: no order names its amount. */
export const movementsIn =
  <A>(read: (json: unknown) => Option.Option<A>, movementsOf: (one: A) => ReadonlyArray<Movement>) =>
  (reply: ProviderReply): Either.Either<ReadonlyArray<Movement>, Unknown> =>
    Either.map(listOf(reply), ({ data }) =>
      data
        .flatMap((one) => Option.toArray(read(one)))
        .flatMap((one) => movementsOf(one))
        .filter(({ amount }) => amount !== null)
    )

/** Whether the payment is canceled for good. */
export const cancelAnswer = (reply: ProviderReply): "canceled" | "refused" | "unknown" => {
  const status = isOk(reply)
    ? Option.map(intentIn(reply.json), ({ status }) => status)
    : Option.map(refusedIntentIn(reply.json), ({ error }) => error.payment_intent.status)
  if (Option.isNone(status)) return "unknown"
  return status.value === "canceled" ? "canceled" : isOk(reply) ? "unknown" : "refused"
}

export const isExpectedStatus = (status: string): boolean =>
  Object.hasOwn(intentStates, status) || refundStates.has(status)
