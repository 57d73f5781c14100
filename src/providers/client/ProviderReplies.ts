/** Reads replies, and failed calls, into outcomes and reports. Shared by all adapters. */
import { Effect, Either, Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { MovementKind } from "../../domain/Movement.ts"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import { present } from "./WireValues.ts"
import type { CallFailed, ProviderReply } from "./ProviderHttp.ts"

type Reply = Effect.Effect<ProviderReply, CallFailed>

export const isOk = ({ status }: ProviderReply): boolean => status >= 200 && status < 300

export const isMade = ({ status }: ProviderReply): boolean => status === 200 || status === 201

const busy = ({ headers }: ProviderReply): Declined =>
  new Declined({
    reason: `asked too often${headers["retry-after"] === undefined ? "" : `, again after ${headers["retry-after"]}`}`,
    code: "PROVIDER_BUSY",
    providerCode: "429"
  })

const unreachable = (failed: CallFailed): Declined =>
  new Declined({
    reason: failed.reason,
    code: "PROVIDER_UNAVAILABLE",
    unsent: failed._tag === "NeverSent" && failed.crowded === true ? "crowded" : "unreachable"
  })

/** The provider's own ids and receipts, for the record. What it did not tell is left out. */
export const providerIds = (
  ids: Readonly<Record<string, unknown>>
): { readonly providerData: Accepted["providerData"] } => ({
  providerData: Object.fromEntries(
    Object.entries(ids).filter(
      ([, id]) => id !== undefined && id !== null && id !== "" && !(Array.isArray(id) && id.length === 0)
    )
  )
})

/** Movement of one transfer that has happened, under the provider's id. An amount of zero moved nothing. */
export const settledOnce = (kind: MovementKind, id: string, amount: Money | undefined): Pick<Report, "movements"> =>
  amount?.isPositive === false ? {} : { movements: [{ kind, id, amount: amount ?? null, state: "settled" }] }

/** Outcome of an answer that neither accepts nor declines. */
export const unknownOutcome = ({ status }: ProviderReply, about = "without a definite answer"): Unknown =>
  new Unknown({ reason: `HTTP ${status} ${about}` })

/** The credentials were rejected: nothing was done, and the operator has to act. */
export const credentialsRefused = ({ status }: ProviderReply): Declined =>
  new Declined({
    reason: `HTTP ${status}: it did not take our credentials`,
    code: "CREDENTIALS_REFUSED",
    providerCode: `${status}`
  })

/** A report that tells of no movement leaves the field out. */
export const withMovements = (movements: NonNullable<Accepted["movements"]>): Pick<Accepted, "movements"> =>
  movements.length === 0 ? {} : { movements }

/**
 * Outcome of an order: declined if never sent, unknown if it may have been. `read` may look the order up, where the
 * provider says that it has the reference already.
 */
export const outcomeOfOrder = (
  reply: Effect.Effect<ProviderReply, CallFailed | Declined>,
  read: (reply: ProviderReply) => Outcome | Effect.Effect<Outcome>
): Effect.Effect<Outcome> =>
  Effect.matchEffect(reply, {
    onFailure: (failed) =>
      Effect.succeed(
        failed._tag === "NeverSent"
          ? unreachable(failed)
          : failed._tag === "MaybeSent"
            ? new Unknown({ reason: failed.reason })
            : failed
      ),
    // A look-up of an order that the provider has comes before the refusal of too many calls.
    onSuccess: (one) => {
      const outcome = read(one)
      if (Effect.isEffect(outcome)) return outcome
      return Effect.succeed(one.status === 429 ? busy(one) : outcome)
    }
  })

/** A preparing call that moves nothing: any failure of it declines the order. */
export const preparedOrDeclined = <A>(
  reply: Reply,
  read: (reply: ProviderReply) => Either.Either<A, Declined>
): Effect.Effect<A, Declined> =>
  Effect.flatMap(Effect.mapError(reply, unreachable), (one) =>
    one.status === 429 ? Either.left(busy(one)) : read(one)
  )

/** Looks up the ids that hints named, one after the other, until one answers with a report about our order. */
export const firstReport = (
  hintedIds: ReadonlyArray<string>,
  look: (id: string) => Effect.Effect<Enquiry>,
  otherwise: Effect.Effect<Enquiry>
): Effect.Effect<Enquiry> =>
  Effect.gen(function* () {
    for (const id of hintedIds) {
      const said = yield* look(id)
      if (said._tag === "Report") return said
    }
    return yield* otherwise
  })

/** A look-up: failures of it leave the attempt unknown. */
export const enquiryResult = (
  reply: Effect.Effect<ProviderReply, CallFailed | Declined>,
  read: (reply: ProviderReply) => Enquiry
): Effect.Effect<Enquiry> =>
  Effect.match(reply, {
    onFailure: ({ reason }) => new Unknown({ reason }),
    onSuccess: (one) => (one.status === 429 ? new Unknown({ reason: "asked too often" }) : read(one))
  })

export const notSupported = (reason: string): Declined => new Declined({ reason, code: "NOT_SUPPORTED" })

export const invalidOrder = (reason: string): Declined => new Declined({ reason, code: "INVALID_ORDER" })

/** The amount as the third party writes it, or a refusal where it cannot write exactly this amount. */
export const exactAmount = (
  title: string,
  money: Money,
  written: Option.Option<string>
): Either.Either<string, Declined> =>
  Either.fromOption(written, () => notSupported(`${title} cannot be asked for exactly ${money}`))

/** Reads an answer; left where the call failed, or its answer cannot be read. */
export const readOk = <A>(reply: ProviderReply, read: Read<A>): Either.Either<A, { readonly reason: string }> =>
  Either.fromOption(isOk(reply) ? read(reply.json) : Option.none(), () => ({ reason: `HTTP ${reply.status}` }))

export const unreadable = (reply: ProviderReply): Unknown => unknownOutcome(reply, "with a body that cannot be read")

type Read<A> = (json: unknown) => Option.Option<A>

/** Reads the answer to an order. Without a readable body the outcome is unknown; `refused` reads other statuses. */
export const outcomeFrom =
  <A>(
    read: Read<A>,
    means: (read: A) => Outcome,
    refused: (reply: ProviderReply) => Declined | Unknown,
    isTaken: (reply: ProviderReply) => boolean = isOk
  ) =>
  (reply: ProviderReply): Outcome =>
    isTaken(reply) ? Option.match(read(reply.json), { onNone: () => unreadable(reply), onSome: means }) : refused(reply)

/** Reads the answer to a look-up by id. */
export const enquiryFrom = <A>(read: Read<A>, means: (read: A) => Enquiry) => {
  const found = foundFrom(read, means)
  return (reply: ProviderReply): Enquiry => (reply.status === 404 ? new Absent() : found(reply))
}

/** The same, where HTTP 404 does not prove that it is absent. */
export const foundFrom =
  <A>(read: Read<A>, means: (read: A) => Enquiry) =>
  (reply: ProviderReply): Enquiry =>
    isOk(reply)
      ? Option.match(read(reply.json), { onNone: () => unreadable(reply), onSome: means })
      : unknownOutcome(reply)

/** Declines the order when a preparing call has no definite answer. */
export const asDeclined = (outcome: Declined | Unknown): Declined =>
  outcome._tag === "Declined" ? outcome : new Declined({ reason: outcome.reason, code: "PROVIDER_UNAVAILABLE" })

/** Report of a refusal that came after the order was accepted. */
export const failedReport = (
  { code, providerCode, reason }: Declined,
  providerPaymentId: string | null,
  providerStatus: string | null,
  state: "failed" | "returned" = "failed"
): Report => new Report({ state, reason, ...present({ code, providerCode }), providerPaymentId, providerStatus })

/** Logs a status that is in none of the adapter's tables. Such a payment counts as processing. */
export const makeStatusWarning =
  (title: string, isExpected: (status: string) => boolean) =>
  <A extends Outcome | Enquiry>(answer: A): Effect.Effect<A> => {
    const status = "providerStatus" in answer ? answer.providerStatus : null
    return status === null || isExpected(status)
      ? Effect.succeed(answer)
      : Effect.logWarning(`${title} answered with an unexpected status: ${status}`).pipe(
          Effect.annotateLogs({ status }),
          Effect.as(answer)
        )
  }

/** Answers to orders from reports: of orders that were just made, and of those that the provider had already. */
const declinedBy = (report: Report): Declined =>
  new Declined({
    reason: report.reason ?? `its status is ${report.providerStatus ?? report.state}`,
    ...present({
      code: report.code,
      providerCode: report.providerCode,
      providerPaymentId: report.providerPaymentId ?? undefined
    })
  })

export const acceptedBy = (report: Report, state: Accepted["state"]): Accepted =>
  new Accepted({
    state,
    providerPaymentId: report.providerPaymentId,
    providerStatus: report.providerStatus,
    nextAction: report.waitsFor?.nextAction ?? (state === "pending" ? "check_status" : null),
    actionData: report.waitsFor?.actionData ?? {},
    providerData: report.providerData ?? {},
    ...present({ movements: report.movements, fee: report.fee })
  })

/** `declined`: instead of a refusal by what the report says. */
export const outcomeOfReport = (report: Report, declined?: Declined): Accepted | Declined =>
  report.state === "failed" || report.state === "returned"
    ? (declined ?? declinedBy(report))
    : acceptedBy(report, report.state)

/** An order that the provider has already. One that cannot be found just after it was said to exist is unknown. */
export const outcomeOfDuplicate = (enquiry: Enquiry): Outcome => {
  switch (enquiry._tag) {
    case "Absent":
      return new Unknown({ reason: "it has this reference already, and cannot find it" })
    case "Unknown":
      return enquiry
    case "Report":
      return outcomeOfReport(enquiry)
  }
}

/** The same, where a failure is left to the next enquiry. */
export const acceptedDuplicate = (enquiry: Enquiry): Accepted | Unknown =>
  enquiry._tag === "Report"
    ? acceptedBy(enquiry, enquiry.state === "completed" ? "completed" : "processing")
    : new Unknown({ reason: "it has this reference already, and does not say what became of it" })
