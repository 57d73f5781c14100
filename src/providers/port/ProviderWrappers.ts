/**
 * References of attempts at third parties. Several accept only a UUID of version 4, so every third party gets the attempt's
 * id with its version digit replaced.
 */
import { Effect } from "effect"
import { nilUuid, type OrgId } from "../../domain/Ids.ts"
import { type Enquiry, Report } from "../../domain/Outcome.ts"
import { type CallbackEvent, Hint, type Named, VerifiedReport } from "./Callback.ts"
import type { DetailsOrder } from "./AccountIssuer.ts"
import type { AttemptContext, Provider, RefundOrder } from "./Provider.ts"
import { present } from "../client/WireValues.ts"
import { caller, type Purpose } from "../client/ConcurrencyLimit.ts"

const VERSION_AT = 14

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const withVersion = (version: "4" | "7", id: string): string =>
  `${id.slice(0, VERSION_AT)}${version}${id.slice(VERSION_AT + 1)}`

export const wireReference = (attemptId: string): string => withVersion("4", attemptId)

/** The nil UUID for text that is no reference of ours. */
export const attemptOfWire = (text: string): string => {
  const lower = text.toLowerCase()
  return shape.test(lower) ? withVersion("7", lower) : nilUuid
}

const outward = (attempt: AttemptContext): AttemptContext => ({
  ...attempt,
  reference: wireReference(attempt.reference),
  broughtBy: attempt.broughtBy === null ? null : outward(attempt.broughtBy)
})

const named = ({ reference, ...others }: Named): Named => ({
  ...others,
  reference: reference === null ? null : attemptOfWire(reference)
})

/** A list of a payment names refunds of ours by their wire references. */
const reported = (report: Report): Report =>
  report.movements?.some(({ refund }) => refund !== undefined) === true
    ? new Report({
        ...report,
        movements: report.movements.map((one) =>
          one.refund === undefined ? one : { ...one, refund: attemptOfWire(one.refund) }
        )
      })
    : report

const found = (enquiry: Enquiry): Enquiry => (enquiry._tag === "Report" ? reported(enquiry) : enquiry)

const inward = (event: CallbackEvent): CallbackEvent =>
  event._tag === "Hint"
    ? new Hint({ ...event, attempt: named(event.attempt) })
    : new VerifiedReport({ ...event, attempt: named(event.attempt), report: reported(event.report) })

const tagged = <A, E>(purpose: Purpose, orgId: OrgId | null, call: Effect.Effect<A, E>) =>
  Effect.locally(call, caller, { purpose, orgId })

/** Calls a provider by wire references, and tags its calls with purpose and organisation for the concurrency limit. */
export const wrapProvider = (provider: Provider): Provider => {
  const { accounts, cancel, otp, refund, resume } = provider
  const about =
    <Rest extends ReadonlyArray<unknown>, A>(
      purpose: Purpose,
      call: (attempt: AttemptContext, ...rest: Rest) => Effect.Effect<A>
    ) =>
    (attempt: AttemptContext, ...rest: Rest) =>
      tagged(purpose, attempt.orgId, call(outward(attempt), ...rest))
  const others = present({
    otp: otp && { submit: about("order", otp.submit), resend: about("order", otp.resend) },
    cancel: cancel && about("order", cancel),
    refund:
      refund &&
      ((order: RefundOrder) =>
        about("order", (attempt) => refund({ ...order, attempt, reference: wireReference(order.reference) }))(
          order.attempt
        )),
    resume: resume && about("question", (...asked: Parameters<typeof resume>) => Effect.map(resume(...asked), found)),
    accounts: accounts && {
      ...accounts,
      issue: (order: DetailsOrder) => tagged("order", null, accounts.issue(order)),
      ...(accounts.incoming && {
        incoming: (since: Date, until?: Date) => tagged("question", null, accounts.incoming!(since, until))
      })
    }
  })
  return {
    ...provider,
    initiate: (order) =>
      tagged("order", order.orgId, provider.initiate({ ...order, reference: wireReference(order.reference) })),
    enquire: about("question", (attempt) => Effect.map(provider.enquire(attempt), found)),
    callback: (request) =>
      Effect.map(tagged("proof", null, provider.callback(request)), ({ events, ...rest }) => ({
        events: events.map(inward),
        ...rest
      })),
    ...others
  }
}
